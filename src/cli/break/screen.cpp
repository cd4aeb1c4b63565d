#include "cli/break/screen.hpp"

#include "cli/break/mistake_words.hpp"
#include "core/number.hpp"
#include "render/explain_text.hpp"
#include "render/json.hpp"
#include "render/matrix.hpp"
#include "render/style.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"
#include "trace/explain.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

namespace {

void begin(JsonWriter& json, const BrokenLesson& broken) {
  begin_command(json, "break");
  json.key("lesson"), json.value(broken.lesson.command);
  json.key("tutorial"), json.text_or_null(broken.right.tutorial.substr(0, broken.right.tutorial.find(':')));
}

// The members that the list and the single mistake share.
void write_mistake(JsonWriter& json, const BrokenLesson& broken, const BrokenRun& one, const Style& style) {
  const MistakeWords words = words_of(*one.mistake, broken.right, style);
  const Step* wrong = one.run.made.empty() ? nullptr : one.run.trace.find(one.run.made[0]);
  json.key("mistake"), json.value(one.mistake->id);
  json.key("made"), json.value(one.run.made);
  json.key("formula"), wrong ? json.value(wrong->formula) : json.null();
  json.key("right_formula"), wrong ? json.value(broken.right.find(wrong->name)->formula) : json.null();
  json.key("symptom"), json.value(words.symptom);
  json.key("advice"), json.value(words.advice);
  json.key("stops"), one.run.stops ? json.value(one.run.stops->in_english()) : json.null();
  json.key("stopped_at"), one.run.stops ? json.value(one.run.stopped_at) : json.null();
  json.key("changed");
  json.begin_array();
  for (const ChangedStep& step : one.changed) {
    json.begin_object();
    json.key("name"), json.value(step.name);
    json.key("cells"), json.value(step.difference.cells);
    json.key("different"), json.value(step.difference.different);
    json.key("same_shape"), json.value(step.difference.same_shape);
    json.key("largest"), json.value(step.difference.largest);
    json.end_object();
  }
  json.end_array();
}

} // namespace

std::string break_list_json(const BrokenLesson& broken, const std::vector<BrokenRun>& all,
                            const Context& context) {
  JsonWriter json;
  begin(json, broken);
  json.key("mistakes");
  json.begin_array();
  for (const BrokenRun& one : all) {
    json.begin_object();
    write_mistake(json, broken, one, context.style());
    json.end_object();
  }
  json.end_array();
  return end_command(json);
}

std::string break_json(const BrokenLesson& broken, const BrokenRun& one,
                       const std::vector<PropertyVerdict>& judged, const Context& context) {
  JsonWriter json;
  begin(json, broken);
  write_mistake(json, broken, one, context.style());
  json.key("tensors");
  json.begin_array();
  for (const ChangedStep& step : one.changed) {
    json.begin_object();
    json.key("name"), json.value(step.name);
    json.key("right"), json.tensor(broken.right[step.name]);
    json.key("wrong"), json.tensor(one.run.trace[step.name]);
    json.end_object();
  }
  json.end_array();
  json.key("properties");
  json.begin_array();
  for (const PropertyVerdict& verdict : judged) {
    json.begin_object();
    json.key("name"), json.value(verdict.property);
    json.key("holds"), json.value(verdict.measured.holds);
    json.key("value"), json.value(verdict.measured.value);
    if (!verdict.error.empty()) json.key("error"), json.value(verdict.error.in_english());
    json.end_object();
  }
  json.end_array();
  return end_command(json);
}

namespace {

class BreakScreen {
public:
  BreakScreen(const BrokenLesson& broken, const Context& context)
      : broken_(broken),
        right_(broken.right),
        style_(context.style()),
        words_(words_in(broken.lesson.folder)),
        paper_(right_, words_, style_) {}

