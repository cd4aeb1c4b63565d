#pragma once
// What `tfx bench` takes: which work, its shape, how often, and what to do with the figures.

#include "bench/measure.hpp"
#include "bench/presets.hpp"
#include "cli/context.hpp"

namespace tfx {

struct BenchOptions {
  std::optional<std::string> what, preset, tutorial, inputs, outputs;
  std::optional<std::size_t> batch, seq, tgt_seq, max_tokens, d_model, heads, layers, d_ff, vocab, repeat,
      warmup;
  std::optional<std::uint32_t> seed;
  bool causal = false, no_causal = false, quick = false, worker = false, json = false, no_time = false;
};

void add_bench_options(CLI::App& command, BenchOptions& options);

/// The ways of `tfx bench`.
enum class BenchWay { cases, ladder, tutorial, worker };

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
