#pragma once
// `tfx score`: a model's answers to held-out pairs, measured.

#include "cli/context.hpp"
#include "cli/decode/trained_model.hpp"
#include "cli/score/scoring.hpp"
#include "measure/bootstrap.hpp"

namespace tfx {

// What `tfx score` found, and how it is shown: the screen, the JSON, and the file of answers.

struct ScoreOptions {
  TrainedOptions trained;
  std::optional<std::string> pairs, save;
  std::optional<std::size_t> beam, draws, worst;
  std::optional<double> length_penalty;
  std::optional<std::uint32_t> seed;
  std::optional<WeightType> weights; ///< nothing: in double
  bool json = false;
};

struct Scored {
  const ScoreOptions& options;
  const TrainedModel& trained;
  const std::vector<Pair>& pairs;
  std::vector<ScoredPair> answers; ///< one a pair
  Measures measures;
  Intervals intervals;
  std::size_t draws = 0;
  std::uint64_t seed = 0;
  std::size_t unknown = 0;                 ///< pairs with a token that the model does not know
  std::optional<Narrowing> narrowing = {}; ///< over the references and all tokens

  /// The pairs that are wrong, those of the lowest chrF first, at most so many.
  std::vector<std::size_t> worst(std::size_t most) const;
};

/// The measures in the order in which they are shown, with the names that JSON gives them.
inline constexpr std::array<std::pair<const char*, double Measures::*>, 5> measure_names{
    {{"exact", &Measures::exact},
     {"bleu", &Measures::bleu},
     {"chrf", &Measures::chrf},
     {"loss", &Measures::loss},
     {"perplexity", &Measures::perplexity}}};

std::string score_screen(const Scored& scored, const Context& context);
std::string score_json(const Scored& scored);
/// Every pair with its answer and its own measures, as .csv or .tsv.
std::string score_table(const Scored& scored, char separator);

} // namespace tfx
