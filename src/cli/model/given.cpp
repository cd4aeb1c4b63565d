#include "cli/model/given.hpp"

#include "cli/decode/decoding.hpp"
#include "cli/decode/trained_model.hpp"
#include "cli/options.hpp"
#include "core/choices.hpp"
#include "core/error.hpp"
#include "io/file.hpp"
#include "io/foreign_file.hpp"
#include "model/config_style.hpp"
#include "model/model_spec.hpp"
#include "model/shipped.hpp"
#include "parity/model_run.hpp"
#include "tokens/byte_pair_files.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

const Choices<WeightInit>& weight_inits() {
  static const Choices<WeightInit> all{
      {"xavier-uniform", WeightInit::xavier_uniform}, {"xavier", WeightInit::xavier}, {"he", WeightInit::he}};
  return all;
}

namespace {

bool is_drawn(const WeightsFrom& weights) {
  return weights == WeightsFrom::drawn;
}
bool is_partly_drawn(const WeightsFrom& weights) {
  return weights != WeightsFrom::given;
}

} // namespace

const std::vector<Option<ModelOptions, WeightsFrom>>& model_options() {
  using O = ModelOptions;
  using Row = Option<O, WeightsFrom>;
  static const std::vector<Row> table{
      Row("--preset", &O::preset, value::one_of(preset_names()), "toy").when(is_drawn),
      Row("--text", &O::text, value::text("TEXT")).without({"--src"}).described("model--text"),
      {"--src", &O::src, value::text("IDS[;IDS]")},
      {"--tgt", &O::tgt, value::text("IDS[;IDS]")},
      {"--pad-id", &O::pad_id, value::id()},
      Row("--layers", &O::layers, value::count(1, 1000)).when(is_drawn),
      Row("--d-model", &O::d_model, value::count()).when(is_drawn),
      {"--heads", &O::heads, value::count()},
      Row("--d-ff", &O::d_ff, value::count()).when(is_drawn),
      Row("--vocab", &O::vocab, value::count()).when(is_partly_drawn),
      Row("--src-vocab", &O::src_vocab, value::count()).when(is_partly_drawn),
      Row("--tgt-vocab", &O::tgt_vocab, value::count()).when(is_partly_drawn),
      Row("--norm", &O::norm, value::choice(norm_words()), Norm::annotated).described("model--norm"),
      {"--norm-first", &O::placement, NormPlacement::pre_norm},
      Row("--norm-last", &O::placement, NormPlacement::post_norm).without({"--norm-first"}),
      Row("--weights", &O::weights, value::text("FILE|NAME")).described("model--weights"),
      Row("--config", &O::config, value::text("FILE")).beside({"--weights"}),
      Row("--embeddings", &O::embeddings, value::text("FILE")).beside({"--weights"}),
      Row("--seed", &O::seed, value::seed(), 42).when(is_partly_drawn),
      Row("--init", &O::init, value::choice(weight_inits()), WeightInit::xavier_uniform)
          .when(is_partly_drawn),
      Row("--family", &O::family, value::choice(family_words()), Stacks::both).when(is_drawn),
      Row("--positions", &O::positions, value::choice(position_words()), Positions::sinusoidal)
          .when(is_drawn)
          .described("model--positions"),
      Row("--activation", &O::activation, value::choice(activation_words()), Activation::relu)
          .described("model--activation"),
      Row("--kv-heads", &O::kv_heads, value::count()).when(is_drawn).described("model--kv-heads"),
      Row("--gated", &O::gated).when(is_drawn).described("model--gated"),
      Row("--tied", &O::tied).when(is_drawn).described("model--tied"),
      Row("--no-bias", &O::no_bias).when(is_drawn).described("model--no-bias"),
      Row("--tokens", &O::tokens, value::text("bpe:FILE")).beside({"--text"}).described("model--tokens")};
  return table;
}

