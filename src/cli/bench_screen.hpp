#pragma once
// The screens of `tfx bench`.

#include "cli/bench_run.hpp"
#include "render/paper.hpp"
#include "render/terminal.hpp"
#include "text/words.hpp"

#include <string>

namespace tfx {

std::string render_cases(const BenchRun& run, const Screen& screen, const Words& words, const Style& style);
std::string render_ladder(const LadderRun& run, const Screen& screen, const Words& words, const Style& style);

/// The printout of the tutorial attention-block, field by field, with our figures.
std::string render_tutorial(const BenchRun& run, const Screen& screen, const Words& words,
                            const Style& style);

/// What the screens share: the machine and its limits, first as facts, then as paragraphs.
void state_machine(Trace& trace, const bench::Machine& machine, const std::optional<bench::Limits>& limits);
void show_machine(Paper& paper);

} // namespace tfx
