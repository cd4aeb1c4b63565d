// tfx report FILE.html: the whole course on the learner's own input, as one HTML document.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/save.hpp"
#include "cli/options.hpp"
#include "cli/report/sections.hpp"
#include "core/number.hpp"
#include "io/file.hpp"
#include "lessons/catalogue.hpp"
#include "lessons/learned.hpp"
#include "text/utf8.hpp"
#include "words/in_words.hpp"

#include <filesystem>

namespace tfx {

namespace {

constexpr std::size_t usual_steps = 120, max_steps = 10'000;

using Sections = std::map<std::string, Html>;

/// The course in order; what has no section here lives in the terminal.
Html contents(const Sections& sections) {
  Html items;
  for (const Lesson& lesson : lessons()) {
    const Html title =
        in_both({title_in(lesson.folder, Language::en), title_in(lesson.folder, Language::zh)});
    const Html name = sections.count(lesson.command) ? element("a", {{"href", "#" + lesson.command}}, title)
                                                     : element("span", title);
    items += element("li", element("code", number_of(lesson) + " " + lesson.command) + element("span", name));
  }
  return element("ul", {{"class", "contents"}}, items);
}

Html opening(const ReportOptions& options, const Sections& sections, const Bilingual& words) {
  const std::string given = typed_again(input_options(), options.input);
  Html text = element("h1", words.ui("report.title"));
  if (given.empty())
    text += element("p", words.ui("report.usual"));
  else
    text += element("p", words.ui("report.own") + Html::text(" ") + element("code", given.substr(1)));
  return element("section", {{"id", "contents"}},
                 text + element("nav", element("h2", words.ui("report.contents")) + contents(sections)));
}

/// Words that the translator knows, and nothing beside them: then its numbers say something about them.
bool reads_as_translator(const InputOptions& input) {
  InputOptions text;
  text.text = input.text;
  return input.text && typed_again(input_options(), input) == typed_again(input_options(), text) &&
         knows_words(*input.text);
}

void run(const ReportOptions& asked, Context& context) {
  ReportOptions options = asked;
  const std::string kind = std::filesystem::path(options.file).extension().string();
  if (kind != ".html" && kind != ".htm") throw usage_error("report_file", {{"file", options.file}});
  const Style style = context.style();
  if (reads_as_translator(options.input)) options.input.model = translator;
  Sections sections = lesson_sections(options, context);
  for (auto& [lesson, section] : model_sections(options, context)) sections[lesson] += section;
  if (const std::size_t steps = options.steps.value_or(usual_steps); steps > 0)
    sections["train"] += training_section(steps, style);
  const Trace nothing;
  const Bilingual words(nothing, both_words(), style);
  Html body = opening(options, sections, words);
  for (const Lesson& lesson : lessons()) {
    const auto section = sections.find(lesson.command);
    if (section != sections.end()) body += section->second;
  }
  const Both title{words.en().ui("report.title"), words.zh().ui("report.title")};
  const std::string document = document_of(title, body);
  write_file_atomically(options.file, document);
  context.out = in_words("report.written", {{"file", escape_controls(options.file)},
                                            {"lessons", std::to_string(sections.size())},
                                            {"size", format_bytes(static_cast<double>(document.size()))}}) +
                "\n";
}

} // namespace

Command report_command() {
  using O = ReportOptions;
  return command_row<O>("report", run, [](CLI::App& command, O& o, Context&) {
    add_file_argument(command, "FILE", o.file, in_words("report.file"));
    add_options(command, input_options(), o.input);
    add_options<O>(
        command,
        {{"--steps", &O::steps, value::count(0, max_steps), usual_steps}, {"--no-time", &O::no_time}}, o);
  });
}

} // namespace tfx
