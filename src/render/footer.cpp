#include "render/footer.hpp"

#include "core/number.hpp"
#include "render/cell_address.hpp"
#include "render/explain_text.hpp"
#include "render/style.hpp"
#include "text/display_width.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"
#include "trace/cost.hpp"
#include "trace/explain.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

namespace {

std::size_t room_of_a_row(const Paper& paper) {
  return std::max<std::size_t>(paper.style().width, Paper::margin + 12) - Paper::margin;
}

/// Names that take half a line, else how many they are.
std::string names_or_count(const Paper& paper, const std::vector<std::string>& names) {
  const std::string text = listed(names);
  if (2 * display_width(text) <= room_of_a_row(paper)) return text;
  return paper.ui("drawn.count", {{"count", std::to_string(names.size())}});
}

void spell_out(Paper& paper, const Screen& screen) {
  const Trace& trace = paper.trace();
  const std::optional<Spotlight> spotlight = spotlight_of(trace);
  if (!spotlight) return;
  const std::string& tensor = spotlight->tensor;
  const Index& index = spotlight->index;
  const int precision = paper.style().precision;
  const std::size_t two_lines = 2 * room_of_a_row(paper);
  const auto spelt = [&](std::size_t terms) {
    const Explanation cell = explain(trace, tensor, index, 0, terms, precision);
    const std::string value = screen_number(cell.cell.value, precision);
    return cell.label + " = " +
           (cell.by_rule ? paper.ui("by_rule", {{"value", value}, {"rule", rule_text(paper, cell)}})
                         : arithmetic_text(paper, cell, terms) + " = " + value);
  };
  std::string text = spelt(4);
  for (std::size_t terms = 3; terms > 1 && display_width(text) > two_lines; --terms) text = spelt(terms);
  const std::string command =
      "tfx explain " + screen.command + " " + tensor + cell_address(*trace.find(tensor), index);
  std::vector<std::string> counted; // places without a name
  const std::vector<std::string> places = cell_places(*trace.find(tensor), index);
  for (std::size_t axis = 0; axis < index.size(); ++axis)
    if (places[axis] == std::to_string(index[axis])) counted.push_back(places[axis]);
  if (!counted.empty()) text += "  " + paper.ui("cell_index", {{"index", join(counted)}});
  paper.row(paper.ui("cell"), escape_controls(text));
  paper.row("", escape_controls(command + screen.options));
}

void write_cost(Paper& paper, const Screen& screen) {
  const Cost own = lesson_cost(paper.trace()), all = total_cost(paper.trace());
  paper.row(paper.ui("cost"), amount(paper, own) + time_of(paper, own, screen));
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

std::string origin(const Paper& paper, const Screen& screen) {
  const std::string& tutorial = paper.trace().tutorial;
  const std::string model = trained_name(paper.trace());
  const char* key = !model.empty()                                  ? "data.trained"
                    : paper.trace().facts.contains("words_of_ours") ? "data.ours"
                    : screen.is_own                                 ? "data.own"
                    : tutorial.empty()                              ? "data.drawn"
                    : screen.tutorial_seeded                        ? "data.tutorial"
                                                                    : "data.shapes_only";
  const auto own = paper.word("data.text");
  return own ? *own : paper.ui(key, {{"tutorial", tutorial}, {"model", escape_controls(model)}});
}

constexpr std::size_t last_look = 10;

void write_checks(Paper& paper, const auto& wanted) {
  std::string name = paper.ui("check");
  for (const Check& check : paper.trace().checks) {
    if (!wanted(check.id)) continue;
    paper.row(name, (check.pass ? "✓ " : "✗ ") + paper.check(check), true);
    name.clear();
  }
}

void write_data(Paper& paper, const Screen& screen) {
  const Trace& trace = paper.trace();
  paper.row(paper.ui("data"), origin(paper, screen));
  if (const auto same = paper.word("data.same_vectors")) paper.row("", *same);
  if (screen.quiet || !screen.with_draws || trace.numpy.empty()) return;
  paper.row("", paper.ui("numpy"));
  const std::size_t room = room_of_a_row(paper);
  for (const std::string& one : trace.numpy)
    for (const std::string& part : continued(one, room))
      paper.line(std::string(Paper::margin, ' ') + paper.style().dim(part));
}

} // namespace

std::optional<Spotlight> spotlight_of(const Trace& trace) {
  const Step* step = trace.find(trace.spotlight ? trace.spotlight->tensor : trace.main);
  if (!step || step->value.rank() < 1) return std::nullopt;
  // Of the first row the last of at most three cells: it has company on both sides and is easy to find.
  Index index(step->value.rank(), 0);
  index.back() = std::min<std::size_t>(2, step->value.shape.back() - 1);
  Spotlight light = trace.spotlight.value_or(Spotlight{step->name, index});
  // Of a row that was only fetched, where it was computed.
  if (step->operation.is(op::gather)) {
    const CellRef source = explain(trace, light.tensor, light.index, 0, 1, 0).terms[0].reads[0];
    light = {source.tensor, source.index};
  }
  return light;
}

void write_title(Paper& paper, const Screen& screen) {
  const Style& style = paper.style();
  const std::string left = "tfx " + screen.typed;
  std::string right = screen.is_lesson ? paper.in_course(screen.number) : "", title = "title";
  if (!screen.further.empty()) { // "2/4"
    const auto shown = std::ranges::find(screen.further, screen.part, &FurtherPage::name);
    const auto page = screen.part.empty() ? 1 : shown - screen.further.begin() + 2;
    right += "  " + std::to_string(page) + "/" + std::to_string(screen.further.size() + 1);
  }
  if (!screen.part.empty()) title = "page." + screen.part;
  std::string said = style.symbols(paper.word(title).value_or(""));
  said.erase(std::min(said.find('\n'), said.size()));
  if (right.empty() && display_width(left) + display_width(said) < style.width)
    return paper.title(left, said);
  const std::size_t used = display_width(left) + display_width(right);
  const std::string between(style.width > used ? style.width - used : 1, ' ');
  if (right.empty())
    for (const std::string& one : wrap(left, style.width)) paper.line(style.bold(one));
  else
    paper.line(style.bold(left) + between + style.dim(right));
  if (!said.empty())
    for (const std::string& one : wrap(said, style.width)) paper.line(style.bold(one));
  if (!screen.place.empty() && !style.is_within) paper.row(paper.ui("map_row"), screen.place);
  paper.line();
}

void write_looks(Paper& paper, std::size_t most, const std::function<bool(const std::string&)>& wanted) {
  std::string name = paper.ui("look");
  for (std::size_t i = 1; i <= last_look && most > 0; ++i) {
    const std::string key = "look." + std::to_string(i);
    const auto text = wanted(key) ? paper.word(key) : std::nullopt;
    if (!text) continue;
    paper.row(name, *text);
    name.clear(), --most;
  }
}

void write_looks(Paper& paper, std::size_t most) {
  write_looks(paper, most, [](const std::string&) { return true; });
}

void write_looks(Paper& paper, const std::vector<std::string>& names) {
  if (names.empty()) return write_looks(paper);
  std::string row = paper.ui("look");
  for (const std::string& name : names)
    if (const auto text = paper.word("look." + name)) paper.row(row, *text), row.clear();
}

void write_checks(Paper& paper) {
  write_checks(paper, [](const std::string&) { return true; });
}

std::string amount(const Paper& paper, const Cost& cost) {
  const auto with = paper.word("counted_with"); // of a model: its vocabulary
  return paper.ui(with ? "amount.with" : "amount", {{"parameters", with_separators(cost.parameters)},
                                                    {"with", with.value_or("")},
                                                    {"macs", with_separators(cost.macs)},
                                                    {"flops", with_separators(cost.flops)}});
}

std::string time_text(const Paper& paper, const Timing& timing) {
  const std::string time = format_seconds(timing.median);
  return timing.unsteady() ? paper.ui("unsteady", {{"time", time}}) : time;
}

std::string time_of(const Paper& paper, const Cost& cost, const Screen& screen) {
  if (!screen.with_time || !cost.timing) return {};
  return paper.ui("time", {{"time", time_text(paper, *cost.timing)}});
}

std::vector<std::string> drawn_names(const Trace& trace) {
  std::vector<std::string> names;
  for (const Step& step : trace.steps)
    if (step.is_drawn()) names.push_back(step.name);
  return names;
}

std::string trained_name(const Trace& trace) {
  const auto found = trace.facts.find("trained");
  return found == trace.facts.end() ? std::string() : std::get<std::string>(found->second);
}

void write_learned(Paper& paper) {
  std::string name = paper.ui("trained");
  for (const char* key : trained_sentences)
    if (const auto text = paper.word(key)) paper.row(name, *text), name.clear();
  if (name.empty()) paper.line();
}

void write_point(Paper& paper, const Screen& screen) {
  spell_out(paper, screen);
  const std::vector<std::string> names = drawn_names(paper.trace());
  if (!names.empty())
    paper.row(paper.ui("drawn"), paper.ui(screen.box ? "drawn.beside" : "drawn.text",
                                          {{"names", names_or_count(paper, names)},
                                           {"command", "tfx " + escape_controls(screen.learned)}}));
  if (const auto mask = paper.word("masked_here")) paper.row(paper.ui("mask"), *mask);
}

void write_known(Paper& paper, const std::vector<const Step*>& known) {
  if (const auto text = paper.word("known"))
    return paper.row(paper.ui("computed"), *text); // too many to name
  // Within so many lines with what they come from, else their names in one, else how many they are.
  const auto text = [&](const std::vector<const Step*>& steps, std::size_t lines, const std::string& end,
                        const char* counted) {
    std::vector<std::string> names, whole;
    for (const Step* step : steps) {
      const bool is_given = step->operation.is(op::given);
      const std::string source = step->formula.empty() || step->is_drawn() ? ""
                                 : is_given ? " " + paper.ui("from") + " " + paper.source(step->formula)
                                            : " = " + step->formula;
      names.push_back(step->name);
      whole.push_back(step->name + " " + to_page_string(step->value.shape) + source);
    }
    for (const auto& [all, most] : {std::pair(whole, lines), {names, std::size_t{1}}})
      if (const std::string line = escape_controls(listed(all)) + end;
          display_width(paper.style().symbols(line)) <= most * room_of_a_row(paper))
        return line;
    return paper.ui(counted, {{"count", std::to_string(steps.size())}}) + end;
  };
  std::vector<const Step*> given, computed;
  for (const Step* step : known) (step->operation.is(op::given) ? given : computed).push_back(step);
  if (!given.empty()) paper.row(paper.ui("given"), text(given, 2, "", "given.count"));
  if (!computed.empty())
    paper.row(paper.ui("computed"),
              text(computed, 1, " " + paper.ui("computed.show", {{"name", computed.back()->name}}),
                   "computed.count"));
}

void write_folded_checks(Paper& paper, const Screen& screen) {
  const auto& checks = paper.trace().checks;
  if (checks.empty()) return;
  const auto is_quiet = [&](const Check& check) {
    return check.pass && (!screen.counts || check.id != "equals_reference");
  };
  std::vector<std::string> said;
  for (const Check& check : checks)
    if (!is_quiet(check)) said.push_back((check.pass ? "✓ " : "✗ ") + paper.check(check));
  if (const auto count = std::ranges::count_if(checks, is_quiet))
    said.push_back("✓ " + paper.ui(said.empty() ? "checks_all_hold" : "checks_hold",
                                   {{"count", std::to_string(count)}}));
  const std::string line = join(said, "  ");
  if (display_width(paper.style().symbols(line)) + Paper::margin <= paper.style().width) said = {line};
  for (std::size_t i = 0; i < said.size(); ++i) paper.row(i == 0 ? paper.ui("check") : "", said[i], true);
}

void write_next(Paper& paper, const Screen& screen) {
  const std::string next = screen.next.empty() ? "" : "tfx " + escape_controls(screen.next);
  const std::string command = escape_controls(screen.command + screen.options);
  std::vector<std::string> ways; // beside the next lesson
  if (screen.can_break) ways.push_back(paper.ui("break", {{"command", command}}));
  if (!screen.is_own)
    ways.push_back(paper.word("yours").value_or(paper.ui("yours", {{"command", screen.typed}})));
  if (next.empty() && ways.empty()) return;
  // The learner's options make a line of their own.
  const bool is_beside = !ways.empty() && (next.empty() || screen.options.empty());
  paper.row(paper.ui("next"),
            next + (is_beside && !next.empty() ? "    " : "") + (is_beside ? ways.front() : ""));
  for (std::size_t i = is_beside; i < ways.size(); ++i) paper.row("", ways[i]);
}

void write_page_footer(Paper& paper, const Screen& screen) {
  write_folded_checks(paper, screen);
  if (!screen.counts) {
    paper.row(paper.ui("data"), origin(paper, screen));
    write_next(paper, screen);
    return paper.row("", paper.ui("full"));
  }
  const Cost own = lesson_cost(paper.trace());
  const std::string from = "    " + origin(paper, screen);
  const auto text = [&](const Cost& cost) { return amount(paper, cost) + time_of(paper, cost, screen); };
  const auto has_room = [&](const Cost& cost) {
    return display_width(paper.style().symbols(text(cost) + from)) + Paper::margin <= paper.style().width;
  };
  // That a time is unsteady is left out before it takes a row: a page has as many whatever the machine does.
  Cost steady = own;
  if (steady.timing) steady.timing->q3 = steady.timing->q1;
  if (has_room(steady)) {
    paper.row(paper.ui("cost"), text(has_room(own) ? own : steady) + from);
  } else {
    paper.row(paper.ui("cost"), text(own));
    paper.row(paper.ui("data"), origin(paper, screen));
  }
  // Where earlier lessons' steps have parameters of their own, as the attention in a block, or do the
  // products.
  if (const Cost all = total_cost(paper.trace());
      own.parameters > 0 && (all.parameters != own.parameters || (own.macs == 0 && all.macs > 0)))
    paper.row("", paper.ui("whole_run", {{"amount", amount(paper, all)}}));
  write_next(paper, screen);
  paper.row("", paper.ui("full"));
}

void write_chosen(Paper& paper, const Screen& screen) {
  const auto is_chosen = [&](const std::string& name) { return screen.only.contains(name); };
  write_looks(paper, last_look, [&](const std::string& key) { return is_chosen("look") || is_chosen(key); });
  write_checks(paper, [&](const std::string& id) { return is_chosen("check") || is_chosen(id); });
  if (is_chosen("data")) write_data(paper, screen);
}

void write_footer(Paper& paper, const Screen& screen) {
  if (!screen.quiet) {
    spell_out(paper, screen);
    write_looks(paper);
  }
  write_checks(paper);
  write_cost(paper, screen);
  write_data(paper, screen);
  write_next(paper, screen);
}

} // namespace tfx
