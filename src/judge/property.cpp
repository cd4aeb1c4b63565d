#include "judge/property.hpp"

#include "core/error.hpp"
#include "judge/property_lists.hpp"
#include "judge/wrong_run.hpp"

#include <algorithm>
#include <iterator>

namespace tfx {

Computation computation_of(const Lesson& lesson, const std::vector<const Mistake*>& made) {
  return [&lesson, made](const LessonInput& input) {
    Trace right = lesson.run(input);
    if (made.empty()) return right;
    WrongRun run = run_wrong(right, made);
    if (run.stops) throw Error(ErrorKind::bad_data, *run.stops);
    return std::move(run.trace);
  };
}

std::vector<Property> only(const std::function<bool(const Lesson&)>& lessons, std::vector<Property> list) {
  for (Property& one : list)
    if (!one.speaks_of) one.speaks_of = lessons;
  return list;
}

std::vector<PropertyVerdict> verdicts(const Lesson& lesson, const LessonInput& input,
                                      const Computation& compute) {
  std::vector<PropertyVerdict> all;
  for (const Property& property : properties()) {
    try {
      if (const auto measured = property.measure(lesson, input, compute))
        all.push_back({property.id, *measured, {}});
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::bad_data) throw;
      all.push_back({property.id, {false, 1}, error.message()});
    }
  }
  return all;
}

// Every property, in one list.

const std::vector<Property>& properties() {
  static const std::vector<Property> all = [] {
    std::vector<Property> list;
    for (const auto& of_concept : {shape_properties,     projection_properties, weight_properties,
                                   mixture_properties,   mask_properties,       head_properties,
                                   embedding_properties, rotary_properties,     block_attention_properties,
                                   block_properties,     layer_properties,      norm_properties,
                                   loss_properties,      gradient_properties,   training_properties,
                                   model_properties,     decoder_properties,    choice_properties,
                                   decoding_properties,  count_properties,      subword_properties,
                                   repeated_properties,  lens_properties})
      std::ranges::move(of_concept(), std::back_inserter(list));
    return list;
  }();
  return all;
}

} // namespace tfx
