#include "text/words.hpp"

namespace tfx {

namespace {

std::string trimmed(std::string text) {
  const auto first = text.find_first_not_of("\n ");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of("\n ") - first + 1);
}

} // namespace

Words Words::parse(std::string_view markdown) {
  Words words;
  std::string key, body;
  const auto store = [&] {
    if (!key.empty()) words.sections_[key] = trimmed(body);
    body.clear();
  };
  for (std::size_t start = 0; start < markdown.size();) {
    const std::size_t end = std::min(markdown.find('\n', start), markdown.size());
    const std::string_view line = markdown.substr(start, end - start);
    if (line.starts_with("## ")) {
      store();
      key = line.substr(3);
    } else {
      body += line;
      body += '\n';
    }
    start = end + 1;
  }
  store();
  return words;
}

void Words::add(const Words& other, std::string_view prefix) {
  for (const auto& [key, text] : other.sections_)
    if (key.starts_with(prefix)) sections_.emplace(key, text);
}

const std::string* Words::find(const std::string& key) const {
  const auto found = sections_.find(key);
  return found == sections_.end() ? nullptr : &found->second;
}

std::optional<std::string> section_of(std::string_view markdown, const std::string& key) {
  const std::string heading = "\n## " + key + "\n";
  const std::size_t found = markdown.find(heading);
  if (found == std::string_view::npos) return std::nullopt;
  const std::size_t start = found + heading.size();
  return trimmed(std::string(markdown.substr(start, markdown.find("\n## ", start) - start)));
}

} // namespace tfx
