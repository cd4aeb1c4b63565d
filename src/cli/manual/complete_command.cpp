// tfx complete -- WORD…: what may stand for the last of the words, for the completions of the shells
// (tools/completion). A line each: the word, a tab and what it is; "@file" or "@folder" where the shell has
// to look for itself.

#include "cli/add_option.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/manual/offer.hpp"
#include "core/error.hpp"

#include <CLI/CLI.hpp>

namespace tfx {

namespace {

class Completion {
public:
  /// Of words that start with `start`.
  explicit Completion(std::string start) : start_(std::move(start)) {}

  void word(const std::string& word, const std::string& what = "") {
    if (word.starts_with(start_)) lines += word + (what.empty() ? "" : "\t" + what) + "\n";
  }

  /// Behind `before`, which stands in the same word.
  void offer(const Offer& offer, const std::string& before = "") {
    for (const std::string& one : offer.words) word(before + one);
    if (offer.files) lines += "@file\n";
    if (offer.folders) lines += "@folder\n";
  }

  void options(const ArgumentWalk& walk) {
    if (!walk.takes_options()) return;
    for (const CLI::Option* option : walk.options())
      word(option->get_lnames().empty() ? "-" + option->get_snames().front()
                                        : "--" + option->get_lnames().front(),
           option->get_description());
  }

  std::string lines;

private:
  std::string start_;
};

Offer value_offer(const ArgumentWalk& walk, const CLI::Option& option) {
  return offer_of_value(walk.command().get_name(), "--" + option.get_single_name(), option.get_type_name());
}

/// The option whose value stands behind the "=" of the word, or nullptr.
const CLI::Option* option_with_value(const ArgumentWalk& walk, const std::string& word) {
  if (!walk.takes_options()) return nullptr;
  const std::size_t equals = word.find('=');
  if (!word.starts_with("--") || equals == std::string::npos) return nullptr;
  for (const CLI::Option* option : walk.options())
    if ("--" + option->get_single_name() == word.substr(0, equals)) return option;
  return nullptr;
}

std::string completions(const std::vector<std::string>& words) {
  Context context;
  CLI::App app("", "tfx");
  add_commands(app, context);
  ArgumentWalk walk(app, context);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    try {
      walk.take(words[i]);
    } catch (const Error&) {
    } // whoever runs it will be told
  }
  const std::string last = words.empty() ? "" : words.back();
  Completion completion(last);
  if (const CLI::Option* option = walk.waiting()) {
    completion.offer(value_offer(walk, *option));
  } else if (const CLI::Option* with_value = option_with_value(walk, last)) {
    completion.offer(value_offer(walk, *with_value), last.substr(0, last.find('=') + 1));
  } else if (&walk.command() == &app && walk.takes_options() && !last.starts_with("-")) {
    for (const CLI::App* command : app.get_subcommands({}))
      if (!command->get_group().empty()) completion.word(command->get_name(), command->get_description());
  } else {
    const CLI::Option* place = last.starts_with("-") ? nullptr : walk.next_argument();
    const Offer offer =
        place ? offer_of_argument(walk.command().get_name(), place->get_name(), place->get_type_name())
              : Offer();
    completion.offer(offer);
    if (!last.starts_with("-"))
      for (const CLI::App* command : app.get_subcommands({})) // "step" behind train
        if (const std::string before = walk.command().get_name() + " ";
            command->get_name().starts_with(before))
          if (const std::string word = command->get_name().substr(before.size());
              !std::ranges::count(offer.words, word))
            completion.word(word, command->get_description());
    if (offer.words.empty() && !offer.files && !offer.folders) completion.options(walk);
  }
  return completion.lines;
}

} // namespace

Command complete_command() {
  using O = std::vector<std::string>;
  const auto run = [](const O& words, Context& context) { context.out = completions(words); };
  return command_row<O>("complete", run,
                        [](CLI::App& command, O& words, Context&) {
                          add_argument(command, "WORD", words, in_words("command.complete"));
                        })
      .hidden();
}

} // namespace tfx
