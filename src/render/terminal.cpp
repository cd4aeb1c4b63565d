#include "render/terminal.hpp"

#include "core/number.hpp"
#include "render/heatmap.hpp"
#include "render/matrix.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"
#include "trace/cost.hpp"
#include "trace/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tfx {

std::string format_fact(const Fact& fact, int precision) {
  const auto list = [](const auto& items, const char* between, auto&& text) {
    std::string joined;
    for (const auto& item : items) joined += (joined.empty() ? "" : between) + text(item);
    return joined;
  };
  if (const auto* number = std::get_if<double>(&fact)) return format_number(*number, precision);
  if (const auto* text = std::get_if<std::string>(&fact)) return *text;
  if (const auto* numbers = std::get_if<std::vector<double>>(&fact))
    return list(*numbers, "  ", [&](double x) { return format_number(x, precision); });
  return list(std::get<std::vector<std::string>>(fact), "\n", [](const std::string& line) { return line; });
}

namespace {

class Page {
public:
  Page(const Trace& trace, const Screen& screen, const Words& words, const Style& style)
      : trace_(trace), screen_(screen), words_(words), style_(style) {}

  std::string text() {
    title();
    if (!screen_.quiet) {
      paragraph(word("intro"));
      tensors();
      experiments();
    }
    if (screen_.only.empty()) footer();
    return std::move(out_);
  }

private:
  static constexpr std::size_t margin = 9; // "check    "

  void line(const std::string& text = {}) { out_ += text + "\n"; }

  // A sentence with the run's numbers, or nothing where the run has no such number.
  std::optional<std::string> word(const std::string& key) const {
    const std::string* text = words_.find(key);
    if (!text) return std::nullopt;
    return fill_in(*text, [&](const std::string& name) -> std::optional<std::string> {
      const auto fact = trace_.facts.find(name);
      if (fact == trace_.facts.end()) return std::nullopt;
      return escape_lines(format_fact(fact->second, style_.precision));
    });
  }

  std::string ui(const std::string& key, const std::map<std::string, std::string>& values = {}) const {
    const std::string* text = words_.find("ui." + key);
    if (!text) return key;
    return fill_in(*text, [&](const std::string& name) -> std::optional<std::string> {
             const auto value = values.find(name);
             return value == values.end() ? std::optional<std::string>("?") : value->second;
           })
        .value_or(key);
  }

  static std::string escape_lines(const std::string& text) {
    std::string result;
    for (const std::string& line : lines_of(text)) result += (result.empty() ? "" : "\n") + escape_controls(line);
    return result;
  }

