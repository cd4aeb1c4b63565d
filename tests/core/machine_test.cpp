#include "core/machine.hpp"

#include "support/catch.hpp"

#include <array>

using namespace tfx;

namespace {

/// A machine that nothing can be said against: AVX-512, OpenBLAS that knows it, two free processors.
Machine sound() {
  Machine machine;
  machine.processor = {"a CPU", true, true, true, true, true};
  machine.isa = machine.widest_isa = Isa::avx512;
  machine.blas.version = "0.3.21", machine.blas.core = "SkylakeX";
  machine.online = machine.usable = machine.threads = 2;
  machine.huge_pages = "madvise";
  machine.memory = machine.free_memory = 16e9;
  return machine;
}

Machine without_avx512() {
  Machine machine = sound();
  machine.processor.avx512 = false;
  machine.isa = machine.widest_isa = Isa::avx2;
  machine.blas.core = "Zen";
  return machine;
}

std::vector<std::string> ids(const Machine& machine) {
  std::vector<std::string> found;
  for (const MachineWarning& warning : warnings_of(machine)) found.push_back(warning.id);
  return found;
}

using Ids = std::vector<std::string>;

bool is_unusable(const Machine& machine) {
  const auto warnings = warnings_of(machine);
  return warnings.size() == 1 && warnings[0].grade == MachineWarning::Grade::unusable;
}

} // namespace

TEST_CASE("a sound machine has no warnings", "[core][machine]") {
  CHECK(ids(sound()).empty());
  CHECK(ids(without_avx512()).empty());
}

TEST_CASE("OPENBLAS_CORETYPE that forces weaker kernels than the CPU has is a warning", "[core][machine]") {
  Machine machine = sound();
  machine.environment["OPENBLAS_CORETYPE"] = "haswell";
  machine.blas.core = "Haswell";
  CHECK(ids(machine) == Ids{"blas.weaker_core"});
  const MachineWarning warning = warnings_of(machine)[0];
  CHECK(warning.grade == MachineWarning::Grade::slower);
  CHECK(warning.values.at("wanted") == "haswell");
  CHECK(warning.values.at("uses") == "AVX2");
  CHECK(warning.values.at("has") == "AVX-512");

  machine.processor.avx512 = false; // the same setting on a CPU that has no more
  machine.isa = machine.widest_isa = Isa::avx2;
  CHECK(ids(machine).empty());
  machine.environment["OPENBLAS_CORETYPE"] = machine.blas.core = "Prescott";
  CHECK(ids(machine) == Ids{"blas.weaker_core"});
}

TEST_CASE("kernels for another CPU than this one make tfx unusable", "[core][machine]") {
  Machine machine = without_avx512();
  machine.environment["OPENBLAS_CORETYPE"] = machine.blas.core = "SkylakeX";
  CHECK(ids(machine) == Ids{"blas.missing_instructions"});
  CHECK(is_unusable(machine));
}

TEST_CASE("an OpenBLAS that does not know the CPU, or the name it is given, is a warning",
          "[core][machine]") {
  Machine machine = sound();
  machine.blas.core = "Prescott";
  CHECK(ids(machine) == Ids{"blas.old"});
  machine = sound();
  machine.environment["OPENBLAS_CORETYPE"] = "Sunshine";
  CHECK(ids(machine) == Ids{"blas.unknown_core"});
  machine.environment["OPENBLAS_CORETYPE"] = "";
  CHECK(ids(machine).empty());
  machine.blas.core = "NEOVERSEN1"; // nothing is known about it
  CHECK(ids(machine).empty());
}

TEST_CASE("other variables that slow products down are warnings, those without effect are not",
          "[core][machine]") {
  Machine machine = sound();
  machine.environment = {{"OPENBLAS_NUM_THREADS", "2"}, {"OMP_NUM_THREADS", "1"}};
  CHECK(ids(machine).empty());
  machine.environment["OPENBLAS_L2_SIZE"] = "1024";
  machine.environment["OPENBLAS_BLOCK_FACTOR"] = "2";
  CHECK(ids(machine) == Ids{"blas.blocks", "blas.blocks"});
  machine = sound();
  machine.blas.is_openblas = false;
  machine.blas.file = "/usr/lib/libblas.so.3";
  CHECK(ids(machine) == Ids{"blas.other_library"});
}

