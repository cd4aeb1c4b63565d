#include "cli/verify/screen.hpp"
#include "io/json_writer.hpp"

#include <algorithm>

namespace tfx {

namespace {

void begin(JsonWriter& json) {
  json.begin_object();
  json.key("schema_version"), json.value(std::size_t{1});
  json.key("command"), json.value("verify");
}

void write_strings(JsonWriter& json, const char* key, const std::vector<std::string>& texts) {
  json.key(key);
  json.begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

} // namespace

std::string verify_json(const std::vector<Verified>& lines) {
  JsonWriter json;
  begin(json);
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
  begin(json);
  json.key("pass"), json.value(matrix.holds());
  json.key("killed"), json.value(matrix.killed());
  json.key("mistakes"), json.value(matrix.rows.size());
  write_strings(json, "properties", matrix.properties);
  json.key("rows");
  json.begin_array();
  for (const KillRow& row : matrix.rows) {
    json.begin_object();
    json.key("mistake"), json.value(row.mistake);
    write_strings(json, "runs", row.runs);
    std::vector<std::string> by;
    for (std::size_t i = 0; i < row.killed.size(); ++i)
      if (row.killed[i]) by.push_back(matrix.properties[i]);
    write_strings(json, "killed_by", by);
    json.end_object();
  }
  json.end_array();
  write_strings(json, "false_alarms", matrix.false_alarms);
  json.end_object();
  return json.take();
}

} // namespace tfx
