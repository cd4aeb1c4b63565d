#include "model/checkpoint_format.hpp"

#include "core/error.hpp"
#include "io/known_programs.hpp"
#include "io/message.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace tfx {

namespace {

/// Where a name of no other program says nothing, the file's model is The Annotated Transformer's.
ModelSpec usual_spec(NameFamily family) {
  ModelSpec spec;
  switch (family) {
  case NameFamily::annotated: break;
  case NameFamily::torch: spec.norm.placement = NormPlacement::post_norm; break;
  case NameFamily::gpt2: choose_gpt2_parts(spec); break;
  case NameFamily::llama:
    spec.stacks = Stacks::decoder, spec.norm.rule = Norm::rms, spec.norm.epsilon = 1e-6;
    spec.activation = Activation::silu, spec.gated = true, spec.positions = Positions::rotary;
    spec.scaled_embedding = false, spec.max_len = 2048; // LlamaConfig's
    break;
  }
  return spec;
}

constexpr std::size_t most_of_a_size = 1'000'000'000;

std::string as_text(bool truth) {
  return truth ? "true" : "false";
}
std::string as_text(std::size_t number) {
  return std::to_string(number);
}
/// The shortest text that reads back as the same double.
std::string as_text(double number) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

/// What a value must be, where the text is none.
using Wanted = std::optional<Message>;

template <class Value>
Wanted take_choice(const std::string& text, const Choices<Value>& words, Value& value) {
  std::string known;
  for (const auto& [word, one] : words) {
    if (word == text) return value = one, std::nullopt;
    known += (known.empty() ? "" : ", ") + word;
  }
  return said("known are {names}", {{"names", known}});
}

template <class Number>
bool is_whole_text(const std::string& text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end;
}

Wanted take_size(const std::string& text, std::size_t& size) {
  std::size_t number = 0;
  if (is_whole_text(text, number) && number > 0 && number <= most_of_a_size)
    return size = number, std::nullopt;
  return said("it is a whole number of at least 1");
}

Wanted take_positive(const std::string& text, double& value) {
  double number = 0;
  if (is_whole_text(text, number) && number > 0 && number <= 1e30) return value = number, std::nullopt;
  return said("it is a number above 0");
}

Wanted take_truth(const std::string& text, bool& value) {
  if (text == "true" || text == "false") return value = text == "true", std::nullopt;
  return said("it is true or false");
}

bool has_parameters(const NormStyle& norm) {
  return norm.gain || norm.shift;
}

/// A choice that metadata hold.
struct StyleKey {
  const char* key;
  std::string (*text)(const ModelSpec&);
  Wanted (*take)(const std::string&, ModelSpec&);
  bool (*is_of)(const ModelSpec&) = [](const ModelSpec&) { return true; }; ///< whether it is a choice there
};

// The first ones always stand in the metadata.
constexpr std::size_t keys_always_written = 3;

const std::vector<StyleKey>& style_keys() {
  using M = ModelSpec;
  using Text = const std::string&;
  static const auto is_rotary = [](const M& m) { return m.positions == Positions::rotary; };
  static const auto has_bare_norms = [](const M& m) { return !has_parameters(m.norm); };
  static const std::vector<StyleKey> all{
      {"norm", [](const M& m) { return word_of(norm_words(), m.norm.rule); },
       [](Text text, M& m) { return take_choice(text, norm_words(), m.norm.rule); }},
      {"placement", [](const M& m) { return word_of(placement_words(), m.norm.placement); },
       [](Text text, M& m) { return take_choice(text, placement_words(), m.norm.placement); }},
      {"activation", [](const M& m) { return word_of(activation_words(), m.activation); },
       [](Text text, M& m) { return take_choice(text, activation_words(), m.activation); }},
      {"epsilon", [](const M& m) { return as_text(m.norm.kernel_rule().epsilon); },
       [](Text text, M& m) { return take_positive(text, m.norm.epsilon.emplace()); }},
      {"positions", [](const M& m) { return word_of(position_words(), m.positions); },
       [](Text text, M& m) { return take_choice(text, position_words(), m.positions); }},
      {"rotary_pairs", [](const M& m) { return word_of(rotary_words(), m.pairs); },
       [](Text text, M& m) { return take_choice(text, rotary_words(), m.pairs); }, is_rotary},
      {"rotary_base", [](const M& m) { return as_text(m.rotary_base); },
       [](Text text, M& m) { return take_positive(text, m.rotary_base); }, is_rotary},
      {"window", [](const M& m) { return as_text(m.window); },
       [](Text text, M& m) { return take_size(text, m.window); }},
      {"scaled_embedding", [](const M& m) { return as_text(m.scaled_embedding); },
       [](Text text, M& m) { return take_truth(text, m.scaled_embedding); }},
      {"max_len", [](const M& m) { return as_text(m.max_len); },
       [](Text text, M& m) { return take_size(text, m.max_len); },
       [](const M& m) { return m.positions == Positions::none || m.positions == Positions::rotary; }},
      {"final_norm", [](const M& m) { return as_text(m.final_norm); },
       [](Text text, M& m) { return take_truth(text, m.final_norm); }, has_bare_norms},
      {"embedding_norm", [](const M& m) { return as_text(m.embedding_norm); },
       [](Text text, M& m) { return take_truth(text, m.embedding_norm); }, has_bare_norms},
      {"qk_norm", [](const M& m) { return as_text(m.qk_norm); },
       [](Text text, M& m) { return take_truth(text, m.qk_norm); }, has_bare_norms}};
  return all;
}

/// The choices that a reader would not take from the names.
std::vector<const StyleKey*> untold_choices(const ModelSpec& spec, const FileScheme& scheme) {
  ModelSpec usual = usual_spec(scheme.family);
  usual.norm.rule = spec.norm.rule;
  std::vector<const StyleKey*> untold;
  for (std::size_t i = keys_always_written; i < style_keys().size(); ++i) {
    const StyleKey& one = style_keys()[i];
    if (one.is_of(spec) && one.text(spec) != one.text(usual)) untold.push_back(&one);
  }
  return untold;
}

[[noreturn]] void refuse_metadata(const TensorFile& file, const char* key, const std::string& text,
                                  const Message& wanted) {
  refuse_file(
      file.path(),
      said("the metadata give {key} as {value}", {{"key", std::string(key)}, {"value", in_quotes(text)}}),
      wanted);
}

void take_metadata(const TensorFile& file, ModelSpec& spec) {
  for (const StyleKey& one : style_keys())
    if (const auto found = file.metadata().find(one.key); found != file.metadata().end())
      if (const Wanted wanted = one.take(found->second, spec))
        refuse_metadata(file, one.key, found->second, *wanted);
}

void take_given(const GivenStyle& given, ModelSpec& spec) {
  const auto take = [](const auto& value, auto& place) {
    if (value) place = *value;
  };
  take(given.norm, spec.norm.rule), take(given.placement, spec.norm.placement);
  take(given.activation, spec.activation), take(given.positions, spec.positions);
  take(given.pairs, spec.pairs), take(given.rotary_base, spec.rotary_base);
  take(given.window, spec.window), take(given.max_len, spec.max_len);
  take(given.scaled_embedding, spec.scaled_embedding);
  if (given.epsilon) spec.norm.epsilon = given.epsilon;
  if (spec.norm.epsilon == usual_epsilon(spec.norm.rule)) spec.norm.epsilon.reset();
}

std::size_t heads_of(const TensorFile& file, const GivenStyle& given, NameFamily family) {
  if (given.heads) return *given.heads;
  const auto found = file.metadata().find("heads");
  if (found == file.metadata().end())
    throw usage(
        said("{file}: {what}", {{"file", FileName(file.path())},
                                {"what", said("the tensors do not show how many heads the model has")}}),
        is_published(family) ? said("say it: --heads 8; or give the file's config.json: --config config.json")
                             : said("say it: --heads 8"));
  std::size_t heads = 0;
  if (const Wanted wanted = take_size(found->second, heads))
    refuse_metadata(file, "heads", found->second, *wanted);
  return heads;
}

/// What the tensors of a model show.
class ShapeReader {
public:
  ShapeReader(const TensorFile& file, const NamedSources& sources) : file_(file), sources_(sources) {}

