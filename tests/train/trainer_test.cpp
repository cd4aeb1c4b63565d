// Training as a whole: it learns, it repeats, it goes on where it stopped.

#include "io/error_of.hpp"
#include "io/file.hpp"
#include "measure/translation.hpp"
#include "model/checkpoint.hpp"
#include "model/counts.hpp"
#include "model/search.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/temporary_folder.hpp"
#include "train/training_file.hpp"

#include <cstdio>

using namespace tfx;

namespace {

TrainingConfig little_config(const std::string& task = "reverse") {
  TrainingConfig config = training_config_for(task, "tiny");
  config.model.layers = 1, config.model.d_model = 8, config.model.d_ff = 16;
  config.model.heads = 2;
  config.schedule = {Schedule::Curve::linear, 0.01, 3, 40, 8};
  config.batch = 4, config.accumulate = 2, config.dropout = 0.2, config.adam.decay = 0.01;
  return config;
}

void run(TrainingState& state, const Task& task, std::uint64_t steps) {
  Transformer<float> gradient = zeros_like(state.model);
  while (state.step < steps) train_step(state, gradient, task);
}

bool equal(const Transformer<float>& a, const Transformer<float>& b) {
  bool same = true;
  each_parameter(
      [&](const std::string&, const auto& x, const auto& y) {
        same = same && x.n_elem == y.n_elem && std::equal(x.begin(), x.end(), y.begin());
      },
      "", a, b);
  return same;
}

/// A task whose batch is always the same one.
class OneBatch : public Task {
public:
  explicit OneBatch(const Task& task, std::size_t size)
      : Task(task.facts()), examples_(task.batch(size, 1, 0)) {}
  std::vector<Example> batch(std::size_t, std::uint64_t, std::uint64_t) const override { return examples_; }
  std::vector<Example> held_out(std::size_t) const override { return {}; }
  const std::vector<Example>& examples() const { return examples_; }

private:
  std::vector<Example> examples_;
};

} // namespace

TEST_CASE("a training that is stopped and resumed anywhere goes on bit for bit, dropout on", "[train]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("t.safetensors");
  const auto task = make_task("reverse");
  TrainingState straight = start_training(little_config(), task->facts());
  run(straight, *task, 12);
  for (const std::uint64_t stop : {0, 1, 5, 11}) {
    TrainingState first = start_training(little_config(), task->facts());
    run(first, *task, stop);
    save_training(first, task->facts(), path);
    LoadedTraining loaded = load_training(path);
    CHECK(loaded.state.step == stop);
    CHECK(metadata_of(loaded.state.config) == metadata_of(first.config));
    CHECK(loaded.card.task == "reverse");
    run(loaded.state, *task, 12);
    CHECK(loaded.state.losses == straight.losses);
    CHECK(equal(loaded.state.model, straight.model));
    CHECK(equal(loaded.state.moments.m, straight.moments.m));
    CHECK(equal(loaded.state.moments.v, straight.moments.v));
  }
  CHECK(std::filesystem::exists(path + ".prev"));
  CHECK(load_training(path + ".prev").state.step == 5);
}

TEST_CASE("another seed, step, dropout or batch is another training", "[train]") {
  const auto task = make_task("reverse");
  TrainingState one = start_training(little_config(), task->facts());
  run(one, *task, 3);
  const auto differs = [&](auto change) {
    TrainingConfig config = little_config();
    change(config);
    TrainingState other = start_training(config, task->facts());
    run(other, *task, 3);
    return other.losses != one.losses;
  };
  CHECK_FALSE(differs([](TrainingConfig&) {}));
  CHECK(differs([](TrainingConfig& config) { config.seed = 43; }));
  CHECK(differs([](TrainingConfig& config) { config.dropout = 0; }));
  CHECK(differs([](TrainingConfig& config) { config.batch = 5; }));
  CHECK(differs([](TrainingConfig& config) { config.accumulate = 1; }));
  CHECK(differs([](TrainingConfig& config) { config.schedule.rate = 0.02; }));
  CHECK(differs([](TrainingConfig& config) {
    config.adam.decay = 0;
    config.adam.beta_2 = 0.9;
  }));
  CHECK(differs([](TrainingConfig& config) { config.clip = 0.01; }));
}

