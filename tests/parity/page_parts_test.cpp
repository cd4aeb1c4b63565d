// The page of every model that the engine computes: decoders and encoders alone too, whatever their parts.

#include "model/counts.hpp"
#include "parity/model_page.hpp"
#include "parity/rounding.hpp"
#include "support/catch.hpp"
#include "support/evaluator.hpp"
#include "support/model_parts.hpp"
#include "support/small_model.hpp"
#include "train/gradient_descent.hpp"

#include <cmath>
#include <set>

using namespace tfx;

namespace {

struct PartsRun {
  Transformer<double> model;
  TrainingBatch batch;
  std::uint32_t pad = 0;

  double smoothing() const { return pad == 0 ? 0.1 : 0; }
};

// Sequences of one length, now and then with padding in them, now and then with an id as pad that no token
// has.
PartsRun random_run(std::uint32_t seed) {
  RandomInput random(seed);
  constexpr Stacks stacks[] = {Stacks::decoder, Stacks::encoder, Stacks::both};
  const ModelSpec spec = random_parts(random, stacks[seed % 3]);
  PartsRun run{small_model<double>(seed, spec), {}, random.coin() ? 0u : 1000u};
  const auto batch = [&](std::size_t vocab) {
    std::vector<std::size_t> lengths(random.size(1, 2), random.size(2, 6));
    if (run.pad == 0 && lengths.size() == 2) --lengths[1];
    const auto rows = random_rows(random, lengths, vocab);
    return run.pad == 0 ? padded_batch(rows, 0) : ragged_batch(rows);
  };
  if (spec.has_encoder()) run.batch.src = batch(spec.src_vocab);
  if (!spec.has_decoder()) return run;
  run.batch.tgt = batch(spec.tgt_vocab);
  if (spec.has_encoder() && run.batch.src.sequences.count() != run.batch.tgt.sequences.count())
    run.batch.src = run.batch.tgt = ragged_batch({{1, 2, 1}});
  run.batch.labels.resize(run.batch.tgt.ids.size());
  for (auto& label : run.batch.labels) label = static_cast<std::uint32_t>(random.size(1, spec.tgt_vocab - 1));
  return run;
}

ModelPage page_for(const PartsRun& run) {
  return page_of(run.model, run.batch.src, run.batch.tgt, run.pad);
}

// Of a model without a generator the gradients of the mean of its memory.
ModelPage page_with_gradients(const PartsRun& run) {
  ModelPage page = page_for(run);
  if (!run.batch.labels.empty())
    page.labels =
        Tensor(page.tgt.shape, std::vector<double>(run.batch.labels.begin(), run.batch.labels.end()));
  page.smoothing = run.smoothing(), page.backward = true;
  return page;
}

Transformer<double> gradient_of(const PartsRun& run) {
  Transformer<double> gradient = zeros_like(run.model);
  if (run.batch.labels.empty()) {
    ModelSaved<double> saved;
    arma::mat d = logits<double>(run.model, run.batch.inputs(), {}, saved);
    d.fill(1 / static_cast<double>(d.n_elem));
    backward<double>({run.model, gradient}, saved, run.batch.inputs(), d, {});
    return gradient;
  }
  add_gradient<double>({run.model, gradient}, run.batch, {run.smoothing(), run.pad},
                       static_cast<double>(count_tokens(run.batch.labels, run.pad)));
  return gradient;
}

constexpr std::uint32_t runs = 120;

} // namespace

TEST_CASE("page and engine agree in every activation, whatever the parts", "[parity][parts]") {
  for (std::uint32_t seed = 0; seed < runs; ++seed) {
    INFO(seed);
    const PartsRun run = random_run(seed);
    CHECK(difference_from_page(run.model, run.batch.src, run.batch.tgt, run.pad).value() <=
          1e-10); // norms of few numbers
  }
}

TEST_CASE("page and engine agree in every gradient, whatever the parts", "[parity][parts][gradient]") {
  for (std::uint32_t seed = 0; seed < runs; ++seed) {
    INFO(seed);
    const PartsRun run = random_run(seed);
    const Trace page = run_model_page(page_with_gradients(run));
    const Transformer<double> gradient = gradient_of(run);
    each_parameter(
        [&](const std::string& name, const auto& d) {
          INFO(name);
          const Tensor engine(torch_shape(d), std::vector<double>(d.begin(), d.end()));
          if (const Step* step = page.find("d." + name))
            CHECK(relative_difference(step->value, engine) <= 1e-10);
          else // nothing moves with it
            CHECK(relative_difference(Tensor(engine.shape), engine) <= 1e-10);
        },
        "", gradient);
  }
}

