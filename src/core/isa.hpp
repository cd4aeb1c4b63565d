#pragma once
// Which vector instructions the kernels use. Every kernel is compiled once for each set (kernels/simd); which
// of them runs is decided here, at run time.

#include <optional>
#include <string_view>

namespace tfx {

/// baseline: what every CPU of the architecture has (SSE2 on x86-64, 16-byte vectors elsewhere).
enum class Isa { baseline, avx2, avx512 };

std::string_view name(Isa isa); ///< "baseline", "avx2", "avx512"
std::optional<Isa> isa_named(std::string_view name);

/// The widest set that this CPU and its operating system have.
Isa widest_isa();

/// The set in use: what set_isa or the environment variable TFX_ISA (a name as above) asks for, where the CPU
/// has it, or else the widest.
Isa isa();

/// For tests: not while kernels run.
void set_isa(Isa wanted);

} // namespace tfx
