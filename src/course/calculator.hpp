#pragma once
// Arithmetic as a learner types it for an answer: 10/sqrt(3), e^0.2/(e^0.2 + 1), 2×3 − √2. Any bytes may
// come: nothing here throws.

#include <optional>
#include <string_view>

namespace tfx {

/// Numbers, + − · × * / ^ **, brackets, sqrt √ exp ln log abs, e and π; in lower case, ASCII forms of
/// full-width characters and without white space (course/answer_parser.hpp). Nothing where it is no such
/// arithmetic, where its value is no finite number, or where brackets are nested deeper than a learner types.
std::optional<double> calculated(std::string_view text);

} // namespace tfx
