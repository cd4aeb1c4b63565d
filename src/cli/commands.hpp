#pragma once
// Each command registers itself: what it takes, and what it does (Context::Command).

#include "cli/context.hpp"
#include "lessons/catalogue.hpp"

namespace tfx {

/// All of them, and the global options.
void add_commands(CLI::App& app, Context& context);

void add_lesson_command(CLI::App& app, Context& context, const Lesson& lesson);
/// What that command shows of a lesson on this input, without times.
void show_lesson(const Lesson& lesson, const InputOptions& input, bool json, Context& context);
void add_explain_command(CLI::App& app, Context& context);
void add_break_command(CLI::App& app, Context& context);
void add_check_command(CLI::App& app, Context& context);
void add_exercise_command(CLI::App& app, Context& context);
void add_grade_command(CLI::App& app, Context& context);
void add_inputs_command(CLI::App& app, Context& context);
void add_verify_command(CLI::App& app, Context& context);
void add_model_command(CLI::App& app, Context& context);
void add_train_command(CLI::App& app, Context& context);
void add_params_command(CLI::App& app, Context& context);
void add_bench_command(CLI::App& app, Context& context);
void add_decode_command(CLI::App& app, Context& context);
void add_bpe_command(CLI::App& app, Context& context);
void add_score_command(CLI::App& app, Context& context);
void add_cache_command(CLI::App& app, Context& context);
void add_errata_command(CLI::App& app, Context& context);
void add_diff_command(CLI::App& app, Context& context);
void add_inspect_command(CLI::App& app, Context& context);
void add_code_command(CLI::App& app, Context& context);
void add_doctor_command(CLI::App& app, Context& context);
void add_report_command(CLI::App& app, Context& context);
void add_list_command(CLI::App& app, Context& context);
void add_map_command(CLI::App& app, Context& context);
void add_terms_command(CLI::App& app, Context& context);
void add_tutorial_command(CLI::App& app, Context& context);
void add_quiz_command(CLI::App& app, Context& context);
/// next, hint and reset.
void add_learn_commands(CLI::App& app, Context& context);
/// manual and complete, which are hidden: for the build, and for the shells.
void add_manual_command(CLI::App& app, Context& context);
void add_complete_command(CLI::App& app, Context& context);

/// Runs a command line, without "tfx", as if it had been typed: what it writes goes to context.out, and its
/// status and notes are the context's.
void run_typed(const std::string& command_line, Context& context);

/// The lesson called `name`. Throws Error(usage) with the nearest name where there is none.
const Lesson& known_lesson(std::string_view name);

/// The same; Error(usage) too where `command` has nothing of it.
const Lesson& lesson_for(std::string_view command, std::string_view name);

/// The course map: what `tfx` alone shows.
std::string course_map(const Context& context);

} // namespace tfx
