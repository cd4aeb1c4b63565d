#include "core/machine.hpp"

#include "support/catch.hpp"

#include <array>

using namespace tfx;

namespace {

/// A machine that nothing can be said against: AVX-512, two free processors.
Machine sound() {
  Machine machine;
  machine.isa = machine.widest_isa = Isa::avx512;
  machine.blas.version = "0.3.21", machine.blas.core = "SkylakeX";
  machine.online = machine.usable = machine.threads = 2;
  machine.memory = machine.free_memory = 16e9;
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
  return warnings.size() == 1 && warnings[0].unusable;
}

} // namespace

TEST_CASE("a sound machine has no warnings", "[core][machine]") {
  CHECK(ids(sound()).empty());
}

TEST_CASE("variables that slow products down are warnings, those without effect are not", "[core][machine]") {
  Machine machine = sound();
  machine.environment = {{"OPENBLAS_NUM_THREADS", "2"}, {"OMP_NUM_THREADS", "1"}, {"OPENBLAS_CORETYPE", ""}};
  CHECK(ids(machine).empty());
  machine.environment["OPENBLAS_CORETYPE"] = "haswell";
  machine.blas.core = "Haswell";
  CHECK(ids(machine) == Ids{"blas.variable"});
  const MachineWarning warning = warnings_of(machine)[0];
  CHECK_FALSE(warning.unusable);
  CHECK(warning.values.at("name") == "OPENBLAS_CORETYPE");
  CHECK(warning.values.at("value") == "haswell");
  CHECK(warning.values.at("core") == "Haswell");
  machine.environment["OPENBLAS_L2_SIZE"] = "1024";
  machine.environment["OPENBLAS_BLOCK_FACTOR"] = "2";
  CHECK(ids(machine) == Ids{"blas.variable", "blas.variable", "blas.variable"});
  machine = sound();
  machine.blas.is_openblas = false;
  machine.blas.file = "/usr/lib/libblas.so.3";
  CHECK(ids(machine) == Ids{"blas.other_library"});
}

TEST_CASE("TFX_ISA that is not the widest of the CPU is a warning", "[core][machine]") {
  Machine machine = sound();
  machine.isa = machine.widest_isa = Isa::avx2;
  machine.environment["TFX_ISA"] = "avx2";
  CHECK(ids(machine).empty());
  for (const char* other : {"baseline", "avx512", "neon"}) {
    machine.environment["TFX_ISA"] = other;
    CHECK(ids(machine) == Ids{"isa.variable"});
    CHECK(warnings_of(machine)[0].values.at("widest") == "avx2");
  }
}

TEST_CASE("less processor time than threads is a warning", "[core][machine]") {
  Machine machine = sound();
  machine.quota = 2.0;
  CHECK(ids(machine).empty());
  machine.quota = 1.5;
  CHECK(ids(machine) == Ids{"quota.little"});
  CHECK(warnings_of(machine)[0].values.at("fewer") == "1");
  machine.quota = 0.25; // fewer than one thread there cannot be
  CHECK(warnings_of(machine)[0].values.at("fewer") == "1");
  machine.threads = 1;
  CHECK(ids(machine) == Ids{"quota.little"});
}

TEST_CASE("little memory is a warning, less than products need makes tfx unusable", "[core][machine]") {
  Machine machine = sound();
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

TEST_CASE("the first processor of /proc/cpuinfo gives the name", "[core][machine]") {
  CHECK(processor_name(
            "processor\t: 0\nmodel\t: 2\nmodel name\t: AMD EPYC 9355 32-Core Processor \nflags\t: fpu\n"
            "model name\t: another one\n") == "AMD EPYC 9355 32-Core Processor");
  CHECK(processor_name("processor\t: 0\nFeatures\t: fp asimd\nModel\t\t: Raspberry Pi 5\n") ==
        "Raspberry Pi 5");
  CHECK(processor_name("Models : none of these\nHardware : BCM2835: 4") == "BCM2835: 4");
  for (const char* nothing : {"", ":", "model name", "model name :", "model name : \n", "flags : avx"})
    CHECK(processor_name(nothing).empty());
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
  CHECK(elsewhere.processor.empty());
  CHECK_FALSE(elsewhere.quota);
}
