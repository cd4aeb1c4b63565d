#pragma once
// The figures of `tfx bench` as JSON; what was not timed is null.

#include "cli/bench/run.hpp"

#include <string>

namespace tfx {

std::string bench_json(const BenchRun& run);
std::string ladder_json(const LadderRun& run);

} // namespace tfx
