#include "cli/arguments.hpp"

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/environment.hpp"
#include "cli/options.hpp"
#include "core/error.hpp"
#include "io/file.hpp"
#include "lessons/catalogue.hpp"
#include "text/names.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace tfx {

namespace {

/// "--text", "-x", not "-5": numbers are values.
bool looks_like_option(const std::string& argument) {
  return argument.size() > 1 && argument[0] == '-' && !(argument[1] >= '0' && argument[1] <= '9') &&
         argument[1] != '.';
}

/// "--text" of "--text=the cat".
std::string name_in(const std::string& argument) {
  return argument.substr(0, argument.find('='));
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

/// "--text", "-h"; "LESSON" of an argument.
std::string name_of(const CLI::Option& option) {
  return option.get_positional() ? option.get_name() : "--" + option.get_single_name();
}

std::vector<CLI::Option*> arguments_of(CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::vector<std::string> names_of(const std::vector<CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  return names;
}

/// Commands that the help names.
std::vector<CLI::App*> shown_commands(CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

/// What PyTorch, published configurations and other tutorials call an option of ours.
struct NameElsewhere {
  const char *theirs, *ours;
};

constexpr NameElsewhere names_elsewhere[] = {
    {"--num-heads", "--heads"},
    {"--n-heads", "--heads"},
    {"--n-head", "--heads"},
    {"--nhead", "--heads"},
    {"--num-attention-heads", "--heads"},
    {"--attention-heads", "--heads"},
    {"--num-kv-heads", "--kv-heads"},
    {"--n-kv-heads", "--kv-heads"},
    {"--num-key-value-heads", "--kv-heads"},
    {"--num-query-groups", "--kv-heads"},
    {"--dmodel", "--d-model"},
    {"--hidden-size", "--d-model"},
    {"--embed-dim", "--d-model"},
    {"--embedding-dim", "--d-model"},
    {"--emb-dim", "--d-model"},
    {"--emb-size", "--d-model"},
    {"--n-embd", "--d-model"},
    {"--model-dim", "--d-model"},
    {"--dff", "--d-ff"},
    {"--d-inner", "--d-ff"},
    {"--d-hidden", "--d-ff"},
    {"--hidden-dim", "--d-model"},
    {"--hidden-dim", "--d-ff"},
    {"--ffn-dim", "--d-ff"},
    {"--ffn-hidden", "--d-ff"},
    {"--dim-feedforward", "--d-ff"},
    {"--intermediate-size", "--d-ff"},
    {"--head-dim", "--d-k"},
    {"--num-layers", "--layers"},
    {"--n-layers", "--layers"},
    {"--n-layer", "--layers"},
    {"--num-hidden-layers", "--layers"},
    {"--num-encoder-layers", "--layers"},
    {"--num-decoder-layers", "--layers"},
    {"--num-blocks", "--layers"},
    {"--vocab-size", "--vocab"},
    {"--src-vocab-size", "--src-vocab"},
    {"--tgt-vocab-size", "--tgt-vocab"},
    {"--seq-len", "--seq"},
    {"--seq-length", "--seq"},
    {"--seq-len", "--context"},
    {"--block-size", "--context"},
    {"--max-seq-len", "--context"},
    {"--context-length", "--context"},
    {"--n-ctx", "--context"},
    {"--max-position-embeddings", "--context"},
    {"--batch-size", "--batch"},
    {"--bsz", "--batch"},
    {"--learning-rate", "--lr"},
    {"--lr", "--rate"},
    {"--learning-rate", "--rate"},
    {"--wd", "--weight-decay"},
    {"--max-steps", "--steps"},
    {"--num-steps", "--steps"},
    {"--max-iters", "--steps"},
    {"--warmup-steps", "--warmup"},
    {"--warmup-iters", "--warmup"},
    {"--lr-scheduler", "--schedule"},
    {"--max-grad-norm", "--clip"},
    {"--grad-clip", "--clip"},
    {"--gradient-accumulation-steps", "--accumulate"},
    {"--gradient-accumulation", "--accumulate"},
    {"--label-smoothing", "--smoothing"},
    {"--ignore-index", "--pad-id"},
    {"--padding-idx", "--pad-id"},
    {"--pad-token-id", "--pad-id"},
    {"--is-causal", "--causal"},
    {"--attn-mask", "--mask"},
    {"--src-mask", "--mask"},
    {"--attention-mask", "--mask"},
    {"--key-padding-mask", "--pad"},
    {"--src-key-padding-mask", "--pad"},
    {"--dropout-p", "--dropout"},
    {"--p-drop", "--dropout"},
    {"--drop-prob", "--dropout"},
    {"--dropout-rate", "--dropout"},
    {"--activation-function", "--activation"},
    {"--hidden-act", "--activation"},
    {"--pre-norm", "--norm-first"},
    {"--pre-ln", "--norm-first"},
    {"--post-norm", "--norm-last"},
    {"--post-ln", "--norm-last"},
    {"--layer-norm-eps", "--norm-eps"},
    {"--layernorm-eps", "--norm-eps"},
    {"--rms-norm-eps", "--norm-eps"},
    {"--eps", "--norm-eps"},
    {"--rope-theta", "--rotary-base"},
    {"--rope-base", "--rotary-base"},
    {"--sliding-window", "--window"},
    {"--tie-weights", "--tied"},
    {"--tie-word-embeddings", "--tied"},
    {"--position-embedding-type", "--positions"},
    {"--query", "--q"},
    {"--key", "--k"},
    {"--value", "--v"},
    {"--input", "--x"},
    {"--src", "--source"},
    {"--manual-seed", "--seed"},
    {"--random-seed", "--seed"},
    {"--random-state", "--seed"},
    {"--num-beams", "--beam"},
    {"--beam-size", "--beam"},
    {"--beam-width", "--beam"},
    {"--max-new-tokens", "--max-tokens"},
    {"--max-length", "--max-tokens"},
    {"--num-return-sequences", "--count"},
    {"--bos-token-id", "--start"},
    {"--eos-token-id", "--end"},
    {"--torch-dtype", "--dtype"},
};

/// Of `ours` those that go by that name elsewhere, written with - or with _.
std::vector<std::string> ours_called(std::string name, const std::vector<std::string>& ours) {
  std::ranges::replace(name, '_', '-');
  std::vector<std::string> meant;
  for (const NameElsewhere& row : names_elsewhere)
    if (name == row.theirs && std::ranges::count(ours, row.ours)) meant.push_back(row.ours);
  return meant;
}

} // namespace

Language wanted_language(const std::vector<std::string>& arguments) {
  Language language = language_of_locale();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string value;
    if (arguments[i].starts_with("--lang="))
      value = arguments[i].substr(7);
    else if (arguments[i] == "--lang" && i + 1 < arguments.size())
      value = arguments[i + 1];
    if (value == "en") language = Language::en;
    if (value == "zh") language = Language::zh;
  }
  return language;
}

ArgumentWalk::ArgumentWalk(CLI::App& app, Context& context) : context_(context), levels_{&app} {}

void ArgumentWalk::take(const std::string& argument) {
  if (waiting_) {
    // An option as a value is a value forgotten: "--x --q q.npy". Who means it writes --text=--causal.
    const bool is_option = looks_like_option(argument) && option_named(name_in(argument));
    if (is_option || argument == "--")
      fail("no_value", {{"name", typed_}, {"type", waiting_->get_type_name()}});
    give(*std::exchange(waiting_, nullptr), argument);
  } else if (!only_arguments_ && argument == "--") {
    only_arguments_ = true;
  } else if (!only_arguments_ && looks_like_option(argument)) {
    option(argument);
  } else if (levels_.size() == 1 && !only_arguments_) {
    name_command(argument);
  } else {
    this->argument(argument);
  }
}

void ArgumentWalk::finish() {
  if (waiting_) fail("no_value", {{"name", typed_}, {"type", waiting_->get_type_name()}});
  if (const CLI::Option* next = next_argument(); next && next->get_required())
    fail("missing", {{"name", next->get_name()}, {"what", next->get_description()}});
  for (CLI::App* level : levels_)
    for (CLI::Option* option : level->get_options())
      if (option->count() > 0) option->run_callback();
  for (const CLI::Option* option : given_) {
    std::vector<std::string> others;
    bool has_one = option->get_needs().empty();
    for (const CLI::Option* other : option->get_needs())
      has_one = has_one || is_given(*other), others.push_back(name_of(*other));
    std::ranges::sort(others);
    if (!has_one) fail("needs", {{"name", name_of(*option)}, {"others", alternatives(others)}});
  }
  refuse_overwriting();
}

namespace {

/// The file of a value whose place what is saved would take: the one it names, also as "bpe:FILE", or in a
/// folder the config.json or an index, which are read there.
std::optional<std::string> file_of(const std::string& value, const std::string& saved) {
  namespace fs = std::filesystem;
  const std::string named = value.starts_with("bpe:") ? value.substr(4) : value;
  std::error_code error;
  std::vector<std::string> files;
  if (fs::is_regular_file(named, error)) files.push_back(named);
  if (fs::is_directory(named, error))
    for (const fs::directory_entry& entry : fs::directory_iterator(named, error)) {
      const std::string name = entry.path().filename().string();
      if (name == "config.json" || name.ends_with(".index.json")) files.push_back(entry.path().string());
    }
  const auto found = std::ranges::find_if(files, [&](const auto& file) { return same_file(file, saved); });
  return found == files.end() ? std::nullopt : std::optional(*found);
}

} // namespace

void ArgumentWalk::refuse_overwriting() const {
  const auto is_save = [](const CLI::Option* option) { return option->get_single_name() == "save"; };
  const auto save = std::ranges::find_if(given_, is_save);
  if (save == given_.end()) return;
  const std::string& saved = (*save)->results().back();
  for (const CLI::App* level : levels_)
    for (const CLI::Option* option : level->get_options()) {
      if (option->count() == 0 || is_save(option)) continue;
      for (const std::string& value : option->results())
        if (const auto file = file_of(value, saved))
          fail("read_and_saved", {{"name", name_of(**save)}, {"other", name_of(*option)}, {"file", *file}});
    }
}

CLI::Option* ArgumentWalk::next_argument() const {
  std::size_t places = 0;
  for (CLI::Option* place : arguments_of(command())) {
    places += static_cast<std::size_t>(place->get_items_expected_max());
    if (arguments_ < places) return place;
  }
  return nullptr;
}

std::vector<const CLI::Option*> ArgumentWalk::options() const {
  std::vector<const CLI::Option*> all;
  const auto is_there = [&](const CLI::Option* option) { // --help is the command's and everybody's
    return std::ranges::any_of(
        all, [&](const CLI::Option* one) { return one->get_single_name() == option->get_single_name(); });
  };
  const auto add = [&](const CLI::App& level) {
    for (const CLI::Option* option : level.get_options())
      if (!option->get_positional() && !is_there(option)) all.push_back(option);
  };
  if (levels_.size() > 1) add(command());
  add(*levels_.front());
  return all;
}

void ArgumentWalk::fail(const std::string& key, std::map<std::string, std::string> values) const {
  const std::string name = levels_.size() == 1 ? "tfx" : "tfx " + command().get_name();
  values.insert({{"command", name}, {"help", name + " --help"}});
  throw usage_error(key, values);
}

/// Another name of an option that is here, an option of other commands, or a slip.
void ArgumentWalk::refuse_option(const std::string& name) const {
  const std::vector<std::string> names = option_names(), meant = ours_called(name, names);
  if (!meant.empty())
    fail("no_option",
         {{"name", name}, {"near", in_words("usage.called_here", {{"ours", alternatives(meant)}})}});
  Context context;
  CLI::App whole("", "tfx");
  add_commands(whole, context);
  std::vector<CLI::App*> readers;
  for (CLI::App* command : whole.get_subcommands({})) {
    if (is_deeper(*command) && !std::ranges::count(lessons(), command->get_name(), &Lesson::typed)) continue;
    declare(*command, context);
    if (find_option(*command, name)) readers.push_back(command);
  }
  if (!readers.empty() && levels_.size() > 1) throw unread(name, command().get_name(), names_of(readers));
  if (!readers.empty())
    throw usage_error("before_command", {{"name", name}, {"lessons", listed(names_of(readers))}});
  fail("no_option", {{"name", name}, {"near", suggestion(nearest(name, names))}});
}

void ArgumentWalk::option(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  const std::string name = name_in(argument);
  CLI::Option* option = option_named(name);
  if (!option) refuse_option(name);
  if (option == command().get_help_ptr() || option == levels_.front()->get_help_ptr()) help_ = true;
  if (option == levels_.front()->get_version_ptr()) version_ = true;
  for (const CLI::Option* other : option->get_excludes())
    if (is_given(*other)) fail("excluded", {{"name", name}, {"other", name_of(*other)}});
  const bool is_first = !is_given(*option);
  given_.insert(option);
  if (!takes_value(*option)) {
    if (equals != std::string::npos)
      fail("flag_value", {{"name", name}, {"value", argument.substr(equals + 1)}});
    if (is_first) option->add_result("true");
    return;
  }
  if (!is_first) fail("twice", {{"name", name}});
  if (equals + 1 == argument.size()) fail("no_value", {{"name", name}, {"type", option->get_type_name()}});
  if (equals == std::string::npos)
    waiting_ = option, typed_ = name;
  else
    give(*option, argument.substr(equals + 1));
}

void ArgumentWalk::name_command(const std::string& typed) {
  CLI::App& app = *levels_.front();
  if (typed == "help") { // "tfx help scores" is "tfx scores --help"
    help_ = true;
    return;
  }
  const std::string name = lesson_called(typed);
  if (name != typed) return enter(*app.get_subcommand(lesson_named(name)->typed)); // "tfx 3" is its page
  for (CLI::App* command : app.get_subcommands({}))
    if (command->get_name() == name && !is_deeper(*command)) return enter(*command);
  fail("no_command", {{"name", name}, {"near", suggestion(nearest(name, names_of(shown_commands(app))))}});
}

void ArgumentWalk::enter(CLI::App& command) {
  levels_.push_back(&command);
  declare(command, context_);
}

void ArgumentWalk::argument(const std::string& typed) {
  const CLI::Option* next = next_argument();
  const std::string argument = next && next->get_name() == "LESSON" ? lesson_called(typed) : typed;
  const std::string deeper = command().get_name() + " " + argument;
  if (arguments_ == 0 && context_.commands.contains(deeper))
    return enter(*levels_.front()->get_subcommand(deeper));
  CLI::Option* place = next_argument();
  if (!place) fail("no_place", {{"argument", argument}});
  ++arguments_;
  give(*place, argument);
}

void ArgumentWalk::give(CLI::Option& option, const std::string& value) {
  if (option.get_type_name().starts_with("FILE") && value == "-" && std::exchange(reads_stdin_, true))
    fail("stdin_twice", {});
  option.add_result(value);
}

CLI::Option* ArgumentWalk::option_named(const std::string& name) const {
  CLI::Option* option = find_option(command(), name);
  return option ? option : find_option(*levels_.front(), name);
}

/// In front of "explain model" explain's own --depth may have been given: another option, but the same one to
/// a learner.
bool ArgumentWalk::is_given(const CLI::Option& option) const {
  return std::ranges::any_of(
      given_, [&](const CLI::Option* one) { return one->get_single_name() == option.get_single_name(); });
}

std::vector<std::string> ArgumentWalk::option_names() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

} // namespace tfx
