#include "render/tensor_block.hpp"

#include "core/number.hpp"
#include "render/charts.hpp"
#include "render/footer.hpp"
#include "render/heatmap.hpp"
#include "render/matrix.hpp"
#include "render/report.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"
#include "trace/cost.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

// "scores  4×4 = Q·Kᵀ  48 MAC = 96 FLOP  1.2 µs", as much of it as fits.
TextBlock TensorBlocks::header(const Step& step) const {
  TextBlock block;
  const std::string head = header_line(step, style_),
                    formula = style_.symbols(escape_controls(paper_.source(step.formula)));
  const Cost cost = cost_of(trace_, step);
  std::string effort;
  if (cost.macs)
    effort = "  " + with_separators(cost.macs) + " MAC = " + with_separators(cost.flops) + " FLOP";
  else if (cost.flops)
    effort = "  " + with_separators(cost.flops) + " FLOP";
  if (screen_.with_time && step.role == Role::result && cost.flops && step.timing)
    effort += "  " + style_.symbols(time_text(paper_, *step.timing));
  const std::string source = formula.empty()                ? ""
                             : step.operation.is(op::given) ? "  " + paper_.ui("from") + " " + formula
                                                            : " = " + formula;
  const std::string plain = head + source;
  const bool counted = effort_ == Effort::shown && !style_.is_within &&
                       (step.role == Role::result || step.role == Role::gradient);
  if (display_width(plain + effort) <= style_.width && counted)
    block.add(style_.bold(head) + source + style_.dim(effort), display_width(plain + effort));
  else
    block.add(style_.shortened(plain, style_.width));
  return block;
}

// The formula below the name, so that two stand side by side.
TextBlock TensorBlocks::narrow(const Step& step) const {
  const TextBlock body = matrix_block(step, 0, style_, style_.width);
  TextBlock block;
  const std::string head = header_line(step, style_),
                    formula = "= " + style_.symbols(escape_controls(step.formula));
  if (step.formula.empty() || step.operation.is(op::given) ||
      display_width(head + " " + formula) <= body.width)
    return with_header(step, body);
  if (display_width(head) > style_.width) return with_header(step, body);
  block.add(style_.bold(head), display_width(head));
  block.add(style_.shortened(formula, style_.width));
  block.add(body);
  return block;
}

TextBlock TensorBlocks::with_header(const Step& step, const TextBlock& body) const {
  TextBlock block = header(step);
  block.add(body);
  return block;
}

// A small stack is shown whole; of a large one the first matrix stands for all, up to 64 where it was asked
// for.
std::size_t TensorBlocks::slices_shown(const Step& step) const {
  constexpr std::size_t small = 200, asked = 64;
  const std::size_t count = step.value.rank() < 2 ? 1 : matrix_count(step.value);
  if (screen_.only.contains(step.name)) return std::min(count, asked);
  return step.value.size() <= small ? count : 1;
}

std::string TensorBlocks::legend(const Step& step) const {
  if (style_.picture == Picture::tutorial) return style_.symbols(paper_.ui("picture"));
  const bool is_colored = style_.color == Color::palette || style_.color == Color::truecolor;
  const char* most = !is_colored                      ? "heatmap.full"
                     : style_.ground == Ground::light ? "heatmap.dark"
                                                      : "heatmap.light";
  const bool has_blocked = std::ranges::count(step.value.data, 0.0) > 0;
  return style_.symbols(
      paper_.ui(has_blocked ? "heatmap.blocked" : "heatmap",
                {{"name", step.name}, {"blocked", blocked_cell}, {"most", paper_.ui(most)}}));
}

TextBlock TensorBlocks::picture_of(const Step& step, std::size_t slice) const {
  TextBlock block;
  if (step.name == trace_.pictured)
    block.add(style_.symbols(paper_.ui("picture_head", {{"head", std::to_string(slice)}})));
  else if (const std::string name = slice_name(step, slice); !name.empty())
    block.add(name);
  block.add(style_.picture == Picture::tutorial ? five_levels(step, slice, style_)
                                                : heatmap(step, slice, style_));
  return block;
}