TEST_CASE("how large a page becomes is known before it is run, whatever the parts", "[parity][parts]") {
  for (std::uint32_t seed = 0; seed < runs; ++seed) {
    INFO(seed);
    const PartsRun run = random_run(seed);
    const Trace page = run_model_page(page_for(run));
    double cells = 0, parameters = 0;
    for (const Step& step : page.steps)
      (step.role == Role::parameter ? parameters : cells) += static_cast<double>(step.value.size());
    const PageTokens tokens = tokens_on_page(run.batch.src, run.batch.tgt, run.pad);
    CHECK(page_cells(run.model.spec, tokens) == cells);
    CHECK(page_bytes(run.model.spec, tokens) == sizeof(double) * (cells + parameters));
    CHECK(parameters == static_cast<double>(count_parameters(run.model)));
  }
}

TEST_CASE("every cell of a page and of its gradients follows from its recorded operation, whatever the parts",
          "[parity][parts][how]") {
  for (std::uint32_t seed = 0; seed < 24; ++seed) {
    INFO(seed);
    const PartsRun run = random_run(seed);
    const Trace page = run_model_page(page_with_gradients(run));
    for (const Step& step : page.steps) {
      INFO(step.name << " = " << step.formula);
      double worst = 0;
      for (std::size_t i = 0; i < step.value.size(); ++i) {
        const double value = step.value.data[i], again = evaluate(page, step, index_of(step.value.shape, i));
        if (value != again) worst = std::max(worst, std::abs(value - again) / std::max(1.0, std::abs(again)));
      }
      CHECK(worst <= 1e-12);
    }
  }
}

TEST_CASE("a decoder alone is on the page from its tokens to its probabilities", "[parity][parts]") {
  ModelSpec spec = small_spec();
  spec.stacks = Stacks::decoder, spec.layers = 1;
  spec.positions = Positions::learned, spec.scaled_embedding = false, spec.tied = true;
  spec.norm.rule = Norm::layer, spec.norm.epsilon = 1e-3;
  const auto model = small_model<double>(1, spec);
  const Trace page = run_model_page(page_of(model, {}, ragged_batch({{0, 1, 2}}), 99));
  std::vector<std::string> names;
  for (const Step& step : page.steps)
    if (step.name.starts_with("tgt")) names.push_back(step.name + " = " + step.formula);
  CHECK(names == std::vector<std::string>{
                     "tgt = --tgt", "tgt_positions = 0 … n − 1", "tgt_embed.0.lut.weight = state_dict",
                     "tgt_embed.rows = tgt_embed.0.lut.weight[tgt]", "tgt_embed.1.weight = state_dict",
                     "tgt_embed.pe = tgt_embed.1.weight[tgt_positions]",
                     "tgt_embed = tgt_embed.rows + tgt_embed.pe"});
  CHECK(page.step_named("logits").formula == "decoder.output·tgt_embed.0.lut.weightᵀ");
  CHECK(page.step_named("decoder.norm.variance_eps").formula == "decoder.norm.variance + 0.001");
  CHECK(page.main == "log_probs");
  CHECK_FALSE(page.has("src"));
  CHECK_FALSE(page.has("memory"));
  for (const Step& step : page.steps) CHECK(step.name.find("src_attn") == std::string::npos);
}

TEST_CASE("an encoder alone ends at its memory, whether or not a norm stands there", "[parity][parts]") {
  for (const bool final_norm : {true, false})
    for (const NormPlacement placement : {NormPlacement::pre_norm, NormPlacement::post_norm}) {
      ModelSpec spec = small_spec();
      spec.stacks = Stacks::encoder, spec.final_norm = final_norm, spec.norm.placement = placement;
      const auto model = small_model<double>(1, spec);
      const Batch src = ragged_batch({{0, 1, 2}});
      const Trace page = run_model_page(page_of(model, src, {}, 99));
      CHECK(page.main == "memory");
      CHECK(page.steps.back().name == "memory");
      CHECK(difference_from_page(model, src, {}, page) <= 1e-11);
      CHECK(name_on_page("encoder.layers.1.sublayer.1.output", page) ==
            (!final_norm                             ? "memory"
             : placement == NormPlacement::post_norm ? "encoder.layers.1.sublayer.1.norm"
                                                     : "encoder.layers.1.sublayer.1.output"));
    }
}
