#include "cli/lesson/save_html.hpp"

#include "cli/version.hpp"
#include "core/resource.hpp"
#include "lessons/run.hpp"
#include "render/html/lesson_section.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

namespace {

Words words_for(const std::string& folder, Language language, const char* of_document) {
  Words words = folder.empty() ? common_words(language) : words_in(folder, language);
  words.add(Words::parse(resource(of_document)));
  return words;
}

} // namespace

BothWords both_words(const std::string& folder) {
  return {words_for(folder, Language::en, "src/render/html/en.md"),
          words_for(folder, Language::zh, "src/render/html/zh.md")};
}

std::string document_of(const Both& title, const Html& sections) {
  const HtmlDocument document{title, sections, language() == Language::zh ? "zh" : "en",
                              std::string("tfx ") + version};
  return html_document(document, both_words());
}

std::string html_of_run(const Trace& trace, const Screen& screen, const Context& context) {
  const std::string& folder = find_lesson(screen.command).folder;
  const std::string name = "tfx " + screen.typed + " · ";
  const Both title{name + title_in(folder, Language::en), name + title_in(folder, Language::zh)};
  const Html heading = element("h1", {{"class", "unseen"}}, in_both(title));
  return document_of(title, heading + lesson_section(trace, screen, both_words(folder), context.style()));
}

} // namespace tfx
