#include "render/explain_text.hpp"

#include "render/style.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"

#include <map>
#include <utility>

namespace tfx {

namespace {

// What follows a sign of equality stands below itself.
std::string wrapped(const Style& style, const std::string& text, std::size_t indent) {
  const std::string lead = text.starts_with("= ") ? "= " : "";
  const std::string plain = style.symbols(escape_controls(text.substr(lead.size())));
  const std::size_t hang = indent + lead.size();
  std::string out;
  for (const std::string& line : wrap(plain, style.width > hang + 8 ? style.width - hang : 8))
    out += (out.empty() ? std::string(indent, ' ') + lead : std::string(hang, ' ')) + line + "\n";
  return out;
}

} // namespace

std::string arithmetic_text(const Paper& paper, const Explanation& explanation, std::size_t max_terms) {
  return screen_arithmetic(arithmetic(
      explanation, max_terms, paper.style().precision, [&](std::size_t count, const std::string& sum) {
        const std::map<std::string, std::string> values = {{"count", std::to_string(count)}, {"sum", sum}};
        return paper.ui(sum.empty() ? "more_terms" : "more_terms_sum", values);
      }));
}

std::string rule_text(const Paper& paper, const Explanation& explanation) {
  if (explanation.reason.empty()) return explanation.rule;
  return paper.ui("rule." + explanation.reason, {{"rule", explanation.rule}});
}

std::string value_text(const Paper& paper, const Explanation& explanation, std::size_t max_terms) {
  const std::string value = screen_number(explanation.cell.value, paper.style().precision);
  if (explanation.by_rule)
    return paper.ui("by_rule", {{"value", value}, {"rule", rule_text(paper, explanation)}});
  const std::string sum = explanation.terms.empty() ? value : arithmetic_text(paper, explanation, max_terms);
  return sum == value ? value : sum + " = " + value;
}

std::vector<std::string> explanation_lines(const Paper& paper, const Explanation& e, std::size_t max_terms) {
  const std::string value = screen_number(e.cell.value, paper.style().precision);
  if (e.repeated) return {e.label + " = " + value + "  " + paper.ui("as_above")};
  if (e.terms.empty() && e.rule.empty()) // a given number
    return {e.label + " = " + value + (e.formula.empty() ? "" : "  ← " + paper.source(e.formula))};
  std::vector<std::string> lines = {e.label + " = " + e.formula};
  if (!e.terms.empty() && !e.by_rule) {
    const std::string sum = arithmetic_text(paper, e, max_terms);
    if (sum != value) lines.push_back("= " + sum);
  }
  if (!e.rule.empty()) lines.push_back(rule_text(paper, e));
  lines.push_back("= " + value);
  return lines;
}

ExplanationScreen::ExplanationScreen(const Trace& trace, std::size_t max_terms, const Words& words,
                                     const Style& style, Write write)
    : paper_(trace, words, style), max_terms_(max_terms), write_(std::move(write)) {}

void ExplanationScreen::enter(const Explanation& cell) {
  const std::vector<std::string> lines = explanation_lines(paper_, cell, max_terms_);
  const std::size_t indent = 2 * level_++;
  std::string text = wrapped(paper_.style(), lines[0], indent);
  for (std::size_t i = 1; i < lines.size(); ++i) text += wrapped(paper_.style(), lines[i], indent + 2);
  write_(text);
}

std::string render_explanation(const Trace& trace, const Explanation& explanation, std::size_t max_terms,
                               const Words& words, const Style& style) {
  std::string text;
  ExplanationScreen screen(trace, max_terms, words, style, [&](std::string_view part) { text += part; });
  screen.enter(explanation);
  return text;
}

} // namespace tfx
