// tfx code LESSON: the stage in NumPy and PyTorch, and the page's own formula.

#include "cli/add_option.hpp"
#include "cli/code/listing.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/text_lines.hpp"
#include "core/resource.hpp"

namespace tfx {

namespace {

struct CodeFile {
  std::string in; ///< as --in names it
  const char* name;
  CodeLanguage language;
};

const std::vector<CodeFile>& code_files() {
  static const std::vector<CodeFile> files{{"numpy", "/numpy.py", CodeLanguage::python},
                                           {"torch", "/torch.py", CodeLanguage::python},
                                           {"c++", "/formula.cpp", CodeLanguage::cpp}};
  return files;
}

struct CodeOptions {
  std::string lesson;
  std::optional<std::string> in;
  ShowOptions show;
};

const std::vector<Option<CodeOptions>>& code_options() {
  static const std::vector<Option<CodeOptions>> table{
      {"--in", &CodeOptions::in, value::one_of({"numpy", "torch", "c++"})}};
  return table;
}

/// The program with its comments in that language, its lines at most so long.
std::string listing_of(const Lesson& lesson, const CodeFile& file, Language language, std::size_t columns) {
  const Words comments =
      language == Language::zh ? Words::parse(resource(lesson.folder + "/code.zh.md")) : Words();
  return code_listing(resource(lesson.folder + file.name), file.language, columns, comments);
}

Drawing drawing_of(const Lesson& lesson, const CodeFile& file) {
  return {[&lesson, file](const Style& style, Language language) {
    const std::string listing = listing_of(lesson, file, language, style.width);
    const auto lines = lines_of(listing);
    return std::vector<std::string>(lines.begin(), lines.end());
  }};
}

Report run_code(const CodeOptions& options, Context&) {
  const Lesson& lesson = lesson_for("code", options.lesson);
  Report report{frame_of_command("code"), {}};
  report.title = Title::none; // one program alone is kept in a file
  report.frame.options = " " + lesson.command + (options.in ? " --in " + *options.in : "");
  name_lesson(report.frame, report.trace, lesson);
  report.add(Member{"lesson", lesson.command});
  constexpr std::size_t whole_lines = 10'000;
  ReportTable programs{"programs", {"in", "path", "text"}, {}};
  for (const CodeFile& file : code_files()) {
    if (options.in && *options.in != file.in) continue;
    const std::string path = lesson.folder + file.name;
    if (!options.in) report.add(Subheading{path});
    report.add(drawing_of(lesson, file));
    programs.rows.push_back({file.in, path, listing_of(lesson, file, language(), whole_lines)});
  }
  report.add(std::move(programs));
  return report;
}

} // namespace

Command code_command() {
  using O = CodeOptions;
  return report_row<O, run_code>("code", [](CLI::App& command, O& o, Context&) {
    add_argument(command, "LESSON", o.lesson, in_words("explain.lesson"));
    add_options(command, code_options(), o);
    add_options(command, page_options(), o.show);
  });
}

} // namespace tfx
