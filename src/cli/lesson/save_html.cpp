#include "cli/lesson/save_html.hpp"

#include "cli/lesson/both_words.hpp"
#include "cli/version.hpp"
#include "lessons/run.hpp"
#include "render/html/lesson_section.hpp"
#include "words/lesson_words.hpp"

#include <algorithm>

namespace tfx {

std::string document_of(const Both& title, const Html& sections) {
  const HtmlDocument document{title, sections, language() == Language::zh ? "zh" : "en",
                              std::string("tfx ") + version};
  return html_document(document, both_words());
}

std::string html_of_run(const Trace& trace, const Screen& screen, const Context& context) {
  const std::string& folder = find_lesson(screen.command).folder;
  const std::string name = "tfx " + screen.command + " · ";
  const Both title{name + title_in(folder, Language::en), name + title_in(folder, Language::zh)};
  const Html heading = element("h1", {{"class", "unseen"}}, in_both(title));
  return document_of(title, heading + lesson_section(trace, screen, both_words(folder), context.style()));
}

} // namespace tfx
