#include "render/report.hpp"

#include "core/number.hpp"
#include "render/json.hpp"

#include <type_traits>

namespace tfx {

namespace {

void write_rows(JsonWriter& json, const Report& report, const ReportTable& table, const Paper& exact);
void write_members(JsonWriter& json, const Report& report, const std::vector<Member>& members,
                   const Paper& exact);

void write_report_cell(JsonWriter& json, const Report& report, const Cell& cell, const Paper& exact) {
  std::visit(
      [&]<class Held>(const Held& held) {
        if constexpr (std::is_same_v<Held, None>)
          json.null();
        else if constexpr (std::is_same_v<Held, Values>) {
          json.begin_object();
          for (const auto& [name, value] : held) json.key(name), json.value(value);
          json.end_object();
        } else if constexpr (std::is_same_v<Held, Nested>)
          write_rows(json, report, *held.table, exact);
        else if constexpr (std::is_same_v<Held, Object>)
          write_members(json, report, held.members, exact);
        else if constexpr (std::is_same_v<Held, Objects>) {
          json.begin_array();
          for (const Object& row : held) write_members(json, report, row.members, exact);
          json.end_array();
        } else if constexpr (std::is_same_v<Held, TensorOf>)
          json.tensor(held.read());
        else if constexpr (std::is_same_v<Held, Sentence>)
          json.value(line_of({held}, exact));
        else if constexpr (std::is_same_v<Held, Written>)
          json.value(held.text(exact));
        else if constexpr (std::is_same_v<Held, Verbatim>)
          json.value(held.lines);
        else if constexpr (std::is_same_v<Held, Bytes>)
          json.value(static_cast<std::size_t>(held.value));
        else if constexpr (std::is_same_v<Held, PropertyId>)
          json.value(held.id);
        else if constexpr (requires { held.value; })
          json.value(held.value);
        else
          json.value(held);
      },
      cell);
}

/// Members with dotted names: "blas.core" goes into the object "blas", which is open as long as its members
/// follow each other.
class NestedMembers {
public:
  explicit NestedMembers(JsonWriter& json) : json_(json) {}
  NestedMembers(const NestedMembers&) = delete;
  NestedMembers& operator=(const NestedMembers&) = delete;
  ~NestedMembers() { close(); }

  void key(const std::string& name) {
    const std::size_t dot = name.find('.');
    const std::string within = dot == std::string::npos ? "" : name.substr(0, dot);
    if (within != open_) {
      close();
      if (!within.empty()) json_.key(within), json_.begin_object();
      open_ = within;
    }
    json_.key(dot == std::string::npos ? name : name.substr(dot + 1));
  }

  void close() {
    if (!open_.empty()) json_.end_object();
    open_.clear();
  }

private:
  JsonWriter& json_;
  std::string open_;
};

void write_members(JsonWriter& json, const Report& report, const std::vector<Member>& members,
                   const Paper& exact) {
  json.begin_object();
  for (const Member& member : members)
    json.key(member.name), write_report_cell(json, report, member.cell, exact);
  json.end_object();
}

void write_object(JsonWriter& json, const Report& report, const ReportTable& table,
                  const std::vector<Cell>& row, const Paper& exact) {
  json.begin_object();
  {
    NestedMembers members(json);
    for (std::size_t i = 0; i < row.size(); ++i)
      if (has_column(report, table, i))
        members.key(table.columns[i]), write_report_cell(json, report, row[i], exact);
  }
  json.end_object();
}

void write_rows(JsonWriter& json, const Report& report, const ReportTable& table, const Paper& exact) {
  json.begin_array();
  for (const std::vector<Cell>& row : table.rows) write_object(json, report, table, row, exact);
  for (std::size_t i = 0; i < table.made.count; ++i)
    write_object(json, report, table, table.made.row(i), exact);
  json.end_array();
}

} // namespace

std::string render_json(const Report& report, const Words& words) {
  if (report.run) return render_json(report.trace, {report.frame.with_time, report.frame.only});
  Style style;
  style.precision = all_digits;
  const Paper exact(report.trace, words, style);
  JsonWriter json;
  begin_command(json, report.frame.command, report.frame.is_lesson ? 1 : 2);
  NestedMembers members(json);
  for (const auto& part : report.parts) {
    if (const auto* member = std::get_if<Member>(&part)) {
      members.key(member->name), write_report_cell(json, report, member->cell, exact);
    } else if (const auto* table = std::get_if<ReportTable>(&part); table && !table->name.empty()) {
      members.key(table->name);
      write_rows(json, report, *table, exact);
    } else if (const auto* series = std::get_if<Series>(&part)) {
      members.key(series->name), json.value(series->values);
    }
  }
  members.close();
  if (report.has_tensors) write_tensors(json, report.trace);
  if (report.has_cost || !report.trace.checks.empty()) write_checks(json, report.trace);
  if (report.has_cost && report.trace.measured) {
    json.key("cost"), json.begin_object();
    write_cost(json, *report.trace.measured, report.frame.with_time);
    json.end_object();
  }
  return end_command(json);
}

} // namespace tfx
