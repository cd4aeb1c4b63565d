#include "lessons/practice.hpp"

#include "core/error.hpp"

#include <algorithm>

namespace tfx {

const std::vector<Lesson>& practices() {
  static const std::vector<Lesson> all = {
      {15, "decode", "lessons/15_decode", Stage::vectors, "", false, false, false, "score", run_ranked},
      {16, "cache", "lessons/16_cache", Stage::vectors, "happy-llm:2", false, false, false, "output",
       run_cached},
  };
  return all;
}

const Lesson* find_practice(const std::string& command) {
  const auto found = std::ranges::find(practices(), command, &Lesson::command);
  return found == practices().end() ? nullptr : &*found;
}

namespace {

bool gives_tokens(const InputOptions& o) {
  return o.tutorial || o.text || o.words || o.x || o.q || o.k || o.v || o.weights || o.logits || o.labels ||
         o.d_model || o.init || o.batch || o.n_q || o.n_k || o.d_k || o.d_v;
}

} // namespace

LessonInput practice_input(const InputOptions& options, const Lesson& practice) {
  if (practice.command == "cache") {
    Lesson projecting = practice;
    projecting.stage = Stage::projections;
    return resolve_input(options, projecting);
  }
  if (gives_tokens(options))
    throw Error(ErrorKind::usage, "decode ranks targets of its own: of these options it takes --seed alone",
                "--seed 7 draws other targets");
  return drawn_targets(options.seed.value_or(42));
}

} // namespace tfx