TEST_CASE("two threads train as one does, within rounding", "[train]") {
  const auto task = make_task("reverse");
  TrainingState one = start_training(little_config(), task->facts());
  run(one, *task, 5);
  const ThreadCount threads(2);
  TrainingState two = start_training(little_config(), task->facts());
  run(two, *task, 5);
  for (std::size_t i = 0; i < 5; ++i) CHECK(std::abs(one.losses[i] - two.losses[i]) <= 1e-4);
}

TEST_CASE("one batch is learned by heart, smoothed or not", "[train]") {
  for (const double smoothing : {0.0, 0.1}) {
    TrainingConfig config = little_config();
    config.model.d_model = 32, config.model.d_ff = 64;
    config.schedule = {Schedule::Curve::linear, 0.01, 20, 400, 32};
    config.dropout = config.adam.decay = 0, config.smoothing = smoothing, config.accumulate = 1;
    const auto reverse = make_task("reverse");
    const OneBatch task(*reverse, 6);
    TrainingState state = start_training(config, task.facts());
    run(state, task, 300);
    // A Kullback-Leibler divergence is 0 where the prediction is the target, smoothed as it may be.
    CHECK(state.losses.back() < 0.01);
    CHECK(exact_match(state.model, task.facts(), task.examples()).share() == 1);
  }
}

TEST_CASE("a model that always says the same matches as often as that is right", "[train]") {
  const auto task = make_task("copy");
  const TrainingState state = start_training(little_config("copy"), task->facts());
  const Accuracy untrained = exact_match(state.model, task->facts(), task->held_out(60));
  CHECK(untrained.of == 60);
  CHECK(untrained.right == 0);
}

TEST_CASE("an answer's <unk> is never right, not even where the reference holds an unknown word", "[train]") {
  const TaskFacts facts{
      .name = "pairs",
      .src_vocabulary = Vocabulary(Tokenizer::words, {"<pad>", "<s>", "</s>", "<unk>", "a"}),
      .tgt_vocabulary = Vocabulary(Tokenizer::words, {"<pad>", "<s>", "</s>", "<unk>", "a"}),
      .max_tokens = 7};
  TrainingState state = start_training(little_config("pairs"), facts);
  state.model.generator.weight.zeros();
  const auto measured = [&](std::uint32_t always) { // what is said is what is wanted
    state.model.generator.bias.zeros();
    state.model.generator.bias(always) = 9;
    return exact_match(state.model, facts,
                       {{{4}, TokenIds{start_id, always, always, always, always, always, always, end_id}}});
  };
  const Accuracy known = measured(4), unknown = measured(unknown_id);
  CHECK(known.right == 1);
  CHECK(known.bleu == Approx(100));
  CHECK(unknown.right == 0);
  CHECK(unknown.bleu == 0);
  CHECK(unknown.chrf == 0);
}

TEST_CASE("a training batch shifts the target against itself", "[train]") {
  const TrainingBatch batch = training_batch({{{7, 8}, {1, 5, 6, 2}}, {{9}, {1, 2}}});
  CHECK(batch.src.ids == TokenIds{7, 8, 9});
  CHECK(batch.tgt.ids == TokenIds{1, 5, 6, 1});
  CHECK(batch.labels == TokenIds{5, 6, 2, 2});
  CHECK(batch.tgt.sequences.offsets == std::vector<std::size_t>{0, 3, 4});
}

