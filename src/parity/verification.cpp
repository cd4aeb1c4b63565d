#include "parity/verification.hpp"

#include "core/error.hpp"
#include "core/progress.hpp"
#include "core/resource.hpp"
#include "input/tutorials.hpp"
#include "lessons/known_models.hpp"
#include "lessons/run.hpp"
#include "model/checkpoint.hpp"
#include "model/counts.hpp"
#include "model/model_card.hpp"
#include "model/search.hpp"
#include "model/shipped.hpp"
#include "parity/decode_run.hpp"
#include "parity/model_page.hpp"
#include "parity/model_run.hpp"
#include "parity/torch_runs.hpp"
#include "random/numpy_rng.hpp"
#include "trace/checks.hpp"
#include "train/generated_task.hpp"
#include "train/gradient_descent.hpp"
#include "train/task.hpp"
#include "train/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <optional>
#include <sstream>

namespace tfx {

namespace {

// The lesson's tensors, as far as NumPy's run of the same input has them.
void compare(const Lesson& lesson, const InputOptions& options, Verified& line) {
  const auto reference = LessonReference::of(resolve_input(options, lesson).reference);
  if (!reference) return;
  const Trace trace = run_lesson(lesson, options, RunFor::values).trace;
  std::size_t before = line.compared;
  for (const Step& step : trace.steps) {
    const auto one = reference->compare(lesson, step);
    if (!one) continue;
    line.worst = std::max(line.worst, one->worst);
    line.compared += one->cells;
  }
  line.sources += line.compared > before;
}

} // namespace

std::vector<Verified> verify_lessons() {
  std::vector<Verified> lines;
  for (const Lesson& lesson : page_lessons()) {
    tell_progress(lesson.command, {lines.size() + 1, page_lessons().size()});
    Verified line{"lesson", lesson.command};
    line.bound = rounding;
    for (const Run& run : runs()) {
      InputOptions options;
      options.tutorial = run.name();
      if (run.fits(lesson)) compare(lesson, options, line);
    }
    if (lesson.own_input || !lesson.text.empty()) compare(lesson, {}, line); // no tutorial's run
    lines.push_back(line);
  }
  return lines;
}

std::vector<Verified> verify_everything() {
  std::vector<Verified> lines = verify_lessons();
  tell_progress("np.random");
  lines.push_back(verify_random());
  std::ranges::move(verify_engine(), std::back_inserter(lines));
  std::ranges::move(verify_trained(), std::back_inserter(lines));
  return lines;
}

// Every kind of draw against NumPy's: data/reference/random.txt says what was drawn, random.bin has the
// bytes.

namespace {

std::vector<double> real_numbers(NumpyRandom& random, const std::string& method, std::istringstream& words) {
  double low = 0, high = 0;
  if (method == "uniform") words >> low >> high;
  std::size_t n = 0;
  words >> n;
  if (method == "rand") return random.rand(Shape{n}).data;
  if (method == "randn") return random.randn(Shape{n}).data;
  return random.uniform(low, high, Shape{n}).data;
}

std::vector<std::int64_t> whole_numbers(NumpyRandom& random, const std::string& method,
                                        std::istringstream& words) {
  std::size_t n = 0, size = 0;
  if (method == "permutation" || method == "shuffle") {
    words >> n;
    if (method == "permutation") return random.permutation(n);
    std::vector<std::int64_t> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::int64_t>(i * i);
    random.shuffle(values);
    return values;
  }
  if (method == "randint") {
    std::int64_t low = 0, high = 0;
    words >> low >> high >> size;
    std::vector<std::int64_t> values(size);
    for (std::int64_t& value : values) value = random.randint(low, high);
    return values;
  }
  words >> n >> size;
  return random.choice(n, size, method == "choice_with_replacement" ? Replace::yes : Replace::no);
}

// Compares number by number with the reference's bytes at `position` and goes on behind them.
template <class Stored, class Drawn>
void compare(const std::vector<Drawn>& drawn, std::string_view bytes, std::size_t& position, Verified& line) {
  for (const Drawn number : drawn) {
    const Stored own = static_cast<Stored>(number);
    const bool equal =
        position + sizeof own <= bytes.size() && std::memcmp(&own, bytes.data() + position, sizeof own) == 0;
    line.worst += !equal;
    ++line.compared;
    position += sizeof own;
  }
}

} // namespace

Verified verify_random() {
  const std::string_view bytes = resource("data/reference/random.bin");
  std::istringstream script{std::string(resource("data/reference/random.txt"))};
  Verified line{"random", "np.random"};
  NumpyRandom random(0);
  std::size_t position = 0;
  for (std::string text; std::getline(script, text);) {
    if (text.starts_with('#')) continue;
    std::istringstream words(text);
    std::string type, method;
    words >> type;
    if (type == "seed") {
      std::uint32_t seed = 0;
      words >> seed;
      random = NumpyRandom(seed);
      ++line.sources;
      continue;
    }
    words >> method;
    if (type == "i64")
      compare<std::int64_t>(whole_numbers(random, method, words), bytes, position, line);
    else if (type == "f32")
      compare<float>(real_numbers(random, method, words), bytes, position, line);
    else
      compare<double>(real_numbers(random, method, words), bytes, position, line);
  }
  if (position != bytes.size()) line.worst += 1; // the reference has more, or less
  return line;
}

// The engine against PyTorch's numbers, the page's, and its own the other way.

namespace {

template <class Real>
constexpr const char* real_name = sizeof(Real) == 4 ? "float32" : "float64";

// Sums of a few hundred products: 1e-5 leaves float32 a factor of a hundred, 1e-11 float64 more.
template <class Real>
constexpr double forward_bound = sizeof(Real) == 4 ? 1e-5 : 1e-11;
template <class Real>
constexpr double gradient_bound = sizeof(Real) == 4 ? 1e-4 : 1e-9;

void add(Verified& line, const Tensor& own, const Tensor& reference) {
  line.worst = std::max(line.worst, relative_difference(own, reference));
  line.compared += reference.size();
}

// Whole models; the folder has an attention alone too.
std::vector<std::string> torch_models() {
  std::vector<std::string> names = torch_runs("model/layers-");
  std::ranges::move(torch_runs("model/torch-"), std::back_inserter(names));
  return names;
}

template <class Real>
Verified forward_line() {
  Verified line{"forward", real_name<Real>};
  line.bound = forward_bound<Real>;
  for (const std::string& name : torch_models()) {
    const TorchRun torch(name);
    const auto model = load_model<Real>(torch_weights(name));
    ActivationRecorder<Real> recorder([](const std::string&) { return true; });
    forward(model, {padded_batch(torch.rows("src"), 0), padded_batch(torch.rows("tgt"), 0)},
            ForwardContext<Real>{&recorder});
    const auto own = recorder.take();
    for (const auto& [activation, reference] : torch.tensors()) {
      if (activation == "src" || activation == "tgt") continue;
      const auto found = std::ranges::find(own, activation, &std::pair<std::string, Tensor>::first);
      add(line, found == own.end() ? Tensor() : found->second, reference);
    }
    ++line.sources;
  }
  return line;
}

Verified page_line() {
  Verified line{"page", "float64"};
  line.bound = forward_bound<double>;
  for (const std::string& name : torch_models()) {
    const TorchRun torch(name);
    const auto model = load_model<double>(torch_weights(name));
    const auto apart = difference_from_page(model, padded_batch(torch.rows("src"), 0),
                                            padded_batch(torch.rows("tgt"), 0), 0);
    if (!apart) continue; // its activation is not on the page
    line.worst = std::max(line.worst, *apart);
    line.compared += torch["log_probs"].size();
    ++line.sources;
  }
  return line;
}

// "training/gradients-1-plain" is of the model "model/layers-1".
std::string model_of(const std::string& gradients) {
  const std::size_t at = gradients.find("gradients-") + std::string("gradients-").size();
  return "model/layers-" + gradients.substr(at, 1);
}

template <class Real>
Verified gradient_line() {
  Verified line{"gradients", real_name<Real>};
  line.bound = gradient_bound<Real>;
  for (const std::string& name : torch_runs("training/gradients-")) {
    const TorchRun torch(name), of_model(model_of(name));
    const auto model = load_model<Real>(torch_weights(model_of(name)));
    const Smoothing smoothing{torch.metadata().at("smoothing") == "0.0" ? 0.0 : 0.1, 0};
    const TrainingBatch batch{padded_batch(of_model.rows("src"), 0), padded_batch(of_model.rows("tgt"), 0),
                              flat(torch.rows("labels"))};
    Transformer<Real> gradient = zeros_like(model);
    const Loss loss = add_gradient<Real>({model, gradient}, batch, smoothing,
                                         static_cast<double>(count_tokens(batch.labels, 0)));
    add(line, Tensor({}, {loss.mean()}), Tensor({}, {torch["loss"].data[0]}));
    each_parameter(
        [&](const std::string& parameter, const auto& d) {
          add(line, Tensor(torch_shape(d), std::vector<double>(d.begin(), d.end())), torch["d." + parameter]);
        },
        "", gradient);
    ++line.sources;
  }
  return line;
}

// The losses of 20 steps: a wrong update shows in all that follow.
Verified adam_line(const std::string& name) {
  const TorchRun torch("training/" + name);
  Verified line{"adam", name};
  line.bound = gradient_bound<float>;
  auto model = load_model<float>(torch_weights("model/layers-1"));
  AdamMoments<float> moments{zeros_like(model), zeros_like(model)};
  AdamRule rule;
  if (name == "adamw") rule.decay = 0.1;
  const double max_norm = name == "adamw" ? 1 : 0;
  for (std::size_t step = 0; step < torch["loss"].size(); ++step) {
    const TrainingBatch batch{ragged_batch(without_padding(torch.rows("src", step), 0)),
                              ragged_batch(without_padding(torch.rows("tgt", step), 0)),
                              flat(without_padding(torch.rows("labels", step), 0))};
    Transformer<float> gradient = zeros_like(model);
    const Loss loss =
        add_gradient<float>({model, gradient}, batch, {0.1, 0}, static_cast<double>(batch.labels.size()));
    add(line, Tensor({}, {loss.mean()}), Tensor({}, {torch["loss"].data[step]}));
    adam(model, moments, gradient,
         {rule, torch["rate"].data[step], step + 1, clipping_factor(gradient_norm(gradient), max_norm)});
  }
  line.sources = 1;
  return line;
}

// The tutorial counts 44,140,544 with N=6, d_model=512, beside embeddings and generator.
Verified parameter_line() {
  ModelSpec spec;
  spec.src_vocab = spec.tgt_vocab = 1;
  Verified line{"parameters", "make_model"};
  line.sources = line.compared = 1;
  line.worst = std::abs(static_cast<double>(stack_parameters(spec)) - 44'140'544.0);
  return line;
}

// A trained model with its card.
struct Trained {
  Transformer<float> model;
  ModelCard card;
};

std::optional<Trained> trained(const std::string& name) {
  const TensorFile file = shipped_model(name);
  Trained one{load_model<float>(file), {}};
  const auto card = card_of(file.metadata(), one.model.spec, name);
  if (!card) return std::nullopt;
  one.card = *card;
  return one;
}

// Every log-probability of a decoding, with kept keys and values and with all computed again.
Verified cache_line() {
  Verified line{"cache", "float32"};
  line.bound = forward_bound<float>;
  for (const std::string& name : shipped_models()) {
    const auto one = trained(name);
    if (!one) continue;
    const Batch src = ragged_batch({one->card.src.encode(example_text(one->card))});
    const DecodeLimits limits{one->card.start, one->card.end, one->card.max_tokens - 1};
    TokenIds inputs = greedy(one->model, src, limits)[0];
    inputs.insert(inputs.begin(), one->card.start);
    const auto cached = run_steps(one->model, src, inputs, Prefix::cached),
               again = run_steps(one->model, src, inputs, Prefix::recomputed);
    line.worst = std::max(line.worst, largest_difference(cached.log_probs, again.log_probs));
    line.compared += cached.log_probs.n_elem;
    ++line.sources;
  }
  return line;
}

} // namespace

std::vector<Verified> verify_engine() {
  return {forward_line<double>(),  forward_line<float>(),  page_line(),
          gradient_line<double>(), gradient_line<float>(), adam_line("adam"),
          adam_line("adamw"),      parameter_line(),       cache_line()};
}

namespace {

/// Drawn numbers are hardly ever round, so that a share of drawn ones says nothing of "one million".
Verified round_line(const Transformer<float>& model, bool held_out) {
  const NumbersTask task(NumberDraws::blocks);
  std::vector<Example> examples;
  for (const std::uint32_t n : round_numbers())
    if (is_held_out_number(n) == held_out) examples.push_back(task.example(n, {}));
  const Accuracy found = exact_match(model, task.facts(), examples);
  Verified line{held_out ? "round_held_out" : "round_trained", task.name()};
  line.sources = 1, line.compared = found.of, line.worst = 1 - found.share();
  return line;
}

} // namespace

std::vector<Verified> verify_trained() {
  constexpr std::size_t examples = 200;
  std::vector<Verified> lines;
  for (const std::string& name : shipped_models()) {
    const auto one = trained(name);
    if (!one || one->card.task == "pairs")
      continue; // its pairs are somebody's file: docs/training.md has what it answers
    tell_progress(name);
    const auto task = make_task(one->card.task);
    const Accuracy found = exact_match(one->model, task->facts(), task->held_out(examples));
    Verified line{"trained", name};
    line.sources = 1, line.compared = found.of;
    line.worst = 1 - found.share();
    line.bound = 0.02; // both answer at least 98 of 100 sources that no training saw
    const DecodeLimits limits{one->card.start, one->card.end, one->card.max_tokens - 1};
    const std::string text = example_text(one->card);
    const TokenIds answer = greedy(one->model, ragged_batch({one->card.src.encode(text)}), limits)[0];
    line.sample = text + " → " + one->card.tgt.decode(answer);
    lines.push_back(line);
    if (name == "numbers-zh")
      for (const bool held_out : {true, false}) lines.push_back(round_line(one->model, held_out));
  }
  return lines;
}

} // namespace tfx
