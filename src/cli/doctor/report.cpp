#include "cli/doctor/report.hpp"

#include <algorithm>
#include <filesystem>

namespace tfx {

bool DoctorReport::is_usable() const {
  return std::ranges::none_of(warnings, [](const MachineWarning& warning) {
    return warning.grade == MachineWarning::Grade::unusable;
  });
}

DoctorReport examine() {
  DoctorReport report;
  report.machine = look_at_machine();
  report.terminal = look_at_terminal();
  report.locale = locale_of_text();
  report.state = state_folder();
  std::error_code unreadable;
  report.has_state = !report.state.empty() && std::filesystem::exists(report.state, unreadable);
  report.warnings = warnings_of(report.machine);
  if (!report.terminal.unicode)
    report.warnings.push_back({"locale.ascii", MachineWarning::Grade::slower, {{"locale", report.locale}}});
  return report;
}

} // namespace tfx
