#include "cli/lesson/glimpse.hpp"

#include "cli/decode/trained_model.hpp"
#include "model/shipped.hpp"
#include "parity/decoding.hpp"
#include "text/join.hpp"

#include <algorithm>

namespace tfx {

void add_glimpse(Trace& trace, bool ascii) {
  const std::string name = ascii ? "reverse" : "numbers-zh";
  if (!std::ranges::count(shipped_models(), name)) return;
  TrainedOptions options;
  options.model = name;
  const TrainedModel trained = trained_model(options);
  const std::string text = example_text(trained);
  const TokenIds src = trained.card.src.encode(text);
  decoding::Request request;
  request.limits = limits_of(options, trained, src.size());
  const decoding::Decoded decoded = decoding::decode_text(trained.model, trained.card, src, request);
  const Step& alignment = decoded.trace.step_named("alignment");
  const arma::mat weights = matrix(alignment.value);
  std::vector<std::string> pairs;
  for (std::size_t i = 0; i < decoded.tokens.size() && i < weights.n_rows; ++i)
    pairs.push_back(alignment.labels[0][i] + " ← " + alignment.labels[1][weights.row(i).index_max()]);
  trace.facts["glimpse_model"] = name;
  trace.facts["glimpse_text"] = text;
  trace.facts["glimpse_answer"] = trained.card.tgt.decode(decoded.tokens);
  trace.facts["glimpse_pairs"] = join(pairs);
}

} // namespace tfx
