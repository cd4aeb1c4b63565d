#include "core/parallel.hpp"

extern "C" void openblas_set_num_threads(int count);

namespace tfx {

void set_blas_threads(int count) {
  openblas_set_num_threads(count);
}

} // namespace tfx
