#include "cli/check/screen.hpp"

#include "cli/check/feedback.hpp"
#include "cli/options.hpp"
#include "core/number.hpp"
#include "render/cell_address.hpp"
#include "render/explain_text.hpp"
#include "render/json.hpp"
#include "render/matrix.hpp"
#include "render/style.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"
#include "trace/explain.hpp"
#include "trace/trace.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

const char* name_of(Confidence confidence) {
  switch (confidence) {
  case Confidence::none: return "none";
  case Confidence::perhaps: return "perhaps";
  case Confidence::sure: return "sure";
  }
  return "none";
}

void write_suspect(JsonWriter& json, const Suspect& suspect) {
  json.begin_object();
  json.key("ids");
  json.begin_array();
  for (const Mistake* mistake : suspect.made) json.value(mistake->id);
  json.end_array();
  json.key("at"), json.text_or_null(suspect.at);
  json.end_object();
}

} // namespace

void write_mistake(JsonWriter& json, const std::vector<std::string>& ids) {
  json.key("mistake");
  if (ids.empty()) return json.null();
  ids.size() == 1 ? json.value(ids[0]) : json.value(ids);
}

void write_suspects(JsonWriter& json, const Diagnosis& diagnosis) {
  json.key("confidence"), json.value(name_of(diagnosis.confidence));
  json.key("mistakes");
  json.begin_array();
  for (const Suspect& suspect : diagnosis.suspects) write_suspect(json, suspect);
  json.end_array();
  json.key("doubt"), json.text_or_null(name_of(diagnosis.doubt));
  json.key("fits"), json.value(diagnosis.fits);
  json.key("contradicts"), json.value(diagnosis.contradicts);
}

namespace {

void write_first(JsonWriter& json, const CheckedFile& checked) {
  json.key("first_difference");
  const CheckReport& report = checked.report;
  if (report.equal()) return json.null();
  const CheckedTensor& wrong = report.tensors[*report.first_wrong];
  if (!wrong.difference.same_shape) return json.null();
  json.begin_object();
  json.key("tensor"), json.value(wrong.name);
  json.key("index"), json.value(wrong.difference.first);
  json.key("label"), json.value(cell_name(*checked.right.find(wrong.name), wrong.difference.first));
  json.key("yours"), json.value(wrong.difference.yours);
  if (checked.answer == RightAnswer::shown) json.key("lesson"), json.value(wrong.difference.lessons);
  json.end_object();
}

void write_tensors(JsonWriter& json, const CheckedFile& checked) {
  json.key("tensors");
  json.begin_array();
  for (const CheckedTensor& one : checked.report.tensors) {
    json.begin_object();
    json.key("name"), json.value(one.name);
    json.key("equal"), json.value(one.difference.equal());
    json.key("dtype"), json.value(tfx::name_of(one.dtype));
    json.key("shape"), json.value(one.yours.shape);
    json.key("lesson_shape"), json.value(checked.right[one.name].shape);
    json.key("cells"), json.value(one.difference.cells);
    json.key("different"), json.value(one.difference.different);
    json.key("largest_difference");
    one.difference.same_shape&& checked.answer == RightAnswer::shown ? json.value(one.difference.largest)
                                                                     : json.null();
    json.key("follows"), json.value(one.follows);
    json.key("excused"), json.value(one.excused);
    json.end_object();
  }
  json.end_array();
}

void write_observations(JsonWriter& json, const std::vector<Observation>& observations) {
  json.key("observations");
  json.begin_array();
  for (const Observation& one : observations) {
    json.begin_object();
    json.key("id"), json.value(one.id);
    for (const auto& [name, fact] : one.facts) json.key(name), json.value(fact);
    json.end_object();
  }
  json.end_array();
}

// One for each tensor that has to be equal, and is.
std::size_t points_of(const CheckedFile& checked) {
  return static_cast<std::size_t>(std::ranges::count_if(checked.wanted, [&](const std::string& name) {
    const auto own = std::ranges::find(checked.report.tensors, name, &CheckedTensor::name);
    return own != checked.report.tensors.end() && own->difference.equal();
  }));
}

// Where what follows is right: in what the way there differs.
void write_conventions(JsonWriter& json, const CheckReport& report) {
  json.key("conventions");
  json.begin_array();
  for (const CheckedTensor& one : report.tensors) {
    if (!one.excused) continue;
    json.begin_object();
    json.key("tensor"), json.value(one.name);
    write_observations(json, one.convention);
    json.end_object();
  }
  json.end_array();
}

} // namespace

