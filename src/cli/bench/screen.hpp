#pragma once
// The screens of `tfx bench`: figures beside the machine's limits, the ladder, and the tutorial's attention.

#include "cli/bench/run.hpp"
#include "render/paper.hpp"
#include "render/terminal.hpp"
#include "text/words.hpp"

#include <string>

namespace tfx {

// The screens of `tfx bench`, and its JSON: what was not timed is null.

std::string render_cases(const BenchRun& run, const Screen& screen, const Words& words, const Style& style);
std::string render_ladder(const LadderRun& run, const Screen& screen, const Words& words, const Style& style);

/// The printout of the tutorial attention-block, field by field, with our figures.
std::string render_tutorial(const BenchRun& run, const Screen& screen, const Words& words,
                            const Style& style);

/// What the screens share: the machine and its limits, first as facts, then as paragraphs.
void state_machine(Trace& trace, const Machine& machine, const std::optional<bench::MachineLimits>& limits);
void show_machine(Paper& paper);

/// Says of which figures no try was undisturbed.
void write_disturbed(Paper& paper, const std::vector<std::string>& names);

/// What each result was compared with.
void write_agreements(Paper& paper, const BenchRun& run);

/// Where to go on: the next lesson, and a command of this one.
void write_next(Paper& paper, const Screen& screen, const std::string& command);

/// 0.123 → "12.3 %".
std::string percent(double share);

std::string bench_json(const BenchRun& run);
std::string ladder_json(const LadderRun& run);

} // namespace tfx
