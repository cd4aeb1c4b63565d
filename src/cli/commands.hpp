#pragma once
// The commands are rows of one table, of which the parser's tree, --help, the completions and the man page
// are made. A row stands at the end of its command's file; commands.cpp has the table.

#include "cli/add_option.hpp"
#include "cli/options.hpp"
#include "lessons/catalogue.hpp"

#include <memory>

namespace tfx {

struct Report;

/// Its title in the words: "command." and the name, or "title" in the words of its folder or of the lesson of
/// that name.
std::string command_title(const std::string& name);

/// The row of a command that keeps what was given in `Options`; with `of_model` there is a second one, "NAME
/// model".
template <class Options>
Command command_row(const std::string& name, void (*run)(const Options&, Context&),
                    std::function<void(CLI::App&, Options&, Context&)> options = {},
                    std::function<void(CLI::App&, Options&, Context&)> of_model = {}) {
  const auto given = std::make_shared<Options>();
  const auto row = [&](const std::string& called, const auto& declare) {
    return Command{called, command_title(name),
                   [given, declare](CLI::App& command, Context& context) {
                     if (declare) declare(command, *given, context);
                   },
                   [given, run](Context& context) { run(*given, context); }};
  };
  Command command = row(name, options);
  if (of_model) command.deeper.push_back(row(name + " model", of_model));
  return command;
}

/// The same where it returns a report: show() of cli/lesson/save.hpp does what the options' member `show`
/// says.
template <class Options, Report (*run)(const Options&, Context&)>
Command report_row(const std::string& name, std::function<void(CLI::App&, Options&, Context&)> options) {
  return command_row<Options>(
      name, [](const Options& o, Context& context) { show(run(o, context), o.show, context); },
      std::move(options));
}

/// The same without options of its own.
template <auto run>
Command page_row(const std::string& name) {
  return command_row<ShowOptions>(
      name, [](const ShowOptions& o, Context& context) { show(run(context), o, context); },
      [](CLI::App& command, ShowOptions& o, Context&) { add_options(command, page_options(), o); });
}

/// The table: all commands in the order of --help.
std::vector<Command> command_table();

/// The parser's tree of them, with the global options.
void add_commands(CLI::App& app, Context& context);

/// Gives a command of that tree its arguments and options.
void declare(CLI::App& command, Context& context);

/// Whether it is a command "a b": reached by the word behind a, not by its own name.
bool is_deeper(const CLI::App& command);

/// The row of a lesson that runs on the page.
Command lesson_command(const Lesson& lesson);

/// What a lesson's command shows on this input, without times.
void show_lesson(const Lesson& lesson, const InputOptions& input, bool json, Context& context);

/// Runs a command line, without "tfx", as if it had been typed: what it writes goes to context.out, and its
/// status and notes are the context's.
void run_typed(const std::string& command_line, Context& context);

/// The lesson called `name`, or of that number; what is neither is taken as it is.
std::string lesson_called(const std::string& name);

/// The lesson called `name`. Throws Error(usage) with the nearest name where there is none.
const Lesson& known_lesson(std::string_view name);

/// The same; Error(usage) too where `command` has nothing of it.
const Lesson& lesson_for(std::string_view command, std::string_view name);

/// What `tfx` alone shows: what this is, where to begin, what was done.
std::string front_door(const Context& context);

} // namespace tfx