std::string check_json(const CheckedFile& checked, const Style& style) {
  const CheckReport& report = checked.report;
  JsonWriter json;
  begin_command(json, "check");
  json.key("lesson"), json.value(checked.lesson.command);
  json.key("tutorial"), json.text_or_null(checked.right.tutorial.substr(0, checked.right.tutorial.find(':')));
  json.key("file"), json.value(shown_name(checked.file));
  json.key("equal"), json.value(report.equal());
  json.key("tensor");
  report.equal() ? json.null() : json.value(report.tensors[*report.first_wrong].name);
  write_mistake(json, named(report.diagnosis));
  write_suspects(json, report.diagnosis);
  write_first(json, checked);
  write_observations(json, report.observations);
  write_conventions(json, report);
  json.key("feedback"), json.value(feedback_of(report, checked.right, style));
  json.key("points"), json.value(points_of(checked));
  json.key("of"), json.value(checked.wanted.size());
  write_tensors(json, checked);
  json.key("hidden");
  json.begin_array();
  for (const Mistake* mistake : report.hidden) json.value(mistake->id);
  json.end_array();
  json.key("unknown"), json.value(checked.unknown);
  return end_command(json);
}

namespace {

class CheckScreen {
public:
  CheckScreen(const CheckedFile& checked, const Context& context)
      : checked_(checked),
        report_(checked.report),
        style_(context.style()),
        words_(words_in(checked.lesson.folder)),
        paper_(checked.right, words_, style_) {}

  std::string text() {
    title();
    for (std::size_t i = 0; i < report_.tensors.size(); ++i)
      if (!is_counted(report_.tensors[i])) tensor_line(report_.tensors[i], i);
    if (const auto count =
            std::ranges::count_if(report_.tensors, [&](const auto& one) { return is_counted(one); }))
      paper_.line(style_.good(style_.symbols("✓")) + " " +
                  in_words("check.way", {{"count", std::to_string(count)}}));
    paper_.line();
    if (!checked_.unknown.empty()) unknown();
    if (report_.equal()) {
      equal();
      return paper_.take();
    }
    if (report_.tensors.size() > 1) paper_.paragraph(in_words("check.mend", {{"name", wrong().name}}));
    if (wrong().difference.same_shape) {
      first_difference();
      side_by_side();
    }
    mistakes();
    seen();
    next();
    return paper_.take();
  }

private:
  const CheckedTensor& wrong() const { return report_.tensors[*report_.first_wrong]; }
  std::string number(double value) const { return screen_number(value, style_.precision); }
  std::string apart(double value) const { return screen_number(value, std::max(style_.precision, 4)); }

  void title() {
    const std::string left =
        "tfx check " + checked_.lesson.command + " " + escape_controls(shell_quoted(checked_.file));
    const std::string right = paper_.in_course(checked_.lesson.number);
    paper_.title(left, right);
  }

  // The way to a lesson's X through a trained model is long, and where it is right one line says so.
  bool is_counted(const CheckedTensor& one) const {
    return one.difference.equal() && checked_.right.step_named(one.name).role == Role::before;
  }

