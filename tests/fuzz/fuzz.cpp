#include "fuzz.hpp"

#include "text/utf8.hpp"

#include <sanitizer/allocator_interface.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace tfx::fuzz {

namespace {

/// Bytes on the heap now, and the most there were since the input came.
std::size_t live = 0, peak = 0;

void on_malloc(const volatile void*, std::size_t size) {
  live += size;
  peak = std::max(peak, live);
}

void on_free(const volatile void* memory) {
  if (memory) live -= __sanitizer_get_allocated_size(const_cast<const void*>(memory));
}

} // namespace

void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what.c_str());
  std::abort();
}

void require_proper(const Error& refusal, std::initializer_list<ErrorKind> kinds, const std::string& name) {
  const std::string message = refusal.what(), all = message + refusal.hint().in_english();
  require(std::find(kinds.begin(), kinds.end(), refusal.kind()) != kinds.end(),
          "a refusal of status " + std::to_string(static_cast<int>(refusal.kind())) + ": " + message);
  require(refusal.kind() == ErrorKind::no_memory || message.starts_with(name),
          "no file is named: " + message);
  require(escape_controls(all) == all, "a message that drives the terminal: " + escape_controls(message));
  require(all.size() < 3000, "a message as long as a file: " + message);
}

} // namespace tfx::fuzz

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  __sanitizer_install_malloc_and_free_hooks(tfx::fuzz::on_malloc, tfx::fuzz::on_free);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tfx::fuzz;
  const std::size_t before = live;
  peak = live;
  one_input({reinterpret_cast<const char*>(data), size});
  require(peak - before <= (std::size_t{64} << 20) + 2 * size,
          std::to_string(size) + " bytes took " + std::to_string(peak - before) + " bytes of memory");
  return 0;
}
