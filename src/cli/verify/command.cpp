// tfx verify: everything against the shipped references; --mutants: every mistake against every property. The
// screens of both, and the same as JSON.

#include "cli/add_option.hpp"
#include "cli/break/mistake_words.hpp"
#include "cli/commands.hpp"
#include "cli/context.hpp"
#include "core/number.hpp"
#include "judge/kill_matrix.hpp"
#include "parity/verification.hpp"
#include "render/json.hpp"
#include "render/paper.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <utility>

namespace tfx {

namespace {

std::string hanging(const std::string& text, const Style& style, std::size_t hang = 0) {
  std::string lines, indent;
  const std::size_t room = style.width > hang + 8 ? style.width - hang : 8;
  for (const std::string& line : wrap(style.symbols(text), room)) {
    lines += indent + line + "\n";
    indent = std::string(hang, ' ');
  }
  return lines;
}

// What a line says it compared: "every cell of 7 runs in NumPy".
std::string words_of(const Verified& line) {
  std::map<std::string, std::string> values = {{"sources", with_separators(line.sources)},
                                               {"compared", with_separators(line.compared)},
                                               {"subject", line.subject},
                                               {"worst", format_deviation(line.worst)},
                                               {"bound", format_deviation(line.bound)},
                                               {"sample", escape_controls(line.sample)}};
  if (line.id == "trained" || line.id.starts_with("round_"))
    values["right"] = with_separators(
        line.compared - static_cast<std::size_t>(line.worst * static_cast<double>(line.compared) + 0.5));
  return in_words("verify." + line.id, values);
}

std::string deviation_of(const Verified& line) {
  if (line.bound == 0) return in_words(line.worst == 0 ? "verify.exact" : "verify.not_exact");
  return in_words("verify.within",
                  {{"worst", format_deviation(line.worst)}, {"bound", format_deviation(line.bound)}});
}

std::string verify_screen(const std::vector<Verified>& lines, const Context& context) {
  const Style style = context.style();
  std::string out = hanging(in_words("verify.intro"), style) + "\n";
  for (const Verified& line : lines) {
    const std::string mark = style.symbols(line.holds() ? "✓" : "✗");
    const std::string text = words_of(line) + "  " + deviation_of(line);
    const std::size_t hang = display_width(mark) + 1;
    std::string body = hanging(text, style, hang);
    out += (line.holds() ? style.good(mark) : style.bad(mark)) + " " + body;
  }
  const auto held = static_cast<std::size_t>(std::ranges::count_if(lines, &Verified::holds));
  out += "\n" + hanging(in_words(held == lines.size() ? "verify.all" : "verify.some",
                                 {{"held", std::to_string(held)},
                                  {"all", std::to_string(lines.size())},
                                  {"failed", std::to_string(lines.size() - held)}}),
                        style);
  return out + hanging(in_words("verify.next"), style);
}

// The numbers of the properties, one below the other: tens, then ones.
std::string column_numbers(std::size_t count, std::size_t indent) {
  std::string tens(indent, ' '), ones(indent, ' ');
  for (std::size_t i = 1; i <= count; ++i) {
    tens += i % 10 == 0 ? static_cast<char>('0' + i / 10 % 10) : ' ';
    ones += static_cast<char>('0' + i % 10);
  }
  tens.erase(tens.find_last_not_of(' ') + 1);
  return tens + "\n" + ones + "\n";
}

// A row's marks, a column a property; on a narrow screen the numbers of those that noticed.
std::string marks_of(const KillRow& row, const Style& style, bool as_numbers) {
  std::string marks;
  for (std::size_t i = 0; i < row.killed.size(); ++i) {
    if (as_numbers && row.killed[i])
      marks += (marks.empty() ? "" : " ") + std::to_string(i + 1);
    else if (!as_numbers)
      marks += row.killed[i] ? style.good(style.ascii ? "x" : "█") : style.dim(style.ascii ? "." : "·");
  }
  return marks;
}

// "softmax", "no_scale": mistakes stand under the name of their stage.
std::pair<std::string, std::string> stage_and_name(const std::string& id) {
  const std::size_t dot = id.find('.');
  return {id.substr(0, dot), id.substr(dot + 1)};
}

std::string matrix_rows(const KillMatrix& matrix, const Style& style) {
  std::size_t names = 0;
  for (const KillRow& row : matrix.rows) names = std::max(names, stage_and_name(row.mistake).second.size());
  const std::size_t count = matrix.properties.size(), indent = names + 2;
  const bool as_numbers = indent + count > style.width;
  std::string out = as_numbers ? "" : column_numbers(count, indent), stage;
  for (const KillRow& row : matrix.rows) {
    const auto [of_stage, name] = stage_and_name(row.mistake);
    if (of_stage != stage) out += style.bold(of_stage) + "\n";
    stage = of_stage;
    const std::string padded = " " + pad_right(name, names) + " ";
    const std::string marks = marks_of(row, style, as_numbers);
    if (row.survives())
      out += style.bad(padded + in_words("mutants.survives")) + "\n";
    else
      out += padded + (as_numbers ? hanging(marks, style, indent) : marks + "\n");
  }
  return out;
}

/// Rows are mistakes, columns properties by number, with the numbers' names below.
std::string mutants_screen(const KillMatrix& matrix, const Context& context) {
  const Style style = context.style();
  std::string out = hanging(in_words("mutants.intro"), style) + "\n" + matrix_rows(matrix, style) + "\n";
  for (std::size_t i = 0; i < matrix.properties.size(); ++i) {
    const std::string number = pad_left(std::to_string(i + 1), 2) + "  ";
    out += number + hanging(sentence_of(matrix.properties[i]), style, number.size());
  }
  out += "\n";
  for (const std::string& alarm : matrix.false_alarms)
    out += style.bad(style.symbols("✗")) + " " +
           hanging(in_words("mutants.false_alarm", {{"what", alarm}}), style, 2);
  return out + hanging(in_words("mutants.total", {{"killed", std::to_string(matrix.killed())},
                                                  {"all", std::to_string(matrix.rows.size())}}),
                       style);
}

std::string verify_json(const std::vector<Verified>& lines) {
  JsonWriter json;
  begin_command(json, "verify");
  json.key("pass"), json.value(std::ranges::all_of(lines, &Verified::holds));
  json.key("results");
  json.begin_array();
  for (const Verified& line : lines) {
    json.begin_object();
    json.key("name"), json.value(line.id);
    json.key("subject"), json.value(line.subject);
    json.key("pass"), json.value(line.holds());
    json.key("sources"), json.value(line.sources);
    json.key("compared"), json.value(line.compared);
    json.key("worst"), json.value(line.worst);
    json.key("bound"), json.value(line.bound);
    if (!line.sample.empty()) json.key("sample"), json.value(line.sample);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

std::string mutants_json(const KillMatrix& matrix) {
  JsonWriter json;
  begin_command(json, "verify");
  json.key("pass"), json.value(matrix.holds());
  json.key("killed"), json.value(matrix.killed());
  json.key("mistakes"), json.value(matrix.rows.size());
  json.key("properties"), json.value(matrix.properties);
  json.key("rows");
  json.begin_array();
  for (const KillRow& row : matrix.rows) {
    json.begin_object();
    json.key("mistake"), json.value(row.mistake);
    json.key("runs"), json.value(row.runs);
    std::vector<std::string> by;
    for (std::size_t i = 0; i < row.killed.size(); ++i)
      if (row.killed[i]) by.push_back(matrix.properties[i]);
    json.key("killed_by"), json.value(by);
    json.end_object();
  }
  json.end_array();
  json.key("false_alarms"), json.value(matrix.false_alarms);
  json.end_object();
  return json.take();
}

struct VerifyOptions {
  bool mutants = false, json = false;
};

void run_verify(const VerifyOptions& options, Context& context) {
  if (options.mutants) {
    const KillMatrix matrix = kill_matrix();
    context.status = matrix.holds() ? 0 : 1;
    context.out = options.json ? mutants_json(matrix) : mutants_screen(matrix, context);
    return;
  }
  const std::vector<Verified> lines = verify_everything();
  context.status = std::ranges::all_of(lines, &Verified::holds) ? 0 : 1;
  context.out = options.json ? verify_json(lines) : verify_screen(lines, context);
}

} // namespace

Command verify_command() {
  using O = VerifyOptions;
  return command_row<O>("verify", run_verify, [](CLI::App& command, O& o, Context&) {
    add_options<O>(command, {{"--mutants", &O::mutants}, {"--json", &O::json}}, o);
  });
}

} // namespace tfx
