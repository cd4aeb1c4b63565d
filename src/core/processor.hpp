#pragma once
// The processor as Linux describes it in /proc/cpuinfo, and what vector instructions OpenBLAS's kernels need:
// together they say whether a library runs below what the machine can do.

#include <optional>
#include <string>
#include <string_view>

namespace tfx {

/// Vector instructions of x86-64, from narrow to wide; avx2 counts only with FMA, avx512 with the parts F,
/// BW, DQ and VL, as kernels use them together. Elsewhere: baseline.
enum class Vectors { baseline, avx, avx2, avx512 };

struct Processor {
  std::string name; ///< "AMD EPYC 7763"; empty where the system does not say
  bool sse2 = false, avx = false, avx2 = false, fma = false, avx512 = false;

  Vectors widest() const;
};

/// The first processor of the text of /proc/cpuinfo.
Processor processor_in(std::string_view cpuinfo);

/// Whether both name the same core of OpenBLAS, which reads OPENBLAS_CORETYPE in any case.
bool is_core(std::string_view core, std::string_view name);

/// What OpenBLAS's kernels of that name ("Haswell", "SkylakeX"; any case) use; nothing for a name that is
/// not known here, of another architecture or a later version. Source: OpenBLAS 0.3, driver/others/dynamic.c
/// and kernel/x86_64/KERNEL.*.
std::optional<Vectors> vectors_of_core(std::string_view core);

} // namespace tfx
