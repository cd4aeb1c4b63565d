#include "cli/break/json.hpp"

#include "cli/break/mistake_words.hpp"
#include "io/json_writer.hpp"

namespace tfx {

namespace {

void begin(JsonWriter& json, const BrokenLesson& broken) {
  json.begin_object();
  json.key("schema_version"), json.value(std::size_t{1});
  json.key("command"), json.value("break");
  json.key("lesson"), json.value(broken.lesson.command);
  json.key("tutorial");
  if (broken.right.tutorial.empty())
    json.null();
  else
    json.value(broken.right.tutorial.substr(0, broken.right.tutorial.find(':')));
}

void write_strings(JsonWriter& json, const char* key, const std::vector<std::string>& texts) {
  json.key(key);
  json.begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

// The members that the list and the single mistake share.
void write_mistake(JsonWriter& json, const BrokenLesson& broken, const BrokenRun& one, const Style& style) {
  const MistakeWords words = words_of(*one.mistake, broken.right, style);
  const Step* wrong = one.run.made.empty() ? nullptr : one.run.trace.find(one.run.made[0]);
  json.key("mistake"), json.value(one.mistake->id);
  write_strings(json, "made", one.run.made);
  json.key("formula");
  if (wrong)
    json.value(wrong->formula);
  else
    json.null();
  json.key("right_formula");
  if (wrong)
    json.value(broken.right.find(wrong->name)->formula);
  else
    json.null();
  json.key("symptom"), json.value(words.symptom);
  json.key("advice"), json.value(words.advice);
  json.key("stops");
  if (one.run.stops)
    json.value(*one.run.stops);
  else
    json.null();
  json.key("stopped_at");
  if (one.run.stops)
    json.value(one.run.stopped_at);
  else
    json.null();
  json.key("changed");
  json.begin_array();
  for (const ChangedStep& step : one.changed) {
    json.begin_object();
    json.key("name"), json.value(step.name);
    json.key("cells"), json.value(step.difference.cells);
    json.key("different"), json.value(step.difference.different);
    json.key("same_shape"), json.value(step.difference.same_shape);
    json.key("largest"), json.value(step.difference.largest);
    json.end_object();
  }
  json.end_array();
}

} // namespace

std::string break_list_json(const BrokenLesson& broken, const std::vector<BrokenRun>& all,
                            const Context& context) {
  JsonWriter json;
  begin(json, broken);
  json.key("mistakes");
  json.begin_array();
  for (const BrokenRun& one : all) {
    json.begin_object();
    write_mistake(json, broken, one, context.style());
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

std::string break_json(const BrokenLesson& broken, const BrokenRun& one,
                       const std::vector<PropertyVerdict>& judged, const Context& context) {
  JsonWriter json;
  begin(json, broken);
  write_mistake(json, broken, one, context.style());
  json.key("tensors");
  json.begin_array();
  for (const ChangedStep& step : one.changed) {
    json.begin_object();
    json.key("name"), json.value(step.name);
    json.key("right"), json.tensor(broken.right[step.name]);
    json.key("wrong"), json.tensor(one.run.trace[step.name]);
    json.end_object();
  }
  json.end_array();
  json.key("properties");
  json.begin_array();
  for (const PropertyVerdict& verdict : judged) {
    json.begin_object();
    json.key("name"), json.value(verdict.property);
    json.key("holds"), json.value(verdict.measured.holds);
    json.key("value"), json.value(verdict.measured.value);
    if (!verdict.error.empty()) json.key("error"), json.value(verdict.error);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

} // namespace tfx
