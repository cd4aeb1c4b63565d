// tfx doctor: what tfx computes with on this machine, and what makes it slower than it could be.

#include "cli/commands.hpp"
#include "cli/doctor_report.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace tfx {

void add_doctor_command(CLI::App& app, Context& context) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("doctor", context.text("command.doctor"));
  command->fallthrough();
  command->footer(context.text("help.global"));
  command->add_flag("--json", *json, context.text("option--json"));
  command->callback([&context, json] {
    context.command = [&context, json] {
      const DoctorReport report = examine(context.language);
      context.out = *json ? doctor_json(report) + "\n" : doctor_screen(report, context);
      context.status = report.is_usable() ? 0 : static_cast<int>(ErrorKind::difference);
    };
  });
}

} // namespace tfx
