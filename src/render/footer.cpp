#include "render/footer.hpp"

#include "core/number.hpp"
#include "render/explain_text.hpp"
#include "render/screen_number.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"
#include "trace/cost.hpp"
#include "trace/explain.hpp"

#include <algorithm>

namespace tfx {

namespace {

void spell_out(Paper& paper, const Screen& screen) {
  const Trace& trace = paper.trace();
  const Step* step = trace.find(trace.main);
  if (!step || step->value.rank() < 1) return;
  // Of the first row the last of at most three cells: it has company on both sides and is easy to find.
  Index index(step->value.rank(), 0);
  index.back() = std::min<std::size_t>(2, step->value.shape.back() - 1);
  if (trace.spotlight) index = *trace.spotlight;
  const std::size_t terms = step->value.rank() > 2 ? 3 : 4;
  const int precision = paper.style().precision;
  const Explanation cell = explain(trace, trace.main, index, 0, terms, precision);
  std::string command = "tfx explain " + screen.command + " " + trace.main;
  for (std::size_t i : index) command += " " + std::to_string(i);
  const std::string value = screen_number(cell.cell.value, precision);
  const std::string text = cell.by_rule
                               ? paper.ui("by_rule", {{"value", value}, {"rule", rule_text(paper, cell)}})
                               : arithmetic_text(paper, cell, terms) + " = " + value;
  paper.row(paper.ui("cell"), escape_controls(cell.label + " = " + text));
  paper.row("", escape_controls(command + screen.options));
}

void write_cost(Paper& paper, const Screen& screen) {
  const Cost own = lesson_cost(paper.trace()), all = total_cost(paper.trace());
  const std::string time =
      screen.with_time ? paper.ui("time", {{"time", format_seconds(own.seconds)}}) : std::string();
  paper.row(paper.ui("cost"), amount(paper, own) + time);
  paper.row("", paper.ui("whole_run", {{"amount", amount(paper, all)}}));
}

// A long line of Python, continued as Python allows it: with a backslash.
std::vector<std::string> continued(std::string code, std::size_t room) {
  std::vector<std::string> parts;
  while (code.size() > room) {
    const std::size_t space = code.rfind(' ', room - 2);
    if (space == std::string::npos || space < 5) break;
    parts.push_back(code.substr(0, space) + " \\");
    code = "    " + code.substr(space + 1);
  }
  parts.push_back(code);
  return parts;
}

void write_data(Paper& paper, const Screen& screen) {
  const Trace& trace = paper.trace();
  const char* origin = trace.tutorial.empty()   ? "data.own"
                       : screen.tutorial_seeded ? "data.tutorial"
                                                : "data.shapes_only";
  paper.row(paper.ui("data"), paper.ui(origin, {{"tutorial", trace.tutorial}}));
  if (screen.quiet || trace.numpy.empty()) return;
  paper.row("", paper.ui("numpy"));
  const std::size_t room = std::max<std::size_t>(paper.style().width, Paper::margin + 12) - Paper::margin;
  for (const std::string& one : trace.numpy)
    for (const std::string& part : continued(one, room))
      paper.line(std::string(Paper::margin, ' ') + paper.style().dim(part));
}

} // namespace

void write_title(Paper& paper, const Screen& screen) {
  const Style& style = paper.style();
  const std::string left = "tfx " + screen.command;
  const std::string right = paper.ui("lesson_of", {{"number", std::to_string(screen.number)}});
  const std::size_t used = display_width(left) + display_width(right);
  paper.line(style.bold(left) + std::string(style.width > used ? style.width - used : 1, ' ') +
             style.dim(right));
  if (const auto text = paper.word("title"))
    for (const std::string& one : wrap(style.symbols(*text), style.width)) paper.line(style.bold(one));
  paper.line();
}

void write_looks(Paper& paper) {
  std::string name = paper.ui("look");
  for (const char* key : {"look.1", "look.2", "look.3"})
    if (const auto text = paper.word(key)) {
      paper.row(name, *text);
      name.clear();
    }
}

void write_checks(Paper& paper) {
  std::string name = paper.ui("check");
  for (const Check& check : paper.trace().checks) {
    paper.row(name, (check.pass ? "✓ " : "✗ ") + paper.check(check), true);
    name.clear();
  }
}

std::string amount(const Paper& paper, const Cost& cost) {
  return paper.ui("amount", {{"parameters", with_separators(cost.parameters)},
                             {"macs", with_separators(cost.macs)},
                             {"flops", with_separators(cost.flops)}});
}

void write_footer(Paper& paper, const Screen& screen) {
  if (!screen.quiet) {
    spell_out(paper, screen);
    write_looks(paper);
  }
  write_checks(paper);
  write_cost(paper, screen);
  write_data(paper, screen);
  const std::string next = screen.next.empty() ? "" : "tfx " + screen.next + "    ";
  const std::string yours = paper.ui("yours", {{"command", screen.command}});
  paper.row(paper.ui("next"),
            next + (screen.can_break ? paper.ui("break", {{"command", screen.command}}) : yours));
  if (screen.can_break) paper.row("", yours);
}

} // namespace tfx
