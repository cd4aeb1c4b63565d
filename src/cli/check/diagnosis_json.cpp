#include "cli/check/diagnosis_json.hpp"

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

} // namespace tfx
