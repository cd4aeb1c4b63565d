// What learners write instead of decoding with kept keys and values.

#include "trace/mistake.hpp"

namespace tfx {

namespace {

bool is(const Trace& t, const Step& right, const char* name) {
  return t.lesson == "cache" && right.name == name;
}

// Every step writes where the first one did: nothing but the newest row is there.
std::optional<Step> not_advanced(const Trace& t, const Step& right) {
  if (!is(t, right, "written") && !is(t, right, "visible")) return {};
  const std::size_t n = right.value.shape[0];
  return cells_instead(right, "[row = step]", [&](std::size_t i) { return i / n == i % n ? 1.0 : 0.0; });
}

// A row of one token by itself is at position 0.
std::optional<Step> position_zero(const Trace& t, const Step& right) {
  if (!is(t, right, "positions")) return {};
  return cells_instead(right, "0", [](std::size_t) { return 0.0; });
}

// The step that reads one token knows of no positions: they were added where a whole text is read.
std::optional<Step> no_positions(const Trace& t, const Step& right) {
  if (!is(t, right, "inputs")) return {};
  return computed_instead(t, right, "X", op::multiply_by("X").with(1, "1"));
}

// The query of the step before.
std::optional<Step> stale_query(const Trace& t, const Step& right) {
  if (!is(t, right, "asks")) return {};
  return cells_instead(right, "max(step − 1, 0)",
                       [](std::size_t step) { return step == 0 ? 0.0 : static_cast<double>(step - 1); });
}

// Room for all rows from the start, zeros where none is written yet, and no mask over it.
std::optional<Step> empty_rows(const Trace& t, const Step& right) {
  if (!is(t, right, "visible")) return {};
  return cells_instead(right, "1", [](std::size_t) { return 1.0; });
}

// len(cache) after the new row was written: every token stands one place too far.
std::optional<Step> position_ahead(const Trace& t, const Step& right) {
  if (!is(t, right, "positions")) return {};
  return cells_instead(right, "step + 1", [](std::size_t step) { return static_cast<double>(step + 1); });
}

// The keys are kept, of the values only the newest.
std::optional<Step> values_not_kept(const Trace& t, const Step& right) {
  if (!is(t, right, "kept_values")) return {};
  const std::size_t n = right.value.shape[0], width = right.value.shape[2];
  return cells_instead(right, "[row = step]⊙values", [&](std::size_t i) {
    return i / (n * width) == i / width % n ? right.value.data[i] : 0.0;
  });
}

// The whole text is read before the first step asks: what training may not do either.
std::optional<Step> future_kept(const Trace& t, const Step& right) {
  if (!is(t, right, "written") && !is(t, right, "visible")) return {};
  return cells_instead(right, "1", [](std::size_t) { return 1.0; });
}

} // namespace

std::vector<Mistake> cache_mistakes() {
  return {{"cache.not_advanced", not_advanced},       {"cache.position_zero", position_zero},
          {"cache.no_positions", no_positions},       {"cache.stale_query", stale_query},
          {"cache.empty_rows", empty_rows},           {"cache.position_ahead", position_ahead},
          {"cache.values_not_kept", values_not_kept}, {"cache.future_kept", future_kept}};
}

} // namespace tfx
