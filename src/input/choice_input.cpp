#include "input/choice_input.hpp"

#include "core/number.hpp"
#include "core/resource.hpp"
#include "input/draws.hpp"
#include "input/files.hpp"
#include "io/csv.hpp"
#include "io/load.hpp"
#include "trace/labels.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

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
  Draws draws(seed_of(o));
  input.given.add_input("u", "--seed " + std::to_string(seed_of(o)), draws.rand("u", {1, 1}), {});
  input.given.numpy = draws.lines();
  give_targets(input);
  page::Sampling& sampling = input.sampling;
  sampling.temperature = o.temperature.value_or(sampling.temperature);
  refuse_undecided(input.given.step_named("logits"), sampling.temperature);
  sampling.top_k = o.top_k.value_or(sampling.top_k);
  sampling.top_p = o.top_p.value_or(sampling.top_p);
  if (is_usual_run(o, lesson)) input.reference = std::string(step_model) + ":1";
  return input;
}

} // namespace tfx
