#include "render/terminal.hpp"

#include "core/number.hpp"
#include "render/charts.hpp"
#include "render/footer.hpp"
#include "render/heatmap.hpp"
#include "render/matrix.hpp"
#include "render/paper.hpp"
#include "render/style.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"
#include "trace/cost.hpp"
#include "trace/trace.hpp"

#include <algorithm>
#include <iterator>

namespace tfx {

namespace {

class LessonScreen {
public:
  LessonScreen(const Trace& trace, const Screen& screen, const Words& words, const Style& style,
               const std::set<std::string>& pauses)
      : trace_(trace), screen_(screen), style_(style), pauses_(pauses), paper_(trace, words, style) {}

  std::string page() {
    is_page_ = true;
    write_title(paper_, screen_);
    paper_.paragraph(paper_.word("intro"));
    write_learned(paper_);
    outcome();
    write_point(paper_, screen_);
    write_known(paper_, known());
    paper_.line();
    if (std::vector<TextBlock> drawn = pictures_of_result(); drawn.size() > 1 && !are_in_a_row(drawn)) {
      band_ = std::move(drawn);
      flush();
    }
    bool is_back = false;
    for (const PageSection& part : screen_.page) {
      if (&part == leading()) continue;
      if (!is_back && !goes_on() && starts_back(part)) is_back = true, way_back();
      section(part);
    }
    if (!is_back && !goes_on()) way_back(), gradients_of_page();
    for (const char* key : run_remarks) paper_.paragraph(paper_.word(key));
    paper_.paragraph(paper_.word("polarity"));
    mixtures();
    if (const auto text = paper_.word("glimpse")) {
      paper_.row(paper_.ui("glimpse"), *text);
      paper_.row("", paper_.word("glimpse.command").value_or(""));
      paper_.line();
    }
    write_page_footer(paper_, screen_);
    return paper_.take();
  }

  std::vector<std::string> parts() {
    if (!screen_.only.empty()) {
      if (!screen_.quiet) selection();
      parts_.push_back(paper_.take());
      return std::move(parts_);
    }
    write_title(paper_, screen_);
    if (!screen_.quiet) {
      paper_.paragraph(paper_.word("intro"));
      write_learned(paper_);
      tensors();
      if (!goes_on()) gradients();
      experiments();
    }
    write_footer(paper_, screen_);
    parts_.push_back(paper_.take());
    return std::move(parts_);
  }

private:
  // What was asked for by name, and nothing else.
  void selection() {
    if (is_chosen("steps")) steps_in_lines();
    tensors();
    if (is_chosen("gradients")) gradients_of_given();
    if (const Step* weights = weights_of_result(); weights && is_chosen("picture")) picture(*weights);
    if (is_chosen("mixtures")) mixtures();
    for (const Experiment& experiment : trace_.experiments)
      if (is_chosen(experiment.name)) show(experiment);
    write_chosen(paper_, screen_);
  }

  bool is_chosen(const std::string& name) const { return screen_.only.contains(name); }

  // "scores  4×4 = Q·Kᵀ": what the lesson computes, without its numbers.
  void steps_in_lines() {
    for (const Step& step : trace_.steps)
      if (step.role == Role::result) paper_.line(in_a_line(step, style_.width));
    paper_.line();
  }

  std::string in_a_line(const Step& step, std::size_t room) const {
    return style_.shortened(style_.symbols(header_line(step, style_) + " = " + step.formula), room);
  }

  // Whether steps follow from the gradients: then each stands in its place, and the way back is no page of
  // this lesson.
  bool goes_on() const {
    const auto last = std::find_if(trace_.steps.rbegin(), trace_.steps.rend(),
                                   [](const Step& step) { return step.role != Role::before; });
    return last != trace_.steps.rend() && last->role != Role::gradient;
  }

  bool shown(const Step& step) const {
    return screen_.only.empty() ? step.role != Role::before : screen_.only.contains(step.name);
  }