  std::string list(const std::vector<BrokenRun>& all, BreakList which) {
    title("tfx break " + broken_.lesson.command);
    paper_.line();
    if (all.empty()) {
      paper_.paragraph(in_words("break.nothing"));
      return paper_.take();
    }
    paper_.paragraph(in_words("break.intro"));
    const std::size_t shown = which == BreakList::all ? all.size() : shown_of(all);
    for (std::size_t i = 0; i < shown; ++i) entry(all[i]);
    paper_.row(paper_.ui("next"), escape_controls(command_for(*most_telling(all).mistake)));
    if (shown < all.size())
      paper_.row("", in_words("break.of_other_lessons",
                              {{"count", std::to_string(all.size() - shown)},
                               {"command", escape_controls("tfx break " + broken_.lesson.command + " --all" +
                                                           broken_.options)}}));
    if (const auto more = paper_.word("break.more")) paper_.row("", *more);
    return paper_.take();
  }

  std::string one(const BrokenRun& broken, const std::vector<PropertyVerdict>& judged) {
    title("tfx break " + broken_.lesson.command + " --with " + broken.mistake->id);
    const MistakeWords words = words_of(*broken.mistake, right_, style_);
    paper_.line();
    if (const std::string formula = instead(broken.run, right_); !formula.empty()) {
      indented(escape_controls(formula), 0);
      paper_.line();
    }
    if (!words.symptom.empty()) paper_.paragraph(words.symptom);
    beside(broken);
    if (is_unseen(broken)) paper_.paragraph(in_words("break.unchanged"));
    effect(broken);
    verdict_rows(judged, broken.run);
    if (!words.advice.empty()) paper_.row(in_words("break.row.advice"), words.advice);
    if (const auto shown = where_seen(broken)) paper_.row(in_words("break.row.seen"), *shown);
    paper_.row(paper_.ui("next"), escape_controls("tfx " + broken_.lesson.typed + broken_.options) + "    " +
                                      in_words("break.others", {{"lesson", broken_.lesson.command}}));
    return paper_.take();
  }

private:
  void title(const std::string& left) {
    const std::string right = paper_.in_course(broken_.lesson.number);
    const std::size_t used = display_width(left) + display_width(right);
    if (used + 1 <= style_.width)
      paper_.line(style_.bold(left) + std::string(style_.width - used, ' ') + style_.dim(right));
    else
      for (const std::string& part : wrap(left, style_.width)) paper_.line(style_.bold(part));
  }

  void indented(const std::string& text, std::size_t by) {
    const std::size_t room = style_.width > by + 8 ? style_.width - by : 8;
    for (const std::string& line : wrap(style_.symbols(text), room)) paper_.line(std::string(by, ' ') + line);
  }

  std::string command_for(const Mistake& mistake) const {
    return "tfx break " + broken_.lesson.command + " --with " + mistake.id + broken_.options;
  }

  // The lesson's own stand first; one that has none shows what it takes from others.
  std::size_t shown_of(const std::vector<BrokenRun>& all) const {
    const auto own = std::ranges::count_if(
        all, [&](const BrokenRun& one) { return one.mistake->folder == broken_.lesson.folder; });
    return own == 0 ? all.size() : static_cast<std::size_t>(own);
  }

  // The first of the lesson's own that changes its main tensor without stopping.
  const BrokenRun& most_telling(const std::vector<BrokenRun>& all) const {
    const auto found = std::ranges::find_if(
        all, [&](const BrokenRun& one) { return !one.run.stops && one.find(right_.main) != nullptr; });
    return found == all.end() ? all.front() : *found;
  }

  static bool is_unseen(const BrokenRun& one) { return one.changed.empty() && !one.run.stops; }

  // The command with which a mistake that changes nothing here changes something.
  std::optional<std::string> where_seen(const BrokenRun& one) const {
    if (!is_unseen(one) || one.mistake->folder != broken_.lesson.folder) return {};
    return command_that_shows(*one.mistake);
  }

