#include "page/formulas.hpp"

namespace tfx::page {

mat scores(const mat& Q, const mat& K) {
  return Q * K.t();
}

} // namespace tfx::page
