// Properties of training: a loss on logits of its own, the gradients, and what an optimizer makes of them on
// a small model.

#include "judge/probe.hpp"
#include "judge/property_lists.hpp"
#include "trace/checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tfx {

// Properties of a loss, on logits of its own: a vocabulary of the padding and three words, "a b c" to read.

namespace {

using arma::mat;
using Names = std::vector<std::string>;

const Names vocabulary = {"<pad>", "a", "b", "c"};

bool has_loss(const Lesson& lesson) {
  return lesson.takes(Input::logits) && lesson.takes(Input::labels);
}

// Logits of the tokens a, b, c, a, …, and what each should have predicted; 0 is the padding.
LessonInput asked(Tensor logits, std::vector<double> labels, double smoothing = 0) {
  LessonInput input;
  input.smoothing = smoothing;
  Shape shape(logits.shape.begin(), logits.shape.end() - 1);
  Names tokens;
  for (std::size_t i = 0; i < shape.back(); ++i) tokens.push_back(vocabulary[1 + i % 3]);
  Labels axes(logits.rank());
  axes.back() = vocabulary;
  input.given.add_input("logits", "probe", std::move(logits), std::move(axes));
  Labels rows(shape.size());
  rows.back() = tokens;
  input.given.add_input("labels", "probe", Tensor(shape, std::move(labels)), std::move(rows));
  input.given.add_input("pad_id", "probe", Tensor({}, {0}), {});
  return input;
}

// `sure` at each row's word, 0 elsewhere.
Tensor sure_of(const std::vector<double>& words, double sure) {
  Tensor logits({words.size(), 4});
  for (std::size_t i = 0; i < words.size(); ++i)
    logits.data[i * 4 + static_cast<std::size_t>(words[i])] = sure;
  return logits;
}

double loss_of(const Trace& t) {
  return t["loss"].data[0];
}

Tensor plus(Tensor A, double more) {
  for (double& x : A.data) x += more;
  return A;
}

// Each row's probabilities are one whole: Σ e^log_probs = 1.
std::optional<Measured> log_probs_sum(const Lesson&, const LessonInput&, const Computation& compute) {
  const mat L = matrix(compute(asked(times(noise({3, 4}), 3), {2, 3, 0}))["log_probs"]);
  return at_most(arma::abs(arma::sum(arma::exp(L), 1) - 1).max(), rounding);
}

// A number added to a row of logits changes no probability, be it 1000 or −1000.
std::optional<Measured> log_probs_shift(const Lesson&, const LessonInput&, const Computation& compute) {
  const Tensor logits = noise({3, 4}), right = compute(asked(logits, {2, 3, 0}))["log_probs"];
  double off = 0;
  for (const double more : {1000.0, -1000.0}) {
    const double moved =
        relative_difference(compute(asked(plus(logits, more), {2, 3, 0}))["log_probs"], right);
    off = moved <= off ? off : moved; // NaN stays
  }
  return at_most(off, 1e-11); // 1000 takes three digits
}

// Whoever is sure and right loses nothing.
std::optional<Measured> sure_and_right(const Lesson&, const LessonInput&, const Computation& compute) {
  const std::vector<double> labels = {2, 3, 0};
  return at_most(std::abs(loss_of(compute(asked(sure_of(labels, 100), labels)))), rounding);
}

// Whoever only repeats the word that was read loses much: the next one was asked for.
std::optional<Measured> copying_costs(const Lesson&, const LessonInput&, const Computation& compute) {
  return at_least(loss_of(compute(asked(sure_of({1, 2, 3}, 10), {2, 3, 0}))), 5);
}

// A row of padding may hold any logits, and may be left out: the loss does not know.
std::optional<Measured> padding_ignored(const Lesson&, const LessonInput&, const Computation& compute) {
  const Tensor logits = noise({3, 4});
  Tensor other = logits, without({2, 4});
  for (std::size_t j = 0; j < 4; ++j) other.data[8 + j] = static_cast<double>(j);
  std::copy_n(logits.data.begin(), 8, without.data.begin());
  const Trace t = compute(asked(logits, {2, 3, 0}));
  const double loss = loss_of(t);
  double off = std::max(std::abs(loss_of(compute(asked(other, {2, 3, 0}))) - loss),
                        std::abs(loss_of(compute(asked(without, {2, 3}))) - loss));
  off = std::max(off, arma::abs(matrix(t["dlogits"]).row(2)).max());
  return at_most(off, rounding);
}

// The same sentence twice in a batch is not twice as wrong.
std::optional<Measured> batch_mean(const Lesson&, const LessonInput&, const Computation& compute) {
  const Tensor logits = noise({3, 4});
  Tensor both({2, 3, 4});
  std::ranges::copy(logits.data, both.data.begin());
  std::ranges::copy(logits.data, both.data.begin() + 12);
  const double once = loss_of(compute(asked(logits, {2, 3, 1}))),
               twice = loss_of(compute(asked(both, {2, 3, 1, 2, 3, 1})));
  return at_most(std::abs(twice - once), rounding);
}

// Smoothed or not, a target asks for one whole, and never for the padding.
std::optional<Measured> target_whole(const Lesson&, const LessonInput&, const Computation& compute) {
  double off = 0;
  for (const double smoothing : {0.0, 0.3}) {
    const mat target = matrix(compute(asked(noise({3, 4}), {2, 3, 1}, smoothing))["target"]);
    off = std::max({off, arma::abs(arma::sum(target, 1) - 1).max(), arma::abs(target.col(0)).max()});
  }
  return at_most(off, rounding);
}

} // namespace

