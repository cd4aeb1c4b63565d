// What learners write instead of decoding with kept keys and values.

#include "trace/mistake.hpp"

namespace tfx {

std::vector<Mistake> cache_mistakes() {
  return in_own_lesson(
      {{"cache.not_advanced",
        {{"written", "[i = k]", "[row = step]"}, {"visible", "[j = k]", "[row = step]"}}},
       {"cache.position_zero", {{"positions", "0"}}},
       {"cache.no_positions", {{"inputs", "X"}}},
       {"cache.stale_query", {{"asks", "max(i − 1, 0)", "max(step − 1, 0)"}}},
       {"cache.empty_rows", {{"visible", "1"}}},
       {"cache.position_ahead", {{"positions", "j + 1", "step + 1"}}},
       {"cache.values_not_kept", {{"kept_values", "where([k = i], x, 0)", "[row = step]⊙values"}}},
       {"cache.future_kept", {{"written, visible", "1"}}}});
}

} // namespace tfx
