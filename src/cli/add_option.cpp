#include "cli/add_option.hpp"

#include <CLI/CLI.hpp>

#include <limits>

namespace tfx {

CLI::Option* add_text(CLI::App& app, const std::string& name, std::optional<std::string>& target,
                      const Context& context, const char* type) {
  return app
      .add_option_function<std::string>(
          name, [&target](const std::string& value) { target = value; }, context.text("option" + name))
      ->type_name(type);
}

CLI::Option* add_count(CLI::App& app, const std::string& name, std::optional<std::size_t>& target,
                       const Context& context, std::size_t least, std::size_t most) {
  return app
      .add_option_function<std::string>(
          name,
          [&target, &context, name, least, most](const std::string& value) {
            target = parse_count(context, name, value, least, most);
          },
          context.text("option" + name))
      ->type_name("N");
}

CLI::Option* add_seed(CLI::App& app, std::optional<std::uint32_t>& target, const Context& context) {
  return app
      .add_option_function<std::string>(
          "--seed",
          [&target, &context](const std::string& value) {
            target = static_cast<std::uint32_t>(
                parse_count(context, "--seed", value, 0, std::numeric_limits<std::uint32_t>::max()));
          },
          context.text("option--seed"))
      ->type_name("N");
}

} // namespace tfx