  void tensor_line(const CheckedTensor& one, std::size_t place) {
    const Difference& d = one.difference;
    const std::map<std::string, std::string> values = {
        {"cells", with_separators(d.cells)},
        {"different", with_separators(d.different)},
        {"largest", apart(d.largest)},
        {"yours", to_string(one.yours.shape)},
        {"lessons", to_string(checked_.right[one.name].shape)}};
    const bool fine = d.equal() || one.excused, is_way = one.excused && is_explained(one.convention);
    const bool later = report_.first_wrong && place > *report_.first_wrong;
    std::string text = in_words(d.equal()       ? "check.equal"
                                : is_way        ? d.same_shape ? "check.excused" : "check.excused.shape"
                                : one.excused   ? d.same_shape ? "check.behind" : "check.behind.shape"
                                : !d.same_shape ? "check.other_shape"
                                : checked_.answer == RightAnswer::hidden ? "check.differs.unsaid"
                                                                         : "check.differs",
                                values);
    if (later && !fine && one.follows) text += in_words("check.follows");
    if (later && !fine && !one.follows) text += in_words("check.also");
    const std::string mark = style_.symbols(d.equal() || is_way ? "✓" : fine ? "·" : "✗");
    const std::string head = mark + " " + pad_right(style_.symbols(one.name), name_width()) + "  ";
    std::string indent =
        fine ? style_.good(mark) + head.substr(mark.size()) : style_.bad(mark) + head.substr(mark.size());
    const std::size_t hang = display_width(head);
    std::vector<std::string> sentences =
        is_way ? seen_lines(one.convention, one.name, style_) : std::vector<std::string>();
    sentences.insert(sentences.begin(), text);
    for (const std::string& sentence : sentences)
      for (const std::string& line :
           wrap(style_.symbols(sentence), style_.width - std::min(hang, style_.width / 2))) {
        paper_.line(indent + line);
        indent = std::string(hang, ' ');
      }
  }

  std::size_t name_width() const {
    std::size_t width = 0;
    for (const CheckedTensor& one : report_.tensors)
      if (!is_counted(one)) width = std::max(width, display_width(one.name));
    return std::min(width, style_.width / 3);
  }

  void unknown() {
    std::vector<std::string> names;
    for (const std::string& name : checked_.unknown) names.push_back(escape_controls(name));
    paper_.paragraph(
        in_words("check.unknown", {{"names", listed(names)}, {"lesson", checked_.lesson.command}}));
  }

  // "1e-9", as one types it.
  static std::string power(double value) {
    std::string text = format_deviation(value);
    if (const std::size_t at = text.find("e-0"); at != std::string::npos) text.erase(at + 2, 1);
    return text;
  }

  void equal() {
    const Tolerance& widest = std::ranges::max(report_.tensors, {}, [](const CheckedTensor& t) {
                                return t.tolerance.relative;
                              }).tolerance;
    paper_.paragraph(in_words("check.all_equal",
                              {{"bound", power(widest.relative)}, {"floor", power(widest.of_largest)}}));
    std::vector<std::string> hidden;
    for (const Mistake* mistake : report_.hidden) hidden.push_back(mistake->id);
    if (!hidden.empty()) paper_.paragraph(in_words("check.hidden", {{"mistakes", listed(hidden)}}));
    if (!checked_.next.empty()) paper_.row(paper_.ui("next"), "tfx " + escape_controls(checked_.next));
  }

  void first_difference() {
    const Step& step = *checked_.right.find(wrong().name);
    const Index& index = wrong().difference.first;
    constexpr std::size_t terms = 8;
    const Explanation cell = explain(checked_.right, step.name, index, 0, terms, style_.precision);
    const std::string value = number(cell.cell.value);
    std::string sum;
    if (cell.by_rule)
      sum = paper_.ui("by_rule", {{"value", value}, {"rule", rule_text(paper_, cell)}});
    else if (!cell.terms.empty())
      sum = arithmetic_text(paper_, cell, terms) + " = " + value;
    else
      sum = value;
    // Two numbers that print alike need more digits.
    std::string yours = number(wrong().difference.yours);
    if (yours == value) {
      yours = screen_number(wrong().difference.yours, 17);
      sum += " (" + screen_number(cell.cell.value, 17) + ")";
    }
    paper_.row(in_words("check.row.first"),
               in_words("check.first", {{"cell", escape_controls(cell.label)}, {"yours", yours}}));
    if (checked_.answer == RightAnswer::hidden) return paper_.line();
    paper_.row("", in_words("check.lessons", {{"sum", escape_controls(sum)}}));
    const std::string command =
        "tfx explain " + checked_.lesson.command + " " + step.name + cell_address(step, index);
    paper_.row("", escape_controls(command + checked_.options));
    paper_.line();
  }

