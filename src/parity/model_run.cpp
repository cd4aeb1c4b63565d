#include "parity/model_run.hpp"

#include "core/blas.hpp"
#include "core/memory.hpp"
#include "core/number.hpp"
#include "core/stopwatch.hpp"
#include "kernels/gemm.hpp"
#include "model/counts.hpp"
#include "parity/model_page.hpp"
#include "parity/rounding.hpp"
#include "random/stream.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tfx {

template <class Real>
void ActivationRecorder<Real>::report(const std::string& name, const StridedView<Real>& value) {
  Tensor tensor = to_tensor(value);
  activations_.push_back({name, tensor.shape, statistics_of(tensor)});
  if (name.ends_with(".weights")) add_rows(tensor);
  if (keep_(name)) kept_.emplace_back(name, std::move(tensor));
}

template <class Real>
void ActivationRecorder<Real>::add_rows(const Tensor& weights) {
  const std::size_t width = weights.shape.back();
  for (auto row = weights.data.begin(); row != weights.data.end();
       row += static_cast<std::ptrdiff_t>(width)) {
    const double sum = std::accumulate(row, row + static_cast<std::ptrdiff_t>(width), 0.0);
    if (sum == 0)
      ++fully_masked_rows_;
    else
      row_sum_error_ = std::isnan(sum) ? sum : std::max(std::abs(sum - 1), row_sum_error_);
  }
}

template class ActivationRecorder<float>;
template class ActivationRecorder<double>;

namespace {

// What rounding may leave in a sum of this type.
template <class Real>
constexpr double sum_limit = sizeof(Real) == 4 ? 1e-5 : 1e-12;

/// The batch with another token at the end of every sequence: one that is neither `pad` nor the same. Nothing
/// where the vocabulary has none.
std::optional<Batch> with_other_end(const Batch& batch, std::size_t vocab, std::uint32_t pad) {
  Batch changed = batch;
  for (std::size_t s = 0; s < batch.sequences.count(); ++s) {
    const std::size_t last = batch.sequences.offsets[s + 1] - 1;
    const auto next = [&](std::uint32_t id) { return static_cast<std::uint32_t>((id + 1) % vocab); };
    std::uint32_t id = next(batch.ids[last]);
    if (id == pad) id = next(id);
    if (id == pad || id == batch.ids[last]) return std::nullopt;
    changed.ids[last] = id;
    if (!changed.sequences.valid.empty()) changed.sequences.valid[last] = 1;
  }
  return changed;
}

template <class Real>
double column_difference(const arma::Mat<Real>& a, const arma::Mat<Real>& b, std::size_t column) {
  double largest = 0;
  for (std::size_t i = 0; i < a.n_rows; ++i)
    largest =
        std::max(largest, std::abs(static_cast<double>(a(i, column)) - static_cast<double>(b(i, column))));
  return largest;
}

template <class Real>
arma::Mat<Real> log_probs_of(const Transformer<Real>& model, const Batch& src, const Batch& tgt,
                             const arma::Mat<Real>& memory) {
  const bool reads_source = model.spec.has_encoder();
  const arma::Mat<Real> output =
      decode(model, tgt, reads_source ? std::optional<Tokens<Real>>({memory, src.sequences}) : std::nullopt);
  return generate(model, Tokens<Real>{output, tgt.sequences});
}

// Nobody may see the future: through the whole model, the last token of the target reaches its own row alone.
template <class Real>
void check_leak(Trace& t, const Transformer<Real>& model, const Batch& src, const Batch& tgt,
                const arma::Mat<Real>& memory, const arma::Mat<Real>& log_probs, std::uint32_t pad) {
  if (const auto changed = with_other_end(tgt, model.spec.tgt_vocab, pad)) {
    const arma::Mat<Real> moved = log_probs_of(model, src, *changed, memory);
    double earlier = 0, own = 0;
    for (std::size_t s = 0; s < tgt.sequences.count(); ++s) {
      const std::size_t last = tgt.sequences.offsets[s + 1] - 1;
      for (std::size_t j = tgt.sequences.offsets[s]; j < last; ++j)
        earlier = std::max(earlier, column_difference(log_probs, moved, j));
      own = std::max(own, column_difference(log_probs, moved, last));
    }
    t.facts["moved_own"] = own;
    t.check_at_most("no_leak", earlier, 0);
  }
  if (!model.spec.has_encoder()) return;
  if (const auto changed = with_other_end(src, model.spec.src_vocab, pad)) {
    const arma::Mat<Real> moved = log_probs_of(model, src, tgt, encode(model, *changed));
    std::size_t rows = 0;
    for (std::size_t j = 0; j < moved.n_cols; ++j) rows += column_difference(log_probs, moved, j) > 0;
    t.facts["moved_by_source"] = static_cast<double>(rows);
    t.facts["rows"] = static_cast<double>(moved.n_cols);
  }
}

template <class Real>
double probability_error(const arma::Mat<Real>& log_probs) {
  double largest = 0;
  for (std::size_t j = 0; j < log_probs.n_cols; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < log_probs.n_rows; ++i) sum += std::exp(static_cast<double>(log_probs(i, j)));
    largest = std::isnan(sum) ? sum : std::max(std::abs(sum - 1), largest);
  }
  return largest;
}

