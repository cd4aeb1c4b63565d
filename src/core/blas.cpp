#include "core/blas.hpp"

#include "core/error.hpp"
#include "core/number.hpp"

#include <cstddef>

#include <sys/mman.h>

extern "C" {
void openblas_set_num_threads(int count);
char* openblas_get_corename();
void* blas_memory_alloc(int position);
void blas_memory_free(void* workspace);
}

namespace tfx {

namespace {

// BUFFER_SIZE of OpenBLAS 0.3 on x86-64 and ARM64, and some pages for what the system rounds up to.
constexpr std::size_t blas_workspace = (std::size_t{32} << 22) + (std::size_t{1} << 20);

bool can_be_mapped(std::size_t bytes) {
  void* const place = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return place != MAP_FAILED && ::munmap(place, bytes) == 0;
}

bool take_workspace() {
  if (!can_be_mapped(blas_workspace))
    throw Error(ErrorKind::no_memory,
                "the linear algebra needs about " + format_bytes(blas_workspace) +
                    " of address space; the system gives it less",
                "raise the limit (ulimit -v), or close other programs");
  blas_memory_free(blas_memory_alloc(0));
  return true;
}

} // namespace

std::string blas_core() {
  const char* const name = openblas_get_corename();
  return name ? name : "";
}

void set_blas_threads(int count) {
  openblas_set_num_threads(count);
}

void reserve_blas_memory() {
  [[maybe_unused]] static const bool taken = take_workspace();
}

} // namespace tfx
