#include "cli/commands.hpp"

#include "cli/arguments.hpp"
#include "cli/environment.hpp"
#include "cli/options.hpp"
#include "cli/version.hpp"
#include "core/error.hpp"
#include "core/resource.hpp"
#include "lessons/run.hpp"
#include "text/display_width.hpp"
#include "words/in_words.hpp"

#include <CLI/CLI.hpp>

namespace tfx {

namespace {

// CLI11's help with descriptions wrapped beside their options.
class HelpFormatter : public CLI::Formatter {
public:
  HelpFormatter(std::size_t width, std::string colon)
      : names_(width < 64 ? 6 : 32), room_(width - names_), colon_(std::move(colon)) {
    column_width(names_); // on a narrow screen a description stands below its option
  }

  std::string make_description(const CLI::App* app) const override {
    return wrapped(CLI::Formatter::make_description(app), names_ + room_);
  }

  // CLI11 puts ":" after its headings; in Chinese it is a full-width one, without a space behind it. Its
  // versions put more or fewer empty lines at the end.
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string help = Formatter::make_help(app, std::move(name), mode);
    help.erase(help.find_last_not_of('\n') + 1);
    const std::string footer = wrapped(app->get_footer(), names_ + room_);
    help += footer.empty() ? "\n" : "\n\n" + footer + "\n";
    if (colon_ == ":") return help;
    for (const std::string& ending : {std::string(": "), std::string(":\n")})
      for (const char* label : {"Usage", "Options", "Subcommands", "Positionals"})
        if (const auto at = help.find(get_label(label) + ending); at != std::string::npos)
          help.replace(at + get_label(label).size(), ending.size(), colon_ + (ending == ": " ? "" : "\n"));
    return help;
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(option->get_description(), room_);
  }

  // What contradicts an option, or has to stand beside it, is said by the refusal.
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_positional())
      return (option->get_required() ? " " + get_label("REQUIRED") : "") +
             (option->get_expected_max() > 1 ? " ..." : "");
    return option->get_type_size() == 0 ? "" : " " + get_label(option->get_type_name());
  }

  std::string make_subcommand(const CLI::App* command) const override {
    std::stringstream out;
    CLI::detail::format_help(out, command->get_display_name(true), wrapped(command->get_description(), room_),
                             names_);
    return out.str();
  }

  std::string make_footer(const CLI::App*) const override { return ""; } // make_help puts it there

private:
  static std::string wrapped(const std::string& text, std::size_t width) {
    std::string lines;
    for (const std::string& line : wrap(text, width)) lines += (lines.empty() ? "" : "\n") + line;
    return lines;
  }

  std::size_t names_, room_;
  std::string colon_;
};

void set_labels(CLI::App& app) {
  const auto formatter = std::make_shared<HelpFormatter>(look_at_terminal().width, in_words("label.colon"));
  for (const char* label :
       {"Usage", "Options", "Subcommands", "Positionals", "OPTIONS", "SUBCOMMAND", "REQUIRED", "TEXT"})
    formatter->label(label, in_words(std::string("label.") + label));
  app.formatter(formatter);
}

} // namespace

std::string command_title(const std::string& name) {
  const std::string* own = find_words("command." + name);
  if (own) return *own;
  const std::string folder = "src/cli/" + name;
  if (has_resource(folder + "/en.md")) return title_in(folder);
  if (const Lesson* lesson = lesson_named(name)) return title_in(lesson->folder);
  throw defect("there are no words command." + name);
}

// Each stands in its command's file, beside what it runs.
Command model_command(), train_command(), decode_command(), generate_command(), cache_command(),
    params_command(), bench_command(), errata_command(), explain_command(), break_command(), check_command(),
    inputs_command(), exercise_command(), grade_command(), code_command(), verify_command(), bpe_command(),
    score_command(), diff_command(), inspect_command(), doctor_command(), report_command(), quiz_command(),
    list_command(), map_command(), terms_command(), tutorial_command(), tour_command(), next_command(),
    hint_command(), reset_command(), manual_command(), complete_command();

std::vector<Command> command_table() {
  std::vector<Command> table;
  for (const Lesson& lesson : page_lessons()) table.push_back(lesson_command(lesson));
  for (const auto row :
       {model_command,    train_command,   decode_command,   generate_command, cache_command, params_command,
        bench_command,    errata_command,  explain_command,  break_command,    check_command, inputs_command,
        exercise_command, grade_command,   code_command,     verify_command,   bpe_command,   score_command,
        diff_command,     inspect_command, doctor_command,   report_command,   quiz_command,  list_command,
        map_command,      terms_command,   tutorial_command, tour_command,     next_command,  hint_command,
        reset_command,    manual_command,  complete_command})
    table.push_back(row());
  return table;
}

bool is_deeper(const CLI::App& command) {
  return command.get_name().find(' ') != std::string::npos;
}

void declare(CLI::App& command, Context& context) {
  const Command& row = context.commands.at(command.get_name());
  if (row.options) row.options(command, context);
}

namespace {

void add_command(CLI::App& app, Context& context, const Command& row) {
  CLI::App& command =
      *app.add_subcommand("", row.title)->name(row.name); // a new one may not have a blank in its name
  command.footer(in_words("help.global"));
  command.get_help_ptr()->group(in_words("label.Options"));
  const bool is_shown = row.group == Command::Group::shown && !is_deeper(command);
  command.group(is_shown ? in_words("label.Subcommands") : "");
  context.commands[row.name] = row;
  for (const Command& deeper : row.deeper) add_command(app, context, deeper);
}

} // namespace

void add_commands(CLI::App& app, Context& context) {
  app.description(in_words("app"));
  set_labels(app);
  app.option_defaults()->group(in_words("label.Options"));
  app.set_help_flag("-h,--help", in_words("option--help"));
  app.set_version_flag("--version", std::string("tfx ") + version, in_words("option--version"));
  add_options(app, global_options(), context.global);
  for (const Command& row : command_table()) add_command(app, context, row);
  app.require_subcommand(0, 1);
}

void run_typed(const std::string& command_line, Context& context) {
  std::vector<std::string> arguments(1);
  bool is_quoted = false;
  for (const char c : command_line) {
    if (c == '\'')
      is_quoted = !is_quoted;
    else if (c == ' ' && !is_quoted)
      arguments.emplace_back();
    else
      arguments.back() += c;
  }
  Context typed;
  typed.global = context.global, typed.is_within = context.is_within;
  CLI::App app("", "tfx");
  add_commands(app, typed);
  ArgumentWalk walk(app, typed);
  for (const std::string& argument : arguments) walk.take(argument);
  walk.finish();
  typed.commands.at(walk.command().get_name()).run(typed);
  context.out += typed.out;
  context.notes.insert(context.notes.end(), typed.notes.begin(), typed.notes.end());
  context.status = typed.status;
}

} // namespace tfx
