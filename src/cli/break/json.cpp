#include "cli/break/screen.hpp"

#include "cli/break/mistake_words.hpp"
#include "render/json.hpp"

namespace tfx {

namespace {

void begin(JsonWriter& json, const BrokenLesson& broken) {
  begin_command(json, "break");
  json.key("lesson"), json.value(broken.lesson.command);
  json.key("tutorial"), json.text_or_null(broken.right.tutorial.substr(0, broken.right.tutorial.find(':')));
}

// The members that the list and the single mistake share.
void write_mistake(JsonWriter& json, const BrokenLesson& broken, const BrokenRun& one, const Style& style) {
  const MistakeWords words = words_of(*one.mistake, broken.right, style);
  const Step* wrong = one.run.made.empty() ? nullptr : one.run.trace.find(one.run.made[0]);
  json.key("mistake"), json.value(one.mistake->id);
  json.key("made"), json.value(one.run.made);
  json.key("formula"), wrong ? json.value(wrong->formula) : json.null();
  json.key("right_formula"), wrong ? json.value(broken.right.find(wrong->name)->formula) : json.null();
  json.key("symptom"), json.value(words.symptom);
  json.key("advice"), json.value(words.advice);
  json.key("stops"), one.run.stops ? json.value(one.run.stops->in_english()) : json.null();
  json.key("stopped_at"), one.run.stops ? json.value(one.run.stopped_at) : json.null();
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
    if (!verdict.error.empty()) json.key("error"), json.value(verdict.error.in_english());
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

} // namespace tfx