  /// A tensor that a model cannot do without.
  const TensorSource* there(const std::string& name) const {
    const TensorSource* tensor = find(name);
    if (!tensor)
      refuse_file(file_.path(),
                  said("tensor {name} is missing", {{"name", both_names(name, sources_.scheme)}}),
                  said("a model has the tensors that docs/model.md lists"));
    return tensor;
  }

  /// The shape of a tensor that says how large the model is.
  Shape shape_of(const std::string& name, std::size_t rank) const {
    const TensorSource* tensor = there(name);
    if (tensor->shape.size() != rank)
      refuse_file(file_.path(),
                  said("tensor {name} is {shape}; it must have {rank} axes",
                       {{"name", both_names(name, sources_.scheme)},
                        {"shape", to_string(tensor->shape)},
                        {"rank", rank}}),
                  said("a model has the tensors that docs/model.md lists"));
    return tensor->shape;
  }

  Vocabularies vocabularies(const ModelSpec& spec) const {
    Vocabularies found;
    if (spec.has_encoder()) found.src = shape_of("src_embed.0.lut.weight", 2)[0];
    if (spec.has_decoder()) found.tgt = shape_of("tgt_embed.0.lut.weight", 2)[0];
    return found;
  }

  Stacks stacks() const {
    const bool encoder = any_begins("encoder.") || any_begins("src_embed.");
    const bool decoder = any_begins("decoder.") || any_begins("tgt_embed.") || any_begins("generator.");
    if (encoder == decoder || sources_.are_layers_alone()) return Stacks::both;
    return encoder ? Stacks::encoder : Stacks::decoder;
  }