namespace {

using Rows = std::vector<TokenIds>;

ModelSpec spec_of(const ModelOptions& o) {
  ModelSpec spec = preset(o.preset.value_or("toy"));
  spec.resize(resized(spec.sizes(), {o.layers, o.d_model, o.d_ff, o.heads}));
  spec.src_vocab = o.src_vocab.value_or(o.vocab.value_or(spec.src_vocab));
  spec.tgt_vocab = o.tgt_vocab.value_or(o.vocab.value_or(spec.tgt_vocab));
  spec.norm.rule = o.norm.value_or(Norm::annotated);
  spec.norm.placement = o.placement.value_or(NormPlacement::pre_norm);
  spec.norm.shift = spec.norm.rule != Norm::rms;
  spec.stacks = o.family.value_or(Stacks::both);
  spec.positions = o.positions.value_or(Positions::sinusoidal);
  spec.activation = o.activation.value_or(Activation::relu);
  spec.kv_heads = o.kv_heads.value_or(0);
  spec.gated = o.gated, spec.tied = o.tied;
  if (o.no_bias) spec.biases = {false, false, false, false};
  if (spec.tied) spec.biases.generator = false;
  return spec;
}

/// What the options say of a file's model, first that of its config.json.
GivenStyle style_of(const ModelOptions& o) {
  GivenStyle style = o.config ? style_in_config(*o.config) : GivenStyle{};
  if (o.heads) style.heads = o.heads;
  if (o.norm) style.norm = o.norm;
  if (o.placement) style.placement = o.placement;
  if (o.activation) style.activation = o.activation;
  return style;
}

std::optional<ModelCard> card_in(const TensorFile& file, const ModelSpec& spec) {
  return card_of(file.metadata(), spec, file.path());
}

/// The file or shipped model to read; nothing where weights are drawn.
std::optional<std::string> weights_to_read(const ModelOptions& o) {
  if (o.weights) return o.weights;
  const auto* drawn = first_unfit(model_options(), o, WeightsFrom::given);
  if (o.text) {
    if (drawn)
      throw usage_error("text_of_drawn",
                        {{"name", drawn->name}, {"side", o.family == Stacks::decoder ? "--tgt" : "--src"}});
    const std::optional<std::string> reader = model_that_reads(*o.text);
    return reader ? reader : usual_model();
  }
  const bool is_asked =
      drawn || o.activation || o.src || o.tgt || o.heads || o.norm || o.placement || o.pad_id;
  return is_asked ? std::nullopt : usual_model();
}

bool has_words(const std::optional<ModelCard>& card) {
  return card && card->src.tokenizer != Tokenizer::ids;
}

bool looks_like_ids(const std::string& text) {
  return text.find_first_not_of("0123456789,; ") == std::string::npos;
}

Rows ids_of(const char* option, const std::string& text) {
  return value::ids().read(option, text);
}

/// The ids of a learner's own byte pairs, "bpe:FILE", whose ids are the model's.
BytePairs pairs_of(const std::string& tokens) {
  if (!tokens.starts_with(merges_of)) throw usage_error("tokens_of_model", {{"name", tokens}});
  const std::string file = tokens.substr(merges_of.size());
  return BytePairs(read_merges(read_text(file), file));
}

TokenIds first_ids(std::size_t count, std::size_t vocabulary) {
  TokenIds ids;
  for (std::size_t i = 1; i <= count; ++i) ids.push_back(static_cast<std::uint32_t>(i % vocabulary));
  return ids;
}

template <class Real>
class Reading {
public:
  Reading(const ModelOptions& options, const ModelSpec& spec, GivenModel<Real>& given)
      : o_(options), spec_(spec), given_(given) {}

  void read() {
    if (spec_.stacks != Stacks::both) return one_side();
    if (o_.tokens) throw usage_error("tokens_of_pair", {});
    const bool by_ids = o_.src && (!has_words(given_.card) || looks_like_ids(*o_.src));
    const std::optional<std::string> own = o_.text ? o_.text : o_.src;
    if (o_.text && !has_words(given_.card)) throw usage_error("no_words", {{"name", given_.weights}});
    if (!has_words(given_.card) || by_ids)
      ids();
    else
      words(own.value_or(short_example(*given_.card)));
  }

private:
  /// A decoder reads --tgt, or --text as --tokens cuts it; an encoder reads --src.
  void one_side() {
    const bool decodes = spec_.has_decoder();
    if (const auto& other = decodes ? o_.src_vocab : o_.tgt_vocab)
      throw usage_error("no_such_vocabulary", {{"name", decodes ? "--src-vocab" : "--tgt-vocab"},
                                               {"family", word_of(family_words(), spec_.stacks)},
                                               {"instead", decodes ? "--tgt-vocab" : "--src-vocab"},
                                               {"value", std::to_string(*other)}});
    if (o_.tied && !decodes)
      throw usage_error("of_pair", {{"name", "--tied"}, {"family", word_of(family_words(), spec_.stacks)}});
    if (const auto& other = decodes ? o_.src : o_.tgt)
      throw usage_error("no_such_side", {{"name", decodes ? "--src" : "--tgt"},
                                         {"family", word_of(family_words(), spec_.stacks)},
                                         {"instead", decodes ? "--tgt" : "--src"},
                                         {"value", *other}});
    if (o_.text) return text_of_decoder(*o_.text);
    const std::optional<std::string>& own = decodes ? o_.tgt : o_.src;
    const Rows rows = own ? ids_of(decodes ? "--tgt" : "--src", *own)
                          : Rows{first_ids(std::min<std::size_t>(10, spec_.max_len),
                                           decodes ? spec_.tgt_vocab : spec_.src_vocab)};
    give_side(rows);
  }

