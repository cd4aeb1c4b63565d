#include "render/terminal.hpp"

#include "core/number.hpp"
#include "render/bar_picture.hpp"
#include "render/footer.hpp"
#include "render/learned_box.hpp"
#include "render/matrix.hpp"
#include "render/paper.hpp"
#include "render/style.hpp"
#include "render/tensor_block.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"
#include "trace/trace.hpp"

#include <algorithm>
#include <iterator>

namespace tfx {

namespace {

class LessonScreen {
public:
  LessonScreen(const Trace& trace, const Screen& screen, const Words& words, const Style& style,
               const std::set<std::string>& pauses, Effort effort)
      : trace_(trace),
        screen_(screen),
        style_(style),
        pauses_(pauses),
        paper_(trace, words, style),
        blocks_(paper_, screen, effort) {}

  std::string page() {
    if (!screen_.part.empty()) return further_page();
    write_title(paper_, screen_);
    paper_.paragraph(paper_.word("intro"));
    write_learned(paper_);
    write_box(paper_, screen_);
    if (trace_.idea) write_idea(paper_, *trace_.idea);
    const bool begins_with_picture =
        trace_.idea || screen_.box; // then the tensors would push what to see off the screen
    if (begins_with_picture) looks(), paper_.line();
    outcome();
    if (!begins_with_picture) looks();
    write_point(paper_, screen_);
    write_known(paper_, known());
    paper_.line();
    if (const Step* weights = trace_.find(trace_.pictured)) {
      write_picture(paper_, *weights, blocks_);
    } else if (std::vector<TextBlock> drawn = pictures_of_result();
               !screen_.box && drawn.size() > 1 && !are_in_a_row(drawn)) {
      band_ = std::move(drawn);
      flush();
    }
    for (const PageSection& part : screen_.page)
      if (&part != leading()) section(part);
    if (!goes_on() && !gradients_have_a_page()) way_back(), gradients_of_page();
    for (const char* key : run_remarks) paper_.paragraph(paper_.word(key));
    for (const char* key : {"polarity", "advice"}) paper_.paragraph(paper_.word(key));
    mixtures();
    if (const auto text = paper_.word("glimpse")) {
      paper_.row(paper_.ui("glimpse"), *text);
      paper_.row("", paper_.word("glimpse.command").value_or(""));
      paper_.line();
    }
    write_page_footer(paper_, screen_);
    return paper_.take();
  }

  // Of the same run what the first page has no room for.
  std::string further_page() {
    const auto shown = std::ranges::find(screen_.further, screen_.part, &FurtherPage::name);
    write_title(paper_, screen_);
    const std::string words = paper_.word("page." + shown->name).value_or("");
    if (const std::size_t end = words.find('\n'); end != std::string::npos)
      paper_.paragraph(words.substr(end + 1));
    if (!shown->looks.empty()) {
      write_looks(paper_, looks_on_page, [&](const std::string& key) { return has(shown->looks, key); });
      paper_.line();
    }
    for (const PageSection& part : shown->sections) section(part);
    write_folded_checks(paper_, screen_);
    write_next(paper_, screen_);
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
      write_box(paper_, screen_);
      if (trace_.idea) write_idea(paper_, *trace_.idea);
      tensors();
      if (!goes_on()) gradients();
      experiments();
    }
    write_footer(paper_, screen_);
    parts_.push_back(paper_.take());
    return std::move(parts_);
  }

private:
  static bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::count(names, name) > 0;
  }

  // What to look at on the first page.
  void looks() {
    write_looks(paper_, looks_on_page, [&](const std::string& key) {
      return std::ranges::none_of(screen_.further, [&](const auto& page) { return has(page.looks, key); });
    });
  }

  // What was asked for by name, and nothing else.
  void selection() {
    if (is_chosen("steps")) steps_in_lines();
    tensors();
    if (is_chosen("gradients")) gradients_of_given();
    const Step* pictured = trace_.find(trace_.pictured);
    if (const Step* weights = pictured ? pictured : weights_of_result(); weights && is_chosen("picture"))
      write_picture(paper_, *weights, blocks_);
    if (is_chosen("mixtures")) mixtures();
    for (const Experiment& experiment : trace_.experiments)
      if (is_chosen(experiment.name)) write_experiment(paper_, experiment, blocks_);
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
    std::vector<TextBlock> drawn = blocks_.pictures(*weights);
    TextBlock first;
    first.add(style_.dim(blocks_.legend(*weights)), display_width(blocks_.legend(*weights)));
    first.add(drawn.front());
    drawn.front() = first;
    for (std::size_t k = 1; k < drawn.size(); ++k) drawn[k].lines.insert(drawn[k].lines.begin(), "");
    return drawn;
  }