  /// 1 + the largest I of encoder.layers.I and decoder.layers.I. A file has more tensors than layers, so a
  /// larger number is left for the comparison to refuse.
  std::size_t layers() const {
    std::size_t layers = 0;
    for (const TensorSource& tensor : sources_.tensors) {
      const std::string_view prefix = "encoder.layers.", other = "decoder.layers.";
      if (!tensor.name.starts_with(prefix) && !tensor.name.starts_with(other)) continue;
      const char* const begin = tensor.name.data() + prefix.size();
      std::size_t layer = 0;
      const auto [stop, error] = std::from_chars(begin, tensor.name.data() + tensor.name.size(), layer);
      if (error == std::errc{} && layer < sources_.tensors.size()) layers = std::max(layers, layer + 1);
    }
    return layers;
  }

  /// d_model and d_ff: of a layer's first matrix, which GPT-2's files may hold in either orientation.
  void widths(ModelSpec& spec) const {
    const std::string layer = first_layer(spec);
    const bool hidden = any_has(".feed_forward.") || !any_has(".self_attn.");
    const Shape matrix =
        shape_of(layer + (hidden ? "feed_forward.w_1.weight" : "self_attn.linears.0.weight"), 2);
    spec.d_model = matrix[1], spec.d_ff = hidden ? matrix[0] : 0;
    if (!is_published()) return;
    spec.d_model = shape_of("tgt_embed.0.lut.weight", 2)[1];
    if (matrix[1] != spec.d_model && matrix[0] == spec.d_model) spec.d_ff = matrix[1];
  }