  void text_of_decoder(const std::string& text) {
    if (!spec_.has_decoder()) throw usage_error("no_words_of_encoder", {{"name", given_.weights}});
    if (!o_.tokens) throw usage_error("no_words_of_decoder", {{"name", given_.weights}});
    given_.pairs = pairs_of(*o_.tokens), given_.text = text;
    TokenIds ids = given_.pairs->encode(text);
    if (ids.empty()) throw usage_error("empty_text", {});
    given_.expected.assign(ids.begin() + 1, ids.end());
    if (!given_.expected.empty()) ids.pop_back();
    give_side({ids});
  }

  void give_side(const Rows& rows) {
    const bool equal =
        std::ranges::all_of(rows, [&](const TokenIds& row) { return row.size() == rows[0].size(); });
    if (!equal && !o_.pad_id) throw usage_error("ragged_rows", {});
    const std::uint32_t pad = o_.pad_id ? static_cast<std::uint32_t>(*o_.pad_id) : no_padding;
    const Batch batch = padded_batch(rows, pad);
    given_.batches = spec_.has_decoder() ? ModelBatches{{}, batch, pad} : ModelBatches{batch, {}, pad};
  }

  void ids() {
    const Rows src = o_.src ? ids_of("--src", *o_.src) : Rows{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};
    const Rows tgt = o_.tgt ? ids_of("--tgt", *o_.tgt) : o_.src ? src : Rows{{1, 2, 3, 4, 5, 6, 7, 8, 9}};
    give(src, tgt);
  }

  void words(const std::string& text) {
    const ModelCard& card = *given_.card;
    given_.text = text;
    const Rows src{card.src.encode(text)};
    if (o_.tgt && looks_like_ids(*o_.tgt)) return give(src, ids_of("--tgt", *o_.tgt));
    const std::size_t longest = src[0].size();
    const DecodeLimits limits{card.start, card.end, card.max_tokens > 1 ? card.max_tokens - 1 : longest};
    const double written = o_.tgt ? 0 : static_cast<double>(limits.max_tokens);
    require_run(given_.model, {static_cast<double>(longest), 1 + written},
                [](const std::string&) { return false; }); // before an answer is looked for
    TokenIds said = o_.tgt ? card.tgt.encode(*o_.tgt)
                           : greedy(given_.model, ragged_batch(src), limits, Prefix::cached).front();
    const bool has_end = card.end && (o_.tgt || said.size() < limits.max_tokens);
    if (has_end) said.push_back(*card.end);
    TokenIds tgt{card.start};
    tgt.insert(tgt.end(), said.begin(), said.end() - 1);
    give(src, {tgt});
    given_.expected = said;
  }

  void give(const Rows& src, const Rows& tgt) {
    if (src.size() != tgt.size())
      throw usage_error("rows", {{"src", std::to_string(src.size())}, {"tgt", std::to_string(tgt.size())}});
    const auto pad = static_cast<std::uint32_t>(o_.pad_id.value_or(0));
    given_.batches = {padded_batch(src, pad), padded_batch(tgt, pad), pad};
  }