std::vector<Property> loss_properties() {
  return only(has_loss, {{"log_probs_sum", log_probs_sum},
                         {"log_probs_shift", log_probs_shift},
                         {"sure_and_right", sure_and_right},
                         {"copying_costs", copying_costs},
                         {"padding_ignored", padding_ignored},
                         {"batch_mean", batch_mean},
                         {"target_whole", target_whole}});
}

// Properties of gradients.

namespace {

// One way through all the numbers that are given and have a gradient: `along` the loss moves as fast as the
// gradients say, or one of them is wrong.
struct Way {
  std::vector<std::pair<std::string, Tensor>> steps; ///< of each given tensor
  double slope = 0;                                  ///< that the gradients promise
  bool fits = true;                                  ///< every gradient has its tensor's shape
};

Way way_through(const Trace& t, const LessonInput& input) {
  Way way;
  std::uint32_t seed = 60;
  for (const Step& step : input.given.steps) {
    const Step* gradient = t.find(gradient_name(step.name));
    if (!gradient) continue;
    const Tensor direction = noise(step.value.shape, ++seed);
    way.fits = way.fits && gradient->value.shape == step.value.shape;
    for (std::size_t i = 0; way.fits && i < direction.size(); ++i)
      way.slope += gradient->value.data[i] * direction.data[i];
    way.steps.emplace_back(step.name, direction);
  }
  return way;
}

double loss_along(const LessonInput& from, const Way& way, double h, const Computation& compute) {
  LessonInput input = from;
  for (const auto& [name, direction] : way.steps)
    for (Step& step : input.given.steps)
      if (step.name == name)
        for (std::size_t i = 0; i < direction.size(); ++i) step.value.data[i] += h * direction.data[i];
  return compute(input)["loss"].data[0];
}

// The loss a little further along every parameter at once, less the loss a little before.
std::optional<Measured> gradients_match(const Lesson& lesson, const LessonInput&,
                                        const Computation& compute) {
  const LessonInput input = causal_probe(lesson, {.n = 3, .d_model = 3, .d_v = 3});
  const Way way = way_through(compute(input), input);
  if (!way.fits || way.steps.empty()) return Measured{false, std::numeric_limits<double>::infinity()};
  const double h = 1e-5,
               measured =
                   (loss_along(input, way, h, compute) - loss_along(input, way, -h, compute)) / (2 * h);
  return at_most(std::abs(way.slope - measured) / std::max(1.0, std::abs(measured)), 1e-6);
}

} // namespace

std::vector<Property> gradient_properties() {
  return {{"gradients_match", gradients_match, takes<Input::labels>}};
}

// Properties of a training step, on a small model of its own.

