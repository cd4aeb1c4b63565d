#include "cli/check/json.hpp"

#include "cli/check/screen.hpp"
#include "cli/check/verdict.hpp"
#include "render/json.hpp"
#include "trace/trace.hpp"

#include <algorithm>

namespace tfx {

namespace {

const char* name_of(Confidence confidence) {
  switch (confidence) {
  case Confidence::none: return "none";
  case Confidence::perhaps: return "perhaps";
  case Confidence::sure: return "sure";
  }
  return "none";
}

void write_suspect(JsonWriter& json, const Suspect& suspect) {
  json.begin_object();
  json.key("ids");
  json.begin_array();
  for (const Mistake* mistake : suspect.made) json.value(mistake->id);
  json.end_array();
  json.key("at"), json.text_or_null(suspect.at);
  json.end_object();
}

} // namespace

void write_mistake(JsonWriter& json, const Diagnosis& diagnosis) {
  const std::vector<std::string> ids = named(diagnosis);
  json.key("mistake");
  if (ids.empty()) return json.null();
  ids.size() == 1 ? json.value(ids[0]) : json.value(ids);
}

void write_suspects(JsonWriter& json, const Diagnosis& diagnosis) {
  json.key("confidence"), json.value(name_of(diagnosis.confidence));
  json.key("mistakes");
  json.begin_array();
  for (const Suspect& suspect : diagnosis.suspects) write_suspect(json, suspect);
  json.end_array();
  json.key("doubt"), json.text_or_null(name_of(diagnosis.doubt));
  json.key("fits"), json.value(diagnosis.fits);
  json.key("contradicts"), json.value(diagnosis.contradicts);
}

namespace {

void write_first(JsonWriter& json, const CheckedFile& checked) {
  json.key("first_difference");
  const CheckReport& report = checked.report;
  if (report.equal()) return json.null();
  const CheckedTensor& wrong = report.tensors[*report.first_wrong];
  if (!wrong.difference.same_shape) return json.null();
  json.begin_object();
  json.key("tensor"), json.value(wrong.name);
  json.key("index"), json.value(wrong.difference.first);
  json.key("label"), json.value(cell_name(*checked.right.find(wrong.name), wrong.difference.first));
  json.key("yours"), json.value(wrong.difference.yours);
  if (checked.answer == Answer::shown) json.key("lesson"), json.value(wrong.difference.lessons);
  json.end_object();
}

void write_tensors(JsonWriter& json, const CheckedFile& checked) {
  json.key("tensors");
  json.begin_array();
  for (const CheckedTensor& one : checked.report.tensors) {
    json.begin_object();
    json.key("name"), json.value(one.name);
    json.key("equal"), json.value(one.difference.equal());
    json.key("dtype"), json.value(tfx::name_of(one.dtype));
    json.key("shape"), json.value(one.yours.shape);
    json.key("lesson_shape"), json.value(checked.right[one.name].shape);
    json.key("cells"), json.value(one.difference.cells);
    json.key("different"), json.value(one.difference.different);
    json.key("largest_difference");
    one.difference.same_shape&& checked.answer == Answer::shown ? json.value(one.difference.largest)
                                                                : json.null();
    json.key("follows"), json.value(one.follows);
    json.key("excused"), json.value(one.excused);
    json.end_object();
  }
  json.end_array();
}

void write_observations(JsonWriter& json, const std::vector<Observation>& observations) {
  json.key("observations");
  json.begin_array();
  for (const Observation& one : observations) {
    json.begin_object();
    json.key("id"), json.value(one.id);
    for (const auto& [name, fact] : one.facts) json.key(name), json.value(fact);
    json.end_object();
  }
  json.end_array();
}

// One for each tensor that has to be equal, and is.
std::size_t points_of(const CheckedFile& checked) {
  return static_cast<std::size_t>(std::ranges::count_if(checked.wanted, [&](const std::string& name) {
    const auto own = std::ranges::find(checked.report.tensors, name, &CheckedTensor::name);
    return own != checked.report.tensors.end() && own->difference.equal();
  }));
}

// Where what follows is right: in what the way there differs.
void write_conventions(JsonWriter& json, const CheckReport& report) {
  json.key("conventions");
  json.begin_array();
  for (const CheckedTensor& one : report.tensors) {
    if (!one.excused) continue;
    json.begin_object();
    json.key("tensor"), json.value(one.name);
    write_observations(json, one.convention);
    json.end_object();
  }
  json.end_array();
}

} // namespace

std::string check_json(const CheckedFile& checked, const Style& style) {
  const CheckReport& report = checked.report;
  JsonWriter json;
  begin_command(json, "check");
  json.key("lesson"), json.value(checked.lesson.command);
  json.key("tutorial"), json.text_or_null(checked.right.tutorial.substr(0, checked.right.tutorial.find(':')));
  json.key("file"), json.value(shown_name(checked.file));
  json.key("equal"), json.value(report.equal());
  json.key("tensor");
  report.equal() ? json.null() : json.value(report.tensors[*report.first_wrong].name);
  write_mistake(json, report.diagnosis);
  write_suspects(json, report.diagnosis);
  write_first(json, checked);
  write_observations(json, report.observations);
  write_conventions(json, report);
  json.key("feedback"), json.value(feedback_of(report, checked.right, style));
  json.key("points"), json.value(points_of(checked));
  json.key("of"), json.value(checked.wanted.size());
  write_tensors(json, checked);
  json.key("hidden");
  json.begin_array();
  for (const Mistake* mistake : report.hidden) json.value(mistake->id);
  json.end_array();
  json.key("unknown"), json.value(checked.unknown);
  json.end_object();
  return json.take();
}

} // namespace tfx
