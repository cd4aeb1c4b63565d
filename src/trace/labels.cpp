#include "trace/labels.hpp"

namespace tfx {

std::vector<std::string> numbered(const std::string& letter, std::size_t n) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= n; ++i) names.push_back(letter + std::to_string(i));
  return names;
}

std::string row_label(const Trace& trace, const std::string& name, std::size_t i) {
  const Step* step = trace.find(name);
  if (!step || step->labels.size() < 2 || step->labels[step->labels.size() - 2].empty())
    return std::to_string(i);
  return step->labels[step->labels.size() - 2][i];
}

bool named_once(const Trace& trace, const std::string& name, std::size_t i) {
  const auto rows = trace[name].shape[trace[name].rank() - 2];
  const std::string label = row_label(trace, name, i);
  for (std::size_t other = 0; other < rows; ++other)
    if (other != i && row_label(trace, name, other) == label) return false;
  return true;
}

} // namespace tfx
