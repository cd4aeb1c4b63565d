// tfx code LESSON: the stage in NumPy and PyTorch, and the page's own formula.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/code_listing.hpp"
#include "core/resource.hpp"
#include "text/display_width.hpp"

#include <memory>

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
};

const std::vector<Option<CodeOptions>>& code_options() {
  static const std::vector<Option<CodeOptions>> table{
      {"--in", &CodeOptions::in, value::one_of({"numpy", "torch", "c++"})}};
  return table;
}

std::string headed(const std::string& path, const std::string& listing, const Style& style) {
  const std::string title = path + " ";
  const std::size_t used = display_width(title);
  std::string rule;
  for (std::size_t i = used; i < style.width; ++i) rule += style.symbols("─");
  return style.bold(title) + style.dim(rule) + "\n" + listing + "\n";
}

void show_code(const CodeOptions& options, Context& context) {
  const Lesson& lesson = lesson_for("code", options.lesson);
  const Style style = context.style();
  const Words comments =
      language() == Language::zh ? Words::parse(resource(lesson.folder + "/code.zh.md")) : Words();
  for (const CodeFile& file : code_files()) {
    if (options.in && *options.in != file.in) continue;
    const std::string path = lesson.folder + file.name,
                      listing = code_listing(resource(path), file.language, style.width, comments);
    context.out += options.in ? listing : headed(path, listing, style);
  }
}

} // namespace

void add_code_command(CLI::App& app, Context& context) {
  const auto options = std::make_shared<CodeOptions>();
  const auto run = [&context, options] { show_code(*options, context); };
  add_command(app, context, "code", in_words("command.code"), run, [options](CLI::App& command) {
    add_argument(command, "LESSON", options->lesson, in_words("explain.lesson"));
    add_options(command, code_options(), *options);
  });
}

} // namespace tfx
