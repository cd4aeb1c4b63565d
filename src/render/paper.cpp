#include "render/paper.hpp"

#include "core/number.hpp"
#include "io/load.hpp"
#include "render/style.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

} // namespace

std::string format_deviation(double value) {
  if (value != 0 && std::abs(value) < 1e-3) return fmt::format("{:.0e}", value);
  return screen_number(value, 4);
}

std::string format_fact(const Fact& fact, int precision) {
  const auto list = [](const auto& items, const char* between, auto&& text) {
    std::string joined;
    for (const auto& item : items) joined += (joined.empty() ? "" : between) + text(item);
    return joined;
  };
  if (const auto* number = std::get_if<double>(&fact)) return screen_number(*number, precision);
  if (const auto* text = std::get_if<std::string>(&fact)) return *text;
  if (const auto* numbers = std::get_if<std::vector<double>>(&fact))
    return list(*numbers, "  ", [&](double x) { return screen_number(x, precision); });
  return list(std::get<std::vector<std::string>>(fact), "\n", [](const std::string& line) { return line; });
}

std::string quoted_fact(const Fact& fact, int precision) {
  const std::string text = format_fact(fact, precision);
  return std::holds_alternative<std::string>(fact) ? escape_controls(text) : escape_controls_in_lines(text);
}

std::optional<std::string> Paper::fact(const std::string& name) const {
  const auto found = trace_.facts.find(name);
  if (found == trace_.facts.end()) return std::nullopt;
  if (name.ends_with("_role") || name.ends_with("_roles")) return roles(found->second);
  return quoted_fact(found->second, style_.precision);
}

std::string Paper::source(const std::string& formula) const {
  return formula == shown_name("-") ? ui("standard_input") : formula;
}

std::string Paper::role(const std::string& said) const {
  constexpr std::string_view none = "none ";
  if (!said.starts_with(none)) return ui("role." + said);
  return ui("role.none_but", {{"rule", ui("role." + said.substr(none.size()))}});
}

std::string Paper::roles(const Fact& fact) const {
  if (const auto* one = std::get_if<std::string>(&fact)) return role(*one);
  std::string all;
  for (const std::string& one : std::get<std::vector<std::string>>(fact))
    all += (all.empty() ? "" : " / ") + role(one);
  return all;
}

std::optional<std::string> Paper::word(const std::string& key,
                                       const std::map<std::string, std::string>& values) const {
  const auto family = trace_.facts.find("family"); // a decoder alone has words of its own for some things
  const std::string* text =
      family == trace_.facts.end() ? nullptr : words_.find(key + "." + std::get<std::string>(family->second));
  if (!text) text = words_.find(key);
  if (!text) return std::nullopt;
  return fill_in(*text, [&](const std::string& name) {
    const auto value = values.find(name);
    return value == values.end() ? fact(name) : std::optional(escape_controls_in_lines(value->second));
  });
}

std::optional<std::string> Paper::said_of(const Step& step) const {
  const auto own = word(step.name + "." + std::string(step.operation.kind->name));
  return own ? own : word(step.name);
}

std::string Paper::check(const Check& check) const {
  const std::string key = "check." + check.id;
  const std::string* text = words_.find(key);
  if (!text) return check.id;
  std::string said = fill_in(*text, [&](const std::string& name) -> std::optional<std::string> {
                       return name == "value" ? format_deviation(check.value) : fact(name).value_or("?");
                     }).value_or(check.id);
  for (const char* more : {".brief", ".part"}) said += word(key + more).value_or("");
  return said;
}

std::string Paper::property(const std::string& id, std::optional<double> measured) const {
  const std::string* words = words_.find("property." + id);
  if (!words) return id;
  if (measured)
    return fill_in(*words, [&](const std::string&) { return std::optional(format_deviation(*measured)); })
        .value_or(*words);
  const std::size_t value = words->find("{value}");
  if (value == std::string::npos) return *words;
  for (const char* bracket : {" (", "（"})
    if (const std::size_t open = words->rfind(bracket, value); open != std::string::npos)
      return words->substr(0, open);
  return *words;
}

std::string Paper::ui(const std::string& key, const std::map<std::string, std::string>& values) const {
  const std::string* text = words_.find("ui." + key);
  if (!text) return key;
  return fill_in(*text,
                 [&](const std::string& name) -> std::optional<std::string> {
                   const auto value = values.find(name);
                   return value == values.end() ? "?" : value->second;
                 })
      .value_or(key);
}

void Paper::paragraph(const std::optional<std::string>& text) {
  if (!text) return;
  for (const std::string& part : lines_of(*text)) {
    const std::size_t hang = part.starts_with("- ") ? 2 : 0; // an item of a list
    std::string indent;
    for (const std::string& one : wrap(style_.symbols(part), style_.width - hang)) {
      line(indent + one);
      indent = std::string(hang, ' ');
    }
  }
  line();
}

void Paper::title(const std::string& left, const std::string& right) {
  const std::size_t used = display_width(left) + display_width(right);
  if (used + 1 <= style_.width)
    line(style_.bold(left) + std::string(style_.width - used, ' ') + style_.dim(right));
  else
    line(style_.bold(style_.shortened(left, style_.width)));
  line();
}

void Paper::subheading(const std::optional<std::string>& text) {
  if (!text) return;
  const std::size_t end = std::min(text->find('\n'), text->size());
  for (const std::string& one : wrap(style_.symbols("── " + text->substr(0, end)), style_.width))
    line(style_.bold(one));
  if (end < text->size()) paragraph(text->substr(end + 1));
}

void Paper::table(const Table& table) {
  for (const std::string& one : table_lines(table, style_)) line(one);
  line();
}

void Paper::row(const std::string& name, const std::string& text, bool mark) {
  if (!name.empty()) is_left_out_ = style_.is_within && name == ui("next");
  if (is_left_out_) return;
  hanging(named(name), text, margin + (mark ? display_width(style_.symbols("✓")) + 1 : 0));
}

void Paper::row(const std::string& name, const std::vector<std::string>& lines) {
  std::string before = named(name);
  for (const std::string& one : lines)
    line(std::exchange(before, std::string(margin, ' ')) +
         style_.shortened(escape_controls(one), style_.width - margin));
}

std::string Paper::named(const std::string& name) const {
  return style_.bold(pad_right(style_.symbols(name), margin - 1) + " ");
}

void Paper::hanging(const std::string& first, const std::string& text, std::size_t indent) {
  std::string before = first;
  for (const std::string& one : wrap(style_.symbols(text), style_.width - indent)) {
    line(before + one);
    before = std::string(indent, ' ');
  }
}

std::map<std::string, std::string> difference_values(const Step& step, const GradientCheck& check,
                                                     int precision) {
  return {{"largest", format_deviation(check.largest)},
          {"tried", with_separators(check.tried)},
          {"cells", with_separators(step.value.size())},
          {"skipped", with_separators(check.skipped)},
          {"cell", check.tried ? cell_name(step, check.worst) : ""},
          {"difference", check.tried ? screen_number(check.differences.at(check.worst), precision) : ""}};
}

const char* words_of_difference(const GradientCheck& check) {
  if (check.tried > 0) return check.skipped == 0 ? "difference_at" : "difference_skipped";
  return check.skipped > 0 ? "no_difference" : "not_tried";
}

} // namespace tfx
