#include "cli/manual/offer.hpp"

#include "architecture/presets.hpp"
#include "bench/work.hpp"
#include "cli/bench/options.hpp"
#include "cli/bpe/command.hpp"
#include "course/tutorial_path.hpp"
#include "input/tutorials.hpp"
#include "lessons/catalogue.hpp"
#include "lessons/errata/erratum.hpp"
#include "model/shipped.hpp"
#include "trace/mistake.hpp"

#include <algorithm>

namespace tfx {

namespace {

using Names = std::vector<std::string>;

/// Every id, and every single run; for a lesson those that fit it.
Names tutorial_names(const std::string& command) {
  const Lesson* lesson = lesson_named(command);
  Names ids, variants;
  for (const Run& run : runs()) {
    if (lesson && !run.fits(*lesson)) continue;
    if (ids.empty() || ids.back() != run.id) ids.push_back(run.id);
    variants.push_back(run.name());
  }
  ids.insert(ids.end(), variants.begin(), variants.end());
  return ids;
}

/// A member of every item, by which it is named.
template <class Range, class Name>
Names names_of(const Range& items, Name name) {
  Names names;
  for (const auto& item : items) names.emplace_back(item.*name);
  return names;
}

/// Lessons of which `command` has something; all of them have a place on the map, and progress to forget.
Names lesson_names(const std::string& command) {
  Names names;
  for (const Lesson& lesson : lessons())
    if (command == "reset" || command == "map" || offers(lesson, command)) names.push_back(lesson.command);
  return names;
}

Names names_for(const std::string& command, const std::string& option, const std::string& value_name) {
  if (value_name == "LESSON") return lesson_names(command);
  if (value_name == "MISTAKE") return names_of(mistakes(), &Mistake::id);
  if (value_name == "ID[:VARIANT]") return tutorial_names(command);
  if (command == "errata" && value_name == "ID") return names_of(errata::all(), &errata::Erratum::id);
  if (command == "bench" && option == "--preset") return bench::work_preset_names();
  if (option == "--model" && value_name == "NAME") return shipped_models();
  return {};
}

} // namespace

Offer offer_of_value(const std::string& command, const std::string& option, const std::string& type) {
  Offer offer;
  for (std::size_t start = 0; start <= type.size();) {
    const std::size_t end = std::min(type.find('|', start), type.size());
    const std::string part = type.substr(start, end - start);
    start = end + 1;
    const bool value_name =
        std::any_of(part.begin(), part.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    if (!value_name && !part.empty()) offer.words.push_back(part);
    if (!value_name) continue;
    offer.files = offer.files || part.starts_with("FILE");
    offer.folders = offer.folders || part == "DIR";
    const Names names = names_for(command, option, part);
    offer.words.insert(offer.words.end(), names.begin(), names.end());
  }
  return offer;
}

Offer offer_of_argument(const std::string& command, const std::string& name, const std::string& type) {
  if (command == "bench" && name == "WORK") return {bench_works()};
  if (command == "bpe" && name == "ACTION") return {bpe_actions()};
  if (command == "params") return {names_of(params::presets(), &params::Preset::name), true};
  if (command == "errata" && name == "TUTORIAL") return {errata::tutorials()};
  if (command == "tutorial") return {names_of(tutorial_paths(), &TutorialPath::id)};
  if (command == "errata") return {names_of(errata::all(), &errata::Erratum::id)};
  return {names_for(command, "", name), type.starts_with("FILE")};
}

} // namespace tfx
