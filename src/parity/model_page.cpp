#include "parity/model_page.hpp"

#include "core/error.hpp"
#include "model/counts.hpp"
#include "parity/model_run.hpp"
#include "parity/rounding.hpp"
#include "trace/checks.hpp"

#include <algorithm>
#include <limits>

namespace tfx {

namespace {

constexpr std::size_t max_parameters = 2'000'000;

} // namespace

std::string name_on_page(const std::string& name, const Trace& page) {
  const std::size_t sublayer = name.find(".sublayer."), part = name.rfind('.');
  if (page.has(name) || sublayer == std::string::npos) return name;
  const std::string place = name.substr(0, part), normed = place + ".norm";
  if (page.has(place + ".sum") && page.has(normed))
    return normed; // norm last: a sublayer's output is its norm
  return name.starts_with("encoder") ? "memory" : "decoder.output"; // no norm follows the last layer
}

template <class Real>
bool has_quick_page(const Transformer<Real>& model) {
  return count_parameters(model) <= max_parameters;
}

template <class Real>
std::optional<Trace> quick_page(const Transformer<Real>& model, const Batch& src, const Batch& tgt,
                                std::uint32_t pad) {
  const auto fits = [](const Batch& batch) { return batch.ids.empty() || batch.sequences.common_length(); };
  if (!has_quick_page(model) || !fits(src) || !fits(tgt)) return std::nullopt;
  return run_model_page(page_of(model, src, tgt, pad));
}

template <class Real>
double difference_from_page(const Transformer<Real>& model, const Batch& src, const Batch& tgt,
                            const Trace& page) {
  ActivationRecorder<Real> recorder([](const std::string&) { return true; });
  forward(model, {src, tgt}, ForwardContext<Real>{&recorder});
  double largest = 0;
  for (const auto& [name, value] : recorder.take()) {
    const Step* step = page.find(name_on_page(name, page));
    if (!step) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, sizeof(Real) == 4 ? difference_to_largest(value, step->value)
                                                  : relative_difference(value, step->value));
  }
  return largest;
}

template bool has_quick_page(const Transformer<float>&);
template bool has_quick_page(const Transformer<double>&);
template std::optional<Trace> quick_page(const Transformer<float>&, const Batch&, const Batch&,
                                         std::uint32_t);
template std::optional<Trace> quick_page(const Transformer<double>&, const Batch&, const Batch&,
                                         std::uint32_t);
template double difference_from_page(const Transformer<float>&, const Batch&, const Batch&, const Trace&);
template double difference_from_page(const Transformer<double>&, const Batch&, const Batch&, const Trace&);

} // namespace tfx
