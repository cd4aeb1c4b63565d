#include "input/own_input.hpp"

#include "core/architecture.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/tensor.hpp"
#include "input/draws.hpp"
#include "input/files.hpp"
#include "input/lesson_input.hpp"
#include "input/logits_input.hpp"
#include "input/model_input.hpp"
#include "input/parameters.hpp"
#include "io/load.hpp"
#include "io/message.hpp"
#include "text/names.hpp"
#include "text/tokens.hpp"
#include "trace/trace.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <concepts>
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

LessonInput own_words(const InputOptions& o, const InputRules& lesson) {
  LessonInput input;
  Draws draws(seed_of(o));
  Parameters parameters(o, lesson, draws, input);
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

namespace {

using Names = std::vector<std::string>;

// Sizes whose product may not fit in 64 bits: an estimate is a double.
double product(std::convertible_to<std::size_t> auto... sizes) {
  return (static_cast<double>(sizes) * ...);
}

void require_cells(double cells) {
  require_memory(cells * sizeof(double), said("a run of this size"));
}

// Projections may be wider than what they project: W_Q, W_K, W_V, their results and copies of them.
void refuse_too_wide(std::size_t rows, std::size_t d_in, std::size_t d_out) {
  require_cells(12 * product(rows + d_in, d_out));
}

// The tokens that an option gives; --text is the text, others say which one is wrong.
Names tokens_in(const std::string& option, const std::string& text) {
  try {
    return tokenize(text);
  } catch (const Error& error) {
    throw Error(error.kind(), said("{option}: {what}", {{"option", option}, {"what", error.message()}}),
                error.hint());
  }
}

// A token for each row of a file's matrix.
Names names_of_rows(const std::string& option, const std::string& text, const std::string& file,
                    std::size_t rows) {
  Names tokens = tokens_in(option, text);
  if (tokens.size() != rows)
    throw data_error("rows_of_text", {{"file", shown_name(file)},
                                      {"rows", std::to_string(rows)},
                                      {"name", option},
                                      {"count", std::to_string(tokens.size())},
                                      {"tokens", join(tokens, " ")}});
  return tokens;
}

class OwnInput {
public:
  OwnInput(const InputOptions& options, const InputRules& lesson)
      : o_(options),
        lesson_(lesson),
        init_(options.init.value_or(Init::normal)),
        draws_(seed_of(options)),
        parameters_(options, lesson, draws_, input_) {
    input_.heads = options.heads.value_or(lesson.takes(Input::todays_block) ? 2 : 1);
  }

  LessonInput tokens() {
    if (o_.x)
      x();
    else if (o_.words)
      words();
    else if (o_.text)
      text();
    else
      random_x();
    const std::size_t d_model = input_.given["X"].shape.back();
    if (lesson_.takes(Input::memory)) memory(d_model);
    const std::size_t d_key = input_.given[input_.has("memory") ? "memory" : "X"].shape.back();
    if (lesson_.takes(Input::todays_block))
      block_since_2017(d_model);
    else if (lesson_.takes(Input::W_QKV))
      projections(d_model, d_key, d_key);
    if (lesson_.takes(Input::labels)) draw_vocabulary(o_, parameters_, input_);
    return finish();
  }

  /// --q, --k, --v are Q, K, V themselves, or in lessons that project, what is projected.
  LessonInput triple() {
    const bool projected = !lesson_.takes(Input::QKV);
    const std::string prefix = projected ? "X_" : "";
    std::optional<Tensor> q, k, v;
    if (o_.q) q = load_matrices(*o_.q, "--q", input_.notes);
    if (o_.k) k = load_matrices(*o_.k, "--k", input_.notes);
    if (o_.v) v = load_matrices(*o_.v, "--v", input_.notes);
    const auto width = [](const std::optional<Tensor>& t, std::size_t otherwise) {
      return t ? t->shape.back() : otherwise;
    };
    const auto rows = [](const std::optional<Tensor>& t, std::size_t otherwise) {
      return t ? t->shape[t->rank() - 2] : otherwise;
    };
    const std::size_t n_q = rows(q, o_.n_q.value_or(4)), n_k = rows(k, rows(v, o_.n_k.value_or(n_q)));
    const std::size_t d_k = width(q, width(k, o_.d_k.value_or(4))),
                      d_v = width(v, o_.d_v.value_or(projected ? width(k, d_k) : d_k));
    const auto stack = [](const std::optional<Tensor>& t) {
      return t && t->rank() == 3 ? t->shape[0] : std::size_t{1};
    };
    refuse_too_large(std::max({batch(), stack(q), stack(k), stack(v)}), n_q, n_k, std::max(d_k, d_v));
    if (!q) q = draws_.vectors(prefix + "Q", with_batch(n_q, d_k), init_);
    if (!k) k = draws_.vectors(prefix + "K", with_batch(n_k, d_k), init_);
    if (!v) v = draws_.vectors(prefix + "V", with_batch(n_k, d_v), init_);
    check_triple(*q, *k, *v, projected);
    if (o_.v && !o_.k)
      input_.notes.push_back(
          in_words("note.drawn_keys",
                   {{"name", prefix + "K"}, {"rows", std::to_string(n_k)}, {"file", shown_name(*o_.v)}}));
    const std::size_t d_q = q->shape.back(), d_key = k->shape.back(), d_value = v->shape.back();
    add(prefix + "Q", o_.q, std::move(*q));
    add(prefix + "K", o_.k, std::move(*k));
    add(prefix + "V", o_.v, std::move(*v));
    if (projected)
      projections(d_q, d_key, d_value);
    else if (o_.weights)
      input_.notes.push_back(in_words("note.weights_unused", {{"file", shown_name(*o_.weights)}}));
    return finish();
  }

private:
  std::size_t usual_width() const { return lesson_.takes(Input::todays_block) ? 4 * input_.heads : 4; }

  std::size_t batch() const { return o_.batch.value_or(1); }

  void refuse_too_large(std::size_t batch, std::size_t n_q, std::size_t n_k, std::size_t width) const {
    const std::size_t asked = std::size_t{o_.causal || o_.causal_align} + (o_.pad > 0) + o_.mask.has_value(),
                      masks = std::max(asked, std::size_t{lesson_.causal_by_default()});
    // What is masked is kept; several masks are one more together.
    const std::size_t kept = lesson_.squares.kept + (masks > 0),
                      passing = lesson_.squares.passing + masks + (masks > 1);
    // X, Q, K, V, output and their copies, in a layer its norms, residuals and feed-forward too, a block
    // since 2017 beside itself with a part as then; four weight matrices.
    const bool is_layer = lesson_.takes(Input::feed_forward), is_block = lesson_.takes(Input::todays_block);
    const double vectors = product(batch, std::max(n_q, n_k), width),
                 inner = is_layer || is_block
                             ? product(batch, std::max(n_q, n_k), o_.d_ff.value_or(usual_d_ff(width)))
                             : 0;
    require_cells((is_block   ? 48
                   : is_layer ? 24
                              : 12) *
                      vectors +
                  (is_block ? 10 : 2) * inner + 8 * product(width, width) +
                  product(kept, batch, input_.heads, n_q, n_k) + product(passing, n_q, n_k));
  }

  Shape with_batch(std::size_t n, std::size_t d) const {
    return o_.batch ? Shape{*o_.batch, n, d} : Shape{n, d};
  }

  void add(const std::string& name, const std::optional<std::string>& file, Tensor value, Names rows = {}) {
    Labels labels(value.rank());
    if (!rows.empty()) labels[value.rank() - 2] = std::move(rows);
    input_.given.add_input(name, file ? shown_name(*file) : drawn, std::move(value), std::move(labels));
  }

  // One vector a distinct word.
  void text() {
    const Names tokens = tokenize(*o_.text);
    const DistinctTokens vocabulary = distinct(tokens);
    const std::size_t d_model = o_.d_model.value_or(usual_width());
    refuse_too_large(1, tokens.size(), tokens.size(), d_model);
    input_.named_words = true;
    if (*o_.text == lesson_.text)
      input_.given.facts["words_of_ours"] = lesson_.text;
    else
      state_tokens(input_.given, vocabulary);
    if (vocabulary.words.size() == tokens.size()) {
      add("X", std::nullopt, word_vectors(o_, draws_, "X", tokens, d_model), tokens);
      state_same_vectors(input_.given, tokens, input_.given["X"]);
      return;
    }
    add("vectors", std::nullopt, word_vectors(o_, draws_, "vectors", vocabulary.words, d_model),
        vocabulary.words);
    state_same_vectors(input_.given, vocabulary.words, input_.given["vectors"]);
    Tensor ids(Shape{tokens.size()});
    std::string list;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      ids.data[i] = static_cast<double>(vocabulary.ids[i]);
      list += (i ? ", " : "") + std::to_string(vocabulary.ids[i]);
    }
    input_.given.add_input("token_ids", "--text", std::move(ids), {tokens});
    draws_.note_words("X = vectors[[" + list + "]]");
    give_rows(input_.given, "X", "vectors", "token_ids");
  }

  void words() {
    const std::string& path = *o_.words;
    Csv csv = load_words(path, input_.notes);
    refuse_too_large(1, csv.labels.size(), csv.labels.size(), csv.values.shape.back());
    input_.named_words = true;
    input_.given.add_input("X", shown_name(path), std::move(csv.values), {csv.labels, {}});
  }

  void x() {
    Tensor value = load_matrices(*o_.x, "--x", input_.notes);
    const std::size_t n = value.shape[value.rank() - 2];
    refuse_too_large(value.rank() == 3 ? value.shape[0] : 1, n, n, value.shape.back());
    Names rows = numbered("x", n);
    if (o_.text) rows = names_of_rows("--text", *o_.text, *o_.x, n), input_.named_words = true;
    add("X", o_.x, std::move(value), std::move(rows));
  }

  void random_x() {
    const std::size_t n = o_.n_q.value_or(o_.n_k.value_or(4)), d_model = o_.d_model.value_or(usual_width());
    refuse_too_large(batch(), n, n, d_model);
    add("X", std::nullopt, draws_.vectors("X", with_batch(n, d_model), init_), numbered("x", n));
  }

  // Of a block since 2017: keys and values for some heads of queries each, a gate, gains and no biases. Three
  // matrices of 8/3·d hold as many numbers as two of 4·d.
  void block_since_2017(std::size_t d) {
    const std::size_t h = input_.heads, w = d / h;
    if (d % h != 0 || w % 2 != 0)
      throw usage_error("head_pairs", {{"heads", std::to_string(h)}, {"width", std::to_string(d)}});
    const std::size_t kv = o_.kv_heads.value_or(parameters_.columns_of("W_K", (h % 2 ? h : h / 2) * w) / w);
    if (kv == 0 || h % kv != 0)
      throw usage_error("head_groups", {{"heads", std::to_string(h)}, {"kv", std::to_string(kv)}});
    constexpr std::size_t multiple = 4;
    const std::size_t d_ff =
        o_.d_ff.value_or(parameters_.columns_of("W_1", std::max(multiple, 8 * d / 3 / multiple * multiple)));
    require_memory(12.0 * sizeof(double) * static_cast<double>(d) *
                       (4 * static_cast<double>(d) + 3 * static_cast<double>(d_ff)),
                   said("a layer of this size"));
    parameters_.weight("W_Q", d, d), parameters_.weight("W_K", d, kv * w),
        parameters_.weight("W_V", d, kv * w);
    parameters_.weight("W_O", d, d);
    parameters_.weight("W_1", d, d_ff), parameters_.weight("W_3", d, d_ff),
        parameters_.weight("W_2", d_ff, d);
    for (const char* matrix : {"Q", "K", "V", "O", "1", "3", "2"}) // only from the file
      parameters_.bias(std::string("b_") + matrix, std::string("W_") + matrix);
    const auto norm = [&](const std::string& number, std::size_t width) {
      parameters_.row("gain_" + number, width, 1);
      if (parameters_.has("shift_" + number)) parameters_.row("shift_" + number, width, 0);
    };
    norm("1", d), norm("2", d);
    if (o_.qk_norm) norm("Q", w), norm("K", w);
    input_.kv_heads = kv, input_.norm = Norm::rms, input_.activation = Activation::silu;
    input_.pairs = RotaryPairs::halves;
  }

  // W_Q, W_K, W_V and W_O: from the file, or drawn in that order; biases only from the file. Behind them what
  // else a layer has: biases and shifts begin with 0, gains with 1.
  void projections(std::size_t d_q, std::size_t d_key, std::size_t d_value) {
    const bool heads = lesson_.takes(Input::heads), is_layer = lesson_.takes(Input::feed_forward);
    if (heads && (o_.d_k || o_.d_v) && !o_.q && !o_.k && !o_.v)
      throw usage(said("{option} does not apply: {why}",
                       {{"option", o_.d_k ? "--d-k" : "--d-v"},
                        {"why", said("in multihead d_k and d_v are d_model / heads")}}),
                  said("give --d-model and --heads"));
    const auto columns = [&](const char* weight, const char* option, std::optional<std::size_t> asked,
                             std::size_t otherwise) {
      if (!o_.q && !o_.k && !o_.v) return parameters_.columns_of(weight, option, asked, otherwise);
      return parameters_.columns_of(weight,
                                    asked.value_or(otherwise)); // it was the width of what is projected
    };
    const std::size_t d_k = columns(parameters_.has("W_Q") ? "W_Q" : "W_K", "--d-k",
                                    o_.q || o_.k || heads ? std::nullopt : o_.d_k, d_q),
                      d_v = columns("W_V", "--d-v", heads || o_.v ? std::nullopt : o_.d_v, d_k);
    std::size_t rows = 0;
    for (const Step& step : input_.given.steps) rows += step.value.size() / step.value.shape.back();
    const std::size_t d_ff = o_.d_ff.value_or(parameters_.columns_of("W_1", usual_d_ff(d_q)));
    if (is_layer)
      require_memory(12.0 * sizeof(double) * static_cast<double>(d_q) *
                         (static_cast<double>(d_k) + static_cast<double>(d_v) + static_cast<double>(d_ff)),
                     said("a layer of this size"));
    else
      refuse_too_wide(rows, std::max({d_q, d_key, d_value}), std::max(d_k, d_v));
    parameters_.weight("W_Q", d_q, d_k);
    parameters_.weight("W_K", d_key, d_k);
    parameters_.weight("W_V", d_value, d_v, Width::any);
    if (heads) parameters_.weight("W_O", d_v, d_q, is_layer ? Width::fixed : Width::any); // it is added to X
    for (const std::string letter : {"Q", "K", "V"}) parameters_.bias("b_" + letter, "W_" + letter);
    if (heads) parameters_.bias("b_O", "W_O");
    if (is_layer) {
      parameters_.weight("W_1", d_q, d_ff), parameters_.weight("W_2", d_ff, d_q);
      parameters_.row("b_1", d_ff, 0), parameters_.row("b_2", d_q, 0);
    }
    if (!lesson_.takes(Input::norms)) return;
    for (const std::string i : {"1", "2"})
      parameters_.row("gain_" + i, d_q, 1), parameters_.row("shift_" + i, d_q, 0);
  }

  // The encoder's output: each word's of the source, or drawn after X, before the weights. A seed of its own
  // keeps a word that both languages have from looking at itself.
  void memory(std::size_t d_model) {
    std::optional<Tensor> memory;
    Names rows;
    if (o_.memory) memory = load_matrices(*o_.memory, "--memory", input_.notes);
    if (memory && o_.source)
      rows = names_of_rows("--source", *o_.source, *o_.memory, memory->shape[memory->rank() - 2]);
    else if (o_.source)
      rows = tokens_in("--source", *o_.source);
    const Tensor& X = input_.given["X"];
    const std::size_t n_k = memory      ? memory->shape[memory->rank() - 2]
                            : o_.source ? rows.size()
                                        : o_.n_k.value_or(5);
    if (o_.source) input_.named_words = true;
    refuse_too_large(element_count(stack_shape(X)), X.shape[X.rank() - 2], n_k, d_model);
    Shape shape = X.shape;
    shape[shape.size() - 2] = n_k;
    const bool of_words = o_.source && !memory;
    if (of_words)
      memory = word_vectors(o_, draws_, "memory", rows, d_model, seed_of(o_) + 1);
    else if (!memory)
      memory = draws_.vectors("memory", shape, init_);
    broadcast_shape(stack_shape(X), stack_shape(*memory),
                    said("batches of {a} and {b}", {{"a", "X"}, {"b", "memory"}}));
    if (of_words) state_same_vectors(input_.given, rows, *memory);
    add("memory", o_.memory, std::move(*memory), o_.source ? std::move(rows) : numbered("m", n_k));
  }

  void check_triple(const Tensor& q, const Tensor& k, const Tensor& v, bool projected) const {
    if (!projected && q.shape.back() != k.shape.back())
      throw Error(ErrorKind::bad_data,
                  said("{shapes}: a query and a key need the same width d_k",
                       {{"shapes", unequal_shapes("Q", q.shape, "K", k.shape)}}),
                  said("compare the last axes"));
    if (k.shape[k.rank() - 2] != v.shape[v.rank() - 2])
      throw Error(
          ErrorKind::bad_data,
          said("{shapes}: every key needs a value", {{"shapes", unequal_shapes("K", k.shape, "V", v.shape)}}),
          said("compare the numbers of rows"));
    const Shape of_both = broadcast_shape(stack_shape(q), stack_shape(k),
                                          said("batches of {a} and {b}", {{"a", "Q"}, {"b", "K"}}));
    broadcast_shape(of_both, stack_shape(v),
                    said("batches of {a}, {b} and {c}", {{"a", "Q"}, {"b", "K"}, {"c", "V"}}));
  }

  LessonInput finish() {
    parameters_.note_ignored();
    input_.given.numpy = draws_.lines();
    return std::move(input_);
  }

  const InputOptions& o_;
  const InputRules& lesson_;
  Init init_;
  Draws draws_;
  LessonInput input_;
  Parameters parameters_;
};

} // namespace

LessonInput own_tokens(const InputOptions& options, const InputRules& lesson) {
  return OwnInput(options, lesson).tokens();
}

LessonInput own_triple(const InputOptions& options, const InputRules& lesson) {
  return OwnInput(options, lesson).triple();
}

} // namespace tfx
