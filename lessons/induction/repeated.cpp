#include "lessons/induction/induction.hpp"

#include "core/memory.hpp"
#include "core/number.hpp"
#include "core/resource.hpp"
#include "lessons/gpt/gpt.hpp"
#include "lessons/known_models.hpp"
#include "lessons/model/page.hpp"
#include "model/checkpoint.hpp"
#include "model/counts.hpp"
#include "model/repeated.hpp"
#include "text/tokens.hpp"
#include "words/in_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tfx {

namespace {

constexpr const char* usual_text = "the cat sees my old dog the cat sees";
constexpr double no_label = -1; ///< what comes after the last token is not known

/// Attention alone: nothing else can copy. Its context has room for a period of different tokens, twice.
void require_attention_alone(const ModelSpec& spec, const std::string& name) {
  const bool has_room =
      spec.positions == Positions::learned && spec.max_len >= 4 && spec.max_len / 2 <= spec.tgt_vocab;
  const bool fits = spec.stacks == Stacks::decoder && spec.d_ff == 0 && spec.layers > 0 && has_room &&
                    spec.key_heads() == spec.heads && !spec.tied && spec.window == 0 && !spec.qk_norm;
  if (!fits) throw usage_error("attention_alone", {{"name", name}});
  constexpr std::uint64_t most_heads = 64, most_numbers = 300'000; // each head is left out once: some seconds
  const std::uint64_t heads = spec.layers * spec.heads, numbers = model_parameters(spec);
  if (heads > most_heads || numbers > most_numbers)
    throw usage_error("attention_large", {{"name", name},
                                          {"heads", std::to_string(heads)},
                                          {"numbers", with_separators(numbers)},
                                          {"most_heads", std::to_string(most_heads)},
                                          {"most_numbers", with_separators(most_numbers)}});
}

} // namespace

TensorFile grown_file(const std::string& name) {
  const std::string path = "data/circuits/" + name + ".safetensors";
  return TensorFile(name, std::string(resource(path)));
}

Transformer<double> grown_model(const std::string& name) {
  return load_model<double>(grown_file(name));
}

LessonInput repeated_text(const InputOptions& options, const InputRules& lesson) {
  if (options.heads && !options.model) throw usage_error("heads_of_shipped", {});
  const std::string name = options.model.value_or("induction");
  const TensorFile file = options.model ? model_file(name) : grown_file(name);
  const auto model = load_model<double>(file, given_style(options, file));
  const ModelSpec& spec = model.spec;
  require_attention_alone(spec, name);
  const std::vector<std::string> tokens = tokenize(options.text.value_or(usual_text));
  const std::size_t most = spec.max_len - 1, // the last place is none that a training reads
      kinds = std::set<std::string>(tokens.begin(), tokens.end()).size();
  if (tokens.size() < 2 || tokens.size() > most || kinds > spec.tgt_vocab)
    throw usage_error("repeated_text", {{"count", std::to_string(tokens.size())},
                                        {"words", std::to_string(kinds)},
                                        {"most", std::to_string(most)},
                                        {"symbols", std::to_string(spec.tgt_vocab)}});
  std::vector<std::string> words; // a symbol each, in the order in which they come
  std::vector<double> ids;
  for (const std::string& token : tokens) {
    const auto found = std::ranges::find(words, token);
    ids.push_back(static_cast<double>(found - words.begin()));
    if (found == words.end()) words.push_back(token);
  }
  require_memory(2 * page_bytes(spec, {0, static_cast<double>(ids.size())}), said("the model's page"));
  for (std::size_t id = words.size(); id < spec.tgt_vocab; ++id) words.push_back(fmt::format("#{}", id));
  LessonInput input;
  input.notes = notes_on(file);
  if (is_usual_run(options, lesson)) input.reference = "induction:1";
  std::vector<double> labels(ids.begin() + 1, ids.end());
  labels.push_back(no_label);
  const Shape shape{ids.size()};
  input.given.add_input("tgt", "--text", Tensor(shape, std::move(ids)), {tokens});
  input.given.add_input("labels", "tgt[1:] + [?]", Tensor(shape, std::move(labels)), {tokens});
  give_decoder(input, model, words, name + ": ");
  input.named_words = true;
  input.given.facts["trained"] = name;
  if (!options.model) input.given.facts[of_the_lesson] = std::string();
  for (const char* of_file : {"growth", "periods"})
    if (const auto found = file.metadata().find(of_file); found != file.metadata().end())
      input.given.facts[of_file] = found->second;
  return input;
}

std::vector<double> repeated_sequence(const ModelSpec& spec, std::size_t period, std::uint64_t seed) {
  RepeatedRule rule;
  rule.vocab = spec.tgt_vocab, rule.longest_period = spec.max_len / 2, rule.period = period;
  const TokenIds ids = repeated_rows(rule, 1, seed, period).front();
  return {ids.begin(), ids.end() - 1};
}

Transformer<double> model_of(const LessonInput& input) {
  Transformer<double> model(*input.decoder);
  each_parameter([&](const std::string& name,
                     auto& tensor) { std::ranges::copy(input.given[name].data, tensor.begin()); },
                 "", model);
  return model;
}

} // namespace tfx
