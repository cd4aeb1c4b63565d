#pragma once
// Every operation, for what records them.

#include "ops/choices.hpp"
#include "ops/elementwise.hpp"
#include "ops/gather.hpp"
#include "ops/heads.hpp"
#include "ops/losses.hpp"
#include "ops/masks.hpp"
#include "ops/norms.hpp"
#include "ops/optimizers.hpp"
#include "ops/positions.hpp"
#include "ops/products.hpp"
#include "ops/rows.hpp"
#include "ops/softmax.hpp"
#include "ops/subwords.hpp"
#include "ops/sums.hpp"
