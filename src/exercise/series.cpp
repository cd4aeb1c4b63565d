#include "exercise/series.hpp"

#include "core/blas.hpp"
#include "core/error.hpp"
#include "exercise/model_exercise.hpp"
#include "exercise/own_exercise.hpp"
#include "io/npz.hpp"
#include "lessons/run.hpp"
#include "model/model_spec.hpp"
#include "random/stream.hpp"
#include "text/vocabulary.hpp"
#include "trace/mistake.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numbers>
#include <set>

namespace tfx {

namespace {

Step* find_step(LessonInput& input, const std::string& name) {
  const auto found = std::ranges::find(input.given.steps, name, &Step::name);
  return found == input.given.steps.end() ? nullptr : &*found;
}

void multiply(LessonInput& input, const std::string& name, double factor) {
  if (Step* step = find_step(input, name))
    for (double& x : step->value.data) x *= factor;
}

// Numbers without a pattern that a wrong order would keep; of each `phase` others.
void fill(Tensor& tensor, double centre, double spread, double phase) {
  for (std::size_t i = 0; i < tensor.size(); ++i)
    tensor.data[i] = centre + spread * std::sin(1.7 * static_cast<double>(i) + 0.4 + phase);
}

// How many queries and keys there are.
std::pair<std::size_t, std::size_t> sizes(const LessonInput& input) {
  const auto rows = [&](const std::string& name) {
    const Shape& shape = input.given[name].shape;
    return shape[shape.size() - 2];
  };
  if (input.has("Q")) return {rows("Q"), rows("K")};
  return {rows("X"), rows(input.has("memory") ? "memory" : "X")};
}

} // namespace

void block_a_row(LessonInput& input, double) {
  const auto [n_q, n_k] = sizes(input);
  Tensor mask(Shape{n_q, n_k});
  for (std::size_t i = 0; i < n_q; ++i)
    for (std::size_t j = 0; j < n_k; ++j)
      mask.at({i, j}) = i != 1 && (j == 0 || (3 * i + 2 * j) % 5 != 1) ? 1 : 0;
  input.given.add_input("mask_given", "", std::move(mask), {});
}

void block_some(LessonInput& input, double) {
  const auto [n_q, n_k] = sizes(input);
  Tensor mask(Shape{n_q, n_k});
  for (std::size_t i = 0; i < n_q; ++i)
    for (std::size_t j = 0; j < n_k; ++j) mask.at({i, j}) = j == i || (i + 2 * j) % 3 == 0 ? 1 : 0;
  input.given.add_input("mask_given", "", std::move(mask), {});
}

void enlarge_queries(LessonInput& input, double) {
  constexpr double factor = 20'000;
  multiply(input, input.has("Q") ? "Q" : "W_Q", factor);
}

void enlarge_logits(LessonInput& input, double) {
  constexpr double factor = 400; // beyond e^709 in every row
  multiply(input, "W_O", factor);
}

void vary_logits(LessonInput& input, double phase) {
  fill(find_step(input, "logits")->value, 0.5, 2.5, phase);
}

void draw_between_places(LessonInput& input, double) {
  const Trace run = find_lesson("decode").run(input);
  const std::vector<double>&kept = run["cut_p"].data, &shares = run["probs_p"].data,
        &places = run["places"].data;
  double left = 0, place = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    left += kept[i];
    if (shares[i] > 0) place = std::max(place, places[i]);
  }
  double& u = find_step(input, "u")->value.data[0];
  u = place * (left + (1 - left) * u);
}

void tie_logits(LessonInput& input, double) {
  const std::vector<double> tied{-4, -2, -3, -2, -6, -3, -5, -2}; // none is positive
  Tensor& logits = find_step(input, "logits")->value;
  for (std::size_t i = 0; i < logits.size(); ++i) logits.data[i] = tied[i % tied.size()];
}

void level_logits(LessonInput& input, double) {
  for (double& x : find_step(input, "logits")->value.data) x = -3;
  find_step(input, "u")->value.data[0] = 0.5;
}