template <class Real>
void check_counts(Trace& t, const Transformer<Real>& model, const Cost& cost, const Batch& src,
                  const Batch& tgt) {
  const std::size_t stacks = count_parameters(model.encoder) + count_parameters(model.decoder);
  t.facts["stack_parameters"] = with_separators(stacks);
  t.facts["executed_macs"] = with_separators(cost.macs);
  t.check("parameters", stacks == stack_parameters(model.spec), static_cast<double>(stacks));
  t.check("macs", cost.macs == forward_macs(model.spec, src.sequences, tgt.sequences),
          static_cast<double>(cost.macs));
}

} // namespace

template <class Real>
void require_run(const Transformer<Real>& model, const PageTokens& tokens, const Keep& keep) {
  // In cells of the page: what the engine records is 0.7 of it, attention weights alone a third.
  constexpr double recorded = 0.8, of_weights = 0.4;
  const bool has_page = has_quick_page(model), keeps_all = keep("encoder.layers.0.self_attn.scores"),
             keeps_weights = keep("encoder.layers.0.self_attn.weights");
  const double page = page_cells(model.spec, tokens), longest = std::max(tokens.src, tokens.tgt),
               kept = keeps_all       ? recorded
                      : keeps_weights ? of_weights
                                      : 0,
               beside = has_page ? 1 + recorded : 0, // the page, and what is compared with it
      parameters = has_page ? static_cast<double>(count_parameters(model)) : 0;
  require_memory(sizeof(double) * (page * (kept + beside) + parameters) +
                     watched_bytes(model.spec.heads, tokens.batch, longest),
                 said("a run of this size"));
}

template <class Real>
ModelRun run_model(const Transformer<Real>& model, const Batch& src, const Batch& tgt, std::uint32_t pad,
                   const Keep& keep) {
  reserve_blas_memory();
  require_run(model, tokens_on_page(src, tgt, pad), keep);
  ModelRun run;
  Trace& t = run.trace;
  t.lesson = "model";
  t.main = model.spec.has_decoder() ? "log_probs" : "memory";
  t.dtype = sizeof(Real) == 4 ? "float32" : "float64";

  Cost cost;
  const std::uint64_t before = executed_macs();
  const Stopwatch watch;
  const bool encodes = model.spec.has_encoder(), decodes = model.spec.has_decoder();
  arma::Mat<Real> memory, log_probs;
  if (encodes) memory = encode(model, src);
  if (decodes) log_probs = log_probs_of(model, src, tgt, memory);
  cost.timing = timing_of({watch.seconds()});
  cost.macs = executed_macs() - before;
  cost.flops = 2 * cost.macs;
  cost.parameters = count_parameters(model);
  t.measured = cost;

  ActivationRecorder<Real> recorder(keep);
  forward(model, {src, tgt}, ForwardContext<Real>{&recorder});
  run.activations = recorder.activations();
  for (auto& [name, value] : recorder.take()) t.add_input(name, "", std::move(value), {}, Role::result);

  t.check_at_most("rows_sum_to_one", recorder.row_sum_error(), sum_limit<Real>);
  if (recorder.fully_masked_rows() > 0)
    t.facts["blocked_rows"] = static_cast<double>(recorder.fully_masked_rows());
  if (decodes) {
    t.check_at_most("probabilities", probability_error(log_probs), sum_limit<Real>);
    check_leak(t, model, src, tgt, memory, log_probs, pad);
  }
  check_counts(t, model, cost, src, tgt);
  run.page = quick_page(model, src, tgt, pad);
  if (run.page)
    t.check_at_most("page", difference_from_page(model, src, tgt, *run.page),
                    sizeof(Real) == 4 ? rounding_bound(model.spec, std::max(src.sequences.longest(),
                                                                            tgt.sequences.longest()))
                                      : 1e-11);
  return run;
}

