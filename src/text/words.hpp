#pragma once
// The words of a lesson: "## key" sections of a Markdown file, one paragraph each, with {placeholders}.

#include "core/error.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tfx {

class Words {
public:
  /// Sections of `markdown`; text before the first "## " is a comment.
  static Words parse(std::string_view markdown);

  /// Sections of `other` that this one lacks, of those whose keys begin with `prefix`.
  void add(const Words& other, std::string_view prefix = {});

  const std::string* find(const std::string& key) const;
  const std::map<std::string, std::string>& sections() const { return sections_; }

private:
  std::map<std::string, std::string> sections_;
};

/// One section alone, without reading the others.
std::optional<std::string> section_of(std::string_view markdown, const std::string& key);

} // namespace tfx
