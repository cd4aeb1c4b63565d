// The man page: roff with the man macros, as man(7) has them.

#include "cli/manual/manual.hpp"
#include "cli/version.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"

#include <algorithm>

namespace tfx {

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

} // namespace tfx
