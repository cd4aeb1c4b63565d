// tfx check LESSON FILE: a learner's own arrays against the lesson's. A line a tensor; the first wrong one
// with the cell where it begins, the likeliest mistake, and what else can be seen.

#include "cli/add_option.hpp"
#include "cli/check/arrays.hpp"
#include "cli/check/feedback.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/options.hpp"
#include "core/number.hpp"
#include "input/files.hpp"
#include "judge/check_report.hpp"
#include "lessons/run.hpp"
#include "options/parse.hpp"
#include "render/cell_address.hpp"
#include "render/explain_text.hpp"
#include "render/matrix.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"
#include "trace/explain.hpp"

#include <algorithm>
#include <memory>

namespace tfx {

namespace {

struct CheckOptions {
  std::string lesson, file;
  std::optional<std::string> tensor;
  std::vector<std::string> require;
  std::optional<double> tolerance;
  bool no_answer = false;
  InputOptions input;
  ShowOptions show;
};

const std::vector<Option<CheckOptions>>& check_options() {
  using O = CheckOptions;
  static const std::vector<Option<O>> table{
      {"--tensor", &O::tensor, value::text("NAME")},
      Option<O>("--require", &O::require, value::names()).without({"--tensor"}),
      {"--tolerance", &O::tolerance, value::number("T", 0, 1)},
      {"--no-answer", &O::no_answer}};
  return table;
}

// What has to be equal for the whole to be: as the command line says, else the lesson's result.
std::vector<std::string> wanted(const CheckOptions& options, const Lesson& lesson, const Trace& right) {
  if (options.tensor) return {*options.tensor};
  if (options.require.empty()) return parse_names("--require", lesson.result);
  for (const std::string& name : options.require) tensor_named(right, name);
  return options.require;
}

// Of each number, and a tenth of it of the largest: what sums that cancel leave.
std::optional<Tolerance> tolerance_asked(const CheckOptions& options) {
  if (!options.tolerance) return std::nullopt;
  return Tolerance{*options.tolerance, *options.tolerance / 10};
}

/// Whether the right numbers may be seen: a homework asks for them.
enum class RightAnswer { shown, hidden };

struct CheckedFile {
  const Lesson& lesson;
  std::string file, asked, options; ///< as the learner gave them: the options of check, those of the lesson
  std::string next;                 ///< the lesson after it, on the same input; may be empty
  std::vector<std::string> wanted;  ///< what has to be equal
  std::vector<std::string> unknown;
  std::shared_ptr<const Trace> right;
  CheckReport checked;
  RightAnswer answer = RightAnswer::shown;
};

Objects rows_of(const std::vector<Observation>& observations) {
  Objects rows;
  for (const auto& [id, facts] : observations) {
    Object row{{{"id", id}}};
    for (const auto& [name, fact] : facts) row.members.push_back({name, cell_of(fact)});
    rows.push_back(std::move(row));
  }
  return rows;
}

class CheckWriter {
public:
  CheckWriter(const CheckedFile& file, const Style& style)
      : file_(file), checked_(file.checked), right_(*file.right), style_(style) {}

  Report report() {
    begin();
    add_members();
    for (std::size_t i = 0; i < checked_.tensors.size(); ++i)
      if (!is_counted(checked_.tensors[i])) add_tensor(checked_.tensors[i], i);
    if (const auto count =
            std::ranges::count_if(checked_.tensors, [&](const auto& one) { return is_counted(one); }))
      report_.add({Finding::Mark::good, {{"way", {{"count", std::to_string(count)}}}}});
    if (!file_.unknown.empty()) {
      Values values = list_in_both("names", file_.unknown);
      values["lesson"] = file_.lesson.command;
      report_.say("unknown", std::move(values));
    }
    if (checked_.equal())
      say_equal();
    else
      say_wrong();
    return std::move(report_);
  }

private:
  const CheckedTensor& wrong() const { return checked_.tensors[*checked_.first_wrong]; }
  bool is_answer_shown() const { return file_.answer == RightAnswer::shown; }
  bool has_same_shape() const { return wrong().difference.same_shape; }

