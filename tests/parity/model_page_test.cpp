// The bridge: the page and the engine compute the same model, cell by cell, and the page says how.

#include "parity/model_page.hpp"

#include "core/error.hpp"
#include "io/file.hpp"
#include "io/safetensors.hpp"
#include "model/checkpoint.hpp"
#include "model/model_card.hpp"
#include "model/search.hpp"
#include "model/shipped.hpp"
#include "parity/model_run.hpp"
#include "parity/rounding.hpp"
#include "support/catch.hpp"
#include "support/evaluator.hpp"
#include "support/model_fixture.hpp"
#include "support/small_model.hpp"
#include "trace/explain.hpp"

#include <cmath>
#include <random>

using namespace tfx;

namespace {

struct Case {
  Transformer<double> model;
  Batch src, tgt;
};

// Every norm and placement in turn; batches with and without padding.
Case random_case(std::uint32_t seed) {
  RandomInput random(seed);
  ModelSpec spec = small_spec();
  spec.layers = random.size(1, 3);
  spec.norm.rule = seed % 2 ? Norm::layer : Norm::annotated;
  spec.norm.placement = seed / 2 % 2 ? NormPlacement::post_norm : NormPlacement::pre_norm;
  const std::vector<std::size_t> lengths =
      seed % 3 ? std::vector<std::size_t>{random.size(2, 6), random.size(2, 6)}
               : std::vector<std::size_t>{random.size(2, 6)};
  return {small_model<double>(seed, spec), padded_batch(random_rows(random, lengths, spec.src_vocab), 0),
          padded_batch(random_rows(random, lengths, spec.tgt_vocab), 0)};
}

template <class Real>
Transformer<Real> in(const Transformer<double>& model) {
  Transformer<Real> other(model.spec);
  each_parameter(
      [](const std::string&, auto& to, const auto& from) {
        for (std::size_t i = 0; i < from.n_elem; ++i) to[i] = static_cast<Real>(from[i]);
      },
      "", other, model);
  return other;
}

} // namespace

TEST_CASE("page and engine agree in every activation", "[parity]") {
  for (std::uint32_t seed = 0; seed < 24; ++seed) {
    INFO(seed);
    const Case one = random_case(seed);
    CHECK(difference_from_page(one.model, one.src, one.tgt, 0).value() <= 1e-11);
    CHECK(difference_from_page(in<float>(one.model), one.src, one.tgt, 0).value() <=
          rounding_bound(one.model.spec, 16));
  }
}

TEST_CASE("how large a page becomes is known before it is run", "[parity]") {
  for (std::uint32_t seed = 0; seed < 24; ++seed) {
    INFO(seed);
    const auto& [model, src, tgt] = random_case(seed);
    const Trace page = run_model_page(page_of(model, src, tgt, 0));
    std::size_t cells = 0;
    for (const Step& step : page.steps)
      if (step.role != Role::parameter) cells += step.value.size();
    CHECK(page_cells(model.spec, tokens_on_page(src, tgt, 0)) == static_cast<double>(cells));
  }
}

TEST_CASE("page and engine agree on PyTorch's weights", "[parity]") {
  for (const char* name : {"layers-1", "layers-2", "layers-4", "layers-5"}) { // the others have GELU
    INFO(name);
    const ModelFixture torch(name);
    const auto model = load_model<double>(torch.weights);
    CHECK(difference_from_page(model, torch.padded("src"), torch.padded("tgt"), 0).value() <= 1e-11);
  }
}

TEST_CASE("a page with another rule, another order or another weight is told from the engine", "[parity]") {
  Case one = random_case(4);
  const Trace right = run_model_page(page_of(one.model, one.src, one.tgt, 0));
  const auto differs = [&](const ModelPage& page) {
    const Trace wrong = run_model_page(page);
    return std::abs(wrong["log_probs"].data[0] - right["log_probs"].data[0]) > 1e-6;
  };
  const ModelPage page = page_of(one.model, one.src, one.tgt, 0);
  ModelPage other = page;
  other.spec.norm.rule = Norm::layer;
  CHECK(differs(other));
  other = page, other.spec.norm.placement = NormPlacement::post_norm;
  CHECK(differs(other));
  other = page, other.spec.heads = 1;
  CHECK(differs(other));
  other = page, other.parameters.at("encoder.layers.0.self_attn.linears.1.weight").data[0] += 0.5;
  CHECK(differs(other));
  CHECK_FALSE(differs(page));
}

namespace {

// How far a cell of the step lies from what its operation gives, by the evaluator that shares no code with
// it.
double farthest_from_record(const Trace& trace, const Step& step) {
  double worst = 0;
  for (std::size_t i = 0; i < step.value.size(); ++i) {
    const double value = step.value.data[i], again = evaluate(trace, step, index_of(step.value.shape, i));
    if (value != again) worst = std::max(worst, std::abs(value - again) / std::max(1.0, std::abs(again)));
  }
  return worst;
}

} // namespace

TEST_CASE("every cell of the model's page follows from its recorded operation", "[parity][how]") {
  std::size_t cells = 0;
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    const Case one = random_case(seed);
    const Trace trace = run_model_page(page_of(one.model, one.src, one.tgt, 0));
    for (const Step& step : trace.steps) {
      INFO(step.name);
      CHECK(farthest_from_record(trace, step) <= 1e-12);
      cells += step.value.size();
    }
  }
  CHECK(cells > 50'000);
}