namespace {

using arma::vec;

LessonInput step_of(const Lesson& lesson, Optimizer optimizer, double learning_rate = 0.01) {
  LessonInput input = causal_probe(lesson, {.n = 4, .d_model = 3, .d_v = 3});
  input.optimizer = optimizer, input.optimizer_step.learning_rate = learning_rate;
  return input;
}

vec cells(const Trace& t, const std::string& name) {
  return t[name].data;
}

vec change(const Trace& t) {
  return cells(t, "W_Q_after") - cells(t, "W_Q");
}

// An average of one number is that number, and so is the average of its square.
std::optional<Measured> first_average(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  const Trace t = compute(step_of(lesson, Optimizer::adam));
  const vec g = cells(t, "dW_Q");
  return at_most(std::max(relative_difference(arma::mat(cells(t, "m_hat_W_Q")), arma::mat(g)),
                          relative_difference(arma::mat(cells(t, "v_hat_W_Q")), arma::mat(g % g))),
                 rounding);
}

// v is the longer memory: less of the first gradient has come into it than into m.
std::optional<Measured> longer_memory(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  const Trace t = compute(step_of(lesson, Optimizer::adam));
  const vec g = cells(t, "dW_Q");
  const double in_m = arma::norm(cells(t, "m_W_Q")) / arma::norm(g),
               in_v = arma::norm(cells(t, "v_W_Q")) / arma::norm(vec(g % g));
  return at_least(in_m - in_v, 0);
}

// Gradients of a millionth move their weights by the learning rate, as large ones do.
std::optional<Measured> size_drops_out(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  const double rate = 0.01, least = 1e-7;
  LessonInput input = step_of(lesson, Optimizer::adam, rate);
  for (Step& step : input.given.steps)
    if (step.name == "X") step.value = times(step.value, 0.03); // the gradient of W_Q grows with X³
  const Trace t = compute(input);
  const vec g = arma::abs(cells(t, "dW_Q")), moved = arma::abs(change(t)) / rate;
  double off = 0;
  for (std::size_t i = 0; i < g.n_elem; ++i)
    if (g(i) > least) off = std::isnan(moved(i)) ? 1 : std::max(off, std::abs(moved(i) - 1));
  return Measured{arma::any(g > least) && off <= 2 * input.optimizer_step.epsilon / least, off};
}

// A step that is short enough lowers the loss of its own batch.
std::optional<Measured> loss_falls(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  double worst = -std::numeric_limits<double>::infinity();
  for (const Optimizer optimizer : {Optimizer::sgd, Optimizer::adam}) {
    const Trace t = compute(step_of(lesson, optimizer, 1e-4));
    const double rose = t["loss_after"].data[0] - t["loss"].data[0];
    worst = std::isnan(rose) ? rose : std::max(worst, rose);
  }
  return Measured{worst < 0, worst};
}

// Twice the learning rate moves every weight twice as far.
std::optional<Measured> rate_scales(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  double off = 0;
  for (const Optimizer optimizer : {Optimizer::sgd, Optimizer::adam, Optimizer::adamw}) {
    const auto moved = [&](double rate) {
      LessonInput input = step_of(lesson, optimizer, rate);
      if (optimizer == Optimizer::adamw) input.optimizer_step.decay = 0.5;
      return change(compute(input));
    };
    const vec once = moved(0.01), twice = moved(0.02);
    off = std::max(off, absolute_difference(twice, arma::mat(2 * once)));
  }
  return at_most(off, rounding);
}

LessonInput decaying_step(const Lesson& lesson, double decay) {
  LessonInput input = step_of(lesson, Optimizer::adamw);
  input.optimizer_step.decay = decay;
  return input;
}

// Decay is apart from the gradient: the averages do not know of it.
std::optional<Measured> decay_apart(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  const Trace without = compute(decaying_step(lesson, 0)), with = compute(decaying_step(lesson, 0.5));
  return at_most(std::max(relative_difference(with["m_W_Q"], without["m_W_Q"]),
                          relative_difference(with["v_W_Q"], without["v_W_Q"])),
                 rounding);
}

// Beside a step without it, decay takes lr·λ·W off, whatever the gradient says.
std::optional<Measured> decay_shrinks(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  const Trace without = compute(decaying_step(lesson, 0)), with = compute(decaying_step(lesson, 0.5));
  const vec lost = cells(without, "W_Q_after") - cells(with, "W_Q_after");
  const page::AdamStep step = decaying_step(lesson, 0.5).optimizer_step;
  const double share = step.learning_rate * step.decay;
  return at_most(absolute_difference(lost, arma::mat(share * cells(with, "W_Q"))), rounding);
}

} // namespace

std::vector<Property> training_properties() {
  return only(takes<Input::optimizer>, {{"first_average", first_average},
                                        {"longer_memory", longer_memory},
                                        {"size_drops_out", size_drops_out},
                                        {"loss_falls", loss_falls},
                                        {"rate_scales", rate_scales},
                                        {"decay_apart", decay_apart},
                                        {"decay_shrinks", decay_shrinks}});
}

} // namespace tfx
