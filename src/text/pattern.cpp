#include "text/pattern.hpp"

namespace tfx {

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

} // namespace tfx
