// tfx break LESSON [--with MISTAKE]: the lesson done wrong on purpose.

#include "cli/add_option.hpp"
#include "cli/break/mistake_words.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/options.hpp"
#include "core/number.hpp"
#include "judge/property.hpp"
#include "lessons/run.hpp"
#include "render/explain_text.hpp"
#include "render/matrix.hpp"
#include "text/display_width.hpp"
#include "text/names.hpp"
#include "trace/explain.hpp"

#include <algorithm>
#include <memory>

namespace tfx {

namespace {

struct BreakOptions {
  std::string lesson;
  std::optional<std::string> with;
  bool all = false;
  InputOptions input;
  ShowOptions show;
};

// The run with the mistake of that id, if it can be made in it.
BrokenRun chosen(const Trace& right, const std::string& id, const std::string& lesson) {
  if (const Mistake* const mistake = find_mistake(id)) {
    BrokenRun broken = broken_run(right, *mistake);
    if (!is_broken(broken)) throw usage_error("mistake_not_here", {{"name", id}, {"lesson", lesson}});
    return broken;
  }
  std::vector<std::string> known;
  for (const Mistake& mistake : mistakes()) known.push_back(mistake.id);
  std::optional<std::string> near = nearest(id, known);
  // "no_scale" for "softmax.no_scale".
  for (const std::string& one : known)
    if (!near && one.ends_with("." + id)) near = one;
  throw usage_error("no_mistake", {{"name", id}, {"lesson", lesson}, {"near", suggestion(near)}});
}

struct BrokenLesson {
  const Lesson& lesson;
  std::string options; ///< the input options as the learner gave them
  std::shared_ptr<const Trace> right;
  int precision; ///< digits of a page
};

/// About the lesson, with its facts: what symptoms and advice quote.
Report begun(const BrokenLesson& broken) {
  Report report{frame_of_command("break"), {}};
  const Trace& right = *broken.right;
  report.frame.typed += " " + broken.lesson.command, report.frame.options = broken.options;
  report.frame.quoted = {broken.lesson.folder};
  report.trace.facts = right.facts;
  name_lesson(report.frame, report.trace, broken.lesson);
  report.add(Member{"lesson", broken.lesson.command});
  const std::string tutorial = right.tutorial.substr(0, right.tutorial.find(':'));
  report.add(Member{"tutorial", text_or_none(tutorial)});
  return report;
}

Nested changed_steps(const BrokenRun& one) {
  ReportTable table{"", {"name", "cells", "different", "same_shape", "largest"}, {}};
  for (const auto& [name, made, difference] : one.changed)
    table.rows.push_back({name, Count{difference.cells}, Count{difference.different}, difference.same_shape,
                          difference.largest});
  return {std::make_shared<const ReportTable>(std::move(table))};
}

/// The members that the list and the single mistake share.
std::vector<Member> members_of(const BrokenRun& one, const Trace& right) {
  const WrongRun& run = one.run;
  const Step* wrong = run.made.empty() ? nullptr : run.trace.find(run.made[0]);
  return {{"mistake", one.mistake->id},
          {"made", Names(run.made)},
          {"formula", wrong ? Cell(wrong->formula) : None{}},
          {"right_formula", wrong ? Cell(right.find(wrong->name)->formula) : None{}},
          {"symptom", symptom_of(*one.mistake)},
          {"advice", advice_of(*one.mistake)},
          {"stops", run.stops ? Cell(run.stops->in_english()) : None{}},
          {"stopped_at", text_or_none(run.stopped_at)},
          {"changed", changed_steps(one)}};
}

Sentence changes(const BrokenLesson& broken, const ChangedStep& step, const Trace& wrong) {
  const Difference& d = step.difference;
  if (!d.same_shape)
    return {"other_shape",
            {{"name", step.name},
             {"wrong", to_page_string(wrong[step.name].shape)},
             {"right", to_page_string((*broken.right)[step.name].shape)}}};
  return {"changes",
          {{"name", step.name},
           {"different", with_separators(d.different)},
           {"cells", with_separators(d.cells)},
           {"largest", screen_number(d.largest, std::max(broken.precision, 2))}}};
}

Sentence stops(const BrokenRun& one) {
  const Message& error = *one.run.stops;
  return {"stops",
          {{"name", one.run.stopped_at}, {"error_en", error.in_english()}, {"error_zh", in_chinese(error)}}};
}

/// How much of the lesson's main tensor changes, or of the last one that does.
Sentence amount_of(const BrokenLesson& broken, const BrokenRun& one) {
  if (one.run.stops) return stops(one);
  const ChangedStep* step = one.find(broken.right->main);
  if (!step && !one.changed.empty()) step = &one.changed.back();
  return step ? changes(broken, *step, one.run.trace) : Sentence{"unchanged"};
}

bool is_own(const BrokenRun& one, const Lesson& lesson) {
  return one.mistake->folder == lesson.folder;
}

bool is_unseen(const BrokenRun& one) {
  return one.changed.empty() && !one.run.stops;
}

/// The command with which a mistake that changes nothing here changes something.
std::optional<std::string> where_seen(const BrokenRun& one, const Lesson& lesson) {
  if (!is_unseen(one) || !is_own(one, lesson)) return {};
  return command_that_shows(*one.mistake);
}

Entry entry_of(const BrokenLesson& broken, const BrokenRun& one) {
  constexpr std::size_t longest = 160; // of a model's long names nobody reads a formula
  Entry entry{one.mistake->id, {}};
  const auto formulas = formulas_instead(one.run, *broken.right);
  if (display_width(instead(one.run, *broken.right)) > longest)
    entry.said.push_back(advice_of(*one.mistake));
  else if (formulas)
    entry.said.push_back(*formulas);
  entry.said.push_back(amount_of(broken, one));
  if (const auto command = where_seen(one, broken.lesson))
    entry.said.push_back({"seen_with", {{"command", *command}}});
  entry.said.push_back(symptom_of(*one.mistake));
  return entry;
}

/// The first that changes the lesson's main tensor without stopping.
const BrokenRun& most_telling(const std::vector<BrokenRun>& all, const std::string& main) {
  const auto found =
      std::ranges::find_if(all, [&](const BrokenRun& one) { return !one.run.stops && one.find(main); });
  return found == all.end() ? all.front() : *found;
}

Report break_list(const BrokenLesson& broken, const std::vector<BrokenRun>& all, bool are_all_asked) {
  Report report = begun(broken);
  const std::string command = "break " + broken.lesson.command;
  const auto own =
      std::ranges::count_if(all, [&](const BrokenRun& one) { return is_own(one, broken.lesson); });
  // The lesson's own stand first; one that has none shows what it takes from others.
  const std::size_t shown = are_all_asked || own == 0 ? all.size() : static_cast<std::size_t>(own);
  if (are_all_asked) report.frame.options = " --all" + broken.options;
  Objects rows;
  report.say(all.empty() ? "nothing" : "intro");
  for (const BrokenRun& one : all) {
    report.frame.quoted.insert(one.mistake->folder);
    if (rows.size() < shown) report.add(entry_of(broken, one));
    rows.push_back({members_of(one, *broken.right)});
  }
  report.add(Member{"mistakes", std::move(rows)});
  if (all.empty()) return report;
  report.next = {command + " --with " + most_telling(all, broken.right->main).mistake->id + broken.options};
  if (shown < all.size())
    report.onward.push_back({"of_other_lessons",
                             {{"count", std::to_string(all.size() - shown)},
                              {"command", "tfx " + command + " --all" + broken.options}}});
  report.onward.push_back({"mistake." + broken.lesson.command + ".more"}); // of a lesson that has it
  return report;
}

/// A step of both runs beside each other; what differs is marked.
std::vector<std::string> beside(const ChangedStep& changed, const Trace& right_trace,
                                const Trace& wrong_trace, const Style& style, Language language) {
  const Step &right = *right_trace.find(changed.name), &wrong = *wrong_trace.find(changed.name);
  const Words words = words_alone("src/cli/break", language);
  const std::string &as_taught = *words.find("right"), &mistaken = *words.find("wrong");
  const auto number = [&](const Step& step) { return screen_number(step.value.data[0], style.precision); };
  if (right.value.rank() == 0)
    return {right.name + "  " + as_taught + " " + number(right) + "   " + mistaken + " " + number(wrong)};
  const bool same_shape = changed.difference.same_shape;
  const std::size_t slice = same_shape ? slice_with(right.value, changed.difference.first) : 0;
  TextBlock left, other;
  const auto add_head = [&](TextBlock& block, const Step& step, const std::string& which) {
    const std::string head = style.symbols(slice_title(step, slice) + "  " + which);
    block.add(style.bold(head), display_width(head));
  };
  add_head(left, right, as_taught), add_head(other, wrong, mistaken);
  left.add(matrix_block(right, slice, style, style.width));
  if (same_shape)
    other.add(marked_block(wrong, slice, differing_cells(wrong.value, right.value, Tolerance{}), style,
                           style.width));
  else
    other.add(matrix_block(wrong, 0, style, style.width));
  return place({left, other}, style.width);
}

/// How the cell comes to its value in that run.
std::string value_in(const Trace& trace, const std::string& name, const Index& index, const Paper& paper) {
  constexpr std::size_t terms = 4;
  return value_text(paper, explain(trace, name, index, 0, terms, paper.style().precision), terms);
}

/// One cell in both forms.
void add_arithmetic(Report& report, const BrokenLesson& broken, const std::shared_ptr<const BrokenRun>& one,
                    const ChangedStep& changed) {
  const std::string& name = changed.name;
  const Index& index = changed.difference.first;
  report.add(Row{"cell", explain(*broken.right, name, index, 0, 1, broken.precision).label});
  report.add(Row{"", Written{[right = broken.right, name, index](const Paper& paper) {
                   return paper.word("right").value() + "  " + value_in(*right, name, index, paper);
                 }}});
  report.add(Row{"", Written{[one, name, index](const Paper& paper) {
                   return paper.word("wrong").value() + "  " + value_in(one->run.trace, name, index, paper);
                 }}});
}

/// The step where the mistake was made, and the lesson's main one.
void add_beside(Report& report, const BrokenLesson& broken, const std::shared_ptr<const BrokenRun>& one) {
  std::vector<const ChangedStep*> steps;
  for (const ChangedStep& step : one->changed)
    if (step.made && steps.empty()) steps.push_back(&step);
  if (const ChangedStep* main = one->find(broken.right->main); main && !std::ranges::count(steps, main))
    steps.push_back(main);
  for (const ChangedStep* step : steps)
    report.add(Drawing{[right = broken.right, one, step](const Style& style, Language language) {
      return beside(*step, *right, one->run.trace, style, language);
    }});
  const auto same =
      std::ranges::find_if(steps, [](const ChangedStep* step) { return step->difference.same_shape; });
  if (same != steps.end()) add_arithmetic(report, broken, one, **same);
}

void add_effect(Report& report, const BrokenLesson& broken, const BrokenRun& one) {
  constexpr std::size_t most = 8;
  std::string key = "effect";
  const auto row = [&](Sentence said) { report.add(Row{std::exchange(key, {}), std::move(said)}); };
  for (std::size_t i = 0; i < std::min(most, one.changed.size()); ++i)
    row(changes(broken, one.changed[i], one.run.trace));
  if (one.changed.size() > most) row({"more", {{"count", std::to_string(one.changed.size() - most)}}});
  if (one.run.stops) row(stops(one));
}

Cell said_of(const PropertyVerdict& verdict) {
  if (verdict.error.empty()) return PropertyId{verdict.property, verdict.measured.value};
  return Written{[verdict](const Paper& paper) {
    return paper
        .word("fails", {{"sentence", paper.property(verdict.property)},
                        {"error_en", verdict.error.in_english()},
                        {"error_zh", in_chinese(verdict.error)}})
        .value();
  }};
}

/// Shapes first, as everybody looks at them; then those that notice it; the others are counted.
void add_verdicts(Report& report, const std::vector<PropertyVerdict>& judged, const WrongRun& run) {
  std::string key = "check";
  const auto row = [&](Cell cell, std::optional<bool> holds = {}) {
    Row one{std::exchange(key, {}), std::move(cell)};
    if (holds) one.mark = *holds ? Finding::Mark::good : Finding::Mark::bad;
    report.add(std::move(one));
  };
  const auto is_of_shapes = [](const PropertyVerdict& one) { return one.property == "shapes"; };
  const auto holds = [](const PropertyVerdict& one) { return one.measured.holds; };
  const auto shapes = std::ranges::find_if(judged, is_of_shapes);
  const bool seen = shapes != judged.end(), shapes_hold = !seen || holds(*shapes);
  if (seen) row(said_of(*shapes), shapes_hold);
  if (run.stops && !shapes_hold) return; // nothing was computed that others could look at
  for (const PropertyVerdict& one : judged)
    if (!is_of_shapes(one) && !holds(one)) row(said_of(one), false);
  const auto holding = std::ranges::count_if(judged, holds) - (seen && shapes_hold),
             noticing = std::ranges::count_if(judged, [&](const auto&one) { return !holds(one); });
  if (holding > 0) row(Sentence{"hold", {{"count", std::to_string(holding)}}}, true);
  if (judged.empty()) return;
  row(Sentence{noticing == 0  ? "unseen"
               : !seen        ? "noticed"
               : !shapes_hold ? "shape_sees"
                              : "shape_blind",
               {{"count", std::to_string(noticing)}, {"all", std::to_string(judged.size())}}});
}

/// In JSON alone: the tensors that differ, and every property.
void add_members(Report& report, const BrokenLesson& broken, const std::shared_ptr<const BrokenRun>& one,
                 const std::vector<PropertyVerdict>& judged) {
  for (Member& member : members_of(*one, *broken.right)) report.add(std::move(member));
  ReportTable tensors{"tensors", {"name", "right", "wrong"}, {}};
  for (const ChangedStep& step : one->changed)
    tensors.rows.push_back({step.name,
                            TensorOf{[right = broken.right, name = step.name] { return (*right)[name]; }},
                            TensorOf{[one, name = step.name] { return one->run.trace[name]; }}});
  report.add(std::move(tensors));
  Objects properties;
  for (const PropertyVerdict& verdict : judged) {
    Object row{
        {{"name", verdict.property}, {"holds", verdict.measured.holds}, {"value", verdict.measured.value}}};
    if (!verdict.error.empty()) row.members.push_back({"error", verdict.error.in_english()});
    properties.push_back(std::move(row));
  }
  report.add(Member{"properties", std::move(properties)});
}

Report break_report(const BrokenLesson& broken, const std::shared_ptr<const BrokenRun>& one,
                    const std::vector<PropertyVerdict>& judged) {
  Report report = begun(broken);
  const Mistake& mistake = *one->mistake;
  report.frame.typed += " --with " + mistake.id;
  report.frame.quoted = {mistake.folder};
  add_members(report, broken, one, judged);
  if (const auto formulas = formulas_instead(one->run, *broken.right)) report.parts.emplace_back(*formulas);
  report.parts.emplace_back(symptom_of(mistake));
  add_beside(report, broken, one);
  if (is_unseen(*one)) report.say("unchanged");
  add_effect(report, broken, *one);
  add_verdicts(report, judged, one->run);
  report.add(Row{"advice", advice_of(mistake)});
  report.add(Row{"seen", where_seen(*one, broken.lesson).value_or("")});
  report.next = {broken.lesson.typed + broken.options, "break " + broken.lesson.command};
  return report;
}

Report run(const BreakOptions& options, Context& context) {
  const Lesson& lesson = lesson_for("break", options.lesson);
  if (options.show.save) require_page(*options.show.save);
  refuse_unfit(lesson, options.input);
  LessonRun right = run_lesson(lesson, options.input);
  context.notes = std::move(right.notes);
  const BrokenLesson broken{lesson, typed_again(input_options(), options.input),
                            std::make_shared<const Trace>(std::move(right.trace)), context.style().precision};
  if (!options.with) return break_list(broken, broken_runs(*broken.right, lesson), options.all);
  const auto one = std::make_shared<const BrokenRun>(chosen(*broken.right, *options.with, lesson.command));
  return break_report(
      broken, one,
      verdicts(lesson, resolve_input(options.input, lesson), computation_of(lesson, {one->mistake})));
}

} // namespace

Command break_command() {
  using O = BreakOptions;
  return report_row<O, run>("break", [](CLI::App& command, O& o, Context&) {
    const Option<O> all("--all", &O::all);
    add_argument(command, "LESSON", o.lesson, in_words("explain.lesson"));
    add_options<O>(command, {{"--with", &O::with, value::text("MISTAKE")}}, o);
    add_options(command, page_options(), o.show);
    add_options<O>(command, {all.without({"--with", "--json"})}, o);
    add_options(command, input_options(), o.input);
  });
}

} // namespace tfx
