#pragma once
// "Did you mean …?" for commands, options and tensor names.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

/// The candidate nearest to a mistyped name: at most two edits away (a character inserted, deleted, replaced,
/// or swapped with its neighbour; upper and lower case are the same) and fewer edits than half of the name's
/// characters. The first one of equally near candidates; none where no candidate is near enough.
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates);

} // namespace tfx
