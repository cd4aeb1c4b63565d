// Work buffers of the static, serial OpenBLAS, one a thread.
//
// Debian builds that library without USE_LOCKING: two threads that start a product at the same moment may get
// the same buffer, and about one small product in 20,000 is wrong. The linker (--wrap,
// tools/cmake/packages.cmake) sends the library's calls here. A thread asks the library once, under a lock,
// and keeps what it got: a lock around every product would cost more than the product.

#ifdef TFX_WRAP_BLAS_MEMORY

#include <mutex>

extern "C" {
void* __real_blas_memory_alloc(int position);
void __real_blas_memory_free(void* buffer);
void* __wrap_blas_memory_alloc(int position);
void __wrap_blas_memory_free(void* buffer);
}

namespace {

std::mutex of_the_library;

void* take(int position) {
  const std::lock_guard lock(of_the_library);
  return __real_blas_memory_alloc(position);
}

void give_back(void* buffer) {
  const std::lock_guard lock(of_the_library);
  __real_blas_memory_free(buffer);
}

struct KeptBuffer {
  void* buffer = nullptr;
  bool in_use = false;

  ~KeptBuffer() {
    if (buffer) give_back(buffer);
  }
};

thread_local KeptBuffer kept;

} // namespace

void* __wrap_blas_memory_alloc(int position) {
  if (kept.in_use) return take(position);
  if (!kept.buffer) kept.buffer = take(position);
  kept.in_use = true;
  return kept.buffer;
}

void __wrap_blas_memory_free(void* buffer) {
  if (buffer == kept.buffer)
    kept.in_use = false;
  else
    give_back(buffer);
}

#endif