  // The weights, if this lesson computes them; a row each of steps that are taken one after the other.
  const Step* weights_of_result() const {
    const Step* each = trace_.find("step_weights");
    return each ? each : trace_.find("weights");
  }

  std::vector<TextBlock> pictures_of_result() const {
    const Step* weights = weights_of_result();
    if (!weights || weights->role != Role::result || style_.picture == Picture::off ||
        weights->value.rank() < 2)
      return {};
    std::vector<TextBlock> drawn = pictures(*weights);
    TextBlock first;
    first.add(style_.dim(legend(*weights)), display_width(legend(*weights)));
    first.add(drawn.front());
    drawn.front() = first;
    for (std::size_t k = 1; k < drawn.size(); ++k) drawn[k].lines.insert(drawn[k].lines.begin(), "");
    return drawn;
  }

  // The result, and beside it the picture of the weights that made it.
  void outcome() {
    if (const PageSection* lead = leading(); lead) {
      std::vector<TextBlock> drawn = pictures_of_result();
      return section(*lead, are_in_a_row(drawn) ? std::move(drawn) : std::vector<TextBlock>());
    }
    const Step* result = trace_.find(trace_.main);
    if (!result) return;
    const auto product = product_block(trace_, *result, style_);
    if (product)
      band_.push_back(with_header(*result, *product));
    else
      add_tensor(*result);
    std::vector<TextBlock> drawn = pictures_of_result();
    if (are_in_a_row(drawn)) std::ranges::move(drawn, std::back_inserter(band_));
    std::vector<const Step*> columns;
    for (const PageSection& part : screen_.page)
      for (const std::string& name : part.tensors)
        if (const Step* step = on_page(name); step && beside_result(*step)) columns.push_back(step);
    for (const Step* step : columns) band_.push_back(narrow(*step));
    flush();
    std::string said = paper_.word(result->name).value_or("");
    for (const Step* step : columns)
      if (const auto text = paper_.word(step->name)) said += (said.empty() ? "" : "\n") + *text;
    if (!said.empty()) paper_.paragraph(said);
  }

  // What stands first where that is not the result: key "result".
  const PageSection* leading() const {
    const bool is_first = !screen_.page.empty() && screen_.page.front().key == "result";
    return is_first ? &screen_.page.front() : nullptr;
  }

  const Step* on_page(const std::string& name) const {
    const Step* step = trace_.find(name);
    return name == trace_.main && !leading() ? nullptr : step;
  }

  bool is_on_page(const std::string& name) const {
    return std::ranges::any_of(
        screen_.page, [&](const PageSection& part) { return std::ranges::count(part.tensors, name) > 0; });
  }

  bool starts_back(const PageSection& part) const {
    const Step* step = part.tensors.empty() ? nullptr : trace_.find(part.tensors.front());
    return step && step->role == Role::gradient;
  }

  // What the page does not show whole.
  std::vector<const Step*> known() const {
    std::vector<const Step*> steps;
    for (const Step& step : trace_.steps)
      if (step.role != Role::gradient && step.role != Role::before && step.name != trace_.main &&
          !is_on_page(step.name))
        steps.push_back(&step);
    return steps;
  }

  void heading(const std::optional<std::string>& text) {
    if (!text) return;
    const std::size_t end = std::min(text->find('\n'), text->size());
    for (const std::string& one : wrap(style_.symbols("── " + text->substr(0, end)), style_.width))
      paper_.line(style_.bold(one));
    if (end < text->size()) paper_.paragraph(text->substr(end + 1));
  }

