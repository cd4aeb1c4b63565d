#pragma once
// Options as the commands declare them: the help text is the words' "option--NAME", values are strict.

#include "cli/context.hpp"
#include "cli/parse.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tfx {

/// Larger counts could not be held anyway; the memory check has the last word below this.
inline constexpr std::size_t most_count = 1'000'000'000;

CLI::Option* add_text(CLI::App& app, const std::string& name, std::optional<std::string>& target,
                      const Context& context, const char* type);

CLI::Option* add_count(CLI::App& app, const std::string& name, std::optional<std::size_t>& target,
                       const Context& context, std::size_t least = 1, std::size_t most = most_count);

CLI::Option* add_seed(CLI::App& app, std::optional<std::uint32_t>& target, const Context& context);

/// One of a few words, each with what it means.
template <class T>
CLI::Option* add_choice(CLI::App& app, const std::string& name,
                        const std::vector<std::pair<std::string, T>>& choices,
                        const std::function<void(T)>& set, const Context& context) {
  std::string list;
  for (const auto& [text, value] : choices) list += (list.empty() ? "" : "|") + text;
  return app
      .add_option_function<std::string>(
          name,
          [=, &context](const std::string& given) {
            for (const auto& [text, value] : choices)
              if (given == text) return set(value);
            throw context.usage_error("choice", {{"name", name}, {"choices", list}, {"text", given}});
          },
          context.text("option" + name))
      ->type_name(list);
}

} // namespace tfx
