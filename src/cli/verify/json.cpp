#include "render/json.hpp"
#include "cli/verify/screen.hpp"

#include <algorithm>

namespace tfx {

std::string verify_json(const std::vector<Verified>& lines) {
  JsonWriter json;
  begin_command(json, "verify");
  json.key("pass"), json.value(std::ranges::all_of(lines, &Verified::holds));
  json.key("results");
  json.begin_array();
  for (const Verified& line : lines) {
    json.begin_object();
    json.key("name"), json.value(line.id);
    json.key("subject"), json.value(line.subject);
    json.key("pass"), json.value(line.holds());
    json.key("sources"), json.value(line.sources);
    json.key("compared"), json.value(line.compared);
    json.key("worst"), json.value(line.worst);
    json.key("bound"), json.value(line.bound);
    if (!line.sample.empty()) json.key("sample"), json.value(line.sample);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

std::string mutants_json(const KillMatrix& matrix) {
  JsonWriter json;
  begin_command(json, "verify");
  json.key("pass"), json.value(matrix.holds());
  json.key("killed"), json.value(matrix.killed());
  json.key("mistakes"), json.value(matrix.rows.size());
  json.key("properties"), json.value(matrix.properties);
  json.key("rows");
  json.begin_array();
  for (const KillRow& row : matrix.rows) {
    json.begin_object();
    json.key("mistake"), json.value(row.mistake);
    json.key("runs"), json.value(row.runs);
    std::vector<std::string> by;
    for (std::size_t i = 0; i < row.killed.size(); ++i)
      if (row.killed[i]) by.push_back(matrix.properties[i]);
    json.key("killed_by"), json.value(by);
    json.end_object();
  }
  json.end_array();
  json.key("false_alarms"), json.value(matrix.false_alarms);
  json.end_object();
  return json.take();
}

} // namespace tfx
