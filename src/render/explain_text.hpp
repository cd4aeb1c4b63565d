#pragma once
// An explanation on the screen: the cell's formula, its arithmetic, its value, and below it the cells it
// read.

#include "render/paper.hpp"
#include "trace/explain.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

/// "1.4994·0.0589 + … + (505 more: -0.1326)" in the learner's language: `max_terms` terms of a long sum are
/// written out.
std::string arithmetic_text(const Paper& paper, const Explanation& explanation, std::size_t max_terms);

/// Which rule decided, and why: "max(masked[I, :]) = −∞ ⇒ 0: this row may see nothing".
std::string rule_text(const Paper& paper, const Explanation& explanation);

/// "0.3152 / 1.3349 = 0.2361": how the cell comes to its value, or the rule that gives it; a given number
/// alone.
std::string value_text(const Paper& paper, const Explanation& explanation, std::size_t max_terms);

/// A cell in lines, without its sources: "scores[q1, k3] = Σ Q[q1, :]·K[k3, :]", "= 2·2 + …", the rule, "=
/// 10". Every line but the first stands below the first.
std::vector<std::string> explanation_lines(const Paper& paper, const Explanation& explanation,
                                           std::size_t max_terms);

/// A whole explanation, written as it is told; `words` are those that all lessons share.
class ExplanationScreen final : public ExplanationVisitor {
public:
  using Write = std::function<void(std::string_view)>;

  ExplanationScreen(const Trace& trace, std::size_t max_terms, const Words& words, const Style& style,
                    Write write);
  void enter(const Explanation& cell) override;
  void leave() override { --level_; }

private:
  Paper paper_;
  std::size_t max_terms_, level_ = 0;
  Write write_;
};

/// One cell, without its sources.
std::string render_explanation(const Trace& trace, const Explanation& explanation, std::size_t max_terms,
                               const Words& words, const Style& style);

} // namespace tfx
