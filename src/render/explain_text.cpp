#include "render/explain_text.hpp"

#include "render/screen_number.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"

#include <map>
#include <utility>

namespace tfx {

namespace {

class Writer {
public:
  Writer(const Paper& paper, std::size_t most) : paper_(paper), most_(most) {}

  void add(const Explanation& e, std::size_t indent) {
    const std::string value = screen_number(e.cell.value, paper_.style().precision);
    if (e.repeated) return wrapped("", e.label + " = " + value + "  " + paper_.ui("as_above"), indent);
    if (e.terms.empty() && e.rule.empty()) // a given number
      return wrapped("", e.label + " = " + value + (e.formula.empty() ? "" : "  ← " + e.formula), indent);
    wrapped("", e.label + " = " + e.formula, indent);
    if (!e.terms.empty() && !e.by_rule) {
      const std::string sum = arithmetic_text(paper_, e, most_);
      if (sum != value) wrapped("= ", sum, indent + 2);
    }
    if (!e.rule.empty()) wrapped("", rule_text(paper_, e), indent + 2);
    wrapped("= ", value, indent + 2);
    for (const Explanation& source : e.sources) add(source, indent + 2);
  }

  std::string take() { return std::move(out_); }

private:
  void wrapped(const std::string& lead, const std::string& text, std::size_t indent) {
    const Style& style = paper_.style();
    const std::string plain = style.symbols(escape_controls(text));
    const std::size_t hang = indent + display_width(style.symbols(lead));
    bool first = true;
    for (const std::string& line : wrap(plain, style.width > hang + 8 ? style.width - hang : 8)) {
      out_ += first ? std::string(indent, ' ') + style.symbols(lead) + line : std::string(hang, ' ') + line;
      out_ += "\n";
      first = false;
    }
  }

  const Paper& paper_;
  std::size_t most_;
  std::string out_;
};

} // namespace

std::string arithmetic_text(const Paper& paper, const Explanation& explanation, std::size_t most) {
  return screen_arithmetic(
      arithmetic(explanation, most, paper.style().precision, [&](std::size_t count, const std::string& sum) {
        const std::map<std::string, std::string> values = {{"count", std::to_string(count)}, {"sum", sum}};
        return paper.ui(sum.empty() ? "more_terms" : "more_terms_sum", values);
      }));
}

std::string rule_text(const Paper& paper, const Explanation& explanation) {
  if (explanation.reason.empty()) return explanation.rule;
  return paper.ui("rule." + explanation.reason, {{"rule", explanation.rule}});
}

std::string render_explanation(const Trace& trace, const Explanation& explanation, std::size_t most,
                               const Words& words, const Style& style) {
  const Paper paper(trace, words, style);
  Writer writer(paper, most);
  writer.add(explanation, 0);
  return writer.take();
}

} // namespace tfx
