#include "cli/manual/manual.hpp"

namespace tfx {

namespace {

/// In single quotes.
std::string single_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// With a backslash before each of `characters`.
std::string guarded(const std::string& text, const std::string& characters) {
  std::string out;
  for (const char c : text) {
    if (characters.find(c) != std::string::npos) out += '\\';
    out += c;
  }
  return out;
}

/// What _arguments does where a value is expected.
std::string action(const Offer& offer) {
  std::string words;
  for (const std::string& word : offer.words) words += " " + guarded(word, ":");
  if (offer.folders) return "_files -/";
  if (offer.files) return words.empty() ? "_files" : "{ compadd --" + words + "; _files }";
  return words.empty() ? " " : "(" + words.substr(1) + ")";
}

/// '--lang=[language]:en|zh:(en zh)'; an option with two names excludes itself by the other.
std::string specification(const ManualOption& option) {
  std::string text;
  for (const std::string& name : option.names) {
    if (option.names.size() > 1) text += option.names.front() == name ? "{" : ",";
    text += name + (option.type.empty() ? "" : "=");
  }
  std::string tail = "[" + guarded(option.description, "[]\\") + "]";
  if (!option.type.empty()) tail += ":" + guarded(option.type, ":") + ":" + action(option.offer);
  return option.names.size() > 1 ? text + "}" + single_quoted(tail) : single_quoted(text + tail);
}

std::string array(const std::string& name, const std::vector<std::string>& items) {
  std::string text = "  local -a " + name + "=(\n";
  for (const std::string& item : items) text += "    " + item + "\n";
  return text + "  )\n";
}

std::vector<std::string> specifications(const std::vector<ManualOption>& options) {
  std::vector<std::string> items;
  for (const ManualOption& option : options) items.push_back(specification(option));
  return items;
}

/// The call that completes what stands behind a command.
std::string arguments_of(const ManualCommand& command) {
  std::string text = "_arguments $everywhere";
  if (command.takes(Shared::input)) text += " $input";
  if (command.takes(Shared::output)) text += " $output";
  for (const ManualOption& option : command.options) text += " \\\n        " + specification(option);
  for (const ManualArgument& argument : command.arguments) {
    const std::string place = argument.repeated ? "*:" : argument.required ? ":" : "::";
    text += " \\\n        " +
            single_quoted(place + guarded(argument.description, ":\\") + ":" + action(argument.offer));
  }
  return text;
}

std::string function(const std::string& name, const Manual& manual) {
  std::vector<std::string> commands;
  std::string cases;
  for (const ManualCommand& command : manual.commands) {
    const std::size_t blank = command.name.find(' ');
    if (blank == std::string::npos) {
      commands.push_back(single_quoted(command.name + ":" + command.description));
      cases += "    (" + command.name + ")\n      " + arguments_of(command) + "\n      ;;\n";
    } else { // "explain model": the first argument chooses other options
      const std::string first = command.name.substr(0, blank), second = command.name.substr(blank + 1);
      cases = "    (" + first + ")\n      if [[ CURRENT -gt 2 && $words[2] == " + second +
              " ]]; then\n        shift words\n        ((CURRENT--))\n        " + arguments_of(command) +
              "\n        return\n      fi\n      ;|\n" + cases;
    }
  }
  return name + "() {\n" + array("commands", commands) +
         array("everywhere", specifications(manual.everywhere)) +
         array("input", specifications(manual.input)) + array("output", specifications(manual.output)) +
         "  local context state state_descr line\n"
         "  typeset -A opt_args\n"
         "  _arguments -C $everywhere '1: :->command' '*:: :->arguments'\n"
         "  if [[ $state == command ]]; then\n"
         "    _describe -t commands command commands\n"
         "    return\n"
         "  fi\n"
         "  case $words[1] in\n" +
         cases + "  esac\n}\n\n";
}

} // namespace

std::string zsh_completion(const Manual& english, const Manual& chinese) {
  return "#compdef tfx\n# Completion of tfx for zsh, written by tfx itself from its commands and "
         "options.\n\n" +
         function("_tfx_en", english) + function("_tfx_zh", chinese) +
         "_tfx() {\n"
         "  if [[ ${${LC_ALL:-${LC_MESSAGES:-$LANG}}} == zh* ]]; then _tfx_zh; else _tfx_en; fi\n"
         "}\n\n_tfx \"$@\"\n";
}

} // namespace tfx