  // The result, and beside it the picture of the weights that made it.
  void outcome() {
    if (const PageSection* lead = leading(); lead) {
      std::vector<TextBlock> drawn =
          trace_.pictured.empty() ? pictures_of_result() : std::vector<TextBlock>();
      return section(*lead, are_in_a_row(drawn) ? std::move(drawn) : std::vector<TextBlock>());
    }
    const Step* result = trace_.find(trace_.main);
    if (!result) return;
    const auto product = product_block(trace_, *result, style_);
    if (product)
      band_.push_back(blocks_.with_header(*result, *product));
    else
      add_tensor(*result);
    std::vector<TextBlock> drawn = pictures_of_result();
    if (are_in_a_row(drawn)) std::ranges::move(drawn, std::back_inserter(band_));
    std::vector<const Step*> columns;
    for (const PageSection& part : screen_.page)
      for (const std::string& name : part.tensors)
        if (const Step* step = on_page(name); step && beside_result(*step)) columns.push_back(step);
    for (const Step* step : columns) band_.push_back(blocks_.narrow(*step));
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

  // What the page does not show whole.
  std::vector<const Step*> known() const {
    std::vector<const Step*> steps;
    for (const Step& step : trace_.steps)
      if (step.role != Role::gradient && step.role != Role::before && step.name != trace_.main &&
          !is_on_page(step.name))
        steps.push_back(&step);
    return steps;
  }

  bool gradients_have_a_page() const {
    return std::ranges::any_of(screen_.further, [](const FurtherPage& page) {
      return std::ranges::any_of(page.sections,
                                 [](const PageSection& part) { return has(part.tensors, "gradients"); });
    });
  }

  // Its tensors, each where there is room beside those before it, and what stands `beside` them; then what
  // they are. What follows from the result stands beside it already.
  void section(const PageSection& part, std::vector<TextBlock> beside = {}) {
    if (has(part.tensors, "gradients")) return way_back();
    std::vector<const Step*> steps;
    std::vector<const Experiment*> tried;
    for (const std::string& name : part.tensors) {
      if (const Step* step = on_page(name); step && !beside_result(*step)) steps.push_back(step);
      if (const Experiment* experiment = trace_.find_experiment(name)) tried.push_back(experiment);
    }
    if (steps.empty() && tried.empty()) return;
    paper_.subheading(part.key.empty() ? std::nullopt : paper_.word("section." + part.key));
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
      } else if (trace_.drawn.contains(step->name) && style_.picture != Picture::off) {
        close();
        write_picture(paper_, *step, blocks_);
      } else if (step->value.rank() > 2) {
        close();
        add_tensor(*step);
      } else {
        flat.push_back(blocks_.narrow(*step));
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
    for (const Experiment* experiment : tried) write_experiment(paper_, *experiment, blocks_);
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
        band_.push_back(blocks_.with_header(step, *product));
      else
        add_tensor(step);
      if (text || product) flush();
      paper_.paragraph(text);
      if (&step == weights_of_result() && step.role == Role::result && screen_.only.empty())
        flush(), write_picture(paper_, step, blocks_);
    }
    folded();
    flush();
    for (const char* key : run_remarks) paper_.paragraph(paper_.word(key));
    if (!screen_.only.empty()) return;
    for (const char* key : {"polarity", "advice"}) paper_.paragraph(paper_.word(key));
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

  void add_tensor(const Step& step) {
    const std::size_t count = step.value.rank() < 2 ? 1 : matrix_count(step.value),
                      max_slices = blocks_.slices_shown(step);
    if (count == 1) {
      band_.push_back(blocks_.with_header(step, matrix_block(step, 0, style_, style_.width)));
      return;
    }
    flush();
    paper_.line(blocks_.header(step).lines[0]);
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

  // Whether they stand beside each other where the result does.
  bool are_in_a_row(const std::vector<TextBlock>& drawn) const {
    return drawn.size() == 1 || (!drawn.empty() && blocks_.slices_shown(*weights_of_result()) == 1);
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
    for (const std::string& one : blocks_.header(step).lines) paper_.line(one);
    if (check)
      for (const std::string& one : blocks_.compared(step, *check)) paper_.line(one);
    else if (step.value.rank() == 0)
      for (const std::string& one : matrix_block(step, 0, style_, style_.width).lines) paper_.line(one);
    paper_.line();
    paper_.paragraph(paper_.word(step.name));
  }

  // The same on a page: every gradient in a line.
  void way_back() {
    if (trace_.gradients.empty()) return;
    paper_.subheading(paper_.ui("way_back", way_back_ends()));
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
    paper_.subheading(words.substr(0, words.find('\n')));
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
    for (const Experiment& experiment : trace_.experiments) write_experiment(paper_, experiment, blocks_);
  }

  const Trace& trace_;
  const Screen& screen_;
  const Style& style_;
  const std::set<std::string> pauses_;
  Paper paper_;
  const TensorBlocks blocks_;
  std::vector<TextBlock> band_; // what will stand side by side
  using Folded = std::pair<std::string, std::vector<const Step*>>;
  std::vector<Folded> folded_; // by what their line begins with
  std::vector<std::string> parts_;
};

} // namespace

std::string render_page(const Trace& trace, const Screen& screen, const Words& words, const Style& style) {
  return LessonScreen(trace, screen, words, style, {}, Effort::left_out).page();
}

std::string render_screen(const Trace& trace, const Screen& screen, const Words& words, const Style& style) {
  return render_parts(trace, screen, words, style, {}).front();
}

std::vector<std::string> render_parts(const Trace& trace, const Screen& screen, const Words& words,
                                      const Style& style, const std::set<std::string>& pauses) {
  return LessonScreen(trace, screen, words, style, pauses, Effort::shown).parts();
}

} // namespace tfx
