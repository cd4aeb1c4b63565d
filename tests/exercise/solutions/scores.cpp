// tfx exercise scores
#include "tfx_exercise.hpp"

using arma::mat;

tfx::Returned scores(const mat& Q, const mat& K) {
  const mat S = Q * K.t();
  return {{"scores", S}};
}
