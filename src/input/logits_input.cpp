#include "input/logits_input.hpp"

#include "core/error.hpp"
#include "core/number.hpp"
#include "core/resource.hpp"
#include "input/draws.hpp"
#include "input/files.hpp"
#include "io/csv.hpp"
#include "io/load.hpp"
#include "trace/trace.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

Step& step_named(LessonInput& input, const std::string& name) {
  return *std::find_if(input.given.steps.begin(), input.given.steps.end(),
                       [&](const Step& step) { return step.name == name; });
}

// The shape of the labels: one for each token.
Shape token_shape(const LessonInput& input) {
  Shape shape = input.given[input.has("logits") ? "logits" : "X"].shape;
  shape.pop_back();
  return shape;
}

std::size_t vocabulary_size(const LessonInput& input) {
  return input.given[input.has("logits") ? "logits" : "W_O"].shape.back();
}

void replace_labels(LessonInput& input, const std::vector<std::vector<std::int64_t>>& rows) {
  const Shape shape = token_shape(input);
  const std::size_t n = shape.back(), sentences = element_count(shape) / n;
  if (rows.size() != sentences)
    throw usage(said("--labels has {rows} rows, the input has {sentences}",
                     {{"rows", rows.size()}, {"sentences", sentences}}),
                said("rows of a batch are separated by ;"));
  Tensor labels(shape);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != n)
      throw usage(said("--labels has {count} numbers in row {row}, the input has {tokens} tokens",
                       {{"count", rows[i].size()}, {"row", i}, {"tokens", n}}),
                  said("every token needs the number of the word it should have predicted"));
    std::copy(rows[i].begin(), rows[i].end(), labels.data.begin() + static_cast<std::ptrdiff_t>(i * n));
  }
  if (input.has("labels")) {
    Step& step = step_named(input, "labels");
    step.value = std::move(labels), step.formula = "--labels";
  } else {
    input.given.add_input("labels", "--labels", std::move(labels), {});
  }
}

// Tokens that are padding are nobody's next word, and predict none.
void pad_labels(Step& labels, std::size_t padding, double pad) {
  const std::size_t n = labels.value.shape.back(), counted = n - std::min(n, padding + 1);
  for (std::size_t i = 0; i < labels.value.size(); ++i)
    if (i % n >= counted) labels.value.data[i] = pad;
}

/// Labels that nobody asks for: −100, PyTorch's ignore_index, and −1, nanoGPT's. Both become the padding.
void ignore_labels(Trace& given, Tensor& labels, double pad) {
  for (const auto& [fact, ignored] : {std::pair("ignored_torch", -100.0), {"ignored_nanogpt", -1.0}}) {
    const auto count = std::ranges::count(labels.data, ignored);
    if (count > 0) given.facts[fact] = static_cast<double>(count);
    if (pad != ignored) std::ranges::replace(labels.data, ignored, pad);
  }
}

/// Own logits have no padding unless one is named: each of their columns is a word. Then what is ignored is
/// called as it was given.
double padding_of(const InputOptions& o, const Tensor& labels) {
  if (o.pad_id || !o.logits) return static_cast<double>(o.pad_id.value_or(0));
  const bool only_minus_1 = std::ranges::count(labels.data, -1.0) && !std::ranges::count(labels.data, -100.0);
  return only_minus_1 ? -1 : -100;
}

void check_labels(const LessonInput& input, double pad) {
  const std::size_t V = vocabulary_size(input);
  if (pad >= static_cast<double>(V))
    throw usage(said("--pad-id {id} is outside the vocabulary, which has numbers 0 to {last}",
                     {{"id", static_cast<std::size_t>(pad)}, {"last", V - 1}}));
  const Step& step = input.given.step_named("labels");
  const Tensor& labels = step.value;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels.data[i] >= static_cast<double>(V)) {
      const Message outside =
          said("label {label} (token {token}) is outside the vocabulary, which has numbers 0 to {last}",
               {{"label", static_cast<std::size_t>(labels.data[i])}, {"token", i}, {"last", V - 1}});
      throw usage(step.formula == "--labels"
                      ? said("{option}: {what}", {{"option", "--labels"}, {"what", outside}})
                      : outside,
                  said("a label is the number of a column of the logits, from 0"));
    }
  if (std::all_of(labels.data.begin(), labels.data.end(), [&](double label) { return label == pad; }))
    throw usage(said("every label is the padding: there is nothing to predict"),
                said("a text needs two tokens; --labels gives other labels, --pad-id another padding"));
  if (input.smoothing > 0 && V < (pad < 0 ? 2 : 3))
    throw usage(said("--smoothing needs a word besides the label and the padding; "
                     "the vocabulary has numbers 0 to {last}",
                     {{"last", V - 1}}));
}

} // namespace

std::vector<std::string> add_next_words(LessonInput& input, const std::vector<std::string>& words,
                                        std::size_t pad, const Shape& batch) {
  std::vector<std::string> vocabulary;
  std::vector<std::size_t> ids;
  for (const std::string& word : words) {
    const auto found = std::find(vocabulary.begin(), vocabulary.end(), word);
    ids.push_back(static_cast<std::size_t>(found - vocabulary.begin()));
    if (found == vocabulary.end()) vocabulary.push_back(word);
  }
  pad = std::min(pad, vocabulary.size());
  vocabulary.insert(vocabulary.begin() + static_cast<std::ptrdiff_t>(pad), "<pad>");
  Shape shape = batch;
  shape.push_back(words.size());
  Tensor labels(shape);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::size_t next = i % words.size() + 1;
    labels.data[i] = static_cast<double>(next == words.size() ? pad
                                         : ids[next] < pad    ? ids[next]
                                                              : ids[next] + 1);
  }
  Labels axes(shape.size());
  axes.back() = words;
  input.given.add_input("labels", "ids[1:] + [pad_id]", std::move(labels), std::move(axes));
  return vocabulary;
}

