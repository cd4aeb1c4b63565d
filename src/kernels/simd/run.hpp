#pragma once
// What run.inc, and kernels that name an instruction, need of the compiler.

#include <array>
#include <type_traits>
#if defined(__x86_64__)
#include <immintrin.h>
#endif