TEST_CASE("a checkpoint keeps the learning rate's curve as the option calls it, and older ones are read",
          "[train]") {
  TrainingConfig config = training_config_for("copy", "tiny");
  config.schedule.curve = Schedule::Curve::warmup_root;
  std::map<std::string, std::string> metadata = metadata_of(config);
  metadata["task"] = "copy";
  CHECK(metadata.at("train.schedule") == "warmup");
  for (const char* word : {"warmup", "warmup_root"}) {
    metadata["train.schedule"] = word;
    CHECK(training_config_of(metadata, config.model, "x").schedule.curve == Schedule::Curve::warmup_root);
  }
  metadata["train.schedule"] = "steps";
  try {
    training_config_of(metadata, config.model, "x");
    FAIL("it is read");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::bad_data);
    CHECK(std::string(error.what()).find("it is warmup or linear or cosine") != std::string::npos);
  }
}

TEST_CASE("a checkpoint keeps how pairs were read, and older ones read all tokens", "[train]") {
  TrainingConfig config = training_config_for("pairs", "tiny");
  config.pairs_file = "p.tsv", config.validation_file = "v.tsv", config.min_count = 3;
  std::map<std::string, std::string> metadata = metadata_of(config);
  metadata["task"] = "pairs";
  const TrainingConfig read = training_config_of(metadata, config.model, "x");
  CHECK(read.validation_file == "v.tsv");
  CHECK(read.min_count == 3);
  metadata.erase("train.min_count"), metadata.erase("train.validation");
  CHECK(training_config_of(metadata, config.model, "x").min_count == 1);
  CHECK(training_config_of(metadata, config.model, "x").validation_file.empty());
}

TEST_CASE("learning rates by hand", "[train]") {
  const Schedule root{Schedule::Curve::warmup_root, 2, 400, 0, 16};
  CHECK(learning_rate(root, 1) == Approx(2.0 / 4 * std::pow(400, -1.5)));
  CHECK(learning_rate(root, 400) == Approx(2.0 / 4 / 20));
  CHECK(learning_rate(root, 1600) == Approx(2.0 / 4 / 40));
  const Schedule linear{Schedule::Curve::linear, 0.5, 10, 110, 16};
  CHECK(learning_rate(linear, 5) == Approx(0.25));
  CHECK(learning_rate(linear, 10) == Approx(0.5));
  CHECK(learning_rate(linear, 60) == Approx(0.25));
  CHECK(learning_rate(linear, 110) == Approx(0.005));
  CHECK(learning_rate(linear, 9000) == Approx(0.005));
  CHECK(learning_rate({Schedule::Curve::linear, 0.5, 0, 0, 16}, 7) == 0.5);
}

TEST_CASE("a gradient is shortened to the longest that is allowed", "[train]") {
  CHECK(clipping_factor(3, 0) == 1);
  CHECK(clipping_factor(3, 6) == 1);
  CHECK(clipping_factor(3, 1.5) == Approx(0.5));
  Transformer<double> gradient = zeros_like(Transformer<double>([] {
    ModelSpec config;
    config.layers = 1, config.d_model = 2, config.d_ff = 2, config.src_vocab = config.tgt_vocab = 3;
    config.heads = 1;
    return config;
  }()));
  gradient.src_embed.lut(0, 1) = 3, gradient.generator.bias(2) = -4;
  CHECK(gradient_norm(gradient) == 5);
}