template void require_run(const Transformer<float>&, const PageTokens&, const Keep&);
template void require_run(const Transformer<double>&, const PageTokens&, const Keep&);
template ModelRun run_model(const Transformer<float>&, const Batch&, const Batch&, std::uint32_t,
                            const Keep&);
template ModelRun run_model(const Transformer<double>&, const Batch&, const Batch&, std::uint32_t,
                            const Keep&);

namespace {

double loss_at(const Transformer<double>& model, const TrainingBatch& batch, const Smoothing& smoothing,
               double tokens) {
  ModelSaved<double> saved;
  arma::mat x = logits(model, batch.inputs(), {}, saved);
  return loss_and_gradient(x, batch.labels, smoothing, tokens).mean();
}

/// |d·r − slope along r| / max(1, |slope|), where r draws a number in ±1 for every parameter.
template <class Real>
double error_along_a_direction(const Transformer<Real>& model, const Transformer<Real>& gradient,
                               const TrainingBatch& batch, const Smoothing& smoothing, double tokens) {
  constexpr double h = 1e-5;
  Transformer<double> above(model.spec), below(model.spec);
  double along = 0;
  each_parameter(
      [&](const std::string& name, auto& a, auto& b, const auto& p, const auto& d) {
        RandomStream numbers(0, stream_number(name), 0);
        for (arma::uword i = 0; i < p.n_elem; ++i) {
          const double r = 2 * numbers.uniform(i) - 1;
          a[i] = static_cast<double>(p[i]) + h * r, b[i] = static_cast<double>(p[i]) - h * r;
          along += r * static_cast<double>(d[i]);
        }
      },
      "", above, below, model, gradient);
  const double slope =
      (loss_at(above, batch, smoothing, tokens) - loss_at(below, batch, smoothing, tokens)) / (2 * h);
  return std::abs(along - slope) / std::max(1.0, std::abs(slope));
}

} // namespace

template <class Real>
void record_loss(Trace& trace, const Transformer<Real>& model, const TrainingBatch& batch,
                 const Smoothing& smoothing, WithGradient with_gradient, const Keep& keep) {
  const auto tokens = static_cast<double>(count_tokens(batch.labels, smoothing.pad));
  Transformer<Real> gradient = zeros_like(model);
  const Loss loss = add_gradient<Real>({model, gradient}, batch, smoothing, tokens);
  trace.facts["loss"] = loss.mean();
  trace.facts["loss_tokens"] = tokens;
  trace.facts["smoothing"] = smoothing.epsilon;
  if (keep("loss")) // as the model's type holds it, like every other tensor
    trace.add_input("loss", "", Tensor({}, {static_cast<double>(static_cast<Real>(loss.mean()))}), {},
                    Role::result);
  if (with_gradient == WithGradient::no) return;
  each_parameter(
      [&](const std::string& name, const auto& d) {
        if (keep("d." + name))
          trace.add_input("d." + name, "∂loss/∂" + name,
                          Tensor(torch_shape(d), std::vector<double>(d.begin(), d.end())), {}, Role::result);
      },
      "", gradient);
  trace.facts["gradients"] = static_cast<double>(parameter_shapes(model).size());
  constexpr std::size_t max_parameters = 2'000'000;
  if (count_parameters(model) <= max_parameters)
    trace.check_at_most("gradient", error_along_a_direction(model, gradient, batch, smoothing, tokens),
                        sizeof(Real) == 4 ? 1e-4 : 1e-6);
}

template void record_loss(Trace&, const Transformer<float>&, const TrainingBatch&, const Smoothing&,
                          WithGradient, const Keep&);
template void record_loss(Trace&, const Transformer<double>&, const TrainingBatch&, const Smoothing&,
                          WithGradient, const Keep&);

} // namespace tfx