void draw_vocabulary(const InputOptions& o, Parameters& p, LessonInput& input) {
  const Step& X = *input.given.find("X");
  const Shape batch(X.value.shape.begin(), X.value.shape.end() - 2);
  const std::vector<std::string> names =
      add_next_words(input, X.labels[X.value.rank() - 2], o.pad_id.value_or(0), batch);
  p.weight("W_O", input.given["W_V"].shape[1], p.columns_of("W_O", names.size()));
  if (input.given["W_O"].shape[1] == names.size()) input.given.steps.back().labels[1] = names;
  p.bias("b_O", "W_O");
}

LessonInput given_logits(const InputOptions& o) {
  if (o.text || o.words || o.x || o.tutorial || o.weights || o.d_model || o.init || o.batch || o.n_q ||
      o.n_k || o.d_k || o.d_v || o.seed)
    throw usage(said("--logits gives what the loss is taken of; it cannot be combined with other input"),
                said("drop --logits, or the other options"));
  if (!o.labels) throw usage(said("--logits needs --labels"), said("one number a row: --labels \"2,3,0\""));
  LessonInput input;
  Tensor logits = load_matrices(*o.logits, "--logits", input.notes);
  input.given.add_input("logits", shown_name(*o.logits), std::move(logits), {});
  return input;
}

void finish_loss(const InputOptions& o, LessonInput& input) {
  input.smoothing = o.smoothing.value_or(0);
  if (o.labels) replace_labels(input, *o.labels);
  Step& labels = step_named(input, "labels");
  const double pad = padding_of(o, labels.value);
  if (!o.labels && o.pad > 0) pad_labels(labels, o.pad, pad);
  ignore_labels(input.given, labels.value, pad);
  input.given.add_input("pad_id", "--pad-id", Tensor({}, {pad}), {});
  check_labels(input, pad);
}

namespace {

constexpr const char* step_model = "numbers-zh"; ///< the shipped model whose numbers they are

Csv step_table(const std::string& file) {
  const std::string path = "data/tutorials/" + file;
  return read_labelled_csv(std::string(resource(path)), path);
}

void give_logits(const InputOptions& o, LessonInput& input) {
  if (!o.logits) {
    const Csv csv = step_table("decode-logits.csv");
    input.given.add_input("logits", step_model, Tensor({1, csv.labels.size()}, csv.values.data),
                          {{}, csv.labels});
    return;
  }
  Tensor logits = load_matrices(*o.logits, "--logits", input.notes);
  const std::size_t V = logits.shape.back(), rows = logits.size() / V;
  if (rows != 1)
    throw usage_error("one_row_of_logits", {{"file", shown_name(*o.logits)}, {"rows", std::to_string(rows)}});
  input.given.add_input("logits", shown_name(*o.logits), Tensor({1, V}, std::move(logits.data)), {});
}

/// A row whose logits over the temperature are numbers or −∞, with a number among them: else there is no
/// softmax.
void refuse_undecided(const Step& logits, double temperature) {
  const std::vector<double>& row = logits.value.data;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (std::isfinite(row[i]) && !std::isfinite(row[i] / temperature))
      throw data_error("logits_over_temperature", {{"file", logits.formula},
                                                   {"token", std::to_string(i)},
                                                   {"logit", format_number(row[i], 6)},
                                                   {"temperature", format_number(temperature, 6)}});
  if (std::ranges::all_of(row, [](double x) { return x < 0 && std::isinf(x); }))
    throw data_error("no_logit", {{"file", logits.formula}});
}

// A target a column, a step a row.
void give_targets(LessonInput& input) {
  const Csv csv = step_table("decode-targets.csv"); // a target a row: its length, then the steps
  const std::size_t targets = csv.labels.size(), steps = csv.values.shape[1] - 1;
  Tensor log_probs({steps, targets}), lengths({targets});
  for (std::size_t i = 0; i < targets; ++i) {
    lengths.data[i] = csv.values.data[i * (steps + 1)];
    for (std::size_t t = 0; t < steps; ++t)
      log_probs.data[t * targets + i] = csv.values.data[i * (steps + 1) + t + 1];
  }
  input.given.add_input("target_log_probs", step_model, std::move(log_probs),
                        {numbered("t", steps), csv.labels});
  input.given.add_input("lengths", step_model, std::move(lengths), {csv.labels});
}

} // namespace

LessonInput choice_input(const InputOptions& o, const InputRules& lesson) {
  LessonInput input;
  give_logits(o, input);
  finish_choice(o, input);
  give_targets(input);
  if (is_usual_run(o, lesson)) input.reference = std::string(step_model) + ":1";
  return input;
}

void finish_choice(const InputOptions& o, LessonInput& input) {
  Draws draws(seed_of(o));
  input.given.add_input("u", "--seed " + std::to_string(seed_of(o)), draws.rand("u", {1, 1}), {});
  input.given.numpy = draws.lines();
  page::Sampling& sampling = input.sampling;
  sampling.temperature = o.temperature.value_or(sampling.temperature);
  refuse_undecided(input.given.step_named("logits"), sampling.temperature);
  sampling.top_k = o.top_k.value_or(sampling.top_k);
  sampling.top_p = o.top_p.value_or(sampling.top_p);
}

} // namespace tfx
