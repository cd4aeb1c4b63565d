// tfx doctor: what tfx computes with on this machine, and what makes it slower than it could be.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/doctor/report.hpp"

#include <memory>

namespace tfx {

void add_doctor_command(CLI::App& app, Context& context) {
  const auto json = std::make_shared<bool>(false);
  CLI::App& command = add_command(app, context, "doctor", in_words("command.doctor"), [&context, json] {
    const DoctorReport report = examine();
    context.out = *json ? doctor_json(report) + "\n" : doctor_screen(report, context);
    context.status = report.is_usable() ? 0 : static_cast<int>(ErrorKind::difference);
  });
  add_flag(command, "--json", *json);
}

} // namespace tfx
