// tfx exercise attention
#include "tfx_exercise.hpp"

using arma::mat;

tfx::Returned attention(const mat& weights, const mat& V) {
  const mat output = weights * V;
  return {{"output", output}};
}
