#pragma once
// A lesson is a function from its input to a Trace. It never prints.

#include "input/lesson_input.hpp"

namespace tfx {

struct Lesson : InputRules {
  int number;
  std::string folder; ///< "lessons/03_scores"
  Trace (*run)(const LessonInput&);
};

/// Every lesson in order.
const std::vector<Lesson>& lessons();

Trace run_lookup(const LessonInput&);
Trace run_words(const LessonInput&);
Trace run_qkv(const LessonInput&);
Trace run_scores(const LessonInput&);
Trace run_softmax(const LessonInput&);
Trace run_attention(const LessonInput&);
Trace run_sdpa(const LessonInput&);
Trace run_masked(const LessonInput&);
Trace run_multihead(const LessonInput&);
Trace run_cross(const LessonInput&);
Trace run_embed(const LessonInput&);
Trace run_block(const LessonInput&);
Trace run_loss(const LessonInput&);

} // namespace tfx
