#include "input/tutorials.hpp"

#include "core/error.hpp"
#include "core/resource.hpp"
#include "core/tensor.hpp"
#include "input/draws.hpp"
#include "input/lesson_input.hpp"
#include "input/logits_input.hpp"
#include "input/own_input.hpp"
#include "io/csv.hpp"
#include "text/names.hpp"
#include "trace/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tfx {

namespace {

using Names = std::vector<std::string>;

Csv table(const std::string& file) {
  const std::string path = "data/tutorials/" + file;
  return read_labelled_csv(std::string(resource(path)), path);
}

Names words(const std::string& file) {
  const std::string path = "data/tutorials/" + file;
  return read_lines(std::string(resource(path)), path);
}

void parameter(LessonInput& input, const std::string& name, Tensor value) {
  input.given.add_input(name, drawn, std::move(value), {}, Role::parameter);
}

// 4 words in 3 dimensions, randint(3) weights.
LessonInput fun_transformer_words(std::uint32_t seed) {
  LessonInput input;
  const Csv csv = table("fun-transformer-words.csv");
  input.given.add_input("X", "fun-transformer-words.csv", csv.values, {csv.labels, {}});
  Draws draws(seed);
  for (const char* name : {"W_Q", "W_K", "W_V", "W_O"})
    parameter(input, name, draws.randint(name, 3, {3, 3}));
  input.heads = 3; // multihead only: one column a head
  input.given.numpy = draws.lines();
  return input;
}

// MultiHeadAttention(heads=4, d_model=128) on three different inputs, batch 2, 5 tokens; nn.Linear's own
// bounds.
LessonInput fun_transformer_heads(std::uint32_t seed) {
  LessonInput input;
  constexpr std::size_t d_model = 128;
  const double bound = 1 / std::sqrt(static_cast<double>(d_model));
  Draws draws(seed);
  for (const std::string letter : {"Q", "K", "V", "O"}) {
    parameter(input, "W_" + letter,
              draws.uniform("W_" + letter, bound, "1 / np.sqrt(128)", {d_model, d_model}));
    parameter(input, "b_" + letter, draws.uniform("b_" + letter, bound, "1 / np.sqrt(128)", {d_model}));
  }
  for (const char* name : {"X_Q", "X_K", "X_V"})
    input.given.add_input(name, drawn, draws.rand(name, {2, 5, d_model}), {});
  input.heads = 4;
  input.given.numpy = draws.lines();
  return input;
}

LessonInput scaled_dot_product(std::uint32_t seed) {
  LessonInput input;
  Draws draws(seed);
  input.given.add_input("Q", drawn, draws.randn("Q", {2, 3, 5}), {});
  input.given.add_input("K", drawn, draws.randn("K", {2, 4, 5}), {});
  input.given.add_input("V", drawn, draws.randn("V", {2, 4, 6}), {});
  input.given.numpy = draws.lines();
  return input;
}

void attention_block_weights(LessonInput& input, Draws& draws) {
  const double deviation = std::sqrt(2.0 / (64 + 64));
  for (const char* name : {"W_Q", "W_K", "W_V", "W_O"})
    parameter(input, name, draws.randn_float32(name, {64, 64}, deviation, "np.sqrt(2 / (64 + 64))"));
  input.heads = 4;
  input.causal = true;
}

LessonInput attention_block(std::uint32_t seed) {
  LessonInput input;
  Draws draws(seed);
  attention_block_weights(input, draws);
  input.given.add_input("X", drawn, draws.randn_float32("X", {2, 8, 64}), {});
  input.given.numpy = draws.lines();
  return input;
}

// Token and learned position embedding, vocabulary 10000, 10 tokens.
LessonInput attention_block_embedded(std::uint32_t seed) {
  LessonInput input;
  Draws draws(seed);
  const Names labels = words("attention-block-words.csv");
  parameter(input, "token_embedding", draws.randn_float32("token_embedding", {10000, 64}, 0.02, "0.02"));
  parameter(input, "position_embedding", draws.randn_float32("position_embedding", {512, 64}, 0.02, "0.02"));
  attention_block_weights(input, draws);
  input.given.add_input("token_ids", drawn, draws.randint("token_ids", 10000, {2, 10}), {{}, labels});
  Tensor positions(Shape{10});
  std::iota(positions.data.begin(), positions.data.end(), 0.0);
  input.given.add_input("positions", "0 … 9", std::move(positions), {labels});
  draws.note("X = token_embedding[token_ids] + position_embedding[:10]");
  Trace& given = input.given;
  give_rows(given, "token_vectors", "token_embedding", "token_ids");
  give_rows(given, "position_vectors", "position_embedding", "positions");
  given.add("X", op::add("token_vectors", "position_vectors").with(0, "float32"), Role::recap);
  input.named_words = true;
  input.given.numpy = draws.lines();
  return input;
}

// The attention of make_model at full width: xavier_uniform_ weights, nn.Linear's own biases.
LessonInput annotated(std::uint32_t seed) {
  LessonInput input;
  constexpr std::size_t d_model = 512;
  Draws draws(seed);
  input.given.add_input("X", drawn, draws.randn("X", {5, d_model}), {});
  for (const std::string letter : {"Q", "K", "V", "O"}) {
    parameter(input, "W_" + letter, draws.weight("W_" + letter, d_model, d_model, Init::xavier_uniform));
    parameter(input, "b_" + letter,
              draws.uniform("b_" + letter, 1 / std::sqrt(static_cast<double>(d_model)), "1 / np.sqrt(512)",
                            {d_model}));
  }
  input.heads = 8;
  input.given.numpy = draws.lines();
  return input;
}

// Embeddings * √d_model + PositionalEncoding on a small sentence: the numbers are ours.
LessonInput annotated_embedding(std::uint32_t seed) {
  InputOptions options;
  options.seed = seed;
  options.word_draws = WordDraws::in_order; // one block
  return own_words(options, {});
}

// One EncoderLayer in a small shape: xavier_uniform_ weights, nn.Linear's own biases, LayerNorm's ones and
// zeros.
LessonInput annotated_layer(std::uint32_t seed) {
  LessonInput input;
  constexpr std::size_t d_model = 8, d_ff = 32;
  Draws draws(seed);
  input.given.add_input("X", drawn, draws.randn("X", {4, d_model}), {numbered("x", 4), {}});
  const auto linear = [&](const std::string& end, std::size_t d_in, std::size_t d_out) {
    parameter(input, "W_" + end, draws.weight("W_" + end, d_in, d_out, Init::xavier_uniform));
    parameter(input, "b_" + end,
              draws.uniform("b_" + end, 1 / std::sqrt(static_cast<double>(d_in)),
                            "1 / np.sqrt(" + std::to_string(d_in) + ")", {d_out}));
  };
  for (const char* letter : {"Q", "K", "V", "O"}) linear(letter, d_model, d_model);
  linear("1", d_model, d_ff), linear("2", d_ff, d_model);
  for (const std::string i : {"1", "2"}) {
    for (const auto& [name, start] : {std::pair<std::string, double>{"gain_", 1}, {"shift_", 0}}) {
      draws.note(name + i + (start == 1 ? " = np.ones(8)" : " = np.zeros(8)"));
      input.given.add_input(name + i, start == 1 ? "np.ones(8)" : "np.zeros(8)",
                            Tensor({d_model}, std::vector<double>(d_model, start)), {}, Role::parameter);
    }
  }
  input.heads = 2;
  input.given.numpy = draws.lines();
  return input;
}

// The tutorial's own loss: labels and logits are drawn after everything of its second run, and nothing made
// the logits.
LessonInput attention_block_loss(std::uint32_t seed) {
  LessonInput input;
  Draws draws(seed);
  draws.randn("token_embedding", {10000, 64});
  draws.randn("position_embedding", {512, 64});
  for (const char* name : {"W_Q", "W_K", "W_V", "W_O"}) draws.randn(name, {64, 64});
  draws.randint("token_ids", 10000, {2, 10});
  input.given.add_input("labels", drawn, draws.randint("labels", 10000, {2, 10}), {});
  input.given.add_input("logits", drawn, draws.randn_float32("logits", {2, 10, 10000}), {});
  input.given.numpy = draws.lines();
  return input;
}

// The training step that the tutorial stops before, on the words of its second run without the [PAD]: each is
// asked for the next one. W_O leads to those words and is ours, drawn after everything that the tutorial
// draws.
LessonInput attention_block_next_word(std::uint32_t seed) {
  LessonInput input;
  Draws draws(seed);
  Names sentence = words("attention-block-words.csv");
  std::erase(sentence, "[PAD]");
  const Tensor tokens = draws.randn_float32("token_embedding", {10000, 64}, 0.02, "0.02"),
               positions = draws.randn_float32("position_embedding", {512, 64}, 0.02, "0.02");
  attention_block_weights(input, draws);
  std::erase_if(input.given.steps, [](const Step& step) { return step.name == "W_O"; });
  input.heads = 1;
  const Tensor ids = draws.randint("token_ids", 10000, {2, 10});
  Tensor X(Shape{sentence.size(), 64});
  for (std::size_t i = 0; i < X.size(); ++i) {
    const auto row = static_cast<std::size_t>(ids.data[i / 64]);
    X.data[i] = static_cast<float>(tokens.data[row * 64 + i % 64]) + static_cast<float>(positions.data[i]);
  }
  const std::string formula =
      fmt::format("token_embedding[token_ids[0, :{0}]] + position_embedding[:{0}]", sentence.size());
  draws.note("X = " + formula);
  input.given.add_input("X", formula, std::move(X), {sentence, {}});
  const Names vocabulary = add_next_words(input, sentence, 0);
  parameter(input, "W_O", draws.randn_float32("W_O", {64, vocabulary.size()}, 0.125, "0.125"));
  input.given.steps.back().labels[1] = vocabulary;
  input.causal = true;
  input.named_words = true;
  input.given.numpy = draws.lines();
  return input;
}

// Its sentence, asked for the next word: W_O leads to a vocabulary of its words and the padding.
LessonInput happy_llm_next_word(std::uint32_t seed) {
  LessonInput input;
  Draws draws(seed);
  const Names sentence = words("happy-llm-words.csv");
  input.given.add_input("X", drawn, draws.randn("X", {5, 4}), {sentence, {}});
  for (const char* name : {"W_Q", "W_K", "W_V"}) parameter(input, name, draws.randn(name, {4, 4}));
  const Names vocabulary = add_next_words(input, sentence, 0);
  parameter(input, "W_O", draws.randn("W_O", {4, vocabulary.size()}));
  input.given.steps.back().labels[1] = vocabulary;
  input.causal = true;
  input.named_words = true;
  input.given.numpy = draws.lines();
  return input;
}

LessonInput happy_llm_dictionary(std::uint32_t) {
  LessonInput input;
  const Csv dictionary = table("happy-llm-dictionary.csv"), queries = table("happy-llm-queries.csv"),
            weights = table("happy-llm-given-weights.csv");
  const arma::mat keys_and_value = matrix(dictionary.values);
  const Names& keys = dictionary.labels;
  const arma::uword last = keys_and_value.n_cols - 1;
  input.given.add_input("V", "happy-llm-dictionary.csv", to_tensor(arma::mat(keys_and_value.col(last))),
                        {keys, {"value"}});
  input.given.add_input("K", "happy-llm-dictionary.csv", to_tensor(arma::mat(keys_and_value.head_cols(last))),
                        {keys, {}});
  input.given.add_input("Q", "happy-llm-queries.csv", queries.values, {queries.labels, {}});
  input.given.add_input("given_weights", "happy-llm-given-weights.csv", weights.values,
                        {weights.labels, keys});
  input.named_words = true;
  return input;
}

LessonInput happy_llm_sentence(std::uint32_t seed) {
  LessonInput input;
  Draws draws(seed);
  input.given.add_input("X", drawn, draws.randn("X", {5, 4}), {words("happy-llm-words.csv"), {}});
  for (const char* name : {"W_Q", "W_K", "W_V", "W_O"}) parameter(input, name, draws.randn(name, {4, 4}));
  input.heads = 2;
  input.causal = true;
  input.named_words = true;
  input.given.numpy = draws.lines();
  return input;
}

// The decoder's words ask those of a source: 4 queries, 5 keys.
LessonInput happy_llm_translation(std::uint32_t seed) {
  LessonInput input;
  Draws draws(seed);
  input.given.add_input("X", drawn, draws.randn("X", {4, 4}), {words("happy-llm-decoder-words.csv"), {}});
  input.given.add_input("memory", drawn, draws.randn("memory", {5, 4}),
                        {words("happy-llm-source-words.csv"), {}});
  for (const char* name : {"W_Q", "W_K", "W_V"}) parameter(input, name, draws.randn(name, {4, 4}));
  input.named_words = true;
  input.given.numpy = draws.lines();
  return input;
}

// Which lessons a run fits.

bool of_words(const InputRules& lesson) { // and nothing else to read
  using enum Input;
  return lesson.takes(X) && !takes<memory, feed_forward, todays_block, labels>(lesson);
}
bool of_odd_words(const InputRules& lesson) { // no pairs of columns
  return of_words(lesson) && !lesson.takes(Input::rotary);
}
bool of_words_or_ids(const InputRules& lesson) {
  return of_words(lesson) || lesson.takes(Input::token_ids);
}
bool of_loss(const InputRules& lesson) { // nothing made the logits
  return lesson.takes(Input::logits) && lesson.takes(Input::labels);
}
bool of_dictionary(const InputRules& lesson) { // it has no tokens to attend among
  return lesson.tutorial == "happy-llm:1";
}

} // namespace

