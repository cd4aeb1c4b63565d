#pragma once
// How many threads the linear algebra may use.

namespace tfx {

/// Threads of BLAS products from here on. The lessons' page uses one.
void set_blas_threads(int count);

} // namespace tfx