  void paragraph(const std::optional<std::string>& text) {
    if (!text) return;
    for (const std::string& part : lines_of(*text)) {
      const std::size_t hang = part.starts_with("- ") ? 2 : 0; // an item of a list
      bool first = true;
      for (const std::string& one : wrap(style_.symbols(part), style_.width - hang)) {
        line(std::string(first ? 0 : hang, ' ') + one);
        first = false;
      }
    }
    line();
  }

  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t start = 0; start <= text.size();) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      lines.push_back(text.substr(start, end - start));
      start = end + 1;
    }
    return lines;
  }

  // "check    ✓ …": a named row of the footer; more lines are indented.
  void row(const std::string& name, const std::string& text, bool mark = false) {
    const std::string head = pad_right(style_.symbols(name), margin - 1) + " ";
    const std::size_t hang = margin + (mark ? display_width(style_.symbols("✓")) + 1 : 0);
    bool first = true;
    for (const std::string& one : wrap(style_.symbols(text), style_.width - hang)) {
      line(first ? style_.bold(head) + one : std::string(hang, ' ') + one);
      first = false;
    }
  }

  void title() {
    const std::string left = "tfx " + screen_.command;
    const std::string right = ui("lesson_of", {{"number", std::to_string(screen_.number)}, {"count", std::to_string(screen_.count)}});
    const std::size_t used = display_width(left) + display_width(right);
    line(style_.bold(left) + std::string(style_.width > used ? style_.width - used : 1, ' ') + style_.dim(right));
    if (const auto text = word("title")) line(style_.bold(style_.symbols(*text)));
    line();
  }

  bool shown(const Step& step) const { return screen_.only.empty() || screen_.only.count(step.name); }

  // Consecutive small tensors stand beside each other; words close a band.
  void tensors() {
    std::vector<Block> band;
    const auto flush = [&] {
      if (band.empty()) return;
      for (const std::string& one : place(band, style_.width)) line(one);
      line();
      band.clear();
    };
    for (const Step& step : trace_.steps) {
      if (!shown(step)) continue;
      const auto text = word(step.name);
      if (step.role == Role::result && screen_.only.empty()) {
        const auto product = product_block(trace_, step, style_);
        if (text || product) flush();
        if (product) band.push_back(with_header(step, *product));
        else add_tensor(band, step);
        if (text || product) flush();
        if (text) paragraph(text);
      } else {
        add_tensor(band, step);
      }
      if (step.name == "weights" && step.role == Role::result) flush(), picture(step);
    }
    flush();
    if (trace_.facts.count("blocked_rows")) paragraph(word("blocked_rows"));
    if (screen_.only.empty()) paragraph(word("polarity"));
  }

  Block with_header(const Step& step, const Block& body) const {
    Block block;
    const std::string head = header_line(step, style_), formula = style_.symbols(escape_controls(step.formula));
    const Cost cost = cost_of(trace_, step);
    std::string effort;
    if (cost.macs) effort = "  " + with_separators(cost.macs) + " MAC = " + with_separators(cost.flops) + " FLOP";
    else if (cost.flops) effort = "  " + with_separators(cost.flops) + " FLOP";
    if (screen_.with_time && step.role == Role::result && cost.flops) effort += "  " + style_.symbols(format_seconds(step.seconds));
    const std::string source = step.how.op == Op::given ? "  " + ui("from") + " " + formula : " = " + formula;
    const std::string plain = head + source;
    if (display_width(plain + effort) <= style_.width && step.role == Role::result)
      block.add(style_.bold(head) + source + style_.dim(effort), display_width(plain + effort));
    else {
      const std::string cut = shorten(plain, style_.width);
      block.add(cut);
    }
    for (const std::string& one : body.lines) block.add(one, body.width);
    return block;
  }

  void add_tensor(std::vector<Block>& band, const Step& step) {
    const std::size_t count = step.value.rank() < 2 ? 1 : matrix_count(step.value);
    const std::size_t most = slices_shown(step);
    for (std::size_t i = 0; i < std::min(count, most); ++i) {
      Block body = matrix_block(step, i, style_, style_.width);
      if (count > 1) {
        Block named;
        named.add(slice_name(step, i));
        for (const std::string& one : body.lines) named.add(one, body.width);
        body = std::move(named);
      }
      band.push_back(i == 0 ? with_header(step, body) : body);
    }
    if (count > most) {
      const std::string more = ui("more_slices", {{"count", std::to_string(count - most)}, {"name", step.name}});
      band.back().add(style_.dim(more), display_width(more));
    }
  }

  // A small stack is shown whole; of a large one the first matrix stands for all, up to 64 where it was asked for.
  std::size_t slices_shown(const Step& step) const {
    constexpr std::size_t small = 200, asked = 64;
    const std::size_t count = step.value.rank() < 2 ? 1 : matrix_count(step.value);
    if (!screen_.only.empty()) return std::min(count, asked);
    return step.value.size() <= small ? count : 1;
  }

  void picture(const Step& step) {
    if (style_.picture == Picture::off || step.value.rank() < 2) return;
    const bool tutorial = style_.picture == Picture::tutorial;
    std::vector<Block> pictures;
    for (std::size_t i = 0; i < slices_shown(step); ++i) {
      const Block body = tutorial ? five_levels(step, i, style_) : heatmap(step, i, style_);
      Block block;
      if (const std::string name = slice_name(step, i); !name.empty()) block.add(name);
      for (const std::string& one : body.lines) block.add(one, body.width);
      pictures.push_back(std::move(block));
    }
    line(style_.dim(style_.symbols(ui(tutorial ? "picture" : "heatmap"))));
    for (const std::string& one : place(pictures, style_.width)) line(one);
    line();
  }

  void experiments() {
    if (!screen_.only.empty()) return;
    if (const auto mixtures = trace_.facts.find("mixtures"); mixtures != trace_.facts.end()) {
      if (const auto text = word("mixtures")) line(style_.symbols(*text));
      for (const std::string& one : std::get<std::vector<std::string>>(mixtures->second))
        for (const std::string& part : wrap(style_.symbols(escape_controls(one)), style_.width - 2)) line("  " + part);
      line();
    }
    for (const Experiment& experiment : trace_.experiments) {
      Step table;
      table.name = experiment.name;
      table.value = experiment.values;
      std::vector<std::string> columns;
      for (const std::string& column : experiment.columns) columns.push_back(word("column." + column).value_or(column));
      table.labels = {experiment.rows, columns};
      paragraph(word(experiment.name));
      for (const std::string& one : matrix_block(table, 0, style_, style_.width).lines) line(one);
      line();
    }
  }

  void footer() {
    if (!screen_.quiet) {
      spell_out();
      for (const char* key : {"look.1", "look.2", "look.3"})
        if (const auto text = word(key)) row(key == std::string("look.1") ? ui("look") : "", *text);
    }
    bool first = true;
    for (const Check& check : trace_.checks) {
      row(first ? ui("check") : "", (check.pass ? "✓ " : "✗ ") + check_text(check), true);
      first = false;
    }
    cost();
    data();
    next();
  }

  std::string check_text(const Check& check) const {
    const std::string* text = words_.find("check." + check.id);
    if (!text) return check.id + " " + format_number(check.value, 4);
    return fill_in(*text, [&](const std::string& name) -> std::optional<std::string> {
             if (name == "value") return format_value(check.value);
             const auto fact = trace_.facts.find(name);
             if (fact == trace_.facts.end()) return std::string("?");
             return escape_controls(format_fact(fact->second, style_.precision));
           })
        .value_or(check.id);
  }

  // Deviations are shown by size, not by digits.
  static std::string format_value(double value) {
    if (value != 0 && std::abs(value) < 1e-3) return fmt::format("{:.0e}", value);
    return format_number(value, 4);
  }

  void spell_out() {
    const Step* step = trace_.find(trace_.main);
    if (!step || step->value.rank() < 1) return;
    // The first row's last of at most three columns: it has company on both sides and is easy to find.
    Index index(step->value.rank(), 0);
    index.back() = std::min<std::size_t>(2, step->value.shape.back() - 1);
    if (trace_.spotlight) index = *trace_.spotlight;
    const std::size_t terms = step->value.rank() > 2 ? 3 : 4;
    const Explanation cell = explain(trace_, trace_.main, index, 0, terms, style_.precision);
    std::string text = escape_controls(cell.label) + " = " + arithmetic(cell, terms, style_.precision) + " = " +
                       format_number(cell.cell.value, style_.precision);
    std::string command = "tfx explain " + screen_.command + " " + trace_.main;
    for (std::size_t i : index) command += " " + std::to_string(i);
    row(ui("cell"), text);
    row("", command + screen_.options);
  }

  void cost() {
    const Cost own = lesson_cost(trace_), all = total_cost(trace_);
    const auto amount = [](const Cost& c) {
      return with_separators(c.macs) + " MAC, " + with_separators(c.flops) + " FLOP";
    };
    std::string text = ui("parameters") + " " + with_separators(own.parameters) + ", " + amount(own);
    if (screen_.with_time) text += ", " + format_seconds(own.seconds);
    row(ui("cost"), text);
    row("", ui("whole_run") + ": " + ui("parameters") + " " + with_separators(all.parameters) + ", " + amount(all));
  }

  void data() {
    std::string text = trace_.tutorial.empty() ? ui("data.own") : ui("data.tutorial", {{"tutorial", trace_.tutorial}});
    if (!trace_.tutorial.empty() && !screen_.tutorial_seeded) text += "; " + ui("data.shapes_only");
    row(ui("data"), text);
    if (screen_.quiet || trace_.numpy.empty()) return;
    row("", ui("numpy") + ":");
    for (const std::string& one : trace_.numpy)
      for (const std::string& part : continued(one)) line(std::string(margin, ' ') + style_.dim(part));
  }

  // A long line of Python, continued as Python allows it: with a backslash.
  std::vector<std::string> continued(std::string code) const {
    const std::size_t room = std::max<std::size_t>(style_.width, margin + 12) - margin;
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

  void next() {
    std::string text = screen_.next.empty() ? "" : "tfx " + screen_.next + "    ";
    row(ui("next"), text + ui("yours", {{"command", screen_.command}}));
  }

  const Trace& trace_;
  const Screen& screen_;
  const Words& words_;
  const Style& style_;
  std::string out_;
};

} // namespace

std::string render_screen(const Trace& trace, const Screen& screen, const Words& words, const Style& style) {
  return Page(trace, screen, words, style).text();
}

} // namespace tfx
