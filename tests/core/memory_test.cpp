#include "core/memory.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"

#include <fstream>
#include <string>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

using namespace tfx;

TEST_CASE("of a limited address space, what the process has taken is not available", "[core][memory]") {
  std::size_t pages = 0;
  REQUIRE(std::ifstream("/proc/self/statm") >> pages);
  rlimit old{};
  REQUIRE(getrlimit(RLIMIT_AS, &old) == 0);
  constexpr std::size_t left = 64 << 20;
  rlimit limited = old;
  limited.rlim_cur = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + left;
  REQUIRE(setrlimit(RLIMIT_AS, &limited) == 0);
  const std::size_t available = available_memory();
  setrlimit(RLIMIT_AS, &old);
  CHECK(available <= left);
  CHECK(available > left / 2);
}

TEST_CASE("what fits in memory is no error", "[core][memory]") {
  CHECK_NOTHROW(require_memory(1000, "little"));
}

TEST_CASE("a refusal says how much is needed, however much it is", "[core][memory]") {
  for (const auto& [bytes, text] : {std::pair{1e15, "1 PB"}, std::pair{1.28e29, "1.28e+05 YB"}}) {
    try {
      require_memory(bytes, "a run of this size");
      FAIL("nothing was thrown");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::no_memory);
      CHECK(std::string(error.what()).starts_with("a run of this size needs about " + std::string(text) +
                                                  " of memory; "));
      CHECK(error.hint() == "use smaller sizes");
    }
  }
}
