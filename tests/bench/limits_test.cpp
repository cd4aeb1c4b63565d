#include "bench/limits.hpp"

#include "bench/machine.hpp"
#include "core/parallel.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cstdlib>

using namespace tfx;
using namespace tfx::bench;

TEST_CASE("the limits are numbers of this machine", "[bench][limits]") {
  const Limits limits = measure_limits();
  CHECK(limits.flops > 1e8);
  CHECK(limits.flops < 1e15);
  CHECK(limits.bytes > 1e7);
  CHECK(limits.bytes < 1e14);
  const Limits most = better({1, 5}, {2, 4});
  CHECK(most.flops == 2);
  CHECK(most.bytes == 5);
}

TEST_CASE("the widest vectors are those that the CPU has", "[bench][limits]") {
  std::string expected = "baseline";
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) expected = "avx2";
  if (__builtin_cpu_supports("avx512f")) expected = "avx512";
#endif
  CHECK(widest_vectors() == expected);
}

TEST_CASE("a machine names what forces other kernels on OpenBLAS", "[bench][machine]") {
  setenv("OPENBLAS_TFX_TEST", "Haswell=1", 1);
  const Machine machine = this_machine();
  unsetenv("OPENBLAS_TFX_TEST");
  const std::pair<std::string, std::string> wanted{"OPENBLAS_TFX_TEST", "Haswell=1"};
  CHECK(std::find(machine.overrides.begin(), machine.overrides.end(), wanted) != machine.overrides.end());
  CHECK(machine.threads == threads());
  for (const auto& [name, value] : this_machine().overrides) CHECK(name != wanted.first);
}