  void begin() {
    Screen& frame = report_.frame = frame_of_command("check");
    frame.typed += " " + file_.lesson.command + " " + escape_controls(shell_quoted(file_.file));
    frame.options = file_.asked + file_.options;
    frame.quoted = folders_of(checked_.diagnosis);
    report_.trace.facts = right_.facts;
    name_lesson(frame, report_.trace, file_.lesson);
    report_.status = checked_.equal() ? 0 : 1;
  }

  void member(const std::string& name, Cell cell) { report_.add(Member{name, std::move(cell)}); }

  void add_members() {
    member("lesson", file_.lesson.command);
    member("tutorial", text_or_none(right_.tutorial.substr(0, right_.tutorial.find(':'))));
    member("file", shown_name(file_.file));
    member("equal", checked_.equal());
    member("tensor", checked_.equal() ? Cell(None{}) : wrong().name);
    report_.add(mistake_member(named(checked_.diagnosis)));
    for (Member& one : suspect_members(checked_.diagnosis)) report_.add(std::move(one));
    member("first_difference", first_difference());
    member("observations", rows_of(checked_.observations));
    member("conventions", conventions());
    member("feedback", feedback_of(checked_, right_, style_));
    member("points", Count{points()});
    member("of", Count{file_.wanted.size()});
    add_tensors();
    member("hidden", ids_of(checked_.hidden));
    member("unknown", Names(file_.unknown));
  }

  Cell first_difference() const {
    if (checked_.equal() || !has_same_shape()) return None{};
    const Difference& d = wrong().difference;
    Object first{{{"tensor", wrong().name},
                  {"index", Shape(d.first)},
                  {"label", cell_name(*right_.find(wrong().name), d.first)},
                  {"yours", d.yours}}};
    if (is_answer_shown()) first.members.push_back({"lesson", d.lessons});
    return first;
  }

  /// Where what follows is right: in what the way there differs.
  Objects conventions() const {
    Objects rows;
    for (const CheckedTensor& one : checked_.tensors)
      if (one.excused) rows.push_back({{{"tensor", one.name}, {"observations", rows_of(one.convention)}}});
    return rows;
  }

  /// One for each tensor that has to be equal, and is.
  std::size_t points() const {
    return static_cast<std::size_t>(std::ranges::count_if(file_.wanted, [&](const std::string& name) {
      const auto own = std::ranges::find(checked_.tensors, name, &CheckedTensor::name);
      return own != checked_.tensors.end() && own->difference.equal();
    }));
  }

  void add_tensors() {
    ReportTable table{"tensors",
                      {"name", "equal", "dtype", "shape", "lesson_shape", "cells", "different",
                       "largest_difference", "follows", "excused"},
                      {}};
    for (const CheckedTensor& one : checked_.tensors) {
      const Difference& d = one.difference;
      table.rows.push_back({one.name, d.equal(), std::string(tfx::name_of(one.dtype)), one.yours.shape,
                            right_[one.name].shape, Count{d.cells}, Count{d.different},
                            d.same_shape && is_answer_shown() ? Cell(d.largest) : None{}, one.follows,
                            one.excused});
    }
    report_.add(std::move(table));
  }

  /// The way to a lesson's X through a trained model is long, and where it is right one line says so.
  bool is_counted(const CheckedTensor& one) const {
    return one.difference.equal() && right_.step_named(one.name).role == Role::before;
  }

