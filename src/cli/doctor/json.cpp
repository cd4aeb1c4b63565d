#include "cli/doctor/report.hpp"
#include "io/json_writer.hpp"

namespace tfx {

namespace {

/// Members of an object, one call each; what is not there is null.
class Fields {
public:
  explicit Fields(JsonWriter& json) : json_(json) {}

  template <class Value>
  void operator()(const char* key, const Value& value) {
    json_.key(key), json_.value(value);
  }

  template <class Value>
  void operator()(const char* key, const std::optional<Value>& value) {
    json_.key(key);
    value ? json_.value(*value) : json_.null();
  }

  template <class Members>
  void object(const char* key, Members&& members) {
    json_.key(key);
    json_.begin_object();
    members();
    json_.end_object();
  }

private:
  JsonWriter& json_;
};

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

std::size_t whole(double bytes) {
  return static_cast<std::size_t>(bytes);
}

void write_machine(Fields& field, const Machine& machine) {
  const Processor& processor = machine.processor;
  field.object("processor", [&] {
    field("name", unless_empty(processor.name));
    field("sse2", processor.sse2), field("avx", processor.avx), field("avx2", processor.avx2);
    field("fma", processor.fma), field("avx512", processor.avx512);
  });
  field.object("kernels", [&] {
    field("isa", name(machine.isa)), field("widest", name(machine.widest_isa));
    field("threads", machine.threads);
  });
  const BlasLibrary& blas = machine.blas;
  field.object("blas", [&] {
    field("openblas", blas.is_openblas), field("version", unless_empty(blas.version));
    field("core", blas.core), field("threads", static_cast<std::size_t>(blas.threads));
    field("configuration", blas.configuration), field("file", unless_empty(blas.file));
  });
  field.object("environment", [&] {
    for (const auto& [variable, value] : machine.environment) field(variable.c_str(), value);
  });
  field.object("processors", [&] {
    field("online", machine.online), field("usable", machine.usable), field("quota", machine.quota);
  });
  field("huge_pages", unless_empty(machine.huge_pages));
  field.object("memory", [&] {
    field("bytes", whole(machine.memory)), field("free", whole(machine.free_memory));
    const auto limit = machine.address_space;
    field("address_space", limit ? std::optional(whole(*limit)) : std::nullopt);
  });
}

void write_surroundings(Fields& field, const DoctorReport& report) {
  field.object("terminal", [&] {
    field("width", report.terminal.width), field("colors", colors_of(report.terminal));
    field("unicode", report.terminal.unicode);
  });
  field("locale", unless_empty(report.locale));
  field("language", language() == Language::zh ? "zh" : "en");
  field.object("state",
               [&] { field("folder", unless_empty(report.state)), field("exists", report.has_state); });
}

} // namespace

std::string doctor_json(const DoctorReport& report) {
  JsonWriter json;
  Fields field(json);
  json.begin_object();
  field("schema_version", std::size_t{1}), field("command", "doctor");
  write_machine(field, report.machine);
  write_surroundings(field, report);
  field("usable", report.is_usable());
  json.key("warnings");
  json.begin_array();
  for (const MachineWarning& warning : report.warnings) {
    json.begin_object();
    field("id", warning.id);
    field("unusable", warning.grade == MachineWarning::Grade::unusable);
    for (const auto& [key, value] : warning.values) field(key.c_str(), value);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

} // namespace tfx
