#pragma once
// The model that decode, cache, score, report and a lesson's glimpse run: a trained one, or toy drawn where
// none is shipped; and what it reads.

#include "cli/context.hpp"
#include "lessons/known_models.hpp"
#include "model/model_card.hpp"
#include "model/search.hpp"
#include "model/weights.hpp"

namespace tfx {

struct TrainedOptions {
  std::optional<std::string> model, text;
  std::optional<std::size_t> heads, start, end, max_tokens;
};

const std::vector<Option<TrainedOptions>>& trained_options();

struct TrainedModel {
  std::string name;
  Transformer<double> model;
  ModelCard card; ///< made up where the file has none: ids, and no task
  enum class WeightSource { trained, drawn } weights = WeightSource::trained;
  std::vector<std::string> notes = {}; ///< on the names in its file
};

/// The file or the shipped model of that name; without a name the shipped `reverse`, or where there is none
/// the preset toy with drawn weights. Throws Error(usage) for a name that is neither, and what loading
/// throws.
TrainedModel trained_model(const TrainedOptions& options);

/// The engine of `--dtype`: the model as that type of weights leaves it; nothing without one: then all stays
/// in double. Throws Error(no_memory).
std::optional<Transformer<float>> in_floats(const TrainedModel& trained, std::optional<WeightType> type);

/// The card's limits, or those that were given; without a card as many tokens as `longest`, the longest
/// source, has. Throws Error(usage) where a number is out of the model's range.
DecodeLimits limits_of(const TrainedOptions& options, const TrainedModel& trained, std::size_t longest);

} // namespace tfx
