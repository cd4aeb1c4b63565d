#include "render/terminal.hpp"

#include "core/number.hpp"
#include "render/footer.hpp"
#include "render/heatmap.hpp"
#include "render/matrix.hpp"
#include "render/paper.hpp"
#include "render/screen_number.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"
#include "trace/cost.hpp"
#include "trace/labels.hpp"

#include <algorithm>

namespace tfx {

namespace {

class LessonScreen {
public:
  LessonScreen(const Trace& trace, const Screen& screen, const Words& words, const Style& style,
               const std::set<std::string>& pauses)
      : trace_(trace), screen_(screen), style_(style), pauses_(pauses), paper_(trace, words, style) {}

  std::string page() {
    with_effort_ = false; // the footer has it
    write_title(paper_, screen_);
    paper_.paragraph(paper_.word("intro"));
    outcome();
    write_point(paper_, screen_);
    paper_.line();
    own_tensors();
    gradients();
    experiments();
    write_page_footer(paper_, screen_);
    return paper_.take();
  }

  std::vector<std::string> parts() {
    write_title(paper_, screen_);
    if (!screen_.quiet) {
      paper_.paragraph(paper_.word("intro"));
      tensors();
      gradients();
      experiments();
    }
    if (screen_.only.empty()) write_footer(paper_, screen_);
    parts_.push_back(paper_.take());
    return std::move(parts_);
  }

private:
  bool shown(const Step& step) const { return screen_.only.empty() || screen_.only.count(step.name); }

  // The result, and beside it the picture of the weights that made it.
  void outcome() {
    const Step* result = trace_.find(trace_.main);
    if (!result) return;
    const auto product = product_block(trace_, *result, style_);
    if (product)
      band_.push_back(with_header(*result, *product));
    else
      add_tensor(*result);
    const Step* weights = trace_.find("weights");
    if (weights && weights->role == Role::result && style_.picture != Picture::off &&
        weights->value.rank() >= 2) {
      std::vector<TextBlock> drawn = pictures(*weights);
      if (drawn.size() > 1) flush(); // a row of its own
      TextBlock first;
      first.add(style_.dim(legend()), display_width(legend()));
      first.add(drawn.front());
      drawn.front() = first;
      for (std::size_t k = 1; k < drawn.size(); ++k) drawn[k].lines.insert(drawn[k].lines.begin(), "");
      band_.insert(band_.end(), drawn.begin(), drawn.end());
    }
    flush();
    paper_.paragraph(paper_.word(result->name));
  }

  // What is new here, in the order of the computation; of what earlier lessons explained a line says where it
  // is.
  void own_tensors() {
    const auto is_own = [&](const Step& step) {
      return step.role != Role::gradient && screen_.own.contains(step.name) && step.name != trace_.main;
    };
    std::vector<const Step*> known;
    for (const Step& step : trace_.steps)
      if (step.role != Role::gradient && step.name != trace_.main && !is_own(step)) known.push_back(&step);
    write_known(paper_, screen_, known);
    std::vector<std::string> said;
    std::size_t used = 0;
    const auto close = [&] {
      flush();
      for (const std::string& text : said)
        for (const std::string& one : wrap(style_.symbols(escape_controls(text)), style_.width))
          paper_.line(one);
      if (!said.empty()) paper_.line();
      said.clear(), used = 0;
    };
    for (const Step& step : trace_.steps) {
      if (!is_own(step)) continue;
      const TextBlock block = narrow(step);
      const bool is_stack = step.value.rank() > 2;
      if (is_stack || used + block.width > style_.width) close();
      if (is_stack)
        add_tensor(step);
      else
        band_.push_back(block), used += block.width + 3;
      if (const auto text = paper_.word(step.name)) said.push_back(step.name + "  " + *text);
    }
    close();
    if (trace_.facts.count("blocked_rows")) paper_.paragraph(paper_.word("blocked_rows"));
    paper_.paragraph(paper_.word("polarity"));
  }

  // Consecutive small tensors stand beside each other; words close a band, and a stack has one of its own.
  void tensors() {
    for (const Step& step : trace_.steps) {
      if (!shown(step) || (step.role == Role::gradient && screen_.only.empty())) continue;
      if (pauses_.contains(step.name)) flush(), parts_.push_back(paper_.take());
      const bool result = step.role == Role::result && screen_.only.empty();
      const auto text = result ? paper_.word(step.name) : std::nullopt;
      const auto product = result ? product_block(trace_, step, style_) : std::nullopt;
      if (text || product) flush();
      if (product)
        band_.push_back(with_header(step, *product));
      else
        add_tensor(step);
      if (text || product) flush();
      paper_.paragraph(text);
      if (step.name == "weights" && step.role == Role::result) flush(), picture(step);
    }
    flush();
    if (trace_.facts.count("blocked_rows")) paper_.paragraph(paper_.word("blocked_rows"));
    if (screen_.only.empty()) paper_.paragraph(paper_.word("polarity"));
  }