const std::vector<Run>& runs() {
  using enum Input;
  static const std::vector<Run> all = {
      {"fun-transformer", 1, true, of_odd_words, fun_transformer_words},
      {"fun-transformer", 2, false, of_words, fun_transformer_heads},
      {"scaled-dot-product", 1, false, takes<QKV>, scaled_dot_product, Sizes{2, 3, 4, 5, 6}},
      {"attention-block", 1, true, of_words, attention_block,
       Sizes{2, 8, 8, 16, 16, 64, 4, Init::xavier, true}},
      {"attention-block", 2, true, of_words_or_ids, attention_block_embedded},
      {"attention-block", 3, true, of_loss, attention_block_loss},
      {"attention-block", 4, true, takes<labels>, attention_block_next_word},
      {"annotated", 1, false, of_words, annotated, Sizes{1, 5, 5, 64, 64, 512, 8, Init::xavier_uniform}},
      {"annotated", 2, false, takes<token_ids>, annotated_embedding},
      {"annotated", 3, false, takes<feed_forward>, annotated_layer},
      {"happy-llm", 1, true, of_dictionary, happy_llm_dictionary},
      {"happy-llm", 2, false, of_words, happy_llm_sentence},
      {"happy-llm", 3, false, takes<memory>, happy_llm_translation},
      {"happy-llm", 4, false, takes<labels>, happy_llm_next_word},
      {"microgpt", 1, true, takes<begun>, nullptr},
  };
  return all;
}

const Run& find_run(std::string_view name, const InputRules& lesson) {
  // fun-transformer's multi-head attention is its second run.
  const bool second = lesson.takes(Input::heads) && name == "fun-transformer";
  const std::string wanted = std::string(name) + (second ? ":2" : "");
  const Run* same_name = nullptr;
  std::vector<std::string> ids, fitting;
  for (const Run& run : runs()) {
    ids.push_back(run.id);
    if (run.fits(lesson)) fitting.push_back(run.name());
    if (run.id != wanted && run.name() != wanted) continue;
    if (run.fits(lesson)) return run;
    same_name = &run;
  }
  throw usage_error(same_name ? "other_tutorial" : "no_tutorial", {{"name", std::string(name)},
                                                                   {"near", suggestion(nearest(name, ids))},
                                                                   {"lesson", lesson.command},
                                                                   {"names", listed(fitting)}});
}

} // namespace tfx
