#include "cli/usage.hpp"

#include "cli/add_option.hpp"
#include "cli/options.hpp"
#include "core/error.hpp"
#include "text/suggest.hpp"

#include <CLI/CLI.hpp>

#include <map>
#include <set>

namespace tfx {

namespace {

/// "--text", "-x", not "-5": numbers are values.
bool looks_like_option(const std::string& argument) {
  return argument.size() > 1 && argument[0] == '-' && !(argument[1] >= '0' && argument[1] <= '9') &&
         argument[1] != '.';
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

class ArgumentWalk {
public:
  ArgumentWalk(const CLI::App& app, const Context& context) : app_(app), context_(context) {}

  void over(const std::vector<std::string>& arguments) {
    bool options_may_follow = true;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const std::string& argument = arguments[i];
      if (options_may_follow && argument == "--")
        options_may_follow = false;
      else if (options_may_follow && looks_like_option(argument))
        i += option(argument, i + 1 < arguments.size() ? &arguments[i + 1] : nullptr);
      else if (active_ == &app_ && options_may_follow)
        command(argument);
      else
        positional(argument);
    }
    for (const CLI::Option* wanted : positionals_of(*active_))
      if (wanted->get_required() && positionals_-- == 0)
        fail("missing", {{"name", wanted->get_name()}, {"what", wanted->get_description()}});
  }

private:
  [[noreturn]] void fail(const std::string& key, std::map<std::string, std::string> values) const {
    const std::string command = active_ == &app_ ? "tfx" : "tfx " + active_->get_name();
    values.insert({{"command", command}, {"help", command + " --help"}});
    throw usage_error(key, values);
  }

  /// How many of the following arguments belong to this option: its value, where it takes one.
  std::size_t option(const std::string& argument, const std::string* next) {
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const CLI::Option* option = option_named(name);
    const Lesson* lesson = option ? nullptr : lesson_named(active_->get_name());
    if (lesson) refuse_unfit(*lesson, name); // another one has it
    if (!option) fail("no_option", {{"name", name}, {"near", suggestion(nearest(name, option_names()))}});
    for (const CLI::Option* other : option->get_excludes())
      if (given_.contains(other))
        fail("excluded", {{"name", name}, {"other", "--" + other->get_single_name()}});
    given_.insert(option);
    const bool has_value = equals != std::string::npos;
    if (!takes_value(*option)) {
      if (has_value) fail("flag_value", {{"name", name}, {"value", argument.substr(equals + 1)}});
      return 0;
    }
    // An option's name as a value is a value forgotten: "--x --q q.npy". Who means it writes --text=--causal.
    if (has_value ? equals + 1 == argument.size()
                  : !next || (looks_like_option(*next) && option_named(*next)))
      fail("no_value", {{"name", name}, {"type", option->get_type_name()}});
    if (++seen_[option] > 1) fail("twice", {{"name", name}});
    const bool is_file = option->get_type_name().starts_with("FILE");
    if (is_file && (has_value ? argument.substr(equals + 1) : *next) == "-") read_stdin();
    return has_value ? 0 : 1;
  }

  void command(const std::string& name) {
    for (const CLI::App* command : commands())
      if (command->get_name() == name) {
        active_ = command;
        return;
      }
    fail("no_command", {{"name", name}, {"near", suggestion(nearest(name, command_names()))}});
  }

  void read_stdin() {
    if (reads_stdin_) fail("stdin_twice", {});
    reads_stdin_ = true;
  }

  void positional(const std::string& argument) {
    if (argument == "-") read_stdin();
    std::size_t places = 0;
    for (const CLI::Option* wanted : positionals_of(*active_))
      places += static_cast<std::size_t>(wanted->get_items_expected_max());
    if (++positionals_ > places) fail("no_place", {{"argument", argument}});
  }

  const CLI::Option* option_named(const std::string& name) const {
    const CLI::Option* option = find_option(*active_, name);
    return option ? option : find_option(app_, name);
  }

  std::vector<const CLI::App*> commands() const {
    return app_.get_subcommands([](const CLI::App*) { return true; });
  }

  std::vector<std::string> command_names() const {
    std::vector<std::string> names;
    for (const CLI::App* command : commands())
      if (!command->get_group().empty())
        names.push_back(command->get_name()); // one without a group is hidden
    return names;
  }

  std::vector<std::string> option_names() const {
    std::vector<std::string> names;
    for (const CLI::App* level : {&app_, active_})
      for (const CLI::Option* option : level->get_options())
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
  }

  const CLI::App& app_;
  const Context& context_;
  const CLI::App* active_ = &app_;
  bool reads_stdin_ = false;
  std::size_t positionals_ = 0;
  std::map<const CLI::Option*, int> seen_;
  std::set<const CLI::Option*> given_;
};

} // namespace

void check_arguments(const CLI::App& app, const Context& context) {
  ArgumentWalk(app, context).over(context.arguments);
}

} // namespace tfx