  void flush() {
    if (band_.empty()) return;
    for (const std::string& one : place(band_, style_.width)) paper_.line(one);
    paper_.line();
    band_.clear();
  }

  // "scores  4×4 = Q·Kᵀ  48 MAC = 96 FLOP  1.2 µs", as much of it as fits.
  TextBlock header(const Step& step) const {
    TextBlock block;
    const std::string head = header_line(step, style_),
                      formula = style_.symbols(escape_controls(step.formula));
    const Cost cost = cost_of(trace_, step);
    std::string effort;
    if (cost.macs)
      effort = "  " + with_separators(cost.macs) + " MAC = " + with_separators(cost.flops) + " FLOP";
    else if (cost.flops)
      effort = "  " + with_separators(cost.flops) + " FLOP";
    if (screen_.with_time && step.role == Role::result && cost.flops)
      effort += "  " + style_.symbols(format_seconds(step.seconds));
    const std::string source = formula.empty()                ? ""
                               : step.operation.is(op::given) ? "  " + paper_.ui("from") + " " + formula
                                                              : " = " + formula;
    const std::string plain = head + source;
    const bool counted = with_effort_ && (step.role == Role::result || step.role == Role::gradient);
    if (display_width(plain + effort) <= style_.width && counted)
      block.add(style_.bold(head) + source + style_.dim(effort), display_width(plain + effort));
    else
      block.add(style_.shortened(plain, style_.width));
    return block;
  }

  // The formula below the name, so that two stand side by side.
  TextBlock narrow(const Step& step) const {
    const TextBlock body = matrix_block(step, 0, style_, style_.width);
    TextBlock block;
    const std::string head = header_line(step, style_),
                      formula = "= " + style_.symbols(escape_controls(step.formula));
    if (step.formula.empty() || display_width(head + " " + formula) <= body.width)
      return with_header(step, body);
    if (display_width(head) > style_.width) return with_header(step, body);
    block.add(style_.bold(head), display_width(head));
    block.add(style_.shortened(formula, style_.width));
    block.add(body);
    return block;
  }

  TextBlock with_header(const Step& step, const TextBlock& body) const {
    TextBlock block = header(step);
    block.add(body);
    return block;
  }

  void add_tensor(const Step& step) {
    const std::size_t count = step.value.rank() < 2 ? 1 : matrix_count(step.value),
                      max_slices = slices_shown(step);
    if (count == 1) {
      band_.push_back(with_header(step, matrix_block(step, 0, style_, style_.width)));
      return;
    }
    flush();
    paper_.line(header(step).lines[0]);
    for (std::size_t i = 0; i < std::min(count, max_slices); ++i) {
      TextBlock slice;
      slice.add(slice_name(step, i));
      slice.add(matrix_block(step, i, style_, style_.width));
      band_.push_back(std::move(slice));
    }
    if (count > max_slices) {
      const std::string more =
          paper_.ui("more_slices", {{"count", std::to_string(count - max_slices)}, {"name", step.name}});
      band_.back().add(style_.dim(more), display_width(more));
    }
    flush();
  }

  // A small stack is shown whole; of a large one the first matrix stands for all, up to 64 where it was asked
  // for.
  std::size_t slices_shown(const Step& step) const {
    constexpr std::size_t small = 200, asked = 64;
    const std::size_t count = step.value.rank() < 2 ? 1 : matrix_count(step.value);
    if (!screen_.only.empty()) return std::min(count, asked);
    return step.value.size() <= small ? count : 1;
  }

  std::string legend() const {
    return style_.symbols(paper_.ui(style_.picture == Picture::tutorial ? "picture" : "heatmap"));
  }

  std::vector<TextBlock> pictures(const Step& step) const {
    std::vector<TextBlock> blocks;
    for (std::size_t i = 0; i < slices_shown(step); ++i) {
      TextBlock block;
      if (const std::string name = slice_name(step, i); !name.empty()) block.add(name);
      block.add(style_.picture == Picture::tutorial ? five_levels(step, i, style_)
                                                    : heatmap(step, i, style_));
      blocks.push_back(std::move(block));
    }
    return blocks;
  }

