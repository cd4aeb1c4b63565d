#pragma once
// Random inputs for every lesson on which its mistakes can be made: sizes, numbers and masks differ with the
// seed, and the shapes are never so square that a wrong one fits by accident where a lesson allows it.

#include "core/error.hpp"
#include "judge/wrong_run.hpp"
#include "lessons/run.hpp"
#include "trace/mistake.hpp"

#include <optional>

namespace tfx {

inline InputOptions random_options(const Lesson& lesson, std::uint32_t seed) {
  InputOptions o;
  if (lesson.takes(Input::sizes)) {
    o.d_model = 6 + 2 * (seed % 3), o.heads = 2, o.layers = 1 + seed % 4, o.vocab = 5 + seed,
    o.seq = 2 + seed;
    return o;
  }
  if (lesson.takes(Input::subwords)) {
    const char* texts[] = {"bc,bc,bc,ab,ab,abc", "aaa,aaaaa,bb", "to be or not to be",
                           "我爱你 我爱学习 学习"};
    const char* words[] = {"abc", "aaaa", "tobe bet", "爱学习"};
    o.text = texts[seed % 4], o.word = words[seed % 4], o.merges = 2 + seed % 5;
    return o;
  }
  o.seed = 1000 + seed;
  if (lesson.takes(Input::sampling)) {
    o.temperature = 0.4 + 0.25 * (seed % 4), o.top_k = 3 + seed % 5, o.top_p = 0.6 + 0.1 * (seed % 4);
    return o;
  }
  constexpr Init kinds[] = {Init::normal, Init::xavier, Init::he};
  o.init = kinds[seed % 3];
  o.d_model = 6 + 2 * (seed % 2);
  if (lesson.takes(Input::token_ids))
    o.text = seed % 2 ? "the cat sat on the mat" : "I like you very much", o.init = Init::normal;
  else if (lesson.takes(Input::memory))
    o.n_k = 5, o.n_q = 3 + seed % 2;
  else
    o.n_q = 4 + seed % 3;
  if (lesson.takes(Input::feed_forward)) {
    o.heads = 2, o.d_ff = 5;
    if (seed % 3 == 1) o.dropout = 0.3;
    if (seed % 5 == 1) o.norm_first = false;
  } else if (lesson.takes(Input::heads)) {
    o.heads = 2;
    if (seed % 4 == 1) o.batch = 2;
    if (seed % 5 == 1) o.dropout = 0.3;
  }
  if (lesson.takes(Input::optimizer) && seed % 3)
    o.optimizer = seed % 3 == 1 ? Optimizer::adamw : Optimizer::sgd;
  if (lesson.takes(Input::labels) && seed % 2) o.smoothing = 0.1;
  if (lesson.may_be_causal() && seed % 3 == 1) o.causal = true;
  if (lesson.masks() && seed % 3 == 2) o.pad = 1;
  return o;
}

/// The lesson's run on them; nothing where it does not take such options.
inline std::optional<Trace> random_run(const Lesson& lesson, std::uint32_t seed) {
  const InputOptions options = random_options(lesson, seed);
  try {
    return lesson.run(resolve_input(options, lesson));
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// The lessons in which a mistake can be made: its own, else all others.
inline std::vector<const Lesson*> lessons_of(const Mistake& mistake) {
  std::vector<const Lesson*> own, others;
  for (const Lesson& lesson : lessons())
    if (lesson.run) (lesson.folder == mistake.folder ? own : others).push_back(&lesson);
  return own.empty() ? others : own;
}

} // namespace tfx
