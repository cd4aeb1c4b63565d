#include "cli/manual/manual.hpp"

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/version.hpp"
#include "lessons/catalogue.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace tfx {

bool ManualCommand::takes(Shared one) const {
  return std::find(shared.begin(), shared.end(), one) != shared.end();
}

namespace {

ManualOption read_option(const CLI::Option& option) {
  ManualOption result;
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  if (option.get_items_expected_max() > 0) result.type = option.get_type_name();
  result.description = option.get_description();
  return result;
}

std::vector<ManualOption> read_options(const CLI::App& app) {
  std::vector<ManualOption> result;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_positional()) result.push_back(read_option(*option));
  return result;
}

/// Of a table that commands share.
template <class Options, class Subject>
std::vector<ManualOption> shared_options(const std::vector<Option<Options, Subject>>& table) {
  CLI::App app;
  app.set_help_flag();
  Options target;
  add_options(app, table, target);
  return read_options(app);
}

bool is(const ManualOption& one, const ManualOption& other) {
  return one.names == other.names && one.description == other.description && one.type == other.type;
}

/// Takes what is in `options` out of the command's own, where it has some of them.
void share(ManualCommand& command, Shared name, const std::vector<ManualOption>& options) {
  const std::size_t taken = std::erase_if(command.options, [&](const ManualOption& one) {
    return std::ranges::any_of(options, [&](const ManualOption& other) { return is(one, other); });
  });
  if (taken > 0) command.shared.push_back(name);
}

ManualCommand read_command(const CLI::App& app, const Manual& manual) {
  ManualCommand command{app.get_name(), app.get_description(), {}, {}, read_options(app)};
  for (const CLI::Option* option : app.get_options())
    if (option->get_positional())
      command.arguments.push_back({option->get_name(), option->get_description(), option->get_required(),
                                   option->get_items_expected_max() > 1});
  std::erase_if(command.options, [](const ManualOption& option) { return option.names.back() == "--help"; });
  share(command, Shared::input, manual.input);
  share(command, Shared::output, manual.output);
  return command;
}

} // namespace

Manual read_manual() {
  Context context; // the tree holds references to it
  CLI::App app("", "tfx");
  add_commands(app, context);
  Manual manual;
  manual.description = app.get_description();
  manual.everywhere = read_options(app);
  manual.input = shared_options(input_options());
  for (std::size_t i = 0; i < manual.input.size(); ++i) {
    std::vector<std::string> readers;
    for (const Lesson& lesson : page_lessons())
      if (input_options()[i].is_for(lesson)) readers.push_back(lesson.typed);
    if (readers.size() < page_lessons().size()) manual.input[i].lessons = readers;
  }
  manual.output = shared_options(output_options());
  const std::vector<ManualOption> picture = shared_options(picture_options());
  manual.output.insert(manual.output.end(), picture.begin(), picture.end());
  for (CLI::App* command : app.get_subcommands({})) {
    const bool is_hidden = command->get_group().empty() && !is_deeper(*command);
    if (is_hidden) continue;
    declare(*command, context);
    manual.commands.push_back(read_command(*command, manual));
  }
  return manual;
}

// The man page: roff with the man macros, as man(7) has them.

namespace {

/// Chinese has no blanks at which roff could break a line: \: allows it beside CJK characters, never before a
/// closing mark or behind an opening one.
bool may_break(char32_t before, char32_t after) {
  constexpr std::u32string_view closing = U"，。、；：！？）》」』】”’…—)", opening = U"（《「『【“‘(";
  return (is_cjk(before) || is_cjk(after)) && !is_white_space(before) && !is_white_space(after) &&
         closing.find(after) == std::u32string_view::npos &&
         opening.find(before) == std::u32string_view::npos;
}

std::string escaped(const std::string& text) {
  std::string out;
  char32_t before = U' ';
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode(text, at);
    if (may_break(before, point.value)) out += "\\:";
    switch (point.value) {
    case U'\\': out += "\\e"; break;
    case U'-': out += "\\-"; break; // a hyphen would not be what one types
    case U'^': out += "\\(ha"; break;
    case U'~': out += "\\(ti"; break;
    case U'`': out += "\\(ga"; break;
    case U'\'': out += "\\(aq"; break;
    default: out += text.substr(at, point.length);
    }
    before = point.value;
    at += point.length;
  }
  return out.starts_with('.') ? "\\&" + out : out; // else a request
}

