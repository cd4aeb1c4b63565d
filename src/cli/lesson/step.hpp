#pragma once
// tfx LESSON --step: the lesson's screen a step at a time, with a question before each.

#include "cli/context.hpp"
#include "course/question.hpp"
#include "render/terminal.hpp"

namespace tfx {

/// At a terminal it waits for answers and writes as it goes; elsewhere it leaves the whole screen in
/// context.out, each question with its answer.
void step_through(const Trace& trace, const Screen& screen, const Words& words, std::uint64_t seed,
                  Context& context);

/// What a question is answered from: the parts have shown it, or it stands below the question.
enum class Known { shown, below };

/// The first part, then before each further one its question.
void ask_between(const Trace& trace, const std::vector<std::string>& parts,
                 const std::vector<Question>& asked, Known known, const Words& words,
                 const std::string& lesson, Context& context);

} // namespace tfx