  // Its tensors, each where there is room beside those before it, and what stands `beside` them; then what
  // they are. What follows from the result stands beside it already.
  void section(const PageSection& part, std::vector<TextBlock> beside = {}) {
    std::vector<const Step*> steps;
    std::vector<const Experiment*> tried;
    for (const std::string& name : part.tensors) {
      if (const Step* step = on_page(name); step && !beside_result(*step)) steps.push_back(step);
      const auto experiment = std::ranges::find(trace_.experiments, name, &Experiment::name);
      if (experiment != trace_.experiments.end()) tried.push_back(&*experiment);
    }
    if (steps.empty() && tried.empty()) return;
    heading(part.key.empty() ? std::nullopt : paper_.word("section." + part.key));
    std::vector<TextBlock> flat;
    const auto close = [&] {
      if (!flat.empty()) band_ = packed(std::move(flat), style_.width);
      flat.clear();
      flush();
    };
    for (const Step* step : steps) {
      if (step->role == Role::gradient) {
        close();
        gradient(*step);
      } else if (step->value.rank() > 2) {
        close();
        add_tensor(*step);
      } else {
        flat.push_back(narrow(*step));
      }
    }
    std::ranges::move(beside, std::back_inserter(flat));
    close();
    bool said = false;
    for (const Step* step : steps) {
      const auto text = step->role == Role::gradient ? std::nullopt : paper_.said_of(*step);
      if (!text) continue;
      for (const std::string& one :
           wrap(style_.symbols(escape_controls(step->name + "  " + *text)), style_.width))
        paper_.line(one);
      said = true;
    }
    if (said) paper_.line();
    for (const Experiment* experiment : tried) show(*experiment);
  }

  // A column that is computed from the result, such as the entropy of weights.
  bool beside_result(const Step& step) const {
    return step.role != Role::gradient && step.value.rank() == 2 && step.value.shape[1] == 1 &&
           std::ranges::count(step.operation.inputs, trace_.main) > 0;
  }

  // Consecutive small tensors stand beside each other; words close a band, and a stack has one of its own.
  void tensors() {
    for (const Step& step : trace_.steps) {
      if (!shown(step)) continue;
      const bool is_back = step.role == Role::gradient && screen_.only.empty();
      if ((is_back && !goes_on()) || folds(step)) continue;
      if (!step.operation.is(op::given)) folded();
      if (is_back) {
        flush(), gradient(step);
        continue;
      }
      if (pauses_.contains(step.name)) pause();
      const bool result = step.role == Role::result && screen_.only.empty();
      const auto text = result ? paper_.said_of(step) : std::nullopt;
      const auto product = result ? product_block(trace_, step, style_) : std::nullopt;
      if (text || product) flush();
      if (product)
        band_.push_back(with_header(step, *product));
      else
        add_tensor(step);
      if (text || product) flush();
      paper_.paragraph(text);
      if (&step == weights_of_result() && step.role == Role::result && screen_.only.empty())
        flush(), picture(step);
    }
    folded();
    flush();
    for (const char* key : run_remarks) paper_.paragraph(paper_.word(key));
    if (screen_.only.empty()) paper_.paragraph(paper_.word("polarity"));
  }

  void pause() {
    flush();
    parts_.push_back(paper_.take());
  }

  bool folds(const Step& step) {
    const auto found = screen_.folded.find(step.name);
    if (found == screen_.folded.end()) return false;
    if (found->second.empty()) return true;
    auto line = std::ranges::find(folded_, found->second, &Folded::first);
    if (line == folded_.end()) line = folded_.insert(line, {found->second, {}});
    line->second.push_back(&step);
    return true;
  }

