#pragma once
// `tfx doctor`: the machine, what slows it down, and what to do.

#include "cli/environment.hpp"
#include "core/machine.hpp"

#include <string>
#include <vector>

namespace tfx {

// What tfx doctor found: what tfx computes with on this machine, and what makes it slower than it could be.

struct DoctorReport {
  Machine machine;
  bool unicode = true;
  std::string locale; ///< "LC_ALL=zh_CN.UTF-8"; empty where no variable says one
  std::vector<MachineWarning> warnings;

  bool is_usable() const;
};

DoctorReport examine();

struct Context;

std::string doctor_screen(const DoctorReport& report, const Context& context);
std::string doctor_json(const DoctorReport& report);

} // namespace tfx
