#pragma once
// The linear algebra behind Armadillo's products: its threads and its memory.

#include <string>

namespace tfx {

/// The CPU whose kernels OpenBLAS has chosen ("SkylakeX"); empty where it does not say.
std::string blas_core();

/// Threads inside one BLAS product. The engine's own threads call BLAS each for itself, so this stays 1.
void set_blas_threads(int count);

/// Lets OpenBLAS take the workspace of its products now. It keeps it; later calls cost nothing. To be called
/// before the first product: where the memory is not there, OpenBLAS would ask for it again and again, for
/// ever. Throws Error(no_memory) instead.
void reserve_blas_memory();

} // namespace tfx
