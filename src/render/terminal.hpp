#pragma once
// A lesson's screen, in two forms. The page: what this is and why, what came out and where to look within the
// first 24 rows, then what is new in this lesson, step by step. The whole: every tensor with its labels and
// shape, the words beside it, every check, what it cost. Reads the trace, computes nothing of the lesson.

#include "render/style.hpp"
#include "text/words.hpp"
#include "trace/learned.hpp"
#include "trace/trace.hpp"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tfx {

/// What stands around a run's numbers: its command, what to type next, which tensors to show.
struct Screen {
  std::string folder;                ///< of its words: "lessons/scores"
  std::set<std::string> quoted = {}; ///< folders whose words it has too (words_quoting)
  bool is_lesson = true;             ///< a command beside the course has no number, and is no appendix either
  std::string command;               ///< the lesson's: "scores"
  std::string typed;                 ///< what shows this: "scores", "train step"
  std::string next;    ///< the next lesson's command and what of the options fits it, empty after the last
  std::string options; ///< what the learner gave, to repeat in suggested commands: " --text \"…\""
  std::optional<int> number;   ///< of the course; none in an appendix
  std::string place;           ///< where in the model the lesson is; empty where no line says it
  bool tutorial_seeded = true; ///< whether the tutorial itself sets the seed
  bool quiet = false;          ///< no tensors
  bool with_time = true;
  bool with_draws = true;        ///< the lines of NumPy that give the same arrays
  bool can_break = false;        ///< whether the catalogue has mistakes of this lesson
  bool counts = true;            ///< whether its page counts cells, parameters and products
  bool is_own = false;           ///< the learner's input: what to do next is suggested on it
  std::string learned = "train"; ///< the command that has learned numbers where this has drawn ones
  std::optional<Learned> box;    ///< what a trained model did with these words
  std::string unknown_to; ///< the trained model that does not know these words; empty where none was asked
  std::set<std::string> only;       ///< what to print, each whole: tensors, tables, checks, names of
                                    ///< screen_parts; empty for all, summarised
  std::vector<PageSection> page;    ///< what a page shows whole beside its result
  std::vector<FurtherPage> further; ///< the pages behind the first
  std::string part;                 ///< which of those is shown; empty: the first page. Of a command beside
                                    ///< the course what its page is about, by the words of "page."
  /// Tensors that stand in a line in place of their numbers, by name: what the line begins with; empty: in
  /// none.
  std::map<std::string, std::string> folded;
};

/// What a selection may name beside a run's tensors, tables and checks: what the lesson computes, a line
/// each; each gradient of what was given beside its central differences; the weights drawn; the output
/// written out; what to look at, the checks, the data. "look.3" is one sentence of "look".
inline constexpr std::array screen_parts{"steps", "gradients", "picture", "mixtures",
                                         "look",  "check",     "data"};

/// As a page.
std::string render_page(const Trace& trace, const Screen& screen, const Words& words, const Style& style);

/// The whole, or what `screen.only` and `screen.quiet` leave of it.
std::string render_screen(const Trace& trace, const Screen& screen, const Words& words, const Style& style);

/// The same screen in parts, cut before each step that `pauses` names, in their order: one part more than
/// there are such steps on the screen. Nothing stands beside what comes behind a pause.
std::vector<std::string> render_parts(const Trace& trace, const Screen& screen, const Words& words,
                                      const Style& style, const std::set<std::string>& pauses);

} // namespace tfx
