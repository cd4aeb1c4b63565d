// tfx verify: everything against the shipped references; --mutants: every mistake against every property.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "core/number.hpp"
#include "judge/kill_matrix.hpp"
#include "parity/verification.hpp"
#include "text/display_width.hpp"

#include <algorithm>
#include <utility>

namespace tfx {

namespace {

/// What a line says it compared: "every cell of 7 runs in NumPy (2e-16 ≤ 1e-12)".
Finding finding_of(const Verified& line) {
  const std::string worst = format_deviation(line.worst), bound = format_deviation(line.bound);
  Values values = {{"sources", with_separators(line.sources)},
                   {"compared", with_separators(line.compared)},
                   {"subject", line.subject},
                   {"sample", line.sample}};
  if (line.id == "trained" || line.id.starts_with("round_"))
    values["right"] = with_separators(
        line.compared - static_cast<std::size_t>(line.worst * static_cast<double>(line.compared) + 0.5));
  const std::string deviation = line.bound > 0 ? "within" : line.worst == 0 ? "exact" : "not_exact";
  return {line.holds() ? Finding::Mark::good : Finding::Mark::bad,
          {{line.id, values}, {deviation, {{"worst", worst}, {"bound", bound}}}}};
}

Report verified() {
  const std::vector<Verified> lines = verify_everything();
  const auto held = static_cast<std::size_t>(std::ranges::count_if(lines, &Verified::holds));
  Report report{frame_of_command("verify"), {}};
  report.title = Title::none;
  report.add("pass", held == lines.size());
  report.say("intro");
  ReportTable results{
      "results", {"name", "subject", "pass", "sources", "compared", "worst", "bound", "sample"}, {}};
  for (const Verified& line : lines) {
    report.add(finding_of(line));
    results.rows.push_back({line.id, line.subject, line.holds(), Count{line.sources}, Count{line.compared},
                            line.worst, line.bound, line.sample.empty() ? Cell(None{}) : line.sample});
  }
  report.add(std::move(results));
  report.say(held == lines.size() ? "all" : "some", {{"held", std::to_string(held)},
                                                     {"all", std::to_string(lines.size())},
                                                     {"failed", std::to_string(lines.size() - held)}});
  report.say("next");
  report.status = held == lines.size() ? 0 : static_cast<int>(ErrorKind::difference);
  return report;
}

/// The numbers of the properties, one below the other: tens, then ones.
std::vector<std::string> column_numbers(std::size_t count, std::size_t indent) {
  std::string tens(indent, ' '), ones(indent, ' ');
  for (std::size_t i = 1; i <= count; ++i) {
    tens += i % 10 == 0 ? static_cast<char>('0' + i / 10 % 10) : ' ';
    ones += static_cast<char>('0' + i % 10);
  }
  tens.erase(tens.find_last_not_of(' ') + 1);
  return {tens, ones};
}

/// A column a property: whether it noticed the mistake.
std::string marks_of(const KillRow& row, const Style& style) {
  std::string marks;
  for (const bool noticed : row.killed)
    marks += noticed ? style.good(style.ascii ? "x" : "█") : style.dim(style.ascii ? "." : "·");
  return marks;
}

/// The numbers of the properties that noticed it.
std::string numbers_of(const KillRow& row) {
  std::string numbers;
  for (std::size_t i = 0; i < row.killed.size(); ++i)
    if (row.killed[i]) numbers += (numbers.empty() ? "" : " ") + std::to_string(i + 1);
  return numbers;
}

/// "softmax", "no_scale": mistakes stand under the name of their stage.
std::pair<std::string, std::string> stage_and_name(const std::string& id) {
  const std::size_t dot = id.find('.');
  return {id.substr(0, dot), id.substr(dot + 1)};
}

/// Rows are mistakes, columns properties; where those have no room, a row has the numbers of its properties.
std::vector<std::string> drawn(const KillMatrix& matrix, const Style& style) {
  std::size_t names = 0;
  for (const KillRow& row : matrix.rows) names = std::max(names, stage_and_name(row.mistake).second.size());
  const std::size_t count = matrix.properties.size(), indent = names + 2;
  const bool as_numbers = indent + count > style.width;
  std::vector<std::string> lines;
  if (!as_numbers) lines = column_numbers(count, indent);
  std::string stage;
  for (const KillRow& row : matrix.rows) {
    const auto [of_stage, name] = stage_and_name(row.mistake);
    if (of_stage != stage) lines.push_back(style.bold(of_stage));
    stage = of_stage;
    std::string before = " " + pad_right(name, names) + " ";
    if (!as_numbers || row.survives()) {
      lines.push_back(before + (as_numbers ? "" : marks_of(row, style)));
      continue;
    }
    for (const std::string& line : wrap(numbers_of(row), std::max<std::size_t>(style.width - indent, 8))) {
      lines.push_back(before + line);
      before = std::string(indent, ' ');
    }
  }
  return lines;
}

Report mutants() {
  const KillMatrix matrix = kill_matrix();
  Report report{frame_of_command("verify"), {}};
  report.frame.typed = "verify --mutants";
  report.title = Title::none;
  report.add("pass", matrix.holds());
  report.add("killed", Count{matrix.killed()});
  report.add("mistakes", Count{matrix.rows.size()});
  report.say("mutants.intro");
  report.add(Drawing{[matrix](const Style& style, Language) { return drawn(matrix, style); }});
  ReportTable rows{"rows", {"mistake", "runs", "killed_by"}, {}};
  for (const KillRow& row : matrix.rows) {
    Names by;
    for (std::size_t i = 0; i < row.killed.size(); ++i)
      if (row.killed[i]) by.push_back(matrix.properties[i]);
    rows.rows.push_back({row.mistake, row.runs, by});
    if (row.survives()) report.add({Finding::Mark::bad, {{"mutants.survives", {{"mistake", row.mistake}}}}});
  }
  report.add(std::move(rows));
  ReportTable properties{"properties", {"name"}, {"name"}, {}, true};
  for (const std::string& id : matrix.properties) properties.rows.push_back({PropertyId{id}});
  report.add(std::move(properties));
  for (const std::string& alarm : matrix.false_alarms)
    report.add({Finding::Mark::bad, {{"mutants.false_alarm", {{"what", alarm}}}}});
  report.add("false_alarms", matrix.false_alarms);
  report.say("mutants.total");
  report.status = matrix.holds() ? 0 : static_cast<int>(ErrorKind::difference);
  return report;
}

struct VerifyOptions {
  bool mutants = false;
  ShowOptions show;
};

Report run(const VerifyOptions& options, Context&) {
  return options.mutants ? mutants() : verified();
}

} // namespace

Command verify_command() {
  using O = VerifyOptions;
  return report_row<O, run>("verify", [](CLI::App& command, O& o, Context&) {
    add_options<O>(command, {{"--mutants", &O::mutants}}, o);
    add_options(command, page_options(), o.show);
  });
}

} // namespace tfx
