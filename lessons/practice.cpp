#include "lessons/practice.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <set>

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

std::vector<GivenOption> unread_options(const InputOptions& options, const Lesson& practice) {
  // Those of qkv but Q, K and V: here they are all made of one X.
  static const std::set<std::string> by_cache = {"--tutorial", "--text", "--words", "--x",   "--weights",
                                                 "--d-model",  "--init", "--batch", "--n-q", "--n-k",
                                                 "--d-k",      "--d-v",  "--seed"},
                                     by_decode = {"--seed"}; // it ranks targets of its own
  const std::set<std::string>& read = practice.command == "cache" ? by_cache : by_decode;
  std::vector<GivenOption> unread = given_options(options);
  std::erase_if(unread, [&](const GivenOption& option) { return read.contains(option.name); });
  return unread;
}

LessonInput practice_input(const InputOptions& options, const Lesson& practice) {
  if (const auto unread = unread_options(options, practice); !unread.empty())
    throw Error(ErrorKind::usage, unread.front().name + " has no use for " + practice.command);
  if (practice.command == "cache") {
    Lesson projecting = practice;
    projecting.stage = Stage::projections;
    return resolve_input(options, projecting);
  }
  return drawn_targets(options.seed.value_or(42));
}

} // namespace tfx