  // How much of the lesson's main tensor changes, or of the last one that does.
  std::string amount_of(const BrokenRun& one) const {
    if (one.run.stops)
      return in_words("break.stops", {{"name", one.run.stopped_at},
                                      {"error", escape_controls(in_learners_language(*one.run.stops))}});
    const ChangedStep* step = one.find(right_.main);
    if (!step && !one.changed.empty()) step = &one.changed.back();
    return step ? changes(*step, one.run.trace) : in_words("break.unchanged");
  }

  std::string changes(const ChangedStep& step, const Trace& wrong) const {
    const Difference& d = step.difference;
    if (!d.same_shape)
      return in_words("break.other_shape", {{"name", step.name},
                                            {"wrong", to_page_string(wrong[step.name].shape)},
                                            {"right", to_page_string(right_[step.name].shape)}});
    return in_words("break.changes", {{"name", step.name},
                                      {"different", with_separators(d.different)},
                                      {"cells", with_separators(d.cells)},
                                      {"largest", screen_number(d.largest, std::max(style_.precision, 2))}});
  }

  void entry(const BrokenRun& one) {
    paper_.line(style_.bold(one.mistake->id));
    const MistakeWords words = words_of(*one.mistake, right_, style_);
    const std::string formula = instead(one.run, right_);
    // Of a model's long names nobody reads a formula: words say what went wrong, --with has both.
    const bool is_long = display_width(formula) > 2 * style_.width;
    if (const std::string& what = is_long ? words.advice : formula; !what.empty())
      indented(escape_controls(what), 2);
    indented(amount_of(one), 2);
    if (const auto shown = where_seen(one)) indented(in_words("break.seen_with", {{"command", *shown}}), 2);
    if (!words.symptom.empty()) indented(words.symptom, 2);
    paper_.line();
  }

  // Right and wrong of the step where it was made, and of the lesson's main one.
  void beside(const BrokenRun& broken) {
    std::vector<std::string> names;
    for (const ChangedStep& step : broken.changed)
      if (step.made && names.empty()) names.push_back(step.name);
    if (broken.find(right_.main) && !std::ranges::count(names, right_.main)) names.push_back(right_.main);
    for (const std::string& name : names) compare(*broken.find(name), broken.run.trace);
    for (const std::string& name : names)
      if (broken.find(name)->difference.same_shape)
        return arithmetic_of(*broken.find(name), broken.run.trace);
  }

  void compare(const ChangedStep& changed, const Trace& wrong_trace) {
    const Step &right = *right_.find(changed.name), &wrong = *wrong_trace.find(changed.name);
    if (right.value.rank() == 0) {
      paper_.line(right.name + "  " + in_words("break.right") + " " + number(right.value.data[0]) + "   " +
                  in_words("break.wrong") + " " + number(wrong.value.data[0]));
      paper_.line();
      return;
    }
    const std::size_t slice = slice_of(right, changed.difference);
    TextBlock left, beside;
    const auto head = [&](const Step& step, const char* key) {
      const std::string where = slice_name(step, slice).empty() ? step.name : slice_name(step, slice);
      return style_.symbols(where + "  " + in_words(key));
    };
    const std::string left_head = head(right, "break.right"), right_head = head(wrong, "break.wrong");
    left.add(style_.bold(left_head), display_width(left_head));
    left.add(matrix_block(right, slice, style_, style_.width));
    const bool same = changed.difference.same_shape;
    const std::size_t shown = same ? slice : 0;
    beside.add(style_.bold(right_head), display_width(right_head));
    beside.add(same ? marked_block(wrong, shown, differing_cells(wrong.value, right.value, Tolerance{}),
                                   style_, style_.width)
                    : matrix_block(wrong, shown, style_, style_.width));
    for (const std::string& line : place({left, beside}, style_.width)) paper_.line(line);
    paper_.line();
  }

  static std::size_t slice_of(const Step& step, const Difference& difference) {
    if (step.value.rank() < 3 || !difference.same_shape) return 0;
    return offset_of(step.value.shape, difference.first) * matrix_count(step.value) / step.value.size();
  }

