// What learners write instead of the practices cache and decode (lessons/practice.hpp). Their words are
// lessons 15's and 16's.

#include "judge/mistake.hpp"

#include <algorithm>

namespace tfx {

namespace {

bool is(const Trace& t, const Step& right, const std::string& lesson, const char* name) {
  return t.lesson == lesson && right.name == name;
}

template <class Cell>
Step with_cells(const Step& right, std::string formula, const Cell& cell) {
  Tensor value = right.value;
  for (std::size_t i = 0; i < value.size(); ++i) value.data[i] = cell(i);
  return valued_instead(right, std::move(formula), std::move(value));
}

// Every step writes where the first one did: nothing but the newest row is there.
std::optional<Step> not_advanced(const Trace& t, const Step& right) {
  if (!is(t, right, "cache", "written") && !is(t, right, "cache", "visible")) return {};
  const std::size_t n = right.value.shape[0];
  return with_cells(right, "[row = step]", [&](std::size_t i) { return i / n == i % n ? 1.0 : 0.0; });
}

// A row of one token by itself is at position 0.
std::optional<Step> position_zero(const Trace& t, const Step& right) {
  if (!is(t, right, "cache", "positions")) return {};
  return with_cells(right, "0", [](std::size_t) { return 0.0; });
}

// The query of the step before.
std::optional<Step> stale_query(const Trace& t, const Step& right) {
  if (!is(t, right, "cache", "asks")) return {};
  return with_cells(right, "max(step − 1, 0)",
                    [](std::size_t step) { return step == 0 ? 0.0 : static_cast<double>(step - 1); });
}

// Room for all rows from the start, zeros where none is written yet, and no mask over it.
std::optional<Step> empty_rows(const Trace& t, const Step& right) {
  if (!is(t, right, "cache", "visible")) return {};
  return with_cells(right, "1", [](std::size_t) { return 1.0; });
}

std::optional<Step> no_length_penalty(const Trace& t, const Step& right) {
  if (!is(t, right, "decode", "penalty")) return {};
  return with_cells(right, "1", [](std::size_t) { return 1.0; });
}

// A sum of logarithms is negative: a factor makes long targets worse.
std::optional<Step> penalty_multiplied(const Trace& t, const Step& right) {
  if (!is(t, right, "decode", "score")) return {};
  return computed_instead(t, right, "sum·penalty", op::multiply("sum", "penalty"));
}

std::optional<Step> after_end(const Trace& t, const Step& right) {
  if (!is(t, right, "decode", "counted")) return {};
  return with_cells(right, "1", [](std::size_t) { return 1.0; });
}

} // namespace

std::vector<Mistake> beam_mistakes() {
  const std::string folder = "lessons/15_decode";
  return {{"beam.no_length_penalty", folder, no_length_penalty},
          {"beam.penalty_multiplied", folder, penalty_multiplied},
          {"beam.after_end", folder, after_end}};
}

std::vector<Mistake> cache_mistakes() {
  const std::string folder = "lessons/16_cache";
  return {{"cache.not_advanced", folder, not_advanced},
          {"cache.position_zero", folder, position_zero},
          {"cache.stale_query", folder, stale_query},
          {"cache.empty_rows", folder, empty_rows}};
}

} // namespace tfx
