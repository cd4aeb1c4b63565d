#include "lessons/known_models.hpp"

#include "io/known_programs.hpp"
#include "model/checkpoint.hpp"
#include "model/checkpoint_format.hpp"
#include "model/shipped.hpp"
#include "text/names.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

TensorFile model_file(const std::string& name) {
  const std::vector<std::string> known = shipped_names();
  if (std::ranges::count(known, name)) return shipped_model(name);
  if (looks_like_file(name)) return TensorFile(name);
  if (known.empty()) throw usage_error("no_models", {{"name", name}});
  throw usage_error("model_name",
                    {{"name", name}, {"near", suggestion(nearest(name, known))}, {"names", listed(known)}});
}

std::vector<std::string> notes_on(const TensorFile& file) {
  std::vector<std::string> notes;
  if (std::ranges::count(shipped_names(), file.path())) return notes;
  const NamedSources named = annotated_names(file);
  const auto say = [&](const std::string& key, std::map<std::string, std::string> values) {
    values["file"] = file.path();
    notes.push_back(in_words("note." + key, values));
  };
  if (!named.taken_off.empty()) say("taken_off", {{"name", listed(named.taken_off)}});
  if (named.are_without_biases()) say("no_biases", {});
  for (const TiedTable& table : tied_tables(file))
    say("tied", {{"again", file.entries()[table.again].name}, {"first", file.entries()[table.first].name}});
  return notes;
}

std::optional<std::string> usual_model() {
  const std::string name = "reverse";
  return std::ranges::count(shipped_models(), name) ? std::optional(name) : std::nullopt;
}

std::optional<std::string> model_that_reads(const std::string& text) {
  for (const std::string& name : shipped_models()) {
    const TensorFile file = shipped_model(name);
    const auto card = card_of(file.metadata(), spec_in(file), file.path());
    if (card && knows(*card, text)) return name;
  }
  return std::nullopt;
}

ModelCard card_or_ids(const TensorFile& file, const ModelSpec& spec) {
  return card_of(file.metadata(), spec, file.path()).value_or(card_of_ids(spec));
}

bool knows(const ModelCard& card, const std::string& text) {
  const Vocabulary& src = card.src;
  try {
    return src.id_of(std::string(unknown_token)) == unknown_id
               ? !std::ranges::count(src.encode(text), unknown_id)
               : !src.encode(text).empty();
  } catch (const Error&) {
    return false;
  }
}

std::vector<std::string> tokens_of(const Vocabulary& vocabulary, const TokenIds& ids) {
  std::vector<std::string> names;
  for (const std::uint32_t id : ids) {
    const std::string text = vocabulary.shown(id);
    names.push_back(text.empty() ? vocabulary.tokens[id] : text);
  }
  return names;
}

std::string example_text(const ModelCard& card) {
  const std::string sentence = "Select the cells that you want to copy.";
  if (card.src.tokenizer == Tokenizer::sentences && knows(card, sentence)) return sentence;
  if (card.task == "reverse") return "attention";
  if (card.task == "numbers-zh") return "three hundred and five";
  const Vocabulary& src = card.src;
  const std::size_t first = src.tokenizer == Tokenizer::ids ? 1 : std::size_t{unknown_id} + 1;
  TokenIds ids;
  for (std::size_t id = std::min(first, src.size() - 1); id < src.size() && ids.size() < 5; ++id)
    ids.push_back(static_cast<std::uint32_t>(id));
  return src.decode(ids);
}

std::string example_begun(const ModelCard& card) {
  const std::string name = "anna";
  const Vocabulary& words = card.tgt;
  try {
    const TokenIds ids = words.encode_as_written(name);
    if (!words.holds_unknown(ids)) return name;
  } catch (const Error&) { // another alphabet
  }
  TokenIds ids;
  for (std::uint32_t id = 0; id < words.size() && ids.size() < 4; ++id)
    if (id != card.start && id != card.end && words.tokens[id] != unknown_token &&
        words.tokens[id] != pad_token)
      ids.push_back(id);
  return words.decode(ids);
}

std::string short_example(const ModelCard& card) {
  return card.task == "reverse" ? "star" : example_text(card);
}

namespace {

bool says(const TensorFile& file, const char* key) {
  return file.metadata().contains(key);
}

} // namespace

GivenStyle given_style(const InputOptions& o, const TensorFile& file) {
  const auto require_unsaid = [&](const char* key, const std::string& option) {
    if (says(file, key)) throw usage_error("beside_model", {{"name", option}});
  };
  GivenStyle style;
  if (o.heads) require_unsaid("heads", "--heads"), style.heads = o.heads;
  if (o.norm) {
    require_unsaid("norm", "--norm");
    style.norm = o.norm;
  }
  if (o.norm_first) {
    require_unsaid("placement", *o.norm_first ? "--norm-first" : "--norm-last");
    style.placement = *o.norm_first ? NormPlacement::pre_norm : NormPlacement::post_norm;
  }
  if (o.activation) require_unsaid("activation", "--activation"), style.activation = o.activation;
  return style;
}

std::string assumed_style(const InputOptions& o, const TensorFile& file, const ModelSpec& spec) {
  std::string assumed;
  const NormStyle& norm = spec.norm;
  if (!o.norm && !says(file, "norm")) assumed += " --norm " + word_of(norm_words(), norm.rule);
  if (!o.norm_first && !says(file, "placement"))
    assumed += norm.placement == NormPlacement::pre_norm ? " --norm-first" : " --norm-last";
  if (!o.activation && !says(file, "activation"))
    assumed += " --activation " + word_of(activation_words(), spec.activation);
  return assumed;
}

} // namespace tfx