void repeat_a_key(LessonInput& input, double) {
  const std::size_t first = 1, again = 3;
  Tensor &Q = find_step(input, "Q")->value, &K = find_step(input, "K")->value;
  for (std::size_t j = 0; j < K.shape[1]; ++j) {
    K.at({again, j}) = K.at({first, j});
    Q.at({0, j}) = 2 * K.at({first, j});
  }
}

void shrink_gradients(LessonInput& input, double) {
  constexpr double factor = 1e-8;
  multiply(input, "W_O", factor);
}

void start_at_step(LessonInput& input, int t, double phase) {
  input.optimizer_step.t = t;
  for (const bool of_squares : {false, true}) {
    Tensor average(input.given["W_Q"].shape);
    fill(average, of_squares ? 0.3 : 0.05, of_squares ? 0.2 : 0.4, phase);
    input.given.add_input(of_squares ? "v0_W_Q" : "m0_W_Q", "", std::move(average), {});
  }
}

void make_two_sentences(LessonInput& input, double) {
  Step& ids = *find_step(input, "token_ids");
  const std::size_t half = ids.value.size() / 2;
  ids.value.shape = {2, half};
  ids.labels = Labels(2);
  find_step(input, "positions")->value = Tensor(Shape{half});
  for (std::size_t i = 0; i < half; ++i)
    find_step(input, "positions")->value.data[i] = static_cast<double>(i);
}

void start_later(LessonInput& input, double) {
  for (double& place : find_step(input, "positions")->value.data) place += 3;
}

void add_words(LessonInput& input, double) {
  Step& word = *find_step(input, "word");
  const Tensor one = word.value, &pieces = input.given["pieces"];
  const std::size_t width = std::max(one.shape[1], pieces.shape[1]),
                    rows = 1 + std::min<std::size_t>(2, pieces.shape[0]);
  word.value = Tensor({rows, width}, std::vector<double>(rows * width, -1));
  for (std::size_t j = 0; j < one.shape[1]; ++j) word.value.at({rows - 1, j}) = one.data[j];
  for (std::size_t i = 0; i + 1 < rows; ++i)
    for (std::size_t j = 0; j < pieces.shape[1]; ++j)
      word.value.at({i, j}) = pieces.at({pieces.shape[0] - 1 - i, j});
  word.labels = Labels(2);
}

void add_biases(LessonInput& input, double phase) {
  double centre = 0.3;
  for (const std::string letter : {"Q", "K", "V"}) {
    Tensor bias(Shape{input.given["W_" + letter].shape.back()});
    fill(bias, centre, 0.5, phase++);
    input.given.add_input("b_" + letter, "", std::move(bias), {}, Role::parameter);
    centre -= 0.4;
  }
}

void vary_parameters(LessonInput& input, double phase) {
  double which = 0;
  for (Step& step : input.given.steps) {
    if (step.name.starts_with("gain_")) fill(step.value, 1.1, 0.4, phase + ++which);
    if (step.name.starts_with("shift_")) fill(step.value, 0.2, 0.3, phase + ++which);
    if (step.name.starts_with("b_")) fill(step.value, -0.1, 0.4, phase + ++which);
  }
}

void level_a_token(LessonInput& input, double phase) {
  vary_parameters(input, phase);
  Tensor& X = find_step(input, "X")->value;
  std::fill_n(X.data.begin(), X.shape.back(), 0.75);
}

