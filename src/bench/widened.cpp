#include "bench/widened.hpp"

#include "core/memory.hpp"
#include "model/parameters.hpp"

#include <algorithm>

namespace tfx::bench {

EncoderDecoder<double> widened(const EncoderDecoder<float>& model) {
  EncoderDecoder<double> wide(model.config);
  each_parameter(
      [](const std::string&, auto& to, const auto& from) {
        to = arma::conv_to<std::remove_reference_t<decltype(to)>>::from(from);
      },
      "", wide, model);
  return wide;
}

void require_room(const EncoderDecoderShape& s, KeptActivations kept) {
  require_valid(s.config);
  const auto real = [](std::size_t count) { return static_cast<double>(count); };
  const bool training = kept == KeptActivations::for_backward;
  const double parameters = real(count_parameters(EncoderDecoder<ShapesOnly>(s.config)));
  const double copies = training ? 4 : 1; // the model; its gradient and two moments
  const double tokens = real(s.batch) * (real(s.src) + real(s.tgt));
  // Of a layer: Q, K, V, heads, the inputs of norms and products, the hidden vector of the feed-forward
  // layer; in float, and while the check runs in double.
  const double layer = tokens * (16 * real(s.config.d_model) + 2 * real(s.config.d_ff));
  const double cells = (training ? real(s.config.layers) : 1) * layer +
                       2 * real(s.batch) * real(s.tgt) * real(s.config.tgt_vocab) +
                       64 * real(std::max(s.src, s.tgt));
  require_memory(parameters * (copies * sizeof(float) + sizeof(double)) +
                     cells * (sizeof(float) + sizeof(double)),
                 training ? said("training this model") : said("this model"));
}

} // namespace tfx::bench
