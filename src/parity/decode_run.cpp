#include "parity/decode_run.hpp"

#include "core/stopwatch.hpp"
#include "kernels/gemm.hpp"
#include "parity/model_run.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

// What a layer gives on is the output of its last sublayer.
bool is_hidden(const std::string& name) {
  const char* last = name.starts_with("encoder.") ? ".sublayer.1.output" : ".sublayer.2.output";
  return name == "memory" || name == "decoder.output" || name.ends_with(last);
}

} // namespace

template <class Real>
StepsRun<Real> run_steps(const Transformer<Real>& model, const Batch& src, const TokenIds& inputs,
                         Prefix prefix) {
  StepsRun<Real> run;
  run.log_probs = unset<Real>(model.spec.tgt_vocab, inputs.size());
  std::uint64_t before = executed_macs();
  NextToken<Real> next(model, src, {inputs.size(), 1}, prefix);
  run.first_macs = executed_macs() - before;
  for (std::size_t step = 0; step < inputs.size(); ++step) {
    before = executed_macs();
    const Stopwatch watch;
    run.log_probs.col(step) = next.after(TokenIds{inputs[step]});
    run.seconds.push_back(watch.seconds());
    run.macs.push_back(executed_macs() - before);
    run.cache_bytes.push_back(next.cache_bytes());
  }
  return run;
}

template <class Real>
TimedSteps<Real> timed_steps(const Transformer<Real>& model, const Batch& src, const TokenIds& inputs,
                             Prefix prefix) {
  constexpr std::size_t least_runs = 3;
  constexpr double enough = 0.2, most = 2; // seconds
  const Stopwatch first;
  TimedSteps<Real> run{run_steps(model, src, inputs, prefix)};
  if (first.seconds() * least_runs > most) return run;
  std::vector<std::vector<double>> of_step(inputs.size());
  std::size_t runs = 0;
  for (const Stopwatch spent; runs < least_runs || spent.seconds() < enough; ++runs) {
    const std::vector<double> seconds = run_steps(model, src, inputs, prefix).seconds;
    for (std::size_t step = 0; step < seconds.size(); ++step) of_step[step].push_back(seconds[step]);
  }
  for (std::size_t step = 0; step < of_step.size(); ++step) run.seconds[step] = median_of(of_step[step]);
  run.timed_runs = runs;
  return run;
}

template <class Real>
PassRun<Real> run_pass(const Transformer<Real>& model, const Batch& src, const TokenIds& inputs) {
  PassRun<Real> run;
  ActivationRecorder<Real> recorder(
      [](const std::string& name) { return name.ends_with("src_attn.weights") || is_hidden(name); });
  const ForwardContext<Real> context{&recorder};
  const arma::Mat<Real> memory = encode(model, src, context);
  const Batch tgt = ragged_batch({inputs});
  const std::uint64_t before = executed_macs();
  const Stopwatch watch;
  const arma::Mat<Real> output = decode(model, tgt, Tokens<Real>{memory, src.sequences}, context);
  run.log_probs = generate(model, Tokens<Real>{output, tgt.sequences});
  run.seconds = watch.seconds();
  run.macs = executed_macs() - before;
  for (auto& [name, value] : recorder.take())
    if (is_hidden(name))
      run.hidden.emplace_back(name, std::move(value));
    else
      run.source_weights.push_back(std::move(value));
  return run;
}

template <class Real>
double largest_difference(const arma::Mat<Real>& a, const arma::Mat<Real>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.n_elem; ++i) {
    const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    if (x != y) worst = std::max(worst, std::abs(x - y) / std::max(1.0, std::abs(y)));
  }
  return worst;
}

template StepsRun<float> run_steps(const Transformer<float>&, const Batch&, const TokenIds&, Prefix);
template StepsRun<double> run_steps(const Transformer<double>&, const Batch&, const TokenIds&, Prefix);
template TimedSteps<double> timed_steps(const Transformer<double>&, const Batch&, const TokenIds&, Prefix);
template PassRun<float> run_pass(const Transformer<float>&, const Batch&, const TokenIds&);
template PassRun<double> run_pass(const Transformer<double>&, const Batch&, const TokenIds&);
template double largest_difference(const arma::Mat<float>&, const arma::Mat<float>&);
template double largest_difference(const arma::Mat<double>&, const arma::Mat<double>&);

} // namespace tfx
