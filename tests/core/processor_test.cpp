#include "core/processor.hpp"

#include "support/catch.hpp"

#include <string>

using namespace tfx;

namespace {

// Lines as Linux writes them, shortened to what matters.
const std::string zen5 =
    "processor\t: 0\n"
    "vendor_id\t: AuthenticAMD\n"
    "model name\t: AMD EPYC 9355 32-Core Processor\n"
    "flags\t\t: fpu sse sse2 ssse3 fma avx f16c avx2 avx512f avx512dq avx512bw avx512vl\n"
    "\n"
    "processor\t: 1\n"
    "model name\t: another one\n"
    "flags\t\t: fpu\n";
const std::string haswell =
    "model name\t: Intel(R) Core(TM) i7-4770 CPU @ 3.40GHz\nflags\t: sse2 avx fma avx2\n";
const std::string sandy_bridge = "model name : Intel(R) Core(TM) i5-2500\nflags : sse2 avx\n";
const std::string knights_landing =
    "model name : Xeon Phi\nflags : sse2 avx fma avx2 avx512f avx512cd avx512er\n";
const std::string arm =
    "processor\t: 0\nFeatures\t: fp asimd\nCPU part\t: 0xd0c\nModel\t\t: Raspberry Pi 5\n";

} // namespace

TEST_CASE("the first processor of /proc/cpuinfo gives name and instruction sets", "[core][processor]") {
  const Processor processor = processor_in(zen5);
  CHECK(processor.name == "AMD EPYC 9355 32-Core Processor");
  CHECK(processor.sse2);
  CHECK(processor.avx);
  CHECK(processor.avx2);
  CHECK(processor.fma);
  CHECK(processor.avx512);
  CHECK(processor.widest() == Vectors::avx512);
}

TEST_CASE("the widest vectors are those that kernels can use", "[core][processor]") {
  CHECK(processor_in(haswell).widest() == Vectors::avx2);
  CHECK(processor_in(sandy_bridge).widest() == Vectors::avx);
  CHECK_FALSE(processor_in(sandy_bridge).avx2); // a flag is a word: "avx" is not a part of another one
  CHECK(processor_in(knights_landing).widest() == Vectors::avx2);          // AVX-512 without BW, DQ and VL
  CHECK(processor_in("flags : sse2 avx avx2\n").widest() == Vectors::avx); // AVX2 without FMA
  CHECK(processor_in("flags : sse2 avx avx2 fma4\n").widest() == Vectors::avx);
}

TEST_CASE("other machines and no text at all are processors too", "[core][processor]") {
  CHECK(processor_in(arm).name == "Raspberry Pi 5");
  CHECK(processor_in(arm).widest() == Vectors::baseline);
  CHECK(processor_in("").name.empty());
  CHECK(processor_in("model name").name.empty());
  CHECK(processor_in("model name\t:").name.empty());
  CHECK(processor_in("flags\t\t: sse2").sse2); // without a newline at the end
}

TEST_CASE("OpenBLAS's cores have the vectors of their kernels", "[core][processor]") {
  CHECK(vectors_of_core("Prescott") == Vectors::baseline);
  CHECK(vectors_of_core("Nehalem") == Vectors::baseline);
  CHECK(vectors_of_core("Sandybridge") == Vectors::avx);
  CHECK(vectors_of_core("Haswell") == Vectors::avx2);
  CHECK(vectors_of_core("ZEN") == Vectors::avx2);
  CHECK(vectors_of_core("skylakex") == Vectors::avx512);
  CHECK(vectors_of_core("SapphireRapids") == Vectors::avx512);
  CHECK_FALSE(vectors_of_core("NEOVERSEN1"));
  CHECK_FALSE(vectors_of_core(""));
  CHECK_FALSE(vectors_of_core("Haswell2"));
  CHECK(is_core("haswell", "Haswell"));
  CHECK_FALSE(is_core("haswel", "Haswell"));
}