  void parts(ModelSpec& spec) const {
    spec.gated = any_has(".feed_forward.w_3.");
    spec.qk_norm = spec.qk_norm || any_has(".q_norm.") || any_has(".k_norm.");
    spec.biases.queries = any_ends({".linears.0.bias", ".linears.1.bias", ".linears.2.bias"});
    spec.biases.output = any_ends({".linears.3.bias"});
    spec.biases.feed_forward = any_ends({".w_1.bias", ".w_2.bias", ".w_3.bias"});
    if (sources_.family() == NameFamily::gpt2) // all of them, or none
      spec.biases.queries = spec.biases.output = spec.biases.feed_forward =
          spec.biases.queries || spec.biases.output || spec.biases.feed_forward;
    spec.norm.gain = any_ends({".a_2"}), spec.norm.shift = any_ends({".b_2"});
    if (has_parameters(spec.norm)) {
      spec.final_norm = is_published() || any_begins("encoder.norm.") || any_begins("decoder.norm.");
      spec.embedding_norm = any_begins("src_embed.norm.") || any_begins("tgt_embed.norm.");
    }
    if (sources_.family() == NameFamily::torch) { // a file that lacks them is told why, or is read with zeros
      spec.final_norm = spec.norm.gain = spec.norm.shift = true;
      spec.biases.queries = spec.biases.output = spec.biases.feed_forward = true;
    }
    if (sources_.are_layers_alone()) return;
    spec.biases.generator = any_ends({"generator.proj.bias"});
    spec.tied = spec.has_decoder() && !any_begins("generator.");
  }

  /// The tables of positions, learned or computed, show how long a sequence may be.
  void positions(ModelSpec& spec) const {
    for (const char* side : {"src_embed.1.", "tgt_embed.1."}) {
      const std::string learned = std::string(side) + "weight", computed = std::string(side) + "pe";
      if (find(learned)) spec.positions = Positions::learned, spec.max_len = shape_of(learned, 2)[0];
      if (find(computed)) spec.max_len = shape_of(computed, 3)[1];
      if (find(learned) || find(computed)) return;
    }
    if (is_published() && spec.positions == Positions::learned) there("tgt_embed.1.weight");
  }

  /// Heads of keys, and the width of a head, as the projections show them once the heads are known.
  void heads(ModelSpec& spec) const {
    const std::string attention = first_layer(spec) + "self_attn.linears.";
    const auto found = [&](const std::string& name) { return is_published() ? there(name) : find(name); };
    const TensorSource *queries = found(attention + "0.weight"), *keys = found(attention + "1.weight");
    if (!queries || !keys || queries->shape.size() != 2 || keys->shape.size() != 2) return; // compared later
    const std::size_t rows = queries->shape[0], key_rows = keys->shape[0];
    if (rows == 0 || (rows == spec.d_model && key_rows == rows)) return;
    const std::size_t width = rows / spec.heads;
    if (width == 0 || rows % spec.heads != 0) refuse_heads(spec, *queries);
    if (key_rows == 0 || key_rows % width != 0) refuse_heads(spec, *keys);
    if (rows != spec.d_model) spec.head_width = width;
    if (key_rows != rows) spec.kv_heads = key_rows / width;
  }

private:
  bool is_published() const { return tfx::is_published(sources_.family()); }
  const TensorSource* find(const std::string& name) const {
    const auto tensor = std::ranges::find(sources_.tensors, name, &TensorSource::name);
    return tensor == sources_.tensors.end() ? nullptr : &*tensor;
  }
  template <class Is>
  bool any(const Is& is) const {
    return std::ranges::any_of(sources_.tensors, [&](const auto& tensor) { return is(tensor.name); });
  }
  bool any_begins(std::string_view begin) const {
    return any([&](const std::string& name) { return name.starts_with(begin); });
  }
  bool any_has(std::string_view part) const {
    return any([&](const std::string& name) { return name.find(part) != std::string::npos; });
  }
  bool any_ends(std::initializer_list<std::string_view> ends) const {
    return any([&](const std::string& name) {
      return std::ranges::any_of(ends, [&](std::string_view end) { return name.ends_with(end); });
    });
  }
  static std::string first_layer(const ModelSpec& spec) {
    return spec.has_encoder() ? "encoder.layers.0." : "decoder.layers.0.";
  }
  [[noreturn]] void refuse_heads(const ModelSpec& spec, const TensorSource& tensor) const {
    const TensorFile::Entry& entry = file_.entries()[tensor.entry];
    refuse_file(
        file_.path(),
        said("tensor {name} {shape} does not fit {heads} heads of queries",
             {{"name", in_quotes(entry.name)}, {"shape", to_string(entry.shape)}, {"heads", spec.heads}}),
        said("its outputs are heads of one width; say how many heads of queries there are: --heads 8"));
  }

