#pragma once
// A question in either language: what is asked, what it is answered from, three hints, the answer, and
// why a wrong answer came about. Everything is read from the trace.

#include "course/quiz.hpp"
#include "render/style.hpp"
#include "trace/explain.hpp"
#include "words/in_words.hpp"

#include <map>

namespace tfx {

class QuestionText {
public:
  static constexpr int hints = 3;

  /// Trace and question are kept by reference.
  QuestionText(const Trace& trace, const Question& question, const Style& style,
               Language language = tfx::language());

  std::string ask() const;

  /// What one needs to know to answer: the tensors read, or the cells of them where those are large.
  std::vector<std::string> given() const;

  /// 1: where to look. 2: the formula with this question's numbers. 3: the worked answer.
  std::string hint(int level) const;

  /// "scores[q1, k3] = 10".
  std::string answer() const;

  /// What is said of a right answer, and of a wrong one: what it is the answer of, or where to look.
  std::string right() const;
  std::string wrong(const std::optional<AnswerDiagnosis>& found) const;

  /// Why the answer is what it is, in a sentence or a line of arithmetic: of a mistake what gives it away.
  std::string why() const;

  /// What is said of what is no answer at all: which would be some.
  std::string unreadable() const;

private:
  using Values = std::map<std::string, std::string>;
  static constexpr std::size_t max_terms = 16; ///< that a line of arithmetic spells out

  std::string word(const std::string& key, Values values = {}) const;
  std::string listed(const std::vector<std::string>& names) const { return tfx::listed(names, language_); }
  bool is_about_row() const;
  Explanation explained() const;
  std::string places() const;
  std::vector<Index> asked() const;
  std::vector<std::string> cells_read() const;
  std::optional<std::size_t> slice_read(const Step& input) const;
  std::string subject() const;
  std::string row_name(const Step& step, const Index& row) const;
  std::string axis_name(const Step& step, std::size_t axis, std::size_t at) const;
  std::vector<std::string> parameters() const;
  std::vector<std::string> parts() const;
  std::vector<std::string> choices() const;
  std::string shapes_of(const std::vector<std::string>& names) const;
  std::string shape_rule() const;
  std::string row_hint(int level) const;
  std::string shape_hint(int level) const;
  std::string count_hint(int level) const;
  std::string cell_hint(int level) const;
  std::string parts_hint(int level) const;
  std::string diagnosis(const AnswerDiagnosis& found) const;
  std::string chosen(std::size_t part) const;
  std::string why_cell() const;
  std::string why_row() const;
  std::string why_part() const;
  std::string why_moved(const Step& part) const;

  const Trace& trace_;
  const Question& question_;
  const Language language_;
  const Words& words_; ///< of the course
  const Style style_;
  const Step* step_; ///< nullptr where the question is about all parameters
};

} // namespace tfx
