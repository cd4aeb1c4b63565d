#pragma once
// The options that lessons share.

#include "cli/context.hpp"
#include "lessons/catalogue.hpp"

namespace tfx {

/// Options that take no part in the mathematics: what to print, and where to save.
struct OutputOptions {
  std::vector<std::string> show;
  bool quiet = false, json = false, no_time = false;
  std::optional<std::string> save;
};

void add_global_options(CLI::App& app, Context& context);
void add_input_options(CLI::App& command, InputOptions& options);
/// Options of single lessons: --memory where the stage is `memory`, those of a layer where it is `layer`, all
/// of them without a stage.
void add_stage_options(CLI::App& command, InputOptions& options, std::optional<Stage> stage = {});
void add_output_options(CLI::App& command, OutputOptions& options, Context& context);
/// --picture alone.
void add_picture(CLI::App& command, Context& context);

/// Throw Error(usage): heads that do not divide the width; an id that a vocabulary of so many has not.
void require_dividing(std::size_t heads, std::size_t d_model);
void require_known(const char* option, const std::vector<std::uint32_t>& ids, std::size_t vocabulary);

/// The text as a shell takes it back: in quotes where it needs them.
std::string quoted(const std::string& text);

/// The input options as the learner would type them again: " --text 'the cat'"; empty where there are none.
std::string repeat_options(const InputOptions& options);

/// Throws Error(usage) for an option that a lesson's small run beside its command does not read, and names
/// the lessons that it is for.
void refuse_unread(const Lesson& lesson, const InputOptions& options);

} // namespace tfx
