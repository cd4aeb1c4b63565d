#include "cli/cache/comparison.hpp"

#include "core/number.hpp"
#include "model/counts.hpp"
#include "parity/decode_run.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tfx {

namespace {

Tensor rows_of(const arma::mat& columns) {
  return Tensor({columns.n_cols, columns.n_rows}, std::vector<double>(columns.begin(), columns.end()));
}

std::uint64_t sum_of(const std::vector<ComparedStep>& steps, StepCost ComparedStep::*way) {
  std::uint64_t sum = 0;
  for (const ComparedStep& step : steps) sum += (step.*way).executed;
  return sum;
}

void add_checks(CacheComparison& result, const TokenIds& recomputed_tokens) {
  bool same_macs = true, same_bytes = true;
  double difference = 0;
  const auto bytes = std::get<std::vector<double>>(result.trace.facts.at("bytes_by_formula"));
  for (std::size_t t = 0; t < result.steps.size(); ++t) {
    const ComparedStep& step = result.steps[t];
    same_macs &= step.cached.executed == step.cached.by_formula &&
                 step.recomputed.executed == step.recomputed.by_formula;
    same_bytes &= static_cast<double>(step.cache_bytes) == bytes[t];
    difference = std::max(difference, step.difference);
  }
  Trace& trace = result.trace;
  trace.check("same_tokens", recomputed_tokens == result.tokens, static_cast<double>(result.tokens.size()));
  trace.check_at_most("same_log_probs", difference, 1e-11);
  trace.check("macs", same_macs, static_cast<double>(result.steps.size()));
  trace.check("bytes", same_bytes, static_cast<double>(result.steps.back().cache_bytes));
}

void state_sizes(Trace& trace, const ModelSpec& spec, std::size_t n, std::size_t m) {
  const auto state = [&](const char* name, std::uint64_t value) {
    trace.facts[name] = with_separators(value);
  };
  state("N", spec.layers), state("d", spec.d_model), state("f", spec.d_ff);
  state("vocab", spec.tgt_vocab), state("n", n), state("m", m);
}

} // namespace

CacheComparison compare_cache(const Transformer<double>& model, const ModelCard& card, const TokenIds& src,
                              const DecodeLimits& limits) {
  const Batch batch = ragged_batch({src});
  const ModelSpec& spec = model.spec;
  CacheComparison result;
  result.tokens = greedy(model, batch, limits)[0];
  TokenIds written = result.tokens, inputs{limits.start};
  inputs.insert(inputs.end(), written.begin(), written.end());
  if (written.size() < limits.max_tokens && limits.end)
    written.push_back(*limits.end);
  else
    inputs.pop_back(); // the last token is not read any more
  const auto cached = timed_steps(model, batch, inputs, Prefix::cached),
             recomputed = timed_steps(model, batch, inputs, Prefix::recomputed);
  result.timed_runs = std::min(cached.timed_runs, recomputed.timed_runs);
  std::vector<double> bytes_by_formula;
  std::vector<std::string> names;
  for (std::size_t t = 0; t < written.size(); ++t) {
    const std::uint64_t n = src.size(), m = t + 1;
    result.steps.push_back(
        {written[t],
         {cached.macs[t], cached_step_macs(spec, n, m), cached.seconds[t]},
         {recomputed.macs[t], recomputed_step_macs(spec, n, m), recomputed.seconds[t]},
         cached.cache_bytes[t],
         largest_difference<double>(cached.log_probs.col(t), recomputed.log_probs.col(t))});
    bytes_by_formula.push_back(static_cast<double>(cached_numbers(spec, n, m) * sizeof(double)));
    names.push_back(card.tgt.tokens[written[t]]);
  }

  Trace& trace = result.trace;
  trace.lesson = "cache", trace.main = "log_probs";
  trace.add_input("log_probs", "with the cache", rows_of(cached.log_probs), {names, card.tgt.tokens},
                  Role::result);
  trace.add_input("log_probs_recomputed", "without it", rows_of(recomputed.log_probs),
                  {names, card.tgt.tokens}, Role::result);
  trace.facts["bytes_by_formula"] = bytes_by_formula;
  state_sizes(trace, spec, src.size(), written.size());
  const std::uint64_t encoder = recomputed.first_macs, once = cached.first_macs - encoder,
                      with = sum_of(result.steps, &ComparedStep::cached) + once,
                      without = sum_of(result.steps, &ComparedStep::recomputed);
  trace.facts["encoder_macs"] = with_separators(encoder);
  trace.facts["once_macs"] = with_separators(once);
  trace.facts["once_by_formula"] = with_separators(memory_macs(spec, src.size()));
  trace.facts["with_macs"] = with_separators(with), trace.facts["without_macs"] = with_separators(without);
  trace.facts["ratio"] = fmt::format("{:.1f}", static_cast<double>(without) / static_cast<double>(with));
  trace.facts["bytes"] = with_separators(result.steps.back().cache_bytes);
  // A query of every position and layer would be as large as the keys of the target.
  trace.facts["query_bytes"] = with_separators(spec.layers * spec.d_model * written.size() * sizeof(double));
  trace.facts["parameter_bytes"] =
      format_bytes(static_cast<double>(count_parameters(model) * sizeof(double)));
  trace.measured = Cost{count_parameters(model), with, 2 * with, {}};
  trace.check("once", once == memory_macs(spec, src.size()), static_cast<double>(once));
  add_checks(result, greedy(model, batch, limits, Prefix::recomputed)[0]);
  return result;
}

} // namespace tfx