// Of a large stack those that stand beside the first: heads of one sentence look at different words.
std::vector<TextBlock> TensorBlocks::pictures(const Step& step) const {
  constexpr std::size_t between = 3;
  const std::size_t shown = slices_shown(step), count = step.value.rank() < 2 ? 1 : matrix_count(step.value);
  std::vector<TextBlock> blocks;
  std::size_t taken = 0;
  for (std::size_t i = 0; i < count; ++i) {
    TextBlock block = picture_of(step, i);
    taken += (i > 0 ? between : 0) + block.width;
    if (i >= shown && (shown > 1 || taken > style_.width)) break;
    blocks.push_back(std::move(block));
  }
  return blocks;
}

// The numbers and, where there is room for both, the central difference of every cell; else of the worst
// one.
std::vector<std::string> TensorBlocks::compared(const Step& step, const GradientCheck& check) const {
  TextBlock numbers;
  if (const std::string name = slice_name(step, 0); !name.empty()) numbers.add(name);
  numbers.add(matrix_block(step, 0, style_, style_.width));
  const auto values = difference_values(step, check, style_.precision);
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

void write_picture(Paper& paper, const Step& step, const TensorBlocks& blocks) {
  const Style& style = paper.style();
  if (style.picture == Picture::off || step.value.rank() < 2) return;
  for (const std::string& one : wrap(blocks.legend(step), style.width)) paper.line(style.dim(one));
  for (const std::string& one : place(blocks.pictures(step), style.width)) paper.line(one);
  paper.line();
}

namespace {

void write_plots(Paper& paper, const std::vector<Plot>& all) {
  if (all.empty() || paper.style().picture == Picture::off) return;
  constexpr std::size_t height = 5, gap = 3, widest = 50;
  const std::size_t share = (paper.style().width + gap) / all.size(),
                    width = std::min(share > gap ? share - gap : 1, widest);
  std::vector<TextBlock> blocks;
  for (const Plot& plot : all) {
    TextBlock& block = blocks.emplace_back();
    block.add(paper.style().symbols(paper.column(plot.column)));
    block.add(curve(plot.values, plot.first, width, height, paper.style()));
  }
  for (const std::string& line : place(blocks, paper.style().width)) paper.line(line);
  paper.line();
}

// The first columns, which are text.
void align_left(Table& table, std::size_t count) {
  for (std::size_t j = 0; j < count; ++j) {
    std::size_t widest = display_width(table.headings[j]);
    for (const TableRow& row : table.rows) widest = std::max(widest, display_width(row.cells[j]));
    table.headings[j] = pad_right(table.headings[j], widest);
    for (TableRow& row : table.rows) row.cells[j] = pad_right(row.cells[j], widest);
  }
}

} // namespace

// Columns are of different things, so each has its own number of decimals.
void write_experiment(Paper& paper, const Experiment& experiment, const TensorBlocks& blocks) {
  paper.paragraph(paper.word(experiment.name));
  paper.paragraph(paper.word(experiment.name + ".part"));
  const ShownTable all = shown(experiment, paper.style());
  const auto said = [&](const std::string& text) {
    return experiment.worded ? paper.column(text) : escape_controls(text);
  };
  Table table;
  for (std::size_t c = 1; c < all.columns.size(); ++c) table.headings.push_back(paper.column(all.columns[c]));
  for (const std::vector<std::string>& cells : all.rows) {
    table.rows.push_back({said(cells[0]), {}});
    for (std::size_t c = 1; c < cells.size(); ++c) table.rows.back().cells.push_back(said(cells[c]));
  }
  align_left(table, experiment.texts.empty() ? 0 : experiment.texts.front().size());
  paper.table(table);
  write_plots(paper, experiment.plots);
  if (experiment.pictured)
    write_picture(
        paper, {{experiment.name, experiment.values, {experiment.rows, experiment.columns}}, {}, {}}, blocks);
}

} // namespace tfx
