#pragma once
// Names as a learner reads and types them: several joined to one text, a pattern that means some of them (of
// activations, of tensors in files), and "did you mean …?" for a command, an option or a tensor that is
// mistyped.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

/// "a, b, c" with ", " as `between`.
inline std::string join(const std::vector<std::string>& parts, const std::string& between = ", ") {
  std::string all;
  for (std::size_t i = 0; i < parts.size(); ++i) all += (i > 0 ? between : "") + parts[i];
  return all;
}

/// What a row of a decoder stands for, which reads a token and writes the next: "击→红".
inline std::string read_and_written(const std::string& read, const std::string& written) {
  return read + "→" + written;
}

/// The text as a shell takes it back: in quotes where it needs them.
std::string shell_quoted(const std::string& text);

/// What stands between line feeds; an empty text is one empty line.
std::vector<std::string> split_lines(std::string_view text);

/// Whether a name is meant: its whole, a leading or a closing part of it ("encoder.layers.0", "weights"), or
/// a pattern with *.
bool matches(const std::string& pattern, const std::string& name);

/// The candidate nearest to a mistyped name: at most two edits away (a character inserted, deleted, replaced,
/// or swapped with its neighbour; upper and lower case are the same) and fewer edits than half of the name's
/// characters. The first one of equally near candidates; none where no candidate is near enough.
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates);

} // namespace tfx
