// tfx doctor: what tfx computes with on this machine, and what makes it slower than it could be.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/doctor/report.hpp"

#include <memory>

namespace tfx {

namespace {

struct DoctorOptions {
  bool json = false;
};

} // namespace

void add_doctor_command(CLI::App& app, Context& context) {
  using O = DoctorOptions;
  const auto options = std::make_shared<O>();
  const auto run = [&context, options] {
    const DoctorReport report = examine();
    context.out = options->json ? doctor_json(report) + "\n" : doctor_screen(report, context);
    context.status = report.is_usable() ? 0 : static_cast<int>(ErrorKind::difference);
  };
  add_command(app, context, "doctor", in_words("command.doctor"), run, [options](CLI::App& command) {
    add_options<O>(command, {{"--json", &O::json}}, *options);
  });
}

} // namespace tfx