  const TensorFile& file_;
  const NamedSources& sources_;
};

Message config_advice() {
  return said("give the config.json that came with the file");
}

void require_family(const TensorFile& file, const GivenStyle& given, NameFamily family) {
  if (!given.family || *given.family == family) return;
  if (!is_published(family))
    refuse_file(
        file.path(),
        said("{config} is of {program}, whose models have tensors named {part}, and the file has none",
             {{"config", printable(given.config)},
              {"program", name_of_program(*given.family)},
              {"part", in_quotes(telling_part(*given.family))}}),
        config_advice());
  refuse_file(file.path(),
              said("its names are those of {program}, and {config} is of {other}",
                   {{"program", name_of_program(family)},
                    {"config", printable(given.config)},
                    {"other", name_of_program(*given.family)}}),
              config_advice());
}

void require_claims(const TensorFile& file, const GivenStyle& given, const ModelSpec& spec,
                    const FileScheme& scheme) {
  for (const ConfigClaim& claim : given.claims)
    if (const std::string shown = claim.shown(spec, scheme); shown != claim.value)
      refuse_file(file.path(),
                  said("{config} gives {field} as {value}, the tensors show {other}",
                       {{"config", printable(given.config)},
                        {"field", claim.field},
                        {"value", claim.value},
                        {"other", shown}}),
                  config_advice());
}

} // namespace

std::string both_names(const std::string& ours, const FileScheme& scheme) {
  FileScheme bare = scheme;
  const bool published = is_published(scheme.family);
  if (!published) bare.prefix.clear(); // as model.md and PyTorch's pages write them
  const std::string theirs = in_quotes(their_tensor(ours, bare).name);
  return published ? theirs + " = " + in_quotes(ours) : theirs;
}

std::map<std::string, std::string> metadata_of(const ModelSpec& spec, const FileScheme& scheme) {
  std::map<std::string, std::string> metadata{{"format", "pt"}, {"heads", std::to_string(spec.heads)}};
  for (std::size_t i = 0; i < keys_always_written; ++i)
    metadata[style_keys()[i].key] = style_keys()[i].text(spec);
  for (const StyleKey* one : untold_choices(spec, scheme)) metadata[one->key] = one->text(spec);
  return metadata;
}

void require_no_metadata_needed(const ModelSpec& spec, const FileScheme& scheme, const std::string& path) {
  const std::vector<const StyleKey*> untold = untold_choices(spec, scheme);
  if (untold.empty()) return;
  throw usage(said("{file}: an .npz cannot say that {key} is {value}",
                   {{"file", printable(path)}, {"key", untold[0]->key}, {"value", untold[0]->text(spec)}}),
              said("save the model as .safetensors"));
}

Vocabularies vocabularies_of(const TensorFile& file, const NamedSources& sources) {
  return ShapeReader(file, sources).vocabularies({});
}

void refuse_other_program(const TensorFile& file) {
  const auto program = program_of(file.entries());
  if (!program || program->name == "torch.nn.Transformer" || program->name == "GPT-2") return;
  const auto is_key = [](const auto& entry) { return entry.name.ends_with("self_attn.q_proj.weight"); };
  if (program->name == "Llama" && std::ranges::any_of(file.entries(), is_key)) return;
  refuse_file(file.path(),
              said("this is {program}, whose names are not read", {{"program", described(*program)}}),
              program->kind == ProgramKind::model
                  ? said("tfx params FILE counts its parameters, tfx inspect FILE lists its tensors")
                  : said("the lessons block and multihead read one layer or attention module "
                         "with --weights"));
}