  std::string number(double value) const { return screen_number(value, style_.precision); }

  // One cell in both forms, where both are recorded operations.
  void arithmetic_of(const ChangedStep& changed, const Trace& wrong_trace) {
    if (!changed.difference.same_shape) return;
    const Index& index = changed.difference.first;
    const auto text = [&](const Trace& trace) {
      const Explanation cell = explain(trace, changed.name, index, 0, 4, style_.precision);
      const std::string value = number(cell.cell.value);
      if (cell.by_rule) return paper_.ui("by_rule", {{"value", value}, {"rule", rule_text(paper_, cell)}});
      const std::string sum = cell.terms.empty() ? value : arithmetic_text(paper_, cell, 4);
      return sum == value ? value : sum + " = " + value;
    };
    const std::string label = explain(right_, changed.name, index, 0, 1, style_.precision).label;
    paper_.row(paper_.ui("cell"), escape_controls(label));
    paper_.row("", escape_controls(in_words("break.right") + "  " + text(right_)));
    paper_.row("", escape_controls(in_words("break.wrong") + "  " + text(wrong_trace)));
  }

  void effect(const BrokenRun& broken) {
    std::string name = in_words("break.row.effect");
    constexpr std::size_t max_shown = 8;
    std::size_t shown = 0;
    for (const ChangedStep& step : broken.changed) {
      if (++shown > max_shown) {
        paper_.row("",
                   in_words("break.more", {{"count", std::to_string(broken.changed.size() - max_shown)}}));
        break;
      }
      paper_.row(name, changes(step, broken.run.trace));
      name.clear();
    }
    if (broken.run.stops) paper_.row(name, amount_of(broken));
  }

  // Shapes first, as everybody looks at them; then whoever notices; the others are counted.
  void verdict_rows(const std::vector<PropertyVerdict>& judged, const WrongRun& run) {
    std::string name = paper_.ui("check");
    const auto row = [&](const PropertyVerdict& verdict) {
      paper_.row(name, (verdict.measured.holds ? "✓ " : "✗ ") + escape_controls(sentence_of(verdict)), true);
      name.clear();
    };
    std::size_t notice = 0, hold = 0;
    bool shapes_hold = true, shapes_seen = false;
    for (const PropertyVerdict& verdict : judged) {
      ++(verdict.measured.holds ? hold : notice);
      if (verdict.property != "shapes") continue;
      row(verdict);
      shapes_hold = verdict.measured.holds, shapes_seen = true;
    }
    if (run.stops && !shapes_hold) return; // nothing was computed that others could look at
    for (const PropertyVerdict& verdict : judged)
      if (verdict.property != "shapes" && !verdict.measured.holds) row(verdict);
    hold -= shapes_hold && shapes_seen;
    if (hold > 0) paper_.row(name, "✓ " + in_words("break.hold", {{"count", std::to_string(hold)}}), true);
    if (judged.empty()) return;
    const char* key = notice == 0    ? "break.unseen"
                      : !shapes_seen ? "break.noticed"
                      : !shapes_hold ? "break.shape_sees"
                                     : "break.shape_blind";
    paper_.row("",
               in_words(key, {{"count", std::to_string(notice)}, {"all", std::to_string(judged.size())}}));
  }

  const BrokenLesson& broken_;
  const Trace& right_;
  Style style_;
  Words words_;
  Paper paper_;
};

} // namespace

std::string break_list_screen(const BrokenLesson& broken, const std::vector<BrokenRun>& all, BreakList list,
                              const Context& context) {
  return BreakScreen(broken, context).list(all, list);
}

std::string break_screen(const BrokenLesson& broken, const BrokenRun& one,
                         const std::vector<PropertyVerdict>& judged, const Context& context) {
  return BreakScreen(broken, context).one(one, judged);
}

} // namespace tfx
