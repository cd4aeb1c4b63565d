// tfx terms: the field's words, all of them by lesson, or one with its meaning.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/course/course_screen.hpp"
#include "course/terms.hpp"
#include "render/json.hpp"
#include "render/paper.hpp"
#include "text/display_width.hpp"
#include "text/names.hpp"

#include <algorithm>

namespace tfx {

namespace {

struct TermsOptions {
  std::vector<std::string> words; ///< of one term: label smoothing
  bool json = false;
};

class TermsScreen : CourseScreen {
public:
  explicit TermsScreen(const Style& style) : CourseScreen(style) {}

  /// A line or two a lesson: " 4 softmax    softmax · weight 权重 · …".
  std::string list() {
    heading("tfx terms", word("terms.title"));
    out_ += "\n";
    for (const Lesson& lesson : lessons()) row(number_of(lesson), lesson.command, names_of(lesson.command));
    row("", word("terms.tutorials"), names_of(""));
    out_ += "\n";
    paragraph(word("terms.hint"));
    return std::move(out_);
  }

  std::string whole(const std::vector<const FieldTerm*>& found) {
    for (const FieldTerm* term : found) {
      if (!out_.empty()) out_ += "\n";
      one(*term);
    }
    return std::move(out_);
  }

private:
  static constexpr std::size_t least_width = 64; // from here on a name is not broken

  /// "key 键", in Chinese "键 key"; one name where both are the same.
  std::string both_names(const FieldTerm& term) const {
    const std::string own = glossary_.entry(term, language()).names.front(),
                      other = glossary_.entry(term, other_language()).names.front();
    return style_.symbols(own == other ? own : own + " " + other);
  }

  static Language other_language() { return language() == Language::en ? Language::zh : Language::en; }

  /// Of the terms that the lesson teaches; of no lesson those that only tutorials say.
  std::vector<std::string> names_of(const std::string& lesson) const {
    std::vector<std::string> names;
    for (const FieldTerm& term : terms())
      if (term.lesson == lesson) names.push_back(both_names(term));
    return names;
  }

  void row(const std::string& number, const std::string& title, const std::vector<std::string>& names) {
    if (names.empty()) return;
    constexpr std::size_t indent = 14;
    std::string line = pad_left(number, 2) + " " + style_.bold(pad_right(title, indent - 3));
    std::size_t used = indent;
    const std::string between = style_.ascii ? ", " : " · ";
    if (style_.width < least_width) {
      for (const std::string& part : wrap(join(names, between), style_.width - indent)) {
        out_ += line + part + "\n";
        line = std::string(indent, ' ');
      }
      return;
    }
    bool is_first = true;
    for (const std::string& name : names) {
      const std::size_t width = display_width(name) + (is_first ? 0 : display_width(between));
      if (!is_first && used + width > style_.width) {
        out_ += line + "\n";
        line = std::string(indent, ' ') + name, used = indent + display_width(name);
      } else {
        line += (is_first ? "" : between) + name, used += width;
      }
      is_first = false;
    }
    out_ += line + "\n";
  }

  void one(const FieldTerm& term) {
    const Glossary::Entry &own = glossary_.entry(term, language()),
                          &other = glossary_.entry(term, other_language());
    std::string names = join(own.names, " / ");
    if (own.names != other.names) names += "  " + join(other.names, " / ");
    const Lesson* lesson = lesson_named(term.lesson);
    heading(style_.symbols(names),
            lesson ? word("terms.lesson", {{"lesson", in_course(lesson->number, common_words())},
                                           {"command", lesson->command}})
                   : "");
    paragraph(own.meaning);
    std::vector<std::string> elsewhere;
    for (const TutorialWords& one : term.elsewhere) elsewhere.push_back(one.tutorial + ": " + one.words);
    std::string before = pad_right(word("terms.tutorials"), Paper::margin + 2);
    for (const std::string& one : elsewhere)
      for (const std::string& line : wrap(one, style_.width - Paper::margin - 2)) {
        out_ += style_.bold(before) + line + "\n";
        before = std::string(Paper::margin + 2, ' ');
      }
  }

  const Glossary glossary_;
};

std::string terms_json(const std::vector<const FieldTerm*>& found) {
  const Glossary glossary;
  JsonWriter json;
  begin_command(json, "terms");
  json.key("terms");
  json.begin_array();
  for (const FieldTerm* term : found) {
    json.begin_object();
    json.key("id"), json.value(term->id);
    for (const auto& [key, language] : {std::pair{"en", Language::en}, std::pair{"zh", Language::zh}}) {
      json.key(key);
      json.begin_object();
      json.key("names"), json.value(glossary.entry(*term, language).names);
      json.key("meaning"), json.value(glossary.entry(*term, language).meaning);
      json.end_object();
    }
    json.key("lesson"), json.value(term->lesson);
    json.key("tutorials");
    json.begin_array();
    for (const TutorialWords& one : term->elsewhere) {
      json.begin_object();
      json.key("tutorial"), json.value(one.tutorial);
      json.key("words"), json.value(one.words);
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

void run(const TermsOptions& options, Context& context) {
  std::vector<const FieldTerm*> found;
  const std::string name = join(options.words, " ");
  if (!options.words.empty()) {
    const Glossary glossary;
    found = glossary.find(name);
    if (found.empty())
      throw usage_error("no_term", {{"name", name}, {"near", suggestion(glossary.near(name))}});
  } else {
    for (const FieldTerm& term : terms()) found.push_back(&term);
  }
  const Style style = context.style();
  if (options.json)
    context.out = terms_json(found) + "\n";
  else
    context.out = options.words.empty() ? TermsScreen(style).list() : TermsScreen(style).whole(found);
}

} // namespace

Command terms_command() {
  using O = TermsOptions;
  return command_row<O>("terms", run, [](CLI::App& command, O& o, Context&) {
    add_argument(command, "WORD", o.words, in_words("terms.word"));
    add_options<O>(command, {{"--json", &O::json}}, o);
  });
}

} // namespace tfx
