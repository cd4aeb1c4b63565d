#pragma once
// The engine's model on the page: the same weights and tokens in plain double, for `tfx explain model` and
// for the proof that both compute the same.

#include "lessons/model/page.hpp"
#include "model/transformer.hpp"

#include <optional>

namespace tfx {

/// Whether the page computes the model while a learner waits: two million parameters at most.
template <class Real>
bool has_quick_page(const Transformer<Real>& model);

/// The page's run of the model; nothing of one that has no quick page, or of sequences of different length.
template <class Real>
std::optional<Trace> quick_page(const Transformer<Real>& model, const Batch& src, const Batch& tgt,
                                std::uint32_t pad);

/// The largest difference between an activation of the engine and that of the same name on `page`, its page:
/// in double |a − b| / max(1, |b|), in float relative to the activation's largest cell (parity/rounding.hpp).
template <class Real>
double difference_from_page(const Transformer<Real>& model, const Batch& src, const Batch& tgt,
                            const Trace& page);

/// The same of its quick page; nothing where there is none.
template <class Real>
std::optional<double> difference_from_page(const Transformer<Real>& model, const Batch& src, const Batch& tgt,
                                           std::uint32_t pad) {
  const std::optional<Trace> page = quick_page(model, src, tgt, pad);
  if (!page) return std::nullopt;
  return difference_from_page(model, src, tgt, *page);
}

/// What the page calls the engine's activation of that name.
std::string name_on_page(const std::string& name, const Trace& page);

} // namespace tfx
