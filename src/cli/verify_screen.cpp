#include "cli/verify_screen.hpp"

#include "core/number.hpp"
#include "render/paper.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"

#include <algorithm>

namespace tfx {

namespace {

std::string wrapped(const std::string& text, const Style& style, std::size_t hang = 0) {
  std::string lines, indent;
  const std::size_t room = style.width > hang + 8 ? style.width - hang : 8;
  for (const std::string& line : wrap(style.symbols(text), room)) {
    lines += indent + line + "\n";
    indent = std::string(hang, ' ');
  }
  return lines;
}

// What a line says it compared: "every cell of 7 runs in NumPy".
std::string words_of(const Verified& line, const Context& context) {
  std::map<std::string, std::string> values = {{"sources", with_separators(line.sources)},
                                               {"compared", with_separators(line.compared)},
                                               {"subject", line.subject},
                                               {"worst", format_deviation(line.worst)},
                                               {"bound", format_deviation(line.bound)},
                                               {"sample", escape_controls(line.sample)}};
  if (line.id == "trained")
    values["right"] = with_separators(
        line.compared - static_cast<std::size_t>(line.worst * static_cast<double>(line.compared) + 0.5));
  return context.text("verify." + line.id, values);
}

std::string deviation_of(const Verified& line, const Context& context) {
  if (line.bound == 0) return context.text(line.worst == 0 ? "verify.exact" : "verify.not_exact");
  return context.text("verify.within",
                      {{"worst", format_deviation(line.worst)}, {"bound", format_deviation(line.bound)}});
}

} // namespace

std::string verify_screen(const std::vector<Verified>& lines, const Context& context) {
  const Style style = context.style();
  std::string out = wrapped(context.text("verify.intro"), style) + "\n";
  for (const Verified& line : lines) {
    const std::string mark = style.symbols(line.holds() ? "✓" : "✗");
    const std::string text = words_of(line, context) + "  " + deviation_of(line, context);
    const std::size_t hang = display_width(mark) + 1;
    std::string body = wrapped(text, style, hang);
    out += (line.holds() ? style.good(mark) : style.bad(mark)) + " " + body;
  }
  const auto held = static_cast<std::size_t>(std::ranges::count_if(lines, &Verified::holds));
  out += "\n" + wrapped(context.text(held == lines.size() ? "verify.all" : "verify.some",
                                     {{"held", std::to_string(held)},
                                      {"all", std::to_string(lines.size())},
                                      {"failed", std::to_string(lines.size() - held)}}),
                        style);
  return out + wrapped(context.text("verify.next"), style);
}

namespace {

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

} // namespace

std::string mutants_screen(const KillMatrix& matrix, const Context& context) {
  const Style style = context.style();
  std::string out = wrapped(context.text("mutants.intro"), style) + "\n";
  std::size_t names = 0;
  for (const KillRow& row : matrix.rows) names = std::max(names, row.mistake.size());
  const std::size_t count = matrix.properties.size();
  const bool beside = names + 2 + count <= style.width; // else the marks stand below the name
  const std::size_t indent = beside ? names + 2 : 2;
  out += column_numbers(count, indent);
  const std::string hit = style.symbols("█"), miss = style.symbols("·");
  for (const KillRow& row : matrix.rows) {
    std::string marks;
    for (const bool killed : row.killed)
      marks += killed ? style.good(style.ascii ? "x" : hit) : style.dim(style.ascii ? "." : miss);
    const std::string name =
        row.survives() ? style.bad(pad_right(row.mistake, names)) : pad_right(row.mistake, names);
    std::string line = beside ? name + "  " + marks : name + "\n  " + marks;
    if (row.survives()) line += "  " + style.bad(context.text("mutants.survives"));
    out += line + "\n";
  }
  out += "\n";
  const Words words = common_words(context.language);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string number = pad_left(std::to_string(i + 1), 2) + "  ";
    const std::string* sentence = words.find("property." + matrix.properties[i]);
    // The sentence without what one run measured: "(off by {value})", "（差 {value}）".
    std::string text = sentence ? *sentence : matrix.properties[i];
    for (const char* bracket : {" (", "（"})
      if (const auto value = text.find("{value}"); value != std::string::npos)
        if (const auto open = text.rfind(bracket, value); open != std::string::npos) text.erase(open);
    out += number + wrapped(text, style, number.size());
  }
  out += "\n";
  for (const std::string& alarm : matrix.false_alarms)
    out += style.bad(style.symbols("✗")) + " " +
           wrapped(context.text("mutants.false_alarm", {{"what", alarm}}), style, 2);
  out += wrapped(context.text("mutants.total", {{"killed", std::to_string(matrix.killed())},
                                                {"all", std::to_string(matrix.rows.size())}}),
                 style);
  return out;
}

} // namespace tfx