  void add_tensor(const CheckedTensor& one, std::size_t place) {
    const Difference& d = one.difference;
    const bool fine = d.equal() || one.excused, is_way = one.excused && is_explained(one.convention);
    const bool later = checked_.first_wrong && place > *checked_.first_wrong;
    const char* key = d.equal()           ? "equal"
                      : is_way            ? d.same_shape ? "excused" : "excused.shape"
                      : one.excused       ? d.same_shape ? "behind" : "behind.shape"
                      : !d.same_shape     ? "other_shape"
                      : is_answer_shown() ? "differs"
                                          : "differs.unsaid";
    Sentence said{key,
                  {{"cells", with_separators(d.cells)},
                   {"different", with_separators(d.different)},
                   {"largest", screen_number(d.largest, std::max(style_.precision, 4))},
                   {"yours", to_string(one.yours.shape)},
                   {"lessons", to_string(right_[one.name].shape)}}};
    if (later && !fine) said = {one.follows ? "follows" : "also", {}, {{"differs", std::move(said)}}};
    const auto mark = d.equal() || is_way ? Finding::Mark::good
                      : fine              ? Finding::Mark::unknown
                                          : Finding::Mark::bad;
    Finding finding{mark, {std::move(said)}, {}, one.name};
    if (is_way) finding.below = seen_said(one.convention, one.name, style_.precision);
    report_.add(std::move(finding));
  }

  /// "1e-9", as one types it.
  static std::string power(double value) {
    std::string text = format_deviation(value);
    if (const std::size_t at = text.find("e-0"); at != std::string::npos) text.erase(at + 2, 1);
    return text;
  }

  void say_equal() {
    const Tolerance& widest = std::ranges::max(checked_.tensors, {}, [](const CheckedTensor& t) {
                                return t.tolerance.relative;
                              }).tolerance;
    report_.say("all_equal", {{"bound", power(widest.relative)}, {"floor", power(widest.of_largest)}});
    if (!checked_.hidden.empty()) report_.say("hidden", list_in_both("mistakes", ids_of(checked_.hidden)));
    report_.next = {file_.next};
  }

  void say_wrong() {
    if (checked_.tensors.size() > 1) report_.say("mend", {{"name", wrong().name}});
    if (has_same_shape()) {
      add_first();
      add_beside();
    }
    bool is_apart = true; // the first of all
    const auto add_rows = [&](std::string key, std::vector<Sentence> said) {
      for (Sentence& one : said)
        report_.add(Row{std::exchange(key, {}), std::move(one), {}, std::exchange(is_apart, false)});
    };
    add_rows("mistake", mistakes());
    add_rows("seen", seen_said(checked_.observations, wrong().name, style_.precision));
    report_.next = next();
  }

  /// The cell where it begins, and how the lesson comes to its number.
  void add_first() {
    const Step& step = *right_.find(wrong().name);
    const Index& index = wrong().difference.first;
    const Explanation cell = explain(right_, step.name, index, 0, terms, style_.precision);
    // Two numbers that print alike need more digits.
    const double yours = wrong().difference.yours, lessons = cell.cell.value;
    const auto shown = [&](double value) { return screen_number(value, style_.precision); };
    const bool are_alike = shown(yours) == shown(lessons);
    report_.add(
        Row{"first", first_cell_said(cell.label, yours, are_alike ? 17 : style_.precision), {}, true});
    if (!is_answer_shown()) return;
    report_.add(Row{"", Written{[cell, are_alike](const Paper& paper) {
                      const std::string more =
                          are_alike ? " (" + screen_number(cell.cell.value, 17) + ")" : "";
                      return paper.word("lessons", {{"sum", value_text(paper, cell, terms) + more}}).value();
                    }}});
    report_.add(Row{"", "tfx explain " + file_.lesson.command + " " + step.name + cell_address(step, index) +
                            file_.options});
  }

  /// The matrix in which the first difference lies, with the cells that differ marked.
  void add_beside() {
    if (right_.find(wrong().name)->value.rank() == 0) return;
    report_.add(Drawing{[right = file_.right, wrong = wrong(),
                         is_shown = is_answer_shown()](const Style& style, Language language) {
      return beside(*right->find(wrong.name), wrong, is_shown, style, language);
    }});
  }