  const ModelOptions& o_;
  const ModelSpec& spec_;
  GivenModel<Real>& given_;
};

void check_ids(const ModelOptions& options, const ModelBatches& batches, const ModelSpec& spec) {
  const auto check = [&](const char* name, const Batch& batch, std::size_t vocabulary) {
    require_known(name, batch.ids, vocabulary);
    if (const std::size_t longest = batch.sequences.longest(); longest > spec.max_len)
      throw usage_error(
          "too_long",
          {{"name", name}, {"count", std::to_string(longest)}, {"most", std::to_string(spec.max_len)}});
  };
  if (spec.has_encoder()) check("--src", batches.src, spec.src_vocab);
  if (spec.has_decoder()) check("--tgt", batches.tgt, spec.tgt_vocab);
  if (options.pad_id) require_known("--pad-id", {batches.pad}, std::max(spec.src_vocab, spec.tgt_vocab));
}

std::vector<std::string> names_in(const Vocabulary& vocabulary, const TokenIds& ids) {
  std::vector<std::string> names;
  for (const std::uint32_t id : ids) names.push_back(token_name(vocabulary, id));
  return names;
}

void refuse_beside_weights(const ModelOptions& o, WeightsFrom from) {
  if (const auto* other = first_unfit(model_options(), o, from))
    throw usage_error("beside_weights", {{"name", other->name}});
}

/// What does not fit together on the command line is its fault.
void require_drawable(const ModelSpec& spec) try {
  require_dividing(spec.heads, spec.d_model);
  require_valid(spec);
} catch (const Error& error) {
  if (error.kind() != ErrorKind::bad_data) throw;
  throw usage(error.message(), error.hint());
}

/// Draws the weights; → how, as the page says it.
template <class Real>
std::string draw(const ModelOptions& o, Transformer<Real>& model) {
  const WeightInit init = o.init.value_or(WeightInit::xavier_uniform);
  const std::uint32_t seed = o.seed.value_or(42);
  initialize(model, init, seed);
  return word_of(weight_inits(), init) + ", np.random.seed(" + std::to_string(seed) + ")";
}

/// A model of layers that stand alone in their file: what stands around them is read from --embeddings, or
/// drawn.
template <class Real>
void add_ends(const ModelOptions& o, const TensorFile& layers, GivenModel<Real>& given) {
  refuse_beside_weights(o, o.embeddings ? WeightsFrom::given : WeightsFrom::layers);
  const GivenStyle style = style_of(o);
  if (o.embeddings) {
    const TensorFile ends(*o.embeddings);
    given.model = Transformer<Real>(spec_of_layers(layers, style, vocabularies_in(ends)));
    load_ends(given.model, ends);
    given.weights += ", " + *o.embeddings, given.is_trained = true;
  } else {
    const ModelSpec usual = spec_of(o);
    given.model = Transformer<Real>(spec_of_layers(layers, style, {usual.src_vocab, usual.tgt_vocab}));
    given.weights += in_words("model.ends_drawn", {{"how", draw(o, given.model)}});
  }
  load_layers(given.model, layers);
}

} // namespace

template <class Real>
GivenModel<Real> given_model(const ModelOptions& o) {
  GivenModel<Real> given;
  if (const auto name = weights_to_read(o)) {
    const TensorFile file = model_file(*name);
    given.weights = *name;
    if (holds_layers_alone(file)) {
      add_ends(o, file, given);
    } else {
      refuse_beside_weights(o, WeightsFrom::given);
      if (o.embeddings) throw usage_error("embeddings_of_whole", {{"name", *name}});
      given.model = load_model<Real>(file, style_of(o)), given.scheme = scheme_in(file);
      given.card = card_in(file, given.model.spec), given.is_trained = true;
    }
    given.notes = notes_on(file);
    Reading<Real>(o, given.model.spec, given).read();
  } else {
    const ModelSpec spec = spec_of(o);
    require_drawable(spec);
    Reading<Real>(o, spec, given).read(); // before weights are drawn: ids are soon refused
    given.model = Transformer<Real>(spec);
    given.weights = draw(o, given.model);
  }
  check_ids(o, given.batches, given.model.spec);
  return given;
}

template <class Real>
TokenNames names_of(const GivenModel<Real>& given) {
  const auto own = [](const TokenIds& ids) {
    std::vector<std::string> names;
    for (const std::uint32_t id : ids) names.push_back(std::to_string(id));
    return names;
  };
  const ModelBatches& batches = given.batches;
  const Batch& read = given.model.spec.has_encoder() ? batches.src : batches.tgt;
  if (read.sequences.count() != 1) return {};
  if (given.pairs) {
    const auto pieces = [&](const TokenIds& ids) {
      std::vector<std::string> names;
      for (const std::uint32_t id : ids) names.push_back(given.pairs->decode({id}));
      return names;
    };
    return {{}, pieces(batches.tgt.ids), pieces(given.expected), {}};
  }
  if (!has_words(given.card)) return {own(batches.src.ids), own(batches.tgt.ids), own(given.expected), {}};
  const ModelCard& card = *given.card;
  return {names_in(card.src, batches.src.ids), names_in(card.tgt, batches.tgt.ids),
          names_in(card.tgt, given.expected), card.tgt.tokens};
}

template GivenModel<float> given_model(const ModelOptions&);
template GivenModel<double> given_model(const ModelOptions&);
template TokenNames names_of(const GivenModel<float>&);
template TokenNames names_of(const GivenModel<double>&);

} // namespace tfx
