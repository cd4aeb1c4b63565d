// `tfx doctor`: the machine, what slows it down, and what to do.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/context.hpp"
#include "cli/environment.hpp"
#include "core/machine.hpp"
#include "core/number.hpp"
#include "render/json.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace tfx {

namespace {

struct DoctorReport {
  Machine machine;
  bool unicode = true;
  std::string locale; ///< "LC_ALL=zh_CN.UTF-8"; empty where no variable says one
  std::vector<MachineWarning> warnings;

  bool is_usable() const;
};

using Values = std::map<std::string, std::string>;

std::string word(const std::string& key, const Values& values = {}) {
  return in_words("doctor." + key, values);
}

class DoctorScreen {
public:
  DoctorScreen(const DoctorReport& report, const Style& style) : report_(report), style_(style) {}

  std::string take() {
    const Machine& machine = report_.machine;
    const BlasLibrary& blas = machine.blas;
    const auto count = [](std::size_t number) { return std::to_string(number); };
    hanging("", word("title"));
    out_ += "\n";
    finding("isa", {{"processor", machine.processor.empty() ? "?" : machine.processor},
                    {"isa", std::string(name(machine.isa))}});
    finding("blas", {{"version", blas.version}, {"core", blas.core}});
    finding("threads", {{"threads", count(machine.threads)},
                        {"usable", count(machine.usable)},
                        {"online", count(machine.online)}});
    if (machine.quota) finding("quota", {{"quota", format_number(*machine.quota, 2)}});
    finding("memory", {{"free", format_bytes(machine.free_memory)}, {"all", format_bytes(machine.memory)}});
    if (machine.address_space) finding("address_space", {{"limit", format_bytes(*machine.address_space)}});
    finding("locale", {{"characters", report_.unicode ? "UTF-8" : "ASCII"},
                       {"locale", report_.locale.empty() ? word("locale.none") : report_.locale}});
    out_ += "\n";
    hanging("", report_.warnings.empty() ? word("good")
                                         : word(report_.is_usable() ? "slower" : "unusable",
                                                {{"count", count(report_.warnings.size())}}));
    return std::move(out_);
  }

private:
  /// "✓ memory: 16 GB free", and below it what is wrong with that and what to do.
  void finding(const std::string& key, const Values& values) {
    std::vector<MachineWarning> wrong;
    for (const MachineWarning& warning : report_.warnings)
      if (warning.id.starts_with(key + ".")) wrong.push_back(warning);
    const bool unusable = std::ranges::any_of(wrong, &MachineWarning::unusable);
    const std::string mark = style_.symbols(wrong.empty() ? "✓" : unusable ? "✗" : "!");
    hanging((wrong.empty() ? style_.good(mark) : style_.bad(mark)) + " ", word(key, values),
            display_width(mark) + 1);
    for (const MachineWarning& warning : wrong) {
      hanging("  ", word(warning.id, warning.values));
      hanging("  ", "→ " + word(warning.id + ".advice", warning.values));
    }
  }

  void hanging(const std::string& first, const std::string& text) {
    hanging(first, text, display_width(first));
  }

  /// The text beside `first`, which is so wide, and wrapped.
  void hanging(const std::string& first, const std::string& text, std::size_t indent) {
    std::string before = first;
    for (const std::string& line : wrap(style_.symbols(escape_controls(text)), style_.width - indent)) {
      out_ += before + line + "\n";
      before = std::string(indent, ' ');
    }
  }

  const DoctorReport& report_;
  const Style style_;
  std::string out_;
};

bool DoctorReport::is_usable() const {
  return std::ranges::none_of(warnings, &MachineWarning::unusable);
}

DoctorReport examine() {
  DoctorReport report{look_at_machine(), look_at_terminal().unicode, locale_of_text(), {}};
  report.warnings = warnings_of(report.machine);
  if (!report.unicode) report.warnings.push_back({"locale.ascii", {{"locale", report.locale}}});
  return report;
}

std::string doctor_screen(const DoctorReport& report, const Context& context) {
  return DoctorScreen(report, context.style()).take();
}

std::string doctor_json(const DoctorReport& report) {
  const Machine& machine = report.machine;
  const BlasLibrary& blas = machine.blas;
  JsonWriter json;
  const auto field = [&](const char* key, const auto& value) { json.key(key), json.value(value); };
  const auto whole = [](double bytes) { return static_cast<std::size_t>(bytes); };
  begin_command(json, "doctor");
  json.key("processor"), json.text_or_null(machine.processor);
  json.key("kernels"), json.begin_object();
  field("isa", name(machine.isa)), field("widest", name(machine.widest_isa));
  field("threads", machine.threads);
  json.end_object();
  json.key("blas"), json.begin_object();
  field("openblas", blas.is_openblas);
  json.key("version"), json.text_or_null(blas.version);
  field("core", blas.core);
  json.key("file"), json.text_or_null(blas.file);
  json.end_object();
  json.key("environment"), json.begin_object();
  for (const auto& [variable, value] : machine.environment) field(variable.c_str(), value);
  json.end_object();
  json.key("processors"), json.begin_object();
  field("online", machine.online), field("usable", machine.usable), field("quota", machine.quota);
  json.end_object();
  json.key("memory"), json.begin_object();
  field("bytes", whole(machine.memory)), field("free", whole(machine.free_memory));
  json.key("address_space"), machine.address_space ? json.value(whole(*machine.address_space)) : json.null();
  json.end_object();
  field("unicode", report.unicode);
  json.key("locale"), json.text_or_null(report.locale);
  field("usable", report.is_usable());
  json.key("warnings"), json.begin_array();
  for (const MachineWarning& warning : report.warnings) {
    json.begin_object();
    field("id", warning.id), field("unusable", warning.unusable);
    for (const auto& [key, value] : warning.values) field(key.c_str(), value);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

// tfx doctor: what tfx computes with on this machine, and what makes it slower than it could be.

struct DoctorOptions {
  bool json = false;
};

} // namespace

Command doctor_command() {
  using O = DoctorOptions;
  const auto run = [](const O& o, Context& context) {
    const DoctorReport report = examine();
    context.out = o.json ? doctor_json(report) + "\n" : doctor_screen(report, context);
    context.status = report.is_usable() ? 0 : static_cast<int>(ErrorKind::difference);
  };
  return command_row<O>("doctor", run, [](CLI::App& command, O& o, Context&) {
    add_options<O>(command, {{"--json", &O::json}}, o);
  });
}

} // namespace tfx
