// tfx doctor: what tfx computes with on this machine, what makes it slower than it could be, and what to do.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/environment.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "core/machine.hpp"
#include "core/number.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace tfx {

namespace {

std::vector<MachineWarning> all_warnings(const Machine& machine, bool unicode, const std::string& locale) {
  std::vector<MachineWarning> warnings = warnings_of(machine);
  if (!unicode) warnings.push_back({"locale.ascii", {{"locale", locale}}});
  return warnings;
}

Values values_of(const MachineWarning& warning) {
  return {warning.values.begin(), warning.values.end()};
}

/// A line about one part of the machine, and below it what is wrong with that and what to do.
Finding finding_about(const std::string& part, Sentence said, const std::vector<MachineWarning>& warnings) {
  Finding finding{Finding::Mark::good, {std::move(said)}};
  for (const MachineWarning& warning : warnings) {
    if (!warning.id.starts_with(part + ".")) continue;
    if (finding.mark != Finding::Mark::bad)
      finding.mark = warning.unusable ? Finding::Mark::bad : Finding::Mark::heed;
    finding.below.push_back({warning.id, values_of(warning)});
    finding.below.push_back({warning.id + ".advice", values_of(warning)});
  }
  return finding;
}

void say_parts(Report& report, const Machine& machine, bool unicode, const std::string& locale,
               const std::vector<MachineWarning>& warnings) {
  const auto count = [](std::size_t number) { return std::to_string(number); };
  const auto part = [&](const std::string& name, Values values, const std::string& key = {}) {
    report.add(finding_about(name, {key.empty() ? name : key, std::move(values)}, warnings));
  };
  part("isa", {{"processor", machine.processor.empty() ? "?" : machine.processor},
               {"isa", std::string(name(machine.isa))}});
  part("blas", {{"version", machine.blas.version}, {"core", machine.blas.core}});
  part("threads", {{"threads", count(machine.threads)},
                   {"usable", count(machine.usable)},
                   {"online", count(machine.online)}});
  if (machine.quota) part("quota", {{"quota", format_number(*machine.quota, 2)}});
  part("memory", {{"free", format_bytes(machine.free_memory)}, {"all", format_bytes(machine.memory)}});
  if (machine.address_space) part("address_space", {{"limit", format_bytes(*machine.address_space)}});
  part("locale", {{"characters", unicode ? "UTF-8" : "ASCII"}, {"locale", locale}},
       locale.empty() ? "locale.unset" : "");
}

void add_members(Report& report, const Machine& machine, bool unicode, const std::string& locale) {
  report.add("processor", text_or_none(machine.processor));
  report.add("kernels.isa", std::string(name(machine.isa)));
  report.add("kernels.widest", std::string(name(machine.widest_isa)));
  report.add("kernels.threads", Count{machine.threads});
  report.add("blas.openblas", machine.blas.is_openblas);
  report.add("blas.version", text_or_none(machine.blas.version));
  report.add("blas.core", machine.blas.core);
  report.add("blas.file", text_or_none(machine.blas.file));
  report.add("environment", Values(machine.environment.begin(), machine.environment.end()));
  report.add("processors.online", Count{machine.online});
  report.add("processors.usable", Count{machine.usable});
  report.add("processors.quota", or_none(machine.quota));
  report.add("memory.bytes", Bytes{machine.memory});
  report.add("memory.free", Bytes{machine.free_memory});
  report.add("memory.address_space", machine.address_space ? Cell(Bytes{*machine.address_space}) : None{});
  report.add("unicode", unicode);
  report.add("locale", text_or_none(locale));
}

struct DoctorOptions {
  ShowOptions show;
};

Report run(const DoctorOptions&, Context&) {
  const Machine machine = look_at_machine();
  const bool unicode = look_at_terminal().unicode;
  const std::string locale = locale_of_text();
  const std::vector<MachineWarning> warnings = all_warnings(machine, unicode, locale);
  const bool usable = std::ranges::none_of(warnings, &MachineWarning::unusable);
  Report report{frame_of_command("doctor"), {}};
  report.title = Title::none;
  report.say("intro");
  say_parts(report, machine, unicode, locale, warnings);
  report.say(warnings.empty() ? "good"
             : usable         ? "slower"
                              : "unusable",
             {{"count", std::to_string(warnings.size())}});
  add_members(report, machine, unicode, locale);
  report.add("usable", usable);
  ReportTable table{"warnings", {"id", "unusable", "values"}, {}};
  for (const MachineWarning& warning : warnings)
    table.rows.push_back({warning.id, warning.unusable, values_of(warning)});
  report.add(std::move(table));
  report.status = usable ? 0 : static_cast<int>(ErrorKind::difference);
  return report;
}

} // namespace

Command doctor_command() {
  return report_row<DoctorOptions, run>("doctor", [](CLI::App& command, DoctorOptions& o, Context&) {
    add_options(command, page_options(), o.show);
  });
}

} // namespace tfx
