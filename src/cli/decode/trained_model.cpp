#include "cli/decode/trained_model.hpp"

#include "cli/options.hpp"
#include "model/checkpoint.hpp"
#include "model/model_spec.hpp"
#include "model/shipped.hpp"
#include "model/weights.hpp"

#include <algorithm>

namespace tfx {

namespace {

TrainedModel model_in(const TensorFile& file, const TrainedOptions& options) {
  GivenStyle given;
  given.heads = options.heads;
  require_encoder_decoder(file);
  TrainedModel trained{file.path(), load_model<double>(file, given), {}};
  trained.card = card_or_ids(file, trained.model.spec);
  trained.notes = notes_on(file);
  return trained;
}

TrainedModel drawn_model(const TrainedOptions& options) {
  ModelSpec spec = preset("toy");
  spec.resize(resized(spec.sizes(), {{}, {}, {}, options.heads}));
  require_dividing(spec.heads, spec.d_model);
  TrainedModel trained{"toy", Transformer<double>(spec), {}, TrainedModel::WeightSource::drawn};
  initialize(trained.model, WeightInit::xavier_uniform, 42);
  trained.card = card_of_ids(trained.model.spec);
  return trained;
}

} // namespace

const std::vector<Option<TrainedOptions>>& trained_options() {
  using O = TrainedOptions;
  using Row = Option<O>;
  static const std::vector<Row> table{{"--model", &O::model, value::text("FILE|NAME")},
                                      Row("--text", &O::text, value::text("TEXT")).described("decode--text"),
                                      {"--max-tokens", &O::max_tokens, value::count()},
                                      {"--start", &O::start, value::id("ID")},
                                      {"--end", &O::end, value::id("ID")},
                                      Row("--heads", &O::heads, value::count()).described("decode--heads")};
  return table;
}

TrainedModel trained_model(const TrainedOptions& options) {
  const std::optional<std::string> name = options.model ? options.model : usual_model();
  return name ? model_in(model_file(*name), options) : drawn_model(options);
}

std::optional<Transformer<float>> in_floats(const TrainedModel& trained, std::optional<WeightType> type) {
  if (!type) return {};
  Transformer<float> floats = in_float(trained.model);
  narrow(floats, *type);
  return floats;
}

DecodeLimits limits_of(const TrainedOptions& options, const TrainedModel& trained, std::size_t longest) {
  const ModelSpec& spec = trained.model.spec;
  const ModelCard& card = trained.card;
  const auto require = [&](const char* name, std::size_t value, std::size_t min, std::size_t max) {
    if (value > max)
      throw usage_error("count", {{"name", name},
                                  {"least", std::to_string(min)},
                                  {"most", std::to_string(max)},
                                  {"text", std::to_string(value)}});
    return value;
  };
  DecodeLimits limits{card.start, card.end, card.max_tokens > 1 ? card.max_tokens - 1 : longest};
  if (options.start)
    limits.start = static_cast<std::uint32_t>(require("--start", *options.start, 0, spec.tgt_vocab - 1));
  if (options.end)
    limits.end = static_cast<std::uint32_t>(require("--end", *options.end, 0, spec.tgt_vocab - 1));
  if (options.max_tokens) limits.max_tokens = require("--max-tokens", *options.max_tokens, 1, spec.max_len);
  return limits;
}

} // namespace tfx