std::string bold(const std::string& text) {
  return "\\fB" + escaped(text) + "\\fR";
}

std::string italic(const std::string& text) {
  return "\\fI" + escaped(text) + "\\fR";
}

std::string type_of(const std::string& type) {
  const bool words = std::none_of(type.begin(), type.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  return words ? escaped(type) : italic(type);
}

class ManPage {
public:
  const std::string& text(const std::string& key) const { return in_words("manual." + key); }

  void line(const std::string& roff) { out += roff + "\n"; }
  void section(const std::string& key) { line(".SH " + text(key)); }
  void paragraph(const std::string& words) { line(escaped(words)); }

  void item(const std::string& tag, const std::string& description) {
    line(".TP");
    line(tag);
    line(escaped(description));
  }

  void options(const std::vector<ManualOption>& options) {
    for (const ManualOption& option : options) {
      std::vector<std::string> names;
      for (const std::string& name : option.names) names.push_back(bold(name));
      std::string tag = join(names);
      if (!option.type.empty()) tag += " " + type_of(option.type);
      item(tag, option.description + (option.lessons.empty() ? "" : " (" + join(option.lessons) + ")"));
    }
  }

  void command(const ManualCommand& command) {
    std::string usage = bold("tfx " + command.name);
    for (const ManualArgument& argument : command.arguments) {
      const std::string name = italic(argument.name) + (argument.repeated ? " ..." : "");
      usage += argument.required ? " " + name : " [" + name + "]";
    }
    line(".SS " + usage);
    paragraph(command.description);
    for (const ManualArgument& argument : command.arguments)
      item(italic(argument.name), argument.description);
    options(command.options);
    if (command.shared.empty()) return;
    line(".PP");
    const bool both = command.takes(Shared::input) && command.takes(Shared::output);
    paragraph(text(both ? "takes.both" : command.takes(Shared::input) ? "takes.input" : "takes.output"));
  }

  std::string out;

private:
};

void add_commands(ManPage& man, const Manual& manual) {
  man.section("commands");
  for (const ManualCommand& command : manual.commands) man.command(command);
  man.section("input");
  man.options(manual.input);
  man.section("output");
  man.options(manual.output);
}

void add_end(ManPage& man) {
  man.section("status");
  for (const char* status : {"0", "1", "2", "65", "66", "70", "71", "73", "74", "130"})
    man.item(bold(status), man.text(std::string("status.") + status));
  man.section("environment");
  for (const char* name : {"LC_ALL", "NO_COLOR", "COLORFGBG", "COLUMNS", "TFX_PAGER", "TFX_ISA"}) {
    const std::string all = name == std::string("LC_ALL") ? "LC_ALL, LC_MESSAGES, LANG" : name;
    man.item(bold(all), man.text(std::string("environment.") + name));
  }
  man.section("examples");
  man.line(".nf");
  for (const char* example :
       {"tfx attention --text \"the cat sat on the mat\"", "tfx explain attention output 0 2 --depth 3",
        "tfx softmax --tutorial attention-block:2", "tfx train --steps 40",
        "tfx decode --model numbers-zh --text \"three hundred and five\""})
    man.line(escaped(example));
  man.line(".fi");
}

} // namespace

std::string man_page(const Manual& manual) {
  ManPage man;
  man.line(".TH TFX 1 \"\" \"tfx " + std::string(version) + "\" \"" + escaped(man.text("title")) + "\"");
  man.line(".ad l\n.nh"); // Chinese has no blanks to widen, and names are not to be hyphenated
  man.section("name");
  man.line("tfx \\- " + escaped(man.text("what")));
  man.section("synopsis");
  man.line(bold("tfx") + " [" + italic(man.text("label.options")) + "] [" +
           italic(man.text("label.command")) + " [" + italic(man.text("label.arguments")) + "]]");
  man.section("description");
  man.paragraph(manual.description);
  for (const char* key : {"description.1", "description.2"}) {
    man.line(".PP");
    man.paragraph(man.text(key));
  }
  man.section("options");
  man.paragraph(man.text("options.everywhere"));
  man.options(manual.everywhere);
  add_commands(man, manual);
  add_end(man);
  return man.out;
}

Command manual_command() {
  const auto run = [](const Anything&, Context& context) { context.out = man_page(read_manual()); };
  return command_row<Anything>("manual", run).hidden();
}

} // namespace tfx
