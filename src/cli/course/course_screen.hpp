#pragma once
// What leads through the course being written, in its words or a command's own.

#include "render/style.hpp"
#include "words/in_words.hpp"

#include <map>
#include <string>

namespace tfx {

class CourseScreen {
protected:
  explicit CourseScreen(const Style& style, Words words = course_words());

  /// The words of that key.
  std::string word(const std::string& key, const std::map<std::string, std::string>& values = {}) const;

  void paragraph(const std::string& text);

  /// "begin    tfx next": a named row as other screens have them (render/paper.hpp).
  void row(const std::string& name, const std::string& text);

  /// The left in bold, the right at the end of the line, or below it on a narrow screen.
  void heading(const std::string& left, const std::string& right);

  const Style style_;
  const Words words_;
  std::string out_;
};

} // namespace tfx
