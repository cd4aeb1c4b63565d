#include "cli/course/course_screen.hpp"

#include "render/paper.hpp"
#include "text/display_width.hpp"

#include <utility>

namespace tfx {

CourseScreen::CourseScreen(const Style& style, Words words) : style_(style), words_(std::move(words)) {}

std::string CourseScreen::word(const std::string& key,
                               const std::map<std::string, std::string>& values) const {
  const auto filled =
      fill_in(*words_.find(key), [&](const std::string& name) { return std::optional(values.at(name)); });
  return style_.symbols(*filled);
}

void CourseScreen::paragraph(const std::string& text) {
  for (const std::string& line : wrap(style_.symbols(text), style_.width)) out_ += line + "\n";
}

void CourseScreen::row(const std::string& name, const std::string& text) {
  std::string before = style_.bold(pad_right(name, Paper::margin));
  for (const std::string& line : wrap(style_.symbols(text), style_.width - Paper::margin)) {
    out_ += before + line + "\n";
    before = std::string(Paper::margin, ' ');
  }
}

void CourseScreen::heading(const std::string& left, const std::string& right) {
  const std::size_t used = display_width(left) + display_width(right);
  if (used < style_.width) {
    out_ += style_.bold(left) + std::string(style_.width - used, ' ') + style_.dim(right) + "\n";
    return;
  }
  for (const std::string& line : wrap(left, style_.width)) out_ += style_.bold(line) + "\n";
  paragraph(right);
}

} // namespace tfx
