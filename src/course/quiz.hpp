#pragma once
// A quiz: questions about runs of one lesson or of all, and what became of the answers. A wrong answer is
// told what it is the right answer of: another cell, the other sign, an earlier step, or what a mistake of
// the catalogue would give in its place.

#include "course/question.hpp"
#include "input/options.hpp"
#include "lessons/catalogue.hpp"

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

/// What a tensor of the run would be with one mistake made.
struct WrongTensor {
  std::string mistake; ///< its id: "softmax.no_scale"
  std::string tensor;
  Tensor value;
};

/// What `tensor` becomes with each mistake of the catalogue that changes it and keeps its shape.
std::vector<WrongTensor> wrong_tensors(const Trace& trace, const std::string& tensor);

struct AnswerDiagnosis {
  std::string id; ///< key of its words: "sign", "transposed", "other_cell", …; "mistake" for the catalogue's,
                  ///< "part" of parts to choose from
  std::string tensor;                   ///< where the number stands that was given, or empty
  Index index;                          ///< there
  std::string mistake = {};             ///< the id in the catalogue
  std::optional<std::size_t> part = {}; ///< of parts to choose from, the one that was chosen
};

/// The likeliest reason, or nothing where none fits. `typed` was judged wrong.
std::optional<AnswerDiagnosis> diagnose_answer(const Trace& trace, const Question& question,
                                               std::string_view typed, const std::vector<WrongTensor>& wrong);

/// The same with the mistakes of the catalogue, where numbers are asked.
std::optional<AnswerDiagnosis> diagnose_answer(const Trace& trace, const Question& question,
                                               std::string_view typed);

struct QuizItem {
  const Lesson* lesson = nullptr;
  const Trace* trace = nullptr;
  Question question;
  std::optional<std::string> typed = {};
  std::optional<Verdict> verdict = {}; ///< nothing while it is not answered
  std::optional<AnswerDiagnosis> diagnosis = {};
};

struct Quiz {
  std::uint64_t seed = 42;
  std::optional<std::string> lesson; ///< the one that was asked for
  std::deque<Trace> traces;
  std::vector<QuizItem> items;

  std::size_t right() const;
};

/// Whether the options leave the numbers of the run to be drawn: then --seed draws them too, else it only
/// chooses the questions.
bool draws_numbers(const InputOptions& options);

/// Runs the lessons and draws the questions. Notes of the runs go to `notes`.
Quiz make_quiz(const std::optional<std::string>& lesson, InputOptions options, std::uint64_t seed,
               std::size_t count, int precision, std::vector<std::string>& notes);

/// Questions about a run that was made elsewhere, every second of them one of `ideas`.
Quiz quiz_of(const Lesson& lesson, Trace run, std::vector<Question> ideas, std::uint64_t seed,
             std::size_t count, int precision);

/// Whether one of its questions asks for thought, where the lesson has such: a cell alone shows no lesson.
bool asks_for_thought(const Quiz& quiz, int precision);

/// Takes the answer and judges it.
void answer(QuizItem& item, const std::string& typed);

} // namespace tfx