  // The matrix in which the first difference lies, with the cells that differ marked.
  void side_by_side() {
    const Step& right = *checked_.right.find(wrong().name);
    if (right.value.rank() == 0) return;
    Step own = right;
    own.value = wrong().yours;
    const std::vector<bool> marked = differing_cells(own.value, right.value, wrong().tolerance);
    const std::size_t matrix_size =
        right.value.rank() < 2 ? right.value.size()
                               : right.value.size() / std::max<std::size_t>(1, matrix_count(right.value));
    const std::size_t slice =
        offset_of(right.value.shape, wrong().difference.first) / std::max<std::size_t>(1, matrix_size);
    TextBlock yours, lessons;
    const std::string where = slice_name(right, slice).empty() ? right.name : slice_name(right, slice);
    const char* key =
        style_.color == Color::none || style_.ascii ? "check.yours_marked" : "check.yours_coloured";
    yours.add(style_.symbols(in_words(key, {{"name", where}})));
    yours.add(marked_block(own, slice, marked, style_, style_.width));
    std::vector<TextBlock> blocks{std::move(yours)};
    if (checked_.answer == RightAnswer::shown) {
      lessons.add(style_.symbols(in_words("check.the_lessons", {{"name", where}})));
      lessons.add(matrix_block(right, slice, style_, style_.width));
      blocks.push_back(std::move(lessons));
    }
    for (const std::string& line : place(blocks, style_.width)) paper_.line(line);
    paper_.line();
  }

  void mistakes() {
    const Diagnosis& diagnosis = report_.diagnosis;
    if (diagnosis.confidence == Confidence::none) {
      if (is_explained(report_.observations)) return;
      paper_.row(in_words("check.row.mistake"),
                 in_words(diagnosis.pairs_tried ? "check.none" : "check.none_single"));
      const bool all =
          wrong().difference.same_shape && wrong().difference.different == wrong().difference.cells;
      if (all && report_.observations.empty()) paper_.row("", in_words("check.other_input"));
      return;
    }
    std::string name = in_words("check.row.mistake");
    for (const std::string& line : mistake_lines(diagnosis, wrong().name, checked_.right, style_))
      paper_.row(std::exchange(name, {}), line);
  }

  void seen() {
    std::string name = in_words("check.row.seen");
    for (const std::string& line : seen_lines(report_.observations, wrong().name, style_))
      paper_.row(std::exchange(name, {}), line);
  }

  void next() {
    std::vector<std::string> commands;
    if (report_.diagnosis.confidence != Confidence::none)
      for (const Mistake* mistake : report_.diagnosis.suspects[0].made)
        commands.push_back("tfx break " + checked_.lesson.command + " --with " + mistake->id +
                           checked_.options);
    for (const Observation& one : report_.observations)
      if (one.id == "is_tensor" && report_.tensors.size() == 1)
        commands.push_back("tfx check " + checked_.lesson.command + " " + shell_quoted(checked_.file) +
                           " --tensor " + std::get<std::string>(one.facts.at("name")) + checked_.options);
    if (commands.empty()) commands.push_back("tfx break " + checked_.lesson.command + checked_.options);
    std::string name = paper_.ui("next");
    for (const std::string& command : commands) {
      paper_.row(name, escape_controls(command));
      name.clear();
    }
  }

  const CheckedFile& checked_;
  const CheckReport& report_;
  Style style_;
  Words words_;
  Paper paper_;
};

} // namespace

std::string check_screen(const CheckedFile& checked, const Context& context) {
  return CheckScreen(checked, context).text();
}

} // namespace tfx
