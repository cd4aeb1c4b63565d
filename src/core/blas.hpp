#pragma once
// The linear algebra behind Armadillo's products: which library it is, its threads and its memory.

#include <cstddef>
#include <string>
#include <string_view>

namespace tfx {

/// Threads inside one BLAS product. The engine's own threads call BLAS each for itself, so this stays 1.
void set_blas_threads(int count);

/// Lets OpenBLAS take the workspace of its products now. It keeps it; later calls cost nothing. To be called
/// before the first product: where the memory is not there, OpenBLAS would ask for it again and again, for
/// ever. Throws Error(no_memory) instead.
void reserve_blas_memory();

/// What products run on.
struct BlasLibrary {
  bool is_openblas = true; ///< false: another library's products came between when the program was loaded
  std::string version;     ///< "0.3.21"
  std::string core;        ///< the processor its kernels are for: "Haswell", "SkylakeX"
  std::string file;        ///< the shared library that holds the products; empty: they are part of tfx
};

BlasLibrary blas_library();

/// "OpenBLAS 0.3.21 DYNAMIC_ARCH …" → "0.3.21"; empty where there is none.
std::string openblas_version(std::string_view configuration);

/// Address space that the workspace of the products takes.
std::size_t blas_workspace_bytes();

} // namespace tfx