  // The lines of what was folded since the last time, with formulas where they fit.
  void folded() {
    if (folded_.empty()) return;
    flush();
    for (const auto& [begin, steps] : folded_) {
      std::vector<std::string> names, formulas;
      for (const Step* step : steps)
        names.push_back(step->name), formulas.push_back(step->name + " = " + step->formula);
      const std::string head = begin + (begin.ends_with(':') ? " " : "");
      std::string line = escape_controls(head + listed(formulas));
      if (display_width(line) > style_.width) line = escape_controls(head + listed(names));
      for (const std::string& one : wrap(style_.symbols(line), style_.width)) paper_.line(one);
    }
    paper_.line();
    folded_.clear();
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
    if (screen_.with_time && step.role == Role::result && cost.flops && step.timing)
      effort += "  " + style_.symbols(time_text(paper_, *step.timing));
    const std::string source = formula.empty()                ? ""
                               : step.operation.is(op::given) ? "  " + paper_.ui("from") + " " + formula
                                                              : " = " + formula;
    const std::string plain = head + source;
    const bool counted =
        !is_page_ && !style_.is_within && (step.role == Role::result || step.role == Role::gradient);
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
    if (step.formula.empty() || step.operation.is(op::given) ||
        display_width(head + " " + formula) <= body.width)
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
    if (is_chosen(step.name)) return std::min(count, asked);
    return step.value.size() <= small ? count : 1;
  }

  std::string legend(const Step& step) const {
    if (style_.picture == Picture::tutorial) return style_.symbols(paper_.ui("picture"));
    const bool has_blocked = std::ranges::count(step.value.data, 0.0) > 0;
    return style_.symbols(paper_.ui(has_blocked ? "heatmap.blocked" : "heatmap",
                                    {{"name", step.name}, {"blocked", blocked_cell}}));
  }

  TextBlock picture_of(const Step& step, std::size_t slice) const {
    TextBlock block;
    if (const std::string name = slice_name(step, slice); !name.empty()) block.add(name);
    block.add(style_.picture == Picture::tutorial ? five_levels(step, slice, style_)
                                                  : heatmap(step, slice, style_));
    return block;
  }

