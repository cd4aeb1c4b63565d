#include "cli/manual/manual.hpp"

#include <algorithm>

namespace tfx {

namespace {

// What does not depend on the commands. The functions before it answer in REPLY: words, then perhaps @file or
// @folder;
// @text for what nobody can guess.
constexpr const char* walk = R"(
_tfx() {
  local -a words=()
  local i word command= option= current REPLY
  local -i arguments=0
  # ":" and "=" cut words in COMP_WORDS: join them again. A blank before the cursor starts a new word all the same.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((${#words[@]})) && [[ $word == [:=]* || ${words[-1]} == *[:=] ]] &&
      ! [[ -z $word && ${COMP_LINE:COMP_POINT-1:1} == ' ' ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
  done
  current=${words[-1]}
  for word in "${words[@]:0:${#words[@]}-1}"; do
    if [[ $option ]]; then
      option=
    elif [[ $word == --*=* ]]; then
      continue
    elif [[ $word == -* ]]; then
      _tfx_value "$command" "$word"
      [[ $REPLY ]] && option=$word
    elif [[ -z $command ]]; then
      command=$word
    elif ((arguments == 0)) && _tfx_options "$command $word"; then
      command+=" $word"
    else
      arguments+=1
    fi
  done

  if [[ $option ]]; then
    _tfx_value "$command" "$option"
  elif [[ $current == --*=* ]]; then
    _tfx_value "$command" "${current%%=*}"
    current=${current#*=}
  elif [[ -z $command && $current != -* ]]; then
    REPLY=$_tfx_commands
  else
    REPLY=
    [[ $current == -* ]] || _tfx_argument "$command" $arguments
    if [[ -z $REPLY ]]; then
      _tfx_options "$command"
      REPLY+=" $_tfx_everywhere"
    fi
  fi

  mapfile -t COMPREPLY < <(compgen -W "${REPLY%%@*}" -- "$current")
  if [[ $REPLY == *@file* ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$current")
  elif [[ $REPLY == *@folder* ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$current")
  fi
  # Readline replaces only what follows the last ":".
  if [[ $current == *:* && $COMP_WORDBREAKS == *:* ]]; then
    COMPREPLY=("${COMPREPLY[@]#"${current%"${current##*:}"}"}")
  fi
}

complete -F _tfx tfx
)";

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string joined(const Offer& offer) {
  std::vector<std::string> words = offer.words;
  if (offer.files) words.push_back("@file");
  if (offer.folders) words.push_back("@folder");
  return words.empty() ? "@text" : joined(words);
}

std::string names_of(const std::vector<ManualOption>& options) {
  std::vector<std::string> names;
  for (const ManualOption& option : options) names.push_back(option.names.back());
  return joined(names);
}

/// What matches a pattern gets its answer.
using Answers = std::vector<std::pair<std::string, std::string>>;

/// Patterns of one answer stand together, where the first of them stood.
Answers grouped(const Answers& answers) {
  Answers groups;
  for (const auto& [pattern, answer] : answers) {
    const auto group = std::ranges::find(groups, answer, &Answers::value_type::second);
    if (group == groups.end())
      groups.emplace_back(pattern, answer);
    else
      group->first += " | " + pattern;
  }
  return groups;
}

/// A function of one case statement; `otherwise` is its last line.
std::string function(const std::string& name, const std::string& subject, const Answers& answers,
                     const std::string& otherwise) {
  std::string text = "\n" + name + "() {\n  case " + subject + " in\n";
  for (const auto& [pattern, answer] : answers) text += "    " + pattern + ") REPLY='" + answer + "' ;;\n";
  return text + "    *) " + otherwise + " ;;\n  esac\n}\n";
}

std::string options_function(const Manual& manual) {
  Answers answers;
  for (const ManualCommand& command : manual.commands) {
    answers.emplace_back("'" + command.name + "'", joined(command.taken));
  }
  return function("_tfx_options", "\"$1\"", grouped(answers), "REPLY='' && return 1");
}

/// What follows an option of a command; empty after a flag.
std::string value_function(const Manual& manual) {
  Answers own, shared;
  for (const ManualCommand& command : manual.commands)
    for (const ManualOption& option : command.options)
      if (!option.type.empty())
        own.emplace_back("'" + command.name + " " + option.names.back() + "'", joined(option.offer));
  for (const auto* options : {&manual.everywhere, &manual.input, &manual.output})
    for (const ManualOption& option : *options)
      if (!option.type.empty()) shared.emplace_back("*' " + option.names.back() + "'", joined(option.offer));
  Answers answers = grouped(own); // before what holds for any command
  for (const auto& answer : grouped(shared)) answers.push_back(answer);
  return function("_tfx_value", "\"$1 $2\"", answers, "REPLY=''");
}

/// What the argument number $2 of a command can be, counted from 0.
std::string argument_function(const Manual& manual) {
  Answers answers;
  for (const ManualCommand& command : manual.commands)
    for (std::size_t i = 0; i < command.arguments.size(); ++i) {
      const ManualArgument& argument = command.arguments[i];
      const std::string place = argument.repeated ? " '[0-9]*" : " " + std::to_string(i) + "'";
      answers.emplace_back("'" + command.name + place, joined(argument.offer));
    }
  return function("_tfx_argument", "\"$1 $2\"", grouped(answers), "REPLY=''");
}

} // namespace

std::string bash_completion(const Manual& manual) {
  std::vector<std::string> commands;
  for (const ManualCommand& command : manual.commands)
    if (command.name.find(' ') == std::string::npos) commands.push_back(command.name);
  return "# Completion of tfx for bash, written by tfx itself from its commands and options.\n"
         "_tfx_commands='" +
         joined(commands) + "'\n_tfx_everywhere='" + names_of(manual.everywhere) + "'\n" +
         options_function(manual) + value_function(manual) + argument_function(manual) + walk;
}

} // namespace tfx
