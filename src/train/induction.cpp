#include "train/induction.hpp"

#include "model/weights.hpp"
#include "train/gradient_descent.hpp"

#include <fmt/format.h>

namespace tfx {

namespace {

// Xavier's are too large: with them a head finds cheap habits first, and the pattern late or never.
void make_small(Transformer<float>& model) {
  model.tgt_embed.positions.table *= 0.05F;
  for (Block<float>& layer : model.decoder.layers)
    for (Linear<float>& linear : layer.self_attn.linears) linear.weight *= 0.3F;
  model.generator.weight *= 0.5F;
}

} // namespace

ModelSpec spec_of(const InductionRecipe& recipe) {
  ModelSpec spec;
  spec.stacks = Stacks::decoder, spec.layers = recipe.layers, spec.d_model = recipe.d_model;
  spec.heads = recipe.heads, spec.d_ff = 0, spec.src_vocab = 0, spec.tgt_vocab = recipe.sequences.vocab;
  spec.max_len = recipe.sequences.length(), spec.positions = Positions::learned;
  spec.scaled_embedding = false, spec.norm.rule = Norm::layer;
  spec.norm.epsilon = usual_epsilon(Norm::layer);
  spec.biases = {false, false, false, false};
  return spec;
}

Transformer<float> grow(const InductionRecipe& recipe, const std::function<void(const Growth&)>& watch) {
  constexpr std::uint64_t warmup = 50, times_watched = 10;
  constexpr double most_gradient = 1;
  Transformer<float> model(spec_of(recipe));
  initialize(model, WeightInit::xavier_uniform, recipe.seed);
  make_small(model);
  AdamMoments<float> moments{zeros_like(model), zeros_like(model)};
  Transformer<float> gradient = zeros_like(model);
  const Schedule schedule{Schedule::Curve::linear, recipe.rate, warmup, recipe.steps, recipe.d_model, 0.1};
  const Smoothing none{0, static_cast<std::uint32_t>(recipe.sequences.vocab)}; // nothing is padding
  const std::size_t period = recipe.sequences.period.value_or(recipe.sequences.longest_period);
  const auto watched = [&](std::size_t step) {
    if (watch) watch({step, measure_repeated(model, period)});
  };
  watched(0);
  for (std::size_t step = 1; step <= recipe.steps; ++step) {
    auto [read, said] = next_tokens_of(repeated_rows(recipe.sequences, recipe.batch, recipe.seed, step));
    const TrainingBatch batch{{}, std::move(read), std::move(said)};
    clear(gradient);
    add_gradient<float>({model, gradient}, batch, none, static_cast<double>(batch.labels.size()));
    AdamStep adam_step;
    adam_step.rule = {0.9, 0.99, 1e-8, 0.01};
    adam_step.learning_rate = learning_rate(schedule, step), adam_step.t = step;
    adam_step.gradient_factor = clipping_factor(gradient_norm(gradient), most_gradient);
    adam(model, moments, gradient, adam_step);
    if (step * times_watched / recipe.steps > (step - 1) * times_watched / recipe.steps) watched(step);
  }
  return model;
}

std::map<std::string, std::string> metadata_of(const InductionRecipe& recipe,
                                               const std::vector<Growth>& growth) {
  std::string lines;
  for (const auto& [step, held] : growth)
    lines += fmt::format("{} {:.6f} {:.6f} {:.6f}\n", step, held.first_loss, held.again_loss, held.right);
  const RepeatedRule& rule = recipe.sequences;
  return {{"growth", lines},
          {"periods", fmt::format("{} {}", rule.period.value_or(rule.shortest_period()),
                                  rule.period.value_or(rule.longest_period))}};
}

} // namespace tfx
