#include "render/explain_text.hpp"

#include "core/number.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"

namespace tfx {

namespace {

void add_wrapped(std::string& out, const std::string& lead, const std::string& text, std::size_t indent,
                 const Style& style) {
  const std::string plain = style.symbols(escape_controls(text));
  const std::size_t hang = indent + display_width(style.symbols(lead));
  bool first = true;
  for (const std::string& line : wrap(plain, style.width > hang + 8 ? style.width - hang : 8)) {
    out += first ? std::string(indent, ' ') + style.symbols(lead) + line : std::string(hang, ' ') + line;
    out += "\n";
    first = false;
  }
}

void add(std::string& out, const Explanation& e, std::size_t indent, std::size_t most, const Style& style) {
  const std::string value = format_number(e.cell.value, style.precision);
  if (e.terms.empty() && e.rule.empty()) { // a given number
    add_wrapped(out, "", e.label + " = " + value + (e.formula.empty() ? "" : "  ← " + e.formula), indent,
                style);
    return;
  }
  add_wrapped(out, "", e.label + " = " + e.formula, indent, style);
  if (!e.terms.empty()) {
    const std::string sum = arithmetic(e, most, style.precision);
    if (sum != value) add_wrapped(out, "= ", sum, indent + 2, style);
  }
  if (!e.rule.empty()) add_wrapped(out, "", e.rule, indent + 2, style);
  add_wrapped(out, "= ", value, indent + 2, style);
  for (const Explanation& source : e.sources) add(out, source, indent + 2, most, style);
}

} // namespace

std::string render_explanation(const Explanation& explanation, std::size_t most, const Style& style) {
  std::string out;
  add(out, explanation, 0, most, style);
  return out;
}

} // namespace tfx
