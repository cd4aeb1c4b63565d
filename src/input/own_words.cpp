#include "input/own_words.hpp"

#include "core/error.hpp"
#include "core/memory.hpp"
#include "input/parameters.hpp"
#include "io/load.hpp"
#include "io/message.hpp"

#include <map>
#include <numeric>

namespace tfx {

namespace {

void require_rows(const InputOptions& o, const LessonInput& input, const std::string& table, std::size_t rows,
                  const Message& what) {
  const Shape& shape = input.given[table].shape;
  if (shape[0] < rows)
    refuse_file(shown_name(*o.weights),
                said("{table} has shape {shape}, the text has {count} {what}",
                     {{"table", table}, {"shape", to_string(shape)}, {"count", rows}, {"what", what}}),
                said("a table has one row for each of them"));
}

} // namespace

void add_positions(LessonInput& input, std::size_t n, std::vector<std::string> tokens) {
  Tensor positions(Shape{n});
  std::iota(positions.data.begin(), positions.data.end(), 0.0);
  input.given.add_input("positions", "0 … " + std::to_string(n - 1), std::move(positions),
                        {std::move(tokens)});
}

void state_tokens(Trace& given, const DistinctTokens& tokens) {
  given.facts["text_tokens"] = static_cast<double>(tokens.ids.size());
  given.facts["text_distinct"] = static_cast<double>(tokens.words.size());
}

Tensor word_vectors(const InputOptions& o, Draws& draws, const std::string& name,
                    const std::vector<std::string>& words, std::size_t width,
                    std::optional<std::uint32_t> seed) {
  const Init init = o.init.value_or(Init::normal);
  if (o.word_draws == WordDraws::in_order)
    return name == "token_embedding" ? draws.weight(name, words.size(), width, init)
                                     : draws.vectors(name, {words.size(), width}, init);
  return draws.of_words(name, words, width, init, seed.value_or(seed_of(o)));
}

void state_same_vectors(Trace& given, const std::vector<std::string>& words, const Tensor& vectors) {
  std::map<std::vector<double>, std::string> first;
  const std::size_t width = vectors.shape.back();
  std::string same;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto begin = vectors.data.begin() + static_cast<std::ptrdiff_t>(i * width);
    const auto [entry, is_new] =
        first.try_emplace({begin, begin + static_cast<std::ptrdiff_t>(width)}, words[i]);
    if (is_new || entry->second == words[i]) continue;
    same += (same.empty() ? "" : ", ") + entry->second + " = " + words[i];
  }
  if (!same.empty()) given.facts["same_vectors"] = same;
}

LessonInput own_words(const InputOptions& o) {
  LessonInput input;
  Draws draws(seed_of(o));
  Parameters parameters(o, Stage::tokens, draws, input);
  const std::vector<std::string> tokens = tokenize(o.text.value_or(default_sentence));
  const DistinctTokens vocabulary = distinct(tokens);
  const std::size_t words = vocabulary.words.size(),
                    d_model = parameters.columns_of("token_embedding", "--d-model", o.d_model, 4);
  require_memory(sizeof(double) * static_cast<double>(tokens.size()) *
                     (8.0 * static_cast<double>(d_model) + 2.0 * static_cast<double>(words) +
                      6.0 * static_cast<double>(tokens.size())),
                 said("a run of this size"));
  Tensor ids(Shape{tokens.size()});
  for (std::size_t i = 0; i < tokens.size(); ++i) ids.data[i] = static_cast<double>(vocabulary.ids[i]);
  input.given.add_input("token_ids", o.text ? "--text" : default_sentence, std::move(ids), {tokens});
  const std::size_t rows = parameters.rows_of("token_embedding", words);
  if (parameters.has("token_embedding")) {
    parameters.weight("token_embedding", rows, d_model);
  } else {
    input.given.add_input("token_embedding", drawn,
                          word_vectors(o, draws, "token_embedding", vocabulary.words, d_model), {},
                          Role::parameter);
    state_same_vectors(input.given, vocabulary.words, input.given["token_embedding"]);
  }
  require_rows(o, input, "token_embedding", words, said("distinct words"));
  if (rows == words) input.given.steps.back().labels[0] = vocabulary.words;
  if (parameters.has("position_embedding")) {
    parameters.weight("position_embedding", parameters.rows_of("position_embedding", 0), d_model);
    require_rows(o, input, "position_embedding", tokens.size(), said("tokens"));
  }
  add_positions(input, tokens.size(), tokens);
  input.named_words = true;
  if (o.text) state_tokens(input.given, vocabulary);
  parameters.note_ignored();
  input.given.numpy = draws.lines();
  return input;
}

} // namespace tfx