TEST_CASE("TFX_ISA below, above and beside what the CPU has", "[core][machine]") {
  Machine machine = without_avx512();
  machine.environment["TFX_ISA"] = "avx2";
  CHECK(ids(machine).empty());
  machine.environment["TFX_ISA"] = "baseline";
  machine.isa = Isa::baseline;
  CHECK(ids(machine) == Ids{"isa.weaker"});
  machine.environment["TFX_ISA"] = "avx512";
  machine.isa = Isa::avx2;
  CHECK(ids(machine) == Ids{"isa.missing"});
  machine.environment["TFX_ISA"] = "neon";
  CHECK(ids(machine) == Ids{"isa.unknown"});
}

TEST_CASE("less processor time than threads is a warning", "[core][machine]") {
  Machine machine = sound();
  machine.quota = 2.0;
  CHECK(ids(machine).empty());
  machine.quota = 1.5;
  CHECK(ids(machine) == Ids{"processors.quota"});
  CHECK(warnings_of(machine)[0].values.at("fewer") == "1");
  machine.quota = 0.25; // fewer than one thread there cannot be
  CHECK(warnings_of(machine)[0].values.at("fewer") == "1");
  machine.threads = 1;
  CHECK(ids(machine) == Ids{"processors.quota"});
}

TEST_CASE("huge pages that are never given, and little memory", "[core][machine]") {
  Machine machine = sound();
  machine.huge_pages = "never";
  CHECK(ids(machine) == Ids{"huge_pages.never"});
  machine.huge_pages = "";
  CHECK(ids(machine).empty());
  machine.free_memory = 9e8;
  CHECK(ids(machine) == Ids{"memory.little"});
  machine.free_memory = 1e8;
  CHECK(ids(machine) == Ids{"memory.workspace"});
  CHECK(is_unusable(machine));
}

TEST_CASE("variables that change the speed are found by their names", "[core][machine]") {
  const std::array<const char*, 9> environment = {
      "PATH=/bin",        "OPENBLAS_CORETYPE=Haswell", "OPENBLAS_L2_SIZE=",
      "TFX_ISA=a=b",      "GOTO_NUM_THREADS=2",        "OMP_NUM_THREADS=4",
      "MY_OPENBLAS_X=no", "OPENBLAS_BROKEN",           nullptr};
  CHECK(speed_variables(environment.data()) ==
        std::map<std::string, std::string>{{"OPENBLAS_CORETYPE", "Haswell"},
                                           {"OPENBLAS_L2_SIZE", ""},
                                           {"TFX_ISA", "a=b"},
                                           {"GOTO_NUM_THREADS", "2"},
                                           {"OMP_NUM_THREADS", "4"}});
  CHECK(speed_variables(nullptr).empty());
}

TEST_CASE("the kernel marks its choice with brackets", "[core][machine]") {
  CHECK(chosen_in("always [madvise] never\n") == "madvise");
  CHECK(chosen_in("[always] madvise never") == "always");
  CHECK(chosen_in("always madvise never").empty());
  CHECK(chosen_in("]odd[").empty());
  CHECK(chosen_in("").empty());
}

TEST_CASE("OpenBLAS says its version in its configuration", "[core][machine]") {
  CHECK(openblas_version("OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH Haswell MAX_THREADS=64") == "0.3.21");
  CHECK(openblas_version("OpenBLAS 0.3.26.dev") == "0.3.26.dev");
  CHECK(openblas_version("no version here MAX_THREADS=64").empty());
  CHECK(openblas_version("").empty());
}

TEST_CASE("this machine can be looked at", "[core][machine]") {
  const Machine machine = look_at_machine();
  CHECK(machine.usable >= 1);
  CHECK(machine.online >= machine.usable);
  CHECK(machine.isa <= machine.widest_isa);
  CHECK(machine.blas.is_openblas);
  CHECK_FALSE(machine.blas.version.empty());
  CHECK(machine.blas.core == blas_library().core);
  CHECK(machine.memory > 1e8);
  CHECK(machine.free_memory > 0);
  const Machine elsewhere =
      look_at_machine([](const std::string&) { return std::nullopt; }); // no /proc, no /sys
  CHECK(elsewhere.processor.name.empty());
  CHECK(elsewhere.huge_pages.empty());
  CHECK_FALSE(elsewhere.quota);
}
