#pragma once
// What tfx doctor found: the machine, the terminal, and what is wrong with them. Two renderers: screen, JSON.

#include "cli/environment.hpp"
#include "core/machine.hpp"

#include <string>
#include <vector>

namespace tfx {

struct DoctorReport {
  Machine machine;
  Terminal terminal;
  std::string locale; ///< "LC_ALL=zh_CN.UTF-8"; empty where no variable says one
  std::string state;  ///< the folder where progress would be kept; empty: there is no place for it
  bool has_state = false;
  std::vector<MachineWarning> warnings;

  bool is_usable() const;
};

DoctorReport examine();

struct Context;

std::string doctor_screen(const DoctorReport& report, const Context& context);
std::string doctor_json(const DoctorReport& report);

} // namespace tfx