TEST_CASE("a checkpoint of a training decodes like any model, and is refused as another training",
          "[train]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("t.safetensors"), weights = folder.path("w.safetensors");
  const auto task = make_task("copy");
  TrainingState state = start_training(little_config("copy"), task->facts());
  run(state, *task, 2);
  save_training(state, task->facts(), path);
  save_weights(state, task->facts(), weights);
  CHECK(equal(load_model<float>(path), state.model));
  CHECK(equal(load_model<float>(weights), state.model));
  CHECK(std::filesystem::file_size(weights) * 2 < std::filesystem::file_size(path));
  const std::string half = folder.path("h.safetensors");
  save_weights(state, task->facts(), half, DType::f16);
  const std::size_t saved = std::filesystem::file_size(weights) - std::filesystem::file_size(half);
  CHECK(static_cast<double>(saved) ==
        Approx(2.0 * static_cast<double>(count_parameters(state.model))).margin(99));
  const Transformer<float> rounded = load_model<float>(half);
  CHECK_FALSE(equal(rounded, state.model));
  CHECK(arma::abs(rounded.generator.weight - state.model.generator.weight).max() < 1e-3);
  check_error(ErrorKind::bad_data, "this is no checkpoint of a training", [&] { load_training(weights); });
}

TEST_CASE("a checkpoint with numbers that no training leaves is refused", "[train]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("t.safetensors");
  const auto task = make_task("copy");
  TrainingState right = start_training(little_config("copy"), task->facts());
  run(right, *task, 2);
  right.accuracies = {{1, 3, 8, 2.5}, {2, 8, 8}};
  const auto refused = [&](const std::string& what, const auto& change) {
    TrainingState wrong = right;
    change(wrong);
    save_training(wrong, task->facts(), path);
    check_error(ErrorKind::bad_data, what, [&] { load_training(path); });
  };
  save_training(right, task->facts(), path);
  const std::vector<Accuracy> loaded = load_training(path).state.accuracies;
  REQUIRE(loaded.size() == 2);
  CHECK(loaded[0].loss == 2.5);
  CHECK_FALSE(loaded[1].loss);
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  refused("negative", [](TrainingState& s) { s.moments.v.generator.bias(3) = -1e-9F; });
  refused("not finite", [](TrainingState& s) { s.moments.v.generator.bias(3) = nan; });
  refused("not finite", [](TrainingState& s) { s.moments.m.src_embed.lut(0, 0) = -nan; });
  refused("not finite",
          [](TrainingState& s) { s.model.generator.bias(0) = 1 / (s.model.generator.bias(0) * 0); });
  refused("not finite", [](TrainingState& s) { s.losses[1] = nan; });
  refused("no step with so many right", [](TrainingState& s) { s.accuracies[1].right = 9; });
  refused("no step with so many right", [](TrainingState& s) { s.accuracies[0].step = 3; });
  save_training(right, task->facts(), path);
  CHECK_FALSE(load_training(path).state.accuracies[0].chrf); // of own pairs alone
  refused("train.epsilon", [](TrainingState& s) { s.config.adam.epsilon = 0; });
}

namespace {

struct Changes {
  std::size_t bits = 0, cuts = 0, unseen = 0;
};

/// Every `stride`th file with one bit changed, or cut short; unseen: read all the same.
Changes changes_of_a_checkpoint(std::size_t stride) {
  const TemporaryFolder folder;
  const std::string path = folder.path("t.safetensors");
  TrainingConfig config = little_config("copy");
  config.model.d_model = 2, config.model.d_ff = 1, config.model.heads = 1;
  const auto task = make_task("copy");
  save_training(start_training(config, task->facts()), task->facts(), path);
  const std::string bytes = read_file(path);
  const auto accepted = [&](const std::string& changed) {
    try {
      const TensorFile file(path, changed);
      return true;
    } catch (const Error& error) {
      return error.kind() != ErrorKind::bad_data;
    }
  };
  REQUIRE(accepted(bytes));
  Changes changes;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += stride) {
    std::string changed = bytes;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
    changes.unseen += accepted(changed), ++changes.bits;
  }
  for (std::size_t size = 0; size < bytes.size(); size += stride)
    changes.unseen += accepted(bytes.substr(0, size)), ++changes.cuts;
  return changes;
}

} // namespace

TEST_CASE("no bit of a checkpoint changes unseen", "[train]") {
  CHECK(changes_of_a_checkpoint(37).unseen == 0);
}

