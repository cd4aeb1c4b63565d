#include "core/blas.hpp"

#include "core/error.hpp"
#include "core/number.hpp"

#include <dlfcn.h>
#include <sys/mman.h>

extern "C" {
void openblas_set_num_threads(int count);
char* openblas_get_config();
char* openblas_get_corename();
void cblas_sgemm(); // its address alone
void* blas_memory_alloc(int position);
void blas_memory_free(void* workspace);
}

namespace tfx {

namespace {

// BUFFER_SIZE of OpenBLAS 0.3 on x86-64 and ARM64, and some memory pages for what the system rounds up to.
constexpr std::size_t blas_workspace = (std::size_t{32} << 22) + (std::size_t{1} << 20);

bool can_be_mapped(std::size_t bytes) {
  void* const place = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return place != MAP_FAILED && ::munmap(place, bytes) == 0;
}

/// The program or the library that a function was taken from. A library that stands earlier (LD_PRELOAD,
/// another libblas) wins name by name: its products, and OpenBLAS's other functions.
template <class Function>
Dl_info home_of(Function* function) {
  Dl_info info{};
  dladdr(reinterpret_cast<void*>(function), &info);
  return info;
}

bool take_workspace() {
  if (!can_be_mapped(blas_workspace))
    throw Error(ErrorKind::no_memory,
                said("the linear algebra needs about {bytes} of address space; the system gives it less",
                     {{"bytes", format_bytes(blas_workspace)}}),
                said("raise the limit (ulimit -v), or close other programs"));
  blas_memory_free(blas_memory_alloc(0));
  return true;
}

} // namespace

void set_blas_threads(int count) {
  openblas_set_num_threads(count);
}

void reserve_blas_memory() {
  [[maybe_unused]] static const bool taken = take_workspace();
}

BlasLibrary blas_library() {
  BlasLibrary library;
  library.version = openblas_version(openblas_get_config());
  library.core = openblas_get_corename();
  const Dl_info ours = home_of(&blas_library), products = home_of(&cblas_sgemm),
                names = home_of(&openblas_get_config);
  if (products.dli_fbase != ours.dli_fbase && products.dli_fname) library.file = products.dli_fname;
  library.is_openblas = products.dli_fbase == names.dli_fbase;
  return library;
}

std::string openblas_version(std::string_view configuration) {
  constexpr std::string_view before = "OpenBLAS ";
  if (!configuration.starts_with(before)) return {};
  return std::string(
      configuration.substr(before.size(), configuration.find(' ', before.size()) - before.size()));
}

std::size_t blas_workspace_bytes() {
  return blas_workspace;
}

} // namespace tfx
