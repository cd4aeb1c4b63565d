#pragma once
// What `tfx bench` takes: which work, its shape, how often, and what to do with the figures.

#include "bench/measure.hpp"
#include "bench/work.hpp"
#include "cli/context.hpp"

namespace tfx {

struct BenchShape {
  std::optional<std::string> preset; ///< what the others change
  std::optional<Stacks> family;
  std::optional<std::size_t> batch, seq, tgt_seq, prompt, max_tokens, d_model, heads, layers, d_ff, vocab;
  std::optional<bool> causal;
  std::optional<WeightType> weights;

  bool operator==(const BenchShape&) const = default;
};

struct BenchOptions {
  std::optional<std::string> what, tutorial, inputs, outputs, save;
  BenchShape shape;
  std::optional<std::size_t> repeat, warmup;
  std::optional<std::uint32_t> seed;
  bool quick = false, worker = false, json = false, no_time = false;
};

/// The ways of `tfx bench`.
enum class BenchWay { cases, ladder, lesson, tutorial, worker };

struct BenchUse {
  BenchWay way;
  bench::What work = bench::What::attention; ///< of cases
  Stacks family = Stacks::both;              ///< of work other than attention
};

/// What may be asked for: each work, the ladder, and the steps of a lesson.
std::vector<std::string> bench_works();

const std::vector<Option<BenchShape, BenchUse>>& bench_shape_options();
const std::vector<Option<BenchOptions, BenchUse>>& bench_options();

/// Throws Error(usage) where options do not fit the way, or the work that is asked for.
BenchWay bench_way(const BenchOptions& options);

/// What is to be timed, with a name each: presets, or a shape of one's own. Throws Error(usage) for an
/// unknown preset, or heads that do not divide the width.
std::vector<bench::WorkPreset> cases_of(const BenchOptions& options);

/// The block that the ladder is climbed with. Throws as cases_of.
bench::AttentionShape ladder_shape(const BenchOptions& options);

/// `usual` with what was asked for.
bench::Repeats repeats_of(const BenchOptions& options, bench::Repeats usual);

} // namespace tfx