namespace {

// Not a number: how many heads there are is called as what comes out of them.
bool takes(const Exercise& exercise, const std::string& name) {
  return std::ranges::any_of(exercise.given,
                             [&](const Slot& slot) { return slot.name == name && !slot.is_number(); });
}

// A mask through which everything may be seen.
void add_open_mask(LessonInput& input) {
  const auto [n_q, n_k] = sizes(input);
  input.given.add_input("mask_given", "", Tensor(Shape{n_q, n_k}, std::vector<double>(n_q * n_k, 1)), {});
}

// The numbers as a file of float32 has them, and what follows from these.
void round_to_float(Trace& run) {
  for (Step& step : run.steps) {
    if (!step.operation.is(op::given))
      step = computed_instead(run, step, step.formula, step.operation);
    else
      for (double& x : step.value.data) x = static_cast<double>(static_cast<float>(x));
  }
}

std::map<std::string, double> numbers_of(const Trace& run, const LessonInput& input) {
  const page::AdamStep& step = input.optimizer_step;
  std::map<std::string, double> numbers = {{"heads", static_cast<double>(input.heads)},
                                           {"smoothing", input.smoothing},
                                           {"t", step.t},
                                           {"learning_rate", step.learning_rate},
                                           {"beta_1", step.beta_1},
                                           {"beta_2", step.beta_2},
                                           {"epsilon", step.epsilon},
                                           {"decay", step.decay},
                                           {"base", input.rotary_base},
                                           {"kv_heads", static_cast<double>(input.kv_heads)},
                                           {"window", static_cast<double>(input.window)},
                                           {"temperature", input.sampling.temperature},
                                           {"top_k", static_cast<double>(input.sampling.top_k)},
                                           {"top_p", input.sampling.top_p},
                                           {"max_merges", static_cast<double>(input.merges)},
                                           {"start", start_id},
                                           {"end", end_id},
                                           {"longest", longest_answer}};
  if (run.has("K")) numbers["d_k"] = static_cast<double>(run["K"].shape.back());
  return numbers;
}

bool is_asked_for(const Exercise& exercise, const std::string& name) {
  return std::ranges::count(exercise.results, name, &Slot::name) ||
         std::ranges::count(exercise.stages, name, &Slot::name);
}

// The steps up to the last one that is asked for.
void cut_behind_results(const Exercise& exercise, Trace& run) {
  while (!is_asked_for(exercise, run.steps.back().name)) run.steps.pop_back();
}

// The names between what is given and what is asked for.
std::set<std::string> way_of(const Exercise& exercise, const Trace& run) {
  std::set<std::string> way;
  for (auto step = run.steps.rbegin(); step != run.steps.rend(); ++step)
    if (is_asked_for(exercise, step->name)) way.insert(step->name);
  for (auto step = run.steps.rbegin(); step != run.steps.rend(); ++step)
    if (way.contains(step->name) && !takes(exercise, step->name))
      way.insert(step->operation.inputs.begin(), step->operation.inputs.end());
  return way;
}

// What the learner is given, and what that was made of, becomes a step that nobody can get wrong. A mask can
// be read in a wrong way.
void hand_out(const Exercise& exercise, Trace& run) {
  const std::set<std::string> way = way_of(exercise, run);
  for (Step& step : run.steps) {
    const bool is_given = takes(exercise, step.name);
    if (!is_given && way.contains(step.name)) continue;
    step.operation = {};
    step.role = is_given && step.name.starts_with("mask") ? Role::input : Role::recap;
  }
}

struct Draw {
  std::optional<std::uint32_t> seed; ///< the student's
  std::uint64_t attempt = 0;
};

// The input of a case: its own, or as the student's seed draws it.
LessonInput input_of(const Exercise& exercise, const CaseRule& rule, const Draw& draw) {
  InputOptions options = rule.options();
  double phase = 0;
  if (draw.seed) {
    RandomStream drawn(*draw.seed, stream_number(exercise.name + "/" + rule.id), draw.attempt);
    if (options.seed) options.seed = static_cast<std::uint32_t>(drawn.uniform(0) * 0x1p32);
    phase = 2 * std::numbers::pi * drawn.uniform(1);
  }
  LessonInput input = resolve_input(options, find_lesson(exercise.name));
  if (rule.change) rule.change(input, phase);
  return input;
}

Case drawn_case(const Exercise& exercise, const CaseRule& rule, const Draw& draw) {
  const Lesson& lesson = find_lesson(exercise.name);
  LessonInput input = input_of(exercise, rule, draw);
  const bool wants_mask = takes(exercise, "mask_given") || (takes(exercise, "mask") && !input.masks());
  if (wants_mask && !input.has("mask_given")) add_open_mask(input);
  Case one{&rule, lesson.run(input), {}};
  one.numbers = numbers_of(one.run, input);
  cut_behind_results(exercise, one.run);
  hand_out(exercise, one.run);
  if (lesson.takes(Input::sentences)) add_answer(input, one.run);
  if (lesson.takes(Input::begun)) {
    one.numbers["mark"] = input.given["tgt"].data.front();
    one.numbers["context"] = static_cast<double>(input.decoder->max_len);
    add_written(input, one.run);
  }
  if (rule.dtype == DType::f32) round_to_float(one.run);
  return one;
}

// Padding in a model's own answer hides itself from the model's next step: whether it then counts is nothing
// that the exercise asks for.
bool answers_with_padding(const Exercise& exercise, const Case& one) {
  return exercise.name == "model" && std::ranges::count(one.run["greedy"].data, double{pad_id}) > 0;
}

// Where everything is kept, a place in the last stretch draws what the sum of what is kept draws: a program
// that draws at that sum, not at u, would pass.
bool draws_what_the_sum_draws(const Exercise& exercise, const Case& one) {
  if (exercise.name != "decode") return false;
  const bool keeps_all = std::ranges::all_of(one.run["cut_p"].data, [](double share) { return share > 0; });
  return keeps_all && one.run["u"].data[0] >= std::ranges::max(one.run["places"].data);
}

Case case_of(const Exercise& exercise, const CaseRule& rule, std::optional<std::uint32_t> seed) {
  if (exercise.own) return own_case(exercise, rule);
  constexpr std::uint64_t most_attempts = 100; // of which at most one in three fails
  Draw draw{seed};
  Case one = drawn_case(exercise, rule, draw);
  while (seed && (answers_with_padding(exercise, one) || draws_what_the_sum_draws(exercise, one)) &&
         ++draw.attempt < most_attempts)
    one = drawn_case(exercise, rule, draw);
  one.seed = seed;
  return one;
}

} // namespace

