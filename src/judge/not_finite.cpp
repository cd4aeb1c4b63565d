#include "judge/not_finite.hpp"

#include "text/join.hpp"
#include "trace/checks.hpp"
#include "trace/labels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace tfx {

namespace {

bool is_softmax(const Step& step) {
  return step.operation.is(op::softmax) || step.operation.is(op::log_softmax);
}

bool takes_root(const Step& step) {
  return step.operation.is(op::sqrt) || step.operation.is(op::adam_direction) ||
         step.operation.is(op::row_std);
}

std::string index_text(const Index& index) {
  std::string text;
  for (const std::size_t i : index) text += (text.empty() ? "[" : ", ") + std::to_string(i);
  return text.empty() ? text : text + "]";
}

std::string cause_of(const Trace& right, const Step& step, const std::set<std::string>& kinds) {
  const std::set<std::string> way = way_to({step.name}, right);
  const auto any = [&](const auto& holds) {
    return std::ranges::any_of(right.steps,
                               [&](const Step& one) { return way.contains(one.name) && holds(one); });
  };
  const auto read_by_softmax = [&](const auto& holds) {
    return any([&](const Step& one) { return is_softmax(one) && holds(right[one.operation.inputs[0]]); });
  };
  constexpr double largest_power = 709.78; // e to more than this is no double
  const bool has_nan = kinds.contains("NaN");
  if (read_by_softmax([&](const Tensor& scores) { return largest_of(scores) > largest_power; }))
    return "overflow";
  if (!has_nan && kinds.contains("−∞") &&
      any([](const Step& one) { return one.operation.is(op::log_softmax); }))
    return "log";
  if (has_nan && read_by_softmax([](const Tensor& scores) { return !fully_masked_rows(scores).empty(); }))
    return "empty_row";
  if (has_nan && any(takes_root)) return "root";
  return "other";
}

} // namespace

std::optional<Observation> not_finite(const Trace& right, const Step& step, const Tensor& yours) {
  const auto own = fitted(yours, step.value.shape);
  const auto is_finite = [](double x) { return std::isfinite(x); };
  if (!own && !std::ranges::all_of(step.value.data, is_finite)) return {};
  std::set<std::string> kinds;
  std::size_t count = 0, first = 0;
  for (std::size_t i = 0; i < yours.size(); ++i) {
    const double x = yours.data[i];
    if (std::isfinite(x) || (own && !std::isfinite(step.value.data[i]))) continue;
    kinds.insert(std::isnan(x) ? "NaN" : x > 0 ? "∞" : "−∞");
    if (count++ == 0) first = i;
  }
  if (count == 0) return {};
  const std::string cell = own ? cell_name(step, index_of(step.value.shape, first))
                               : step.name + index_text(index_of(yours.shape, first));
  return Observation{"not_finite",
                     {{"count", static_cast<double>(count)},
                      {"cell", cell},
                      {"kind", join({kinds.begin(), kinds.end()})},
                      {"how", cause_of(right, step, kinds)}}};
}

} // namespace tfx
