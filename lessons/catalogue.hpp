#pragma once
// The lessons of the course: one table, from which the map, the parser, the help, the quiz, `tfx explain`,
// `code`, `break`, `check` and `verify` take what there is. What a lesson runs on the page is a function from
// its input to a Trace. It never prints.

#include "input/lesson_input.hpp"
#include "trace/mistake.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

/// What of a lesson runs on the page.
enum class OnPage {
  nothing, ///< its command shows the engine, or tables
  model,   ///< as aside; and `tfx explain` and `quiz` read its command's model, a step a tensor
           ///< (parity/model_page.hpp)
  aside,   ///< a small run beside what its command shows: `tfx break` and `tfx check` take it
  whole    ///< what its command shows
};

/// Its words, title included, are en.md and zh.md of its folder; formula.cpp, numpy.py and torch.py stand
/// there where the page has the whole of it.
struct Lesson : InputRules {
  std::optional<int> number; ///< in the order of learning; an appendix has none
  std::string folder;        ///< "lessons/scores"
  std::string typed; ///< what shows it: the command, or "train step" where that does something else as well
  OnPage on_page = OnPage::nothing;
  Trace (*run)(const LessonInput&) = nullptr; ///< on the page; nullptr where it has no run of its own
  std::string result = {};                    ///< what a learner computes and hands in: "Q,K,V"
  std::vector<PageSection> page = {}; ///< what its page shows whole beside the result, in sections: tensors
                                      ///< and experiments; of other tensors it has a line
  std::vector<FurtherPage> further = {}; ///< what its page has no room for, in order
  std::string offer = {};                ///< a command that tfx next offers behind it
  bool takes_long = false;               ///< its command computes for seconds
  std::vector<Mistake> (*mistakes)() =
      nullptr; ///< what learners do wrong in it; nullptr: nothing that is known
};

/// Every lesson in order.
const std::vector<Lesson>& lessons();

/// Those whose command shows their run on the page, in order.
const std::vector<std::reference_wrapper<const Lesson>>& page_lessons();

/// Every mistake of the page, in the lessons' order.
const std::vector<Mistake>& mistakes();

/// The mistake of that id, or nullptr.
const Mistake* find_mistake(const std::string& id);

/// Whether `tfx COMMAND LESSON` has something to show of it: explain, code, quiz, break, check.
bool offers(const Lesson& lesson, std::string_view command);

/// The lesson of that command, or nullptr.
const Lesson* lesson_named(std::string_view command);

/// "3"; empty for an appendix.
std::string number_of(const Lesson& lesson);

/// What shows a page of it: "loss back"; its first: "loss".
std::string typed_of(const Lesson& lesson, const std::string& page);

/// The name of the page behind it, the first one's being empty; empty after the last.
std::string page_after(const Lesson& lesson, const std::string& page);

/// The lesson behind it, or nullptr after the last.
const Lesson* lesson_after(const std::string& command);

} // namespace tfx