  // Of a large stack those that stand beside the first: heads of one sentence look at different words.
  std::vector<TextBlock> pictures(const Step& step) const {
    constexpr std::size_t between = 3;
    const std::size_t shown = slices_shown(step),
                      count = step.value.rank() < 2 ? 1 : matrix_count(step.value);
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

  // Whether they stand beside each other where the result does.
  bool are_in_a_row(const std::vector<TextBlock>& drawn) const {
    return drawn.size() == 1 || (!drawn.empty() && slices_shown(*weights_of_result()) == 1);
  }

  void picture(const Step& step) {
    if (style_.picture == Picture::off || step.value.rank() < 2) return;
    paper_.line(style_.dim(legend(step)));
    for (const std::string& one : place(pictures(step), style_.width)) paper_.line(one);
    paper_.line();
  }

  const GradientCheck* check_of(const Step& step) const {
    const auto check = std::ranges::find(trace_.gradients, step.name, &GradientCheck::gradient);
    return check == trace_.gradients.end() ? nullptr : &*check;
  }

  std::map<std::string, std::string> way_back_ends() const {
    return {{"name", trace_.has("loss") ? "loss" : "mean"}};
  }

  // The way back, in its order: each gradient beside its central differences; of a part only its formula.
  void gradients() {
    if (trace_.gradients.empty()) return;
    paper_.paragraph(paper_.ui("gradients", way_back_ends()));
    for (const Step& step : trace_.steps) {
      if (step.role != Role::gradient || folds(step)) continue;
      folded();
      if (pauses_.contains(step.name)) pause();
      gradient(step);
    }
    folded();
  }

  void gradient(const Step& step) {
    const GradientCheck* check = check_of(step);
    for (const std::string& one : header(step).lines) paper_.line(one);
    if (check)
      for (const std::string& one : compared(step, *check)) paper_.line(one);
    else if (step.value.rank() == 0)
      for (const std::string& one : matrix_block(step, 0, style_, style_.width).lines) paper_.line(one);
    paper_.line();
    paper_.paragraph(paper_.word(step.name));
  }

  // The same on a page: every gradient in a line.
  void way_back() {
    if (trace_.gradients.empty()) return;
    heading(paper_.ui("way_back", way_back_ends()));
    for (const Step& step : trace_.steps)
      if (step.role == Role::gradient) beside_its_difference(step);
    paper_.line();
  }

  void beside_its_difference(const Step& step) {
    const GradientCheck* check = check_of(step);
    const std::string apart = check && check->tried ? format_deviation(check->largest) : "";
    const std::size_t room = style_.width - std::min(style_.width / 2, apart.size() + 2);
    const std::string line = in_a_line(step, room);
    paper_.line(apart.empty() ? line : pad_right(line, room) + "  " + apart);
  }

  void gradients_of_given() {
    if (trace_.gradients.empty()) return;
    const std::string words = paper_.ui("way_back", way_back_ends());
    heading(words.substr(0, words.find('\n')));
    for (const GradientCheck& check : trace_.gradients)
      if (trace_.step_named(check.of).operation.is(op::given))
        beside_its_difference(trace_.step_named(check.gradient));
    paper_.line();
  }

  // Of what was given, and of what the page shows.
  void gradients_of_page() {
    for (const GradientCheck& check : trace_.gradients) {
      const Step& of = trace_.step_named(check.of);
      if (of.role == Role::before) continue;
      if (of.operation.is(op::given) || check.of == trace_.main || is_on_page(check.of))
        gradient(trace_.step_named(check.gradient));
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
        {"cells", with_separators(step.value.size())},
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

  void mixtures() {
    const auto mixtures = trace_.facts.find("mixtures");
    if (mixtures == trace_.facts.end()) return;
    if (const auto text = paper_.word("mixtures"))
      for (const std::string& part : wrap(style_.symbols(*text), style_.width)) paper_.line(part);
    for (const std::string& one : std::get<std::vector<std::string>>(mixtures->second))
      for (const std::string& part : wrap(style_.symbols(escape_controls(one)), style_.width - 2))
        paper_.line("  " + part);
    paper_.line();
  }

  void experiments() {
    mixtures();
    for (const Experiment& experiment : trace_.experiments) show(experiment);
  }

  // Columns are of different things, so each has its own number of decimals.
  void show(const Experiment& experiment) {
    paper_.paragraph(paper_.word(experiment.name));
    paper_.paragraph(paper_.word(experiment.name + ".part"));
    const arma::mat values = matrix(experiment.values);
    const Shown rows = shown_of(values.n_rows, values.n_rows, 0), one = shown_of(1, 1, 0);
    Table table;
    for (const std::string& row : experiment.rows) table.rows.push_back({row, {}});
    for (arma::uword j = 0; j < values.n_cols; ++j) {
      table.headings.push_back(paper_.column(experiment.columns[j]));
      const auto cells = aligned_cells(values.col(j), rows, one, style_);
      for (std::size_t i = 0; i < cells.size(); ++i) table.rows[i].cells.push_back(cells[i].front());
    }
    paper_.table(table);
    plots(experiment.plots);
    if (experiment.pictured)
      picture({{experiment.name, experiment.values, {experiment.rows, experiment.columns}}, {}, {}});
  }

  void plots(const std::vector<Plot>& all) {
    if (all.empty() || style_.picture == Picture::off) return;
    constexpr std::size_t height = 5, gap = 3, widest = 50;
    const std::size_t share = (style_.width + gap) / all.size(),
                      width = std::min(share > gap ? share - gap : 1, widest);
    std::vector<TextBlock> blocks;
    for (const Plot& plot : all) {
      TextBlock& block = blocks.emplace_back();
      block.add(style_.symbols(paper_.column(plot.column)));
      block.add(curve(plot.values, 1, width, height, style_));
    }
    for (const std::string& line : place(blocks, style_.width)) paper_.line(line);
    paper_.line();
  }

  const Trace& trace_;
  const Screen& screen_;
  const Style& style_;
  const std::set<std::string> pauses_;
  Paper paper_;
  std::vector<TextBlock> band_; // what will stand side by side
  using Folded = std::pair<std::string, std::vector<const Step*>>;
  std::vector<Folded> folded_; // by what their line begins with
  std::vector<std::string> parts_;
  bool is_page_ = false; // the page has headings, and its effort in the footer
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