double Case::number(const Slot& slot) const {
  const auto found = numbers.find(slot.name);
  return found != numbers.end() ? found->second : run[slot.name].data[0];
}

std::vector<Case> series_of(const Exercise& exercise, std::optional<std::uint32_t> seed) {
  reserve_blas_memory();
  std::vector<Case> series;
  for (const CaseRule& rule : exercise.series) series.push_back(case_of(exercise, rule, seed));
  return series;
}

bool is_on_page(const Exercise& exercise) {
  return !exercise.own && std::ranges::any_of(exercise.series, [&](const CaseRule& rule) {
    const InputOptions options = rule.options();
    return !rule.change && !options.tutorial && is_usual_run(options, find_lesson(exercise.name));
  });
}

std::string inputs_file(const Exercise& exercise, const std::vector<Case>& series) {
  std::deque<Tensor> numbers; // entries point at them
  std::vector<NpzEntry> entries;
  for (const Case& one : series)
    for (const Slot& slot : exercise.given) {
      if (slot.is_parameters()) {
        for (const Step& step : one.run.steps)
          if (step.role == Role::parameter)
            entries.push_back({one.rule->id + "/" + slot.name + "/" + step.name, &step.value, DType::f64});
        continue;
      }
      const DType dtype = slot.dtype == DType::f64 ? one.rule->dtype : slot.dtype;
      const Tensor* value = slot.is_number() ? &numbers.emplace_back(Shape{}, std::vector{one.number(slot)})
                                             : &one.run[slot.name];
      entries.push_back({one.rule->id + "/" + slot.name, value, dtype});
    }
  return write_npz(entries);
}

} // namespace tfx
