#pragma once
// The head and the foot of a lesson's screen: its title; one cell spelled out, what to look at, the checks,
// the cost, the data, where to go next.

#include "render/paper.hpp"
#include "render/terminal.hpp"

namespace tfx {

void write_title(Paper& paper, const Screen& screen);

void write_footer(Paper& paper, const Screen& screen);

/// What of it `screen.only` names: "look" or one of its sentences, "check" or one check, "data".
void write_chosen(Paper& paper, const Screen& screen);

/// The tensors that were drawn at random.
std::vector<std::string> drawn_names(const Trace& trace);

/// Keys of the sentences that say which model's numbers the run has; of a run on others none has its facts.
inline constexpr std::array trained_sentences{"trained.reads", "trained.answers", "trained.head",
                                              "trained.heads", "trained.layer",   "trained.table",
                                              "trained.role",  "trained.no_role", "trained.roles",
                                              "trained.rows",  "trained.capital", "trained.capitals"};

/// Keys of what a run's numbers alone make worth saying: which labels are ignored, where a triangle stands,
/// which rows see nothing. A run without these numbers has none of them.
inline constexpr std::array run_remarks{"ignored_torch", "ignored_nanogpt", "torch_loss",
                                        "upper_left",    "lower_right",     "blocked_rows"};

/// Of the model whose numbers the run has; empty where they are no model's.
std::string trained_name(const Trace& trace);

/// Whose numbers the run has, and what the model's head looks at; nothing where they are no model's.
void write_learned(Paper& paper);

/// Of a page's looks so many.
inline constexpr std::size_t looks_on_page = 2;

/// Of a page: a cell of the result spelled out, and which numbers were drawn at random.
void write_point(Paper& paper, const Screen& screen);

/// Tensors that a page does not show: those given and those computed, and the command that shows one.
void write_known(Paper& paper, const std::vector<const Step*>& known);

/// The commands that lead on: the next page or lesson, mistakes, the learner's own input.
void write_next(Paper& paper, const Screen& screen);

/// Of a page: checks that hold are counted, but for the one against the tutorial; the cost of the lesson
/// alone.
void write_page_footer(Paper& paper, const Screen& screen);

/// The cell that the screen spells out, or where it was computed if it is of a row that was only fetched;
/// none where the run has no such tensor.
std::optional<Spotlight> spotlight_of(const Trace& trace);

/// Parts of it, for screens that are no lesson's: what to look at, at most so many sentences; the checks;
/// "parameters …, MAC, FLOP".
void write_looks(Paper& paper, std::size_t most = 3);
/// Those whose keys, "look.2", are wanted.
void write_looks(Paper& paper, std::size_t most, const std::function<bool(const std::string&)>& wanted);
/// Those of these names, "token" of "look.token"; of none the first three.
void write_looks(Paper& paper, const std::vector<std::string>& names);
void write_checks(Paper& paper);
/// Of a page: those that hold are counted, but for the one against the tutorial where the screen counts.
void write_folded_checks(Paper& paper, const Screen& screen);
std::string amount(const Paper& paper, const Cost& cost);
/// "4.3 ms", marked where the runs differ too much.
std::string time_text(const Paper& paper, const Timing& timing);
/// ", 4.3 ms" behind the amount; nothing where there is no time to show.
std::string time_of(const Paper& paper, const Cost& cost, const Screen& screen);

} // namespace tfx