void require_encoder_decoder(const TensorFile& file) {
  const Stacks stacks = ShapeReader(file, annotated_names(file)).stacks();
  if (stacks == Stacks::both) return;
  const auto program = program_of(file.entries());
  refuse_file(file.path(),
              said("this is {program}, and an encoder-decoder is asked for here",
                   {{"program", program                     ? Message::given(described(*program))
                                : stacks == Stacks::decoder ? said("a decoder alone")
                                                            : said("an encoder alone")}}),
              said("give it to a command that takes a decoder alone, or give another model"));
}

void require_annotated_parts(const TensorFile& file, const ModelSpec& spec) {
  const NormStyle& norm = spec.norm;
  const Biases& biases = spec.biases;
  const std::pair<bool, std::string> others[] = {
      {norm.rule == Norm::rms, "norm = rms"},
      {norm.kernel_rule().epsilon != usual_epsilon(norm.rule),
       "epsilon = " + as_text(norm.kernel_rule().epsilon)},
      {!norm.gain || !norm.shift, "norm without " + std::string(norm.gain ? "b_2" : "a_2")},
      {spec.positions != Positions::sinusoidal, "positions = " + word_of(position_words(), spec.positions)},
      {!spec.scaled_embedding, "scaled_embedding = false"},
      {spec.embedding_norm, "embedding_norm = true"},
      {!spec.final_norm, "final_norm = false"},
      {spec.tied, "tied = true"},
      {spec.gated, "gated = true"},
      {spec.d_ff == 0, "d_ff = 0"},
      {spec.kv_heads != 0, "kv_heads = " + as_text(spec.kv_heads)},
      {spec.head_width != 0, "head_width = " + as_text(spec.head_width)},
      {spec.qk_norm, "qk_norm = true"},
      {spec.window != 0, "window = " + as_text(spec.window)},
      {!(biases == Biases{}), "bias = false"}};
  std::string parts;
  for (const auto& [is_there, text] : others)
    if (is_there) parts += (parts.empty() ? "" : ", ") + text;
  if (parts.empty()) return;
  refuse_file(file.path(),
              said("this page computes The Annotated Transformer's parts, and the model has others: {parts}",
                   {{"parts", parts}}),
              said("give it to a command that takes a decoder alone, or give another model"));
}

ModelSpec spec_of(const TensorFile& file, const NamedSources& sources, const GivenStyle& given,
                  const std::optional<Vocabularies>& vocabularies) {
  refuse_other_program(file);
  require_family(file, given, sources.family());
  const ShapeReader shapes(file, sources);
  ModelSpec spec = usual_spec(sources.family());
  if (!is_published(sources.family())) spec.norm.rule = sources.norm;
  spec.stacks = shapes.stacks();
  spec.layers = shapes.layers();
  shapes.widths(spec);
  if (!vocabularies && sources.are_layers_alone())
    refuse_file(file.path(),
                said("it holds the layers of torch.nn.Transformer, and no embeddings and no generator"),
                said("tfx model --weights draws those, or reads them from --embeddings"));
  const auto [src_vocab, tgt_vocab] = vocabularies ? *vocabularies : shapes.vocabularies(spec);
  spec.src_vocab = src_vocab, spec.tgt_vocab = tgt_vocab;
  spec.heads = heads_of(file, given, sources.family());
  take_metadata(file, spec);
  take_given(given, spec);
  shapes.parts(spec);
  if (given.family) spec.norm.gain = spec.final_norm = true; // those of the classes with a config.json
  shapes.positions(spec);
  shapes.heads(spec);
  require_claims(file, given, spec, sources.scheme);
  return spec;
}

} // namespace tfx