namespace {

// PyTorch's own labels, where the run has a loss.
ModelPage page_with_loss(const ModelFixture& torch, const std::string& gradients, Tensor& loss,
                         std::map<std::string, Tensor>& expected) {
  ModelPage page = page_of(load_model<double>(torch.weights), torch.padded("src"), torch.padded("tgt"), 0);
  const std::string path =
      std::string(TFX_SOURCE_DIR) + "/data/reference/training/" + gradients + ".safetensors";
  Safetensors file = read_safetensors(read_file(path), path);
  for (NamedArray& array : file.tensors) {
    if (array.name == "labels") page.labels = array.array.values;
    if (array.name == "loss") loss = array.array.values;
    if (array.name.starts_with("d.")) expected.emplace(array.name, array.array.values);
  }
  page.labels->shape = page.tgt.shape;
  page.smoothing = file.metadata.at("smoothing") == "0.0" ? 0 : 0.1;
  page.backward = true;
  return page;
}

} // namespace

TEST_CASE("the page's loss and every gradient of a parameter are PyTorch's", "[parity][gradient]") {
  for (const char* n : {"1", "1-plain", "2", "4", "4-plain", "5"}) { // the others have GELU
    INFO(n);
    Tensor loss;
    std::map<std::string, Tensor> expected;
    const ModelFixture torch("layers-" + std::string(1, n[0]));
    const Trace page = run_model_page(page_with_loss(torch, "gradients-" + std::string(n), loss, expected));
    CHECK(std::abs(page["loss"].data[0] - loss.data[0]) <= 1e-12);
    CHECK(expected.size() > 40);
    for (const auto& [name, gradient] : expected) {
      INFO(name);
      REQUIRE(page.has(name));
      CHECK(relative_difference(page[name], gradient) <= 1e-9);
    }
  }
}

TEST_CASE("every cell of the model's gradients follows from its recorded operation", "[parity][how]") {
  Tensor loss;
  std::map<std::string, Tensor> expected;
  const Trace page = run_model_page(page_with_loss(ModelFixture("layers-1"), "gradients-1", loss, expected));
  std::size_t cells = 0;
  for (const Step& step : page.steps) {
    if (step.role != Role::gradient) continue;
    INFO(step.name);
    CHECK(farthest_from_record(page, step) <= 1e-12);
    cells += step.value.size();
  }
  CHECK(cells > 10'000);
}

TEST_CASE("a cell of the model is explained down to its sources", "[parity]") {
  const Case one = random_case(0);
  const Trace trace = run_model_page(page_of(one.model, one.src, one.tgt, 0));
  const Explanation cell = explain(trace, "decoder.layers.0.src_attn.scores", {0, 1, 0}, 2, 8, 4);
  CHECK(cell.terms.size() == 4); // d_k
  CHECK(cell.sources.size() == 8);
  CHECK(cell.sources[0].cell.tensor == "decoder.layers.0.src_attn.Q");
}

TEST_CASE("a run keeps what is asked for, and its checks can fail", "[parity]") {
  const Case one = random_case(3);
  const auto run = [&](const Transformer<double>& model) {
    return run_model(model, one.src, one.tgt, 0, [](const std::string& name) { return name == "memory"; });
  };
  const ModelRun right = run(one.model);
  REQUIRE(right.trace.steps.size() == 1);
  CHECK(right.trace.steps[0].name == "memory");
  CHECK(right.activations.front().name == "src_embed");
  CHECK(right.activations.back().name == "log_probs");
  for (const Check& check : right.trace.checks) {
    INFO(check.id);
    CHECK(check.pass);
  }
  Transformer<double> broken = one.model;
  broken.generator.bias[0] = std::nan("");
  for (const Check& check : run(broken).trace.checks)
    if (check.id == "probabilities") CHECK_FALSE(check.pass);
}

TEST_CASE("a model is on the page with any activation", "[parity]") {
  Case one = random_case(1);
  for (const auto& [word, activation] : activation_words()) {
    INFO(word);
    one.model.spec.activation = activation;
    CHECK(difference_from_page(one.model, one.src, one.tgt, 0).value() <= 1e-11);
  }
}

TEST_CASE("a shipped model is its page on any text, and an error of 1e-4 is seen", "[parity][shipped]") {
  std::mt19937 random(40);
  for (const char* name : {"reverse", "numbers-zh", "en-zh"}) {
    const TensorFile file = shipped_model(name);
    const auto model = load_model<float>(file);
    const auto card = card_of(file.metadata(), model.spec, name).value();
    const std::size_t words = card.src.size();
    double worst = 0;
    for (std::size_t length = 1; length <= 24; ++length) { // longer than it was trained on, and no numbers
      TokenIds ids(length);
      for (std::uint32_t& id : ids) id = 3 + static_cast<std::uint32_t>(random() % (words - 3));
      const Batch src = ragged_batch({ids});
      TokenIds read = greedy(model, src, {card.start, card.end, card.max_tokens - 1})[0];
      read.insert(read.begin(), card.start);
      const Batch tgt = ragged_batch({read});
      const Trace page = quick_page(model, src, tgt, 0).value();
      const double bound = rounding_bound(model.spec, std::max(length, read.size()));
      CHECK(bound < 1e-4);
      INFO(name << ", " << length << " tokens");
      worst = std::max(worst, difference_from_page(model, src, tgt, page) / bound);
      if (length % 8 != 1) continue;
      for (const char* part : {"memory", "log_probs", "decoder.layers.0.src_attn.weights"}) {
        Trace planted = page;
        for (Step& step : planted.steps)
          if (step.name == part) {
            double largest = 0;
            for (const double x : step.value.data) largest = std::max(largest, std::abs(x));
            step.value.data.back() += 1e-4 * largest;
          }
        CHECK(difference_from_page(model, src, tgt, planted) > bound);
      }
    }
    CHECK(worst <= 1);
    CHECK(worst > 0.001); // the bound follows what was summed
  }
}
