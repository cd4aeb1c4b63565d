#pragma once
// The encoder-decoder as the course goes through it: one table of its parts, each with the lessons that teach
// it. The drawing of `tfx map` and the line at the head of a lesson are made from it.

#include "core/architecture.hpp"
#include "lessons/catalogue.hpp"
#include "text/words.hpp"
#include "words/in_words.hpp"

#include <string>
#include <vector>

namespace tfx {

/// Its name is part.ID in the words of the course. A part that stands in several groups, or twice in one, has
/// the same lessons everywhere. It has a constructor, as GCC 12 takes down more of a list of aggregates than
/// it has put up, where memory ends in its middle.
struct ModelPart {
  std::string id;
  std::vector<std::string> lessons; ///< their commands
  bool is_repeated;                 ///< belongs to the layer that encoder and decoder have N times

  ModelPart(std::string name, std::vector<std::string> taught_by = {}, bool repeated = false)
      : id(std::move(name)), lessons(std::move(taught_by)), is_repeated(repeated) {}
};

enum class PartOrder {
  flow, ///< as the numbers flow, each part on what the one before it made
  list  ///< as the course goes
};

/// Parts one behind the other.
struct PartGroup {
  ModelPart whole; ///< what they make up together
  std::vector<ModelPart> parts;
  PartOrder order;
};

const std::vector<PartGroup>& model_map();
const PartGroup& part_group(const std::string& id);

bool teaches(const ModelPart& part, const Lesson& lesson);

/// The group in which a lesson's page says where one is: the first that has it; nullptr where none has.
const PartGroup* group_of(const Lesson& lesson);

/// "2–8", "1, 10": the numbers of the lessons, runs of three and more drawn together; nothing of an appendix.
std::string lesson_numbers(const ModelPart& part, Language language = tfx::language());

/// What stands between two parts: an arrow where the numbers flow.
std::string between(const PartGroup& group);

/// In the learner's language: `course` is course_words().
std::string name_of(const ModelPart& part, const Words& course);

/// "attention: X → Q K V → [Q·Kᵀ] → mask → …", the lesson's own parts in brackets; empty for one
/// without a place. The map has the norm behind each sum, as the paper draws it; in front it has a place of
/// its own.
std::string place_in_model(const Lesson& lesson, NormPlacement norm = NormPlacement::post_norm);

} // namespace tfx
