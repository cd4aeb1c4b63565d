#include "cli/manual/completion.hpp"

#include "architecture/presets.hpp"
#include "bench/work.hpp"
#include "cli/add_option.hpp"
#include "cli/arguments.hpp"
#include "cli/bench/options.hpp"
#include "cli/bpe/command.hpp"
#include "cli/commands.hpp"
#include "core/error.hpp"
#include "course/tutorial_path.hpp"
#include "input/tutorials.hpp"
#include "lessons/catalogue.hpp"
#include "lessons/errata/erratum.hpp"
#include "model/shipped.hpp"
#include "trace/mistake.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace tfx {

namespace {

using Names = std::vector<std::string>;

/// Every id, and every single run; for a lesson those that fit it.
Names tutorial_names(const std::string& command) {
  const Lesson* lesson = lesson_named(command);
  Names ids, variants;
  for (const Run& run : runs()) {
    if (lesson && !run.fits(*lesson)) continue;
    if (ids.empty() || ids.back() != run.id) ids.push_back(run.id);
    variants.push_back(run.name());
  }
  ids.insert(ids.end(), variants.begin(), variants.end());
  return ids;
}

/// A member of every item, by which it is named.
template <class Range, class Name>
Names names_of(const Range& items, Name name) {
  Names names;
  for (const auto& item : items) names.emplace_back(item.*name);
  return names;
}

/// Lessons of which `command` has something; all of them have a place on the map, and progress to forget.
Names lesson_names(const std::string& command) {
  Names names;
  for (const Lesson& lesson : lessons())
    if (command == "reset" || command == "map" || offers(lesson, command)) names.push_back(lesson.command);
  return names;
}

Names names_for(const std::string& command, const std::string& option, const std::string& value_name) {
  if (value_name == "LESSON") return lesson_names(command);
  if (value_name == "MISTAKE") return names_of(mistakes(), &Mistake::id);
  if (value_name == "ID[:VARIANT]") return tutorial_names(command);
  if (command == "errata" && value_name == "ID") return names_of(errata::all(), &errata::Erratum::id);
  if (command == "bench" && option == "--preset") return bench::work_preset_names();
  if (option == "--model" && value_name == "NAME") return shipped_names();
  return {};
}

} // namespace

Offer offer_of_value(const std::string& command, const std::string& option, const std::string& type) {
  Offer offer;
  for (std::size_t start = 0; start <= type.size();) {
    const std::size_t end = std::min(type.find('|', start), type.size());
    const std::string part = type.substr(start, end - start);
    start = end + 1;
    const bool value_name =
        std::any_of(part.begin(), part.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    if (!value_name && !part.empty()) offer.words.push_back(part);
    if (!value_name) continue;
    offer.files = offer.files || part.starts_with("FILE");
    offer.folders = offer.folders || part == "DIR";
    const Names names = names_for(command, option, part);
    offer.words.insert(offer.words.end(), names.begin(), names.end());
  }
  return offer;
}

Offer offer_of_argument(const std::string& command, const std::string& name, const std::string& type) {
  if (command == "bench" && name == "WORK") return {bench_works()};
  if (command == "bpe" && name == "ACTION") return {bpe_actions()};
  if (command == "params") return {names_of(params::presets(), &params::Preset::name), true};
  if (command == "errata" && name == "TUTORIAL") return {errata::tutorials()};
  if (command == "tutorial") return {names_of(tutorial_paths(), &TutorialPath::id)};
  if (command == "errata") return {names_of(errata::all(), &errata::Erratum::id)};
  return {names_for(command, "", name), type.starts_with("FILE")};
}

// tfx complete -- WORD…: what may stand for the last of the words, for the completions of the shells
// (tools/completion). A line each: the word, a tab and what it is; "@file" or "@folder" where the shell has
// to look for itself.

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
