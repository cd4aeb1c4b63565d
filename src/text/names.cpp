#include "text/names.hpp"

#include "text/utf8.hpp"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <cctype>
#include <cstring>

namespace tfx {

namespace {

/// $'…' with \xHH, which bash and zsh read back: a command with a control character in it can be shown, and
/// pasted.
std::string quoted_with_codes(const std::string& text) {
  std::string result = "$'";
  for (const unsigned char c : text) {
    if (c == '\'' || c == '\\')
      result += std::string("\\") + static_cast<char>(c);
    else if (c >= ' ' && c < 0x7F)
      result += static_cast<char>(c);
    else
      result += fmt::format("\\x{:02x}", c);
  }
  return result + "'";
}

} // namespace

std::string shell_quoted(const std::string& text) {
  if (escape_controls(text) != text) return quoted_with_codes(text);
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) || c >= 0x80 || std::strchr("_-+=./,:@", c);
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string result = "'";
  for (char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  return lines;
}

bool matches(const std::string& pattern, const std::string& name) {
  if (pattern.find('*') == std::string::npos)
    return name == pattern || name.starts_with(pattern + ".") || name.ends_with("." + pattern);
  std::size_t at = 0;
  const std::size_t first = pattern.find('*'), last = pattern.rfind('*');
  const std::string closing = pattern.substr(last + 1);
  if (!name.starts_with(pattern.substr(0, first)) || !name.ends_with(closing)) return false;
  if (name.size() < first + closing.size()) return false;
  at = first;
  const std::size_t end = name.size() - closing.size();
  for (std::size_t star = first; star != last;) {
    const std::size_t next = pattern.find('*', star + 1);
    const std::string part = pattern.substr(star + 1, next - star - 1);
    const std::size_t found = name.find(part, at);
    if (found == std::string::npos || found + part.size() > end) return false;
    at = found + part.size(), star = next;
  }
  return true;
}

namespace {

constexpr std::size_t max_edits = 2;

std::u32string folded(std::string_view text) {
  std::u32string characters;
  for (std::size_t position = 0; position < text.size();) {
    const CodePoint next = decode(text, position);
    characters += static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(next.value)));
    position += next.length;
  }
  return characters;
}

// Damerau-Levenshtein distance in its optimal string alignment form: row i holds the edits from the first i
// characters of a to each prefix of b; a swap looks two rows back.
std::size_t edit_distance(std::u32string_view a, std::u32string_view b) {
  std::vector<std::size_t> two_back(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_back.swap(previous);
    previous.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], two_back[j - 2] + 1);
    }
  }
  return row[b.size()];
}

} // namespace

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates) {
  const std::u32string wanted = folded(name);
  std::optional<std::string> best;
  std::size_t fewest = max_edits + 1;
  for (const std::string& candidate : candidates) {
    const std::u32string other = folded(candidate);
    // The lengths alone rule most candidates out, and keep a hostile name of a megabyte cheap.
    if (std::max(wanted.size(), other.size()) - std::min(wanted.size(), other.size()) > max_edits) continue;
    const std::size_t edits = edit_distance(wanted, other);
    if (edits < fewest && 2 * edits < wanted.size()) {
      fewest = edits;
      best = candidate;
    }
  }
  return best;
}

} // namespace tfx
