// tfx terms: the field's words, all of them by lesson, or one with its meaning.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "course/terms.hpp"
#include "text/display_width.hpp"
#include "text/names.hpp"

namespace tfx {

namespace {

struct TermsOptions {
  std::vector<std::string> words; ///< of one term: label smoothing
  ShowOptions show;
};

/// A sentence that quotes {en} in English and {zh} in Chinese.
template <class Text>
Sentence said_in_both(std::string key, const Text& text) {
  return {std::move(key), {{"en", text(Language::en)}, {"zh", text(Language::zh)}}};
}

/// "key 键", in Chinese "键 key"; one name where both are the same.
std::string both_names(const Glossary& glossary, const FieldTerm& term) {
  const bool is_english = language() == Language::en;
  const std::string en = glossary.entry(term, Language::en).names.front(),
                    zh = glossary.entry(term, Language::zh).names.front();
  if (en == zh) return en;
  return is_english ? en + " " + zh : zh + " " + en;
}

/// A row a lesson with the terms that it teaches; the last one has those that only tutorials say.
ReportTable list_of(const Glossary& glossary) {
  ReportTable table;
  table.columns = table.shown = {"lesson", "names"};
  const auto add = [&](const Cell& title, const std::string& lesson) {
    Names names;
    for (const FieldTerm& term : terms())
      if (term.lesson == lesson) names.push_back(both_names(glossary, term));
    if (!names.empty()) table.rows.push_back({title, names});
  };
  for (const Lesson& lesson : lessons())
    add(pad_left(number_of(lesson), 2) + " " + lesson.command, lesson.command);
  add(Sentence{"tutorials"}, "");
  return table;
}

void add_whole(Report& report, const Glossary& glossary, const FieldTerm& term) {
  const auto names = [&](Language language) { return join(glossary.entry(term, language).names, " / "); };
  const auto place = [&](Language language) {
    return in_course(lesson_named(term.lesson)->number, common_words(language));
  };
  Heading heading{names(Language::en) == names(Language::zh) ? Cell(names(Language::en))
                                                             : said_in_both("names", names)};
  if (!term.lesson.empty()) {
    heading.aside = said_in_both("place", place);
    heading.aside->values["command"] = term.lesson;
  }
  report.add(heading);
  report.parts.emplace_back(
      said_in_both("meaning", [&](Language language) { return glossary.entry(term, language).meaning; }));
  for (std::size_t i = 0; i < term.elsewhere.size(); ++i)
    report.add(Row{i == 0 ? "tutorial" : "", term.elsewhere[i].tutorial + ": " + term.elsewhere[i].words});
}

ReportTable table_of(const Glossary& glossary, const std::vector<const FieldTerm*>& found) {
  ReportTable table{
      "terms", {"id", "en.names", "en.meaning", "zh.names", "zh.meaning", "lesson", "tutorials"}, {}};
  for (const FieldTerm* term : found) {
    const Glossary::Entry &en = glossary.entry(*term, Language::en),
                          &zh = glossary.entry(*term, Language::zh);
    const auto tutorials = std::make_shared<ReportTable>(ReportTable{"", {"tutorial", "words"}, {}});
    for (const TutorialWords& one : term->elsewhere) tutorials->rows.push_back({one.tutorial, one.words});
    table.rows.push_back(
        {term->id, en.names, en.meaning, zh.names, zh.meaning, term->lesson, Nested{tutorials}});
  }
  return table;
}

Report run(const TermsOptions& o, Context&) {
  const Glossary glossary;
  std::vector<const FieldTerm*> found;
  const std::string name = join(o.words, " ");
  Report report{frame_of_command("terms"), {}};
  if (o.words.empty()) {
    for (const FieldTerm& term : terms()) found.push_back(&term);
    report.add(list_of(glossary));
    report.say("hint");
  } else {
    found = glossary.find(name);
    if (found.empty())
      throw usage_error("no_term", {{"name", name}, {"near", suggestion(glossary.near(name))}});
    report.title = Title::none;
    report.frame.options = " " + shell_quoted(name);
    for (const FieldTerm* term : found) add_whole(report, glossary, *term);
  }
  report.add(table_of(glossary, found));
  return report;
}

} // namespace

Command terms_command() {
  using O = TermsOptions;
  return report_row<O, run>("terms", [](CLI::App& command, O& o, Context&) {
    add_argument(command, "WORD", o.words, in_words("terms.word"));
    add_options(command, page_options(), o.show);
  });
}

} // namespace tfx