  static std::vector<std::string> beside(const Step& right, const CheckedTensor& wrong, bool is_shown,
                                         const Style& style, Language language) {
    const Words words = words_alone("src/cli/check", language);
    const Trace no_facts;
    const Paper paper(no_facts, words, style);
    Step own = right;
    own.value = wrong.yours;
    const std::vector<bool> marked = differing_cells(own.value, right.value, wrong.tolerance);
    const std::size_t slice = slice_with(right.value, wrong.difference.first);
    const std::string where = slice_title(right, slice);
    const auto block = [&](const char* key, const TextBlock& numbers) {
      TextBlock all;
      all.add(style.symbols(paper.word(key, {{"name", where}}).value()));
      all.add(numbers);
      return all;
    };
    const bool is_marked = style.color == Color::none || style.ascii;
    std::vector<TextBlock> blocks{block(is_marked ? "yours_marked" : "yours_coloured",
                                        marked_block(own, slice, marked, style, style.width))};
    if (is_shown) blocks.push_back(block("the_lessons", matrix_block(right, slice, style, style.width)));
    return place(blocks, style.width);
  }

  std::vector<Sentence> mistakes() const {
    const Diagnosis& diagnosis = checked_.diagnosis;
    if (diagnosis.confidence != Confidence::none) return mistakes_said(diagnosis, wrong().name, right_);
    if (is_explained(checked_.observations)) return {};
    std::vector<Sentence> said{{diagnosis.pairs_tried ? "none" : "none_single"}};
    if (has_same_shape() && wrong().difference.different == wrong().difference.cells &&
        checked_.observations.empty())
      said.push_back({"other_input"});
    return said;
  }

  std::vector<std::string> next() const {
    std::vector<std::string> commands;
    if (checked_.diagnosis.confidence != Confidence::none)
      for (const Mistake* mistake : checked_.diagnosis.suspects[0].made)
        commands.push_back("break " + file_.lesson.command + " --with " + mistake->id + file_.options);
    for (const Observation& one : checked_.observations)
      if (one.id == "is_tensor" && checked_.tensors.size() == 1)
        commands.push_back("check " + file_.lesson.command + " " + shell_quoted(file_.file) + " --tensor " +
                           std::get<std::string>(one.facts.at("name")) + file_.options);
    if (commands.empty()) commands.push_back("break " + file_.lesson.command + file_.options);
    return commands;
  }

  static constexpr std::size_t terms = 8;

  const CheckedFile& file_;
  const CheckReport& checked_;
  const Trace& right_;
  const Style& style_;
  Report report_;
};

Report run(const CheckOptions& options, Context& context) {
  const Lesson& lesson = lesson_for("check", options.lesson);
  if (options.show.save) require_page(*options.show.save);
  Content content = load_content(options.file);
  refuse_unfit(lesson, options.input);
  LessonRun right = run_lesson(lesson, options.input);
  context.notes = std::move(right.notes);
  if (content.text) note_header(options.file, content.arrays[0].array.header, context.notes);
  const std::vector<std::string> names = wanted(options, lesson, right.trace);
  FileArrays file = arrays_in(std::move(content), options.file, options.tensor, right.trace);
  CheckReport report = check_arrays(right.trace, file.arrays, tolerance_asked(options), names);
  tell_option(report, lesson, options.input, right.trace, file.arrays, tolerance_asked(options));
  if (report.equal()) require_answer(names, file, options.file, lesson, right.trace);
  const Screen frame = screen_of(lesson, options.input, right.trace);
  const CheckedFile checked{lesson,
                            options.file,
                            typed_again(check_options(), options),
                            frame.options,
                            frame.next,
                            names,
                            file.unknown,
                            std::make_shared<const Trace>(std::move(right.trace)),
                            std::move(report),
                            options.no_answer ? RightAnswer::hidden : RightAnswer::shown};
  return CheckWriter(checked, context.style()).report();
}

} // namespace

Command check_command() {
  using O = CheckOptions;
  return report_row<O, run>("check", [](CLI::App& command, O& o, Context&) {
    add_argument(command, "LESSON", o.lesson, in_words("explain.lesson"));
    add_file_argument(command, "FILE", o.file, in_words("check.file"));
    add_options(command, check_options(), o);
    add_options(command, page_options(), o.show);
    add_options(command, input_options(), o.input);
  });
}

} // namespace tfx