  void picture(const Step& step) {
    if (style_.picture == Picture::off || step.value.rank() < 2) return;
    paper_.line(style_.dim(legend()));
    for (const std::string& one : place(pictures(step), style_.width)) paper_.line(one);
    paper_.line();
  }

  // The way back, in its order: each gradient beside its central differences; of a part only its formula.
  void gradients() {
    if (trace_.gradients.empty() || !screen_.only.empty()) return;
    const std::string end = trace_.has("loss") ? "loss" : "mean";
    paper_.paragraph(paper_.ui("gradients", {{"name", end}}));
    for (const Step& step : trace_.steps) {
      if (step.role != Role::gradient) continue;
      const auto check = std::find_if(trace_.gradients.begin(), trace_.gradients.end(),
                                      [&](const GradientCheck& g) { return g.gradient == step.name; });
      for (const std::string& one : header(step).lines) paper_.line(one);
      if (check != trace_.gradients.end())
        for (const std::string& one : compared(step, *check)) paper_.line(one);
      else if (step.value.rank() == 0)
        for (const std::string& one : matrix_block(step, 0, style_, style_.width).lines) paper_.line(one);
      paper_.line();
      paper_.paragraph(paper_.word(step.name));
    }
  }

  // The numbers and, where there is room for both, the central difference of every cell; else of the worst
  // one.
  std::vector<std::string> compared(const Step& step, const GradientCheck& check) const {
    TextBlock numbers;
    if (const std::string name = slice_name(step, 0); !name.empty()) numbers.add(name);
    numbers.add(matrix_block(step, 0, style_, style_.width));
    const std::map<std::string, std::string> values = {
        {"largest", format_deviation(check.largest)},
        {"tried", with_separators(check.tried)},
        {"skipped", with_separators(check.skipped)},
        {"cell", check.tried ? cell_name(step, check.worst) : ""},
        {"difference",
         check.tried ? screen_number(check.differences.at(check.worst), style_.precision) : ""}};
    if (check.tried == step.value.size() && step.value.rank() <= 2) {
      Step differences = step;
      differences.value = check.differences;
      differences.labels[0].clear(); // the rows are those of the left
      TextBlock body, beside;
      body.add(""), body.add(numbers);
      beside.add(style_.symbols(paper_.ui("differences", values)));
      beside.add(matrix_block(differences, 0, style_, style_.width));
      if (body.width + 3 + beside.width <= style_.width) return place({body, beside}, style_.width);
    }
    const std::string line = paper_.ui(words_of_difference(check), values);
    std::vector<std::string> lines = numbers.lines;
    for (const std::string& one : wrap(style_.symbols(escape_controls(line)), style_.width))
      lines.push_back(one);
    return lines;
  }

  void experiments() {
    if (!screen_.only.empty()) return;
    if (const auto mixtures = trace_.facts.find("mixtures"); mixtures != trace_.facts.end()) {
      if (const auto text = paper_.word("mixtures"))
        for (const std::string& part : wrap(style_.symbols(*text), style_.width)) paper_.line(part);
      for (const std::string& one : std::get<std::vector<std::string>>(mixtures->second))
        for (const std::string& part : wrap(style_.symbols(escape_controls(one)), style_.width - 2))
          paper_.line("  " + part);
      paper_.line();
    }
    for (const Experiment& experiment : trace_.experiments) {
      Step table;
      table.name = experiment.name;
      table.value = experiment.values;
      std::vector<std::string> columns;
      for (const std::string& column : experiment.columns)
        columns.push_back(paper_.word("column." + column).value_or(column));
      table.labels = {experiment.rows, columns};
      paper_.paragraph(paper_.word(experiment.name));
      for (const std::string& one : matrix_block(table, 0, style_, style_.width).lines) paper_.line(one);
      paper_.line();
    }
  }

  const Trace& trace_;
  const Screen& screen_;
  const Style& style_;
  const std::set<std::string> pauses_;
  Paper paper_;
  std::vector<TextBlock> band_; // what will stand side by side
  std::vector<std::string> parts_;
  bool with_effort_ = true; // in the line above a tensor
};

} // namespace

std::string render_page(const Trace& trace, const Screen& screen, const Words& words, const Style& style) {
  return LessonScreen(trace, screen, words, style, {}).page();
}

std::string render_screen(const Trace& trace, const Screen& screen, const Words& words, const Style& style) {
  return render_parts(trace, screen, words, style, {}).front();
}

std::vector<std::string> render_parts(const Trace& trace, const Screen& screen, const Words& words,
                                      const Style& style, const std::set<std::string>& pauses) {
  return LessonScreen(trace, screen, words, style, pauses).parts();
}

} // namespace tfx
