#include "core/isa.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>

namespace tfx {

namespace {

Isa from_environment() {
  const char* const wanted = std::getenv("TFX_ISA");
  return wanted ? std::min(isa_named(wanted).value_or(widest_isa()), widest_isa()) : widest_isa();
}

std::atomic<Isa>& in_use() {
  static std::atomic<Isa> one = from_environment();
  return one;
}

} // namespace

std::string_view name(Isa isa) {
  switch (isa) {
  case Isa::avx2: return "avx2";
  case Isa::avx512: return "avx512";
  case Isa::baseline: break;
  }
  return "baseline";
}

std::optional<Isa> isa_named(std::string_view wanted) {
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512})
    if (name(isa) == wanted) return isa;
  return {};
}

Isa widest_isa() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return Isa::baseline;
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  return wide ? Isa::avx512 : Isa::avx2;
#else
  return Isa::baseline;
#endif
}

Isa isa() {
  return in_use().load(std::memory_order_relaxed);
}

void set_isa(Isa wanted) {
  in_use().store(std::min(wanted, widest_isa()), std::memory_order_relaxed);
}

} // namespace tfx