TEST_CASE("no bit of a checkpoint changes unseen: every one", "[.][extended]") {
  const Changes changes = changes_of_a_checkpoint(1);
  CHECK(changes.unseen == 0);
  CHECK(changes.cuts > 15'000);
  std::printf("count bits of a checkpoint flipped, each noticed %zu\ncount places where a checkpoint was "
              "cut, each noticed %zu\n",
              changes.bits, changes.cuts);
}

TEST_CASE("the held-out loss is that of training on those examples, without dropout", "[train]") {
  const auto task = make_task("reverse"); // ragged: padding must not count
  TrainingConfig config = little_config("reverse");
  config.dropout = 0.5, config.smoothing = 0.1;
  TrainingState state = start_training(config, task->facts());
  run(state, *task, 3);
  const std::vector<Example> examples = task->held_out(3 * config.batch - 1);
  double sum = 0, tokens = 0;
  for (const Example& example : examples) { // one at a time: nothing is padded
    Transformer<float> gradient = zeros_like(state.model);
    const Loss loss = add_gradient<float>({state.model, gradient}, training_batch({example}),
                                          {config.smoothing, task->pad()}, 1);
    sum += loss.sum, tokens += static_cast<double>(loss.tokens);
  }
  const Accuracy measured = measure(state, task->facts(), examples);
  CHECK(measured.loss.value() == Approx(sum / tokens).epsilon(1e-5));
  CHECK((measured.step == 3 && measured.of == examples.size()));
  CHECK_FALSE(measure(state, task->facts(), {}).loss);
}

TEST_CASE("answers to own pairs are measured by BLEU and chrF too, and a checkpoint keeps them", "[train]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("t.safetensors");
  std::string lines; // two targets alone: what is written is soon partly right
  for (int i = 0; i < 40; ++i)
    lines += "w" + std::to_string(i) + " x\t" + (i % 2 ? "a b c d e f\n" : "a b c d f e\n");
  const auto task = make_task("pairs", {.pairs_file = folder.write("pairs.tsv", lines)});
  TrainingConfig config = little_config("pairs");
  config.pairs_file = folder.path("pairs.tsv");
  TrainingState state = start_training(config, task->facts());
  run(state, *task, 30);
  const std::vector<Example> examples = task->held_out(4);
  state.accuracies = {{1, 0, 4}, measure(state, task->facts(), examples)};
  const Accuracy& measured = state.accuracies[1];
  PairCounts sum;
  for (const Example& example : examples) {
    const TokenIds one =
        greedy(state.model, ragged_batch({example.src}), {start_id, end_id, task->max_tokens() - 1}).at(0);
    sum += compare_pair(task->tgt_vocabulary().decode(one),
                        task->tgt_vocabulary().decode(answer(task->facts(), example.tgt)));
  }
  CHECK(measured.bleu.value() == bleu(sum.tokens));
  CHECK(measured.chrf.value() == chrf(sum.characters));
  CHECK((0 < *measured.chrf && *measured.chrf <= 100));
  const auto reverse = make_task("reverse");
  const TrainingState other = start_training(little_config("reverse"), reverse->facts());
  CHECK_FALSE(measure(other, reverse->facts(), reverse->held_out(2)).chrf);

  save_training(state, task->facts(), path);
  const std::vector<Accuracy> loaded = load_training(path).state.accuracies;
  REQUIRE(loaded.size() == 2);
  CHECK_FALSE(loaded[0].bleu);
  CHECK(loaded[1].bleu == measured.bleu);
  CHECK(loaded[1].chrf == measured.chrf);
  state.accuracies[1].chrf = 101;
  save_training(state, task->facts(), path);
  check_error(ErrorKind::bad_data, "BLEU and chrF lie from 0 to 100", [&] { load_training(path); });
}

TEST_CASE("a step whose loss or gradient is not finite changes nothing, and what is not is named",
          "[train]") {
  const auto task = make_task("copy");
  TrainingState state = start_training(little_config("copy"), task->facts());
  run(state, *task, 2);
  const TrainingState before = state;
  Transformer<float> gradient = zeros_like(state.model);
  CHECK(train_step(state, gradient, *task).is_finite());
  CHECK(first_not_finite(before, gradient, *task) == "gradient_norm");
  state = before;
  state.model.encoder.layers[0].feed_forward->w_1.bias(0) =
      3e38F; // the ReLU lets it through, the product does not
  state.model.encoder.layers[0].feed_forward->w_2.weight.fill(3e38F);
  const StepReport report = train_step(state, gradient, *task);
  CHECK_FALSE(report.is_finite());
  CHECK((state.step == before.step && state.losses == before.losses));
  CHECK(equal(state.moments.m, before.moments.m));
  CHECK(first_not_finite(state, gradient, *task) == "encoder.layers.0.feed_forward.output");
}

TEST_CASE("every part of a step is timed, there and back, and together they are the step", "[train]") {
  const auto task = make_task("copy");
  TrainingState state = start_training(little_config("copy"), task->facts());
  Transformer<float> gradient = zeros_like(state.model);
  ModuleTimes times;
  const Stopwatch watch;
  for (int step = 0; step < 3; ++step) train_step(state, gradient, *task, &times);
  const double all = watch.seconds();

  std::vector<std::string> parts, backward;
  double sum = 0;
  for (const PartTime& one : times.parts()) {
    parts.push_back(one.part);
    if (one.backward > 0) backward.push_back(one.part);
    CHECK(one.forward > 0);
    sum += one.forward + one.backward;
  }
  std::vector<std::string> modules = {"src_embed"};
  const auto add_layers = [&](const std::string& side) {
    for (std::size_t i = 0; i < state.model.spec.layers; ++i)
      modules.push_back(side + ".layers." + std::to_string(i));
    modules.push_back(side + ".norm");
  };
  add_layers("encoder");
  modules.push_back("tgt_embed");
  add_layers("decoder");
  modules.push_back("generator");
  CHECK(backward == modules);
  modules.insert(modules.begin(), "batch");
  for (const char* last : {"loss", "Adam"}) modules.push_back(last);
  CHECK(parts == modules);
  CHECK(sum <= all);
}

TEST_CASE("the log keeps the rows up to the step that is resumed from", "[train]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("log.csv");
  const StepReport report{0.5, 0.25, 2, 7};
  {
    TrainingLog log(path, 0);
    log.add(1, report, std::nullopt);
    log.add(2, report, Accuracy{2, 3, 4, 0.125});
    log.add(3, report, std::nullopt);
  }
  { TrainingLog log(path, 2); }
  const std::string older = "step,loss,learning_rate,gradient_norm,tokens,right,of,held_out_loss",
                    heading = older + ",bleu,chrf,bits_per_byte\n";
  CHECK(read_file(path) == heading + "1,0.5,0.25,2,7,,,,,,\n2,0.5,0.25,2,7,3,4,0.125,,,\n");
  { TrainingLog log(path, 0); }
  CHECK(read_file(path) == heading);
  folder.write("log.csv", older + "\n1,0.5,0.25,2,7,,,\n2,0.5,0.25,2,7,3,4,0.125\n3,0.5,0.25,2,7,,,\n");
  {
    TrainingLog log(path, 2);
    log.add(3, report, Accuracy{3, 0, 4, 0.5, 1.5, 20.25});
  }
  CHECK(read_file(path) ==
        heading + "1,0.5,0.25,2,7,,,,,,\n2,0.5,0.25,2,7,3,4,0.125,,,\n3,0.5,0.25,2,7,0,4,0.5,1.5,20.25,\n");
  check_error(ErrorKind::cannot_write, "cannot write", [&] { TrainingLog(folder.path("no/log.csv"), 0); });
}
