#include "render/learned_box.hpp"

#include "text/display_width.hpp"
#include "text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

/// Cosines have no bar: a word has no shares in its neighbours.
bool has_shares(const Learned& learned) {
  return learned.layer.has_value();
}

bool has_heads(const Learned& learned) {
  return std::ranges::any_of(learned.rows,
                             [&](const LearnedRow& row) { return row.head != learned.rows[0].head; });
}

/// "cell", "击→红", of several heads "head 0".
std::string name_of(const Paper& paper, const Learned& learned, const LearnedRow& row) {
  if (has_heads(learned)) return paper.ui("picture_head", {{"head", std::to_string(row.head)}});
  return escape_controls(row.writes.empty() ? row.from : row.from + "→" + row.writes);
}

std::string looked_at(const std::pair<std::string, double>& one) {
  return fmt::format("{} {:.2f}", escape_controls(one.first), one.second);
}

} // namespace

std::map<std::string, std::string> box_values(const Learned& learned) {
  std::map<std::string, std::string> values{{"model", learned.model},
                                            {"text", escape_controls(learned.text)},
                                            {"answer", escape_controls(learned.answer)},
                                            {"head", std::to_string(learned.rows[0].head)},
                                            {"heads", std::to_string(learned.rows.size())},
                                            {"word", escape_controls(learned.rows[0].from)}};
  if (!learned.point) return values;
  values.insert({{"from", escape_controls(learned.point->from)},
                 {"writes", escape_controls(learned.point->writes)},
                 {"key", escape_controls(learned.point->key)},
                 {"weight", fmt::format("{:.2f}", learned.point->weight)}});
  return values;
}

void write_box(Paper& paper, const Screen& screen) {
  if (!screen.unknown_to.empty()) {
    paper.row(paper.ui("trained"), paper.ui("box.unknown", {{"model", screen.unknown_to}}));
    paper.line();
  }
  if (!screen.box) return;
  const Learned& learned = *screen.box;
  constexpr std::size_t longest_bar = 12;
  const Style& style = paper.style();
  const auto values = box_values(learned);
  paper.row(paper.ui("trained"), paper.word("box", values).value_or(""));
  std::size_t names = 0, most = 0;
  for (const LearnedRow& row : learned.rows) {
    names = std::max(names, display_width(style.symbols(name_of(paper, learned, row))));
    most = std::max(most, display_width(style.symbols(looked_at(row.to[0]))));
  }
  for (const LearnedRow& row : learned.rows) {
    std::string text = pad_right(style.symbols(name_of(paper, learned, row)), names) + "  " +
                       pad_right(style.symbols(looked_at(row.to[0])), most);
    const std::size_t room = style.width > Paper::margin ? style.width - Paper::margin : 0;
    if (has_shares(learned) && display_width(text) + 2 + longest_bar <= room) {
      const auto length = static_cast<std::size_t>(std::lround(row.to[0].second * longest_bar));
      text += "  ";
      for (std::size_t i = 0; i < length; ++i) text += style.ascii ? "#" : "█";
      if (row.to.size() > 1) text += std::string(longest_bar - length, ' ');
    }
    for (std::size_t i = 1; i < row.to.size(); ++i) {
      const std::string further = "  " + style.symbols(looked_at(row.to[i]));
      if (display_width(text + further) > room) break;
      text += further;
    }
    paper.line(std::string(Paper::margin, ' ') + text.substr(0, text.find_last_not_of(' ') + 1));
  }
  if (const auto text = paper.word("box.so", values)) paper.row("", *text);
  paper.line();
}

ShownTable box_table(const Learned& learned, const Paper& paper) {
  std::size_t most = 0;
  for (const LearnedRow& row : learned.rows) most = std::max(most, row.to.size());
  ShownTable table;
  table.columns.resize(1 + most);
  for (const LearnedRow& row : learned.rows) {
    std::vector<std::string> cells{name_of(paper, learned, row)};
    for (std::size_t i = 0; i < most; ++i) cells.push_back(i < row.to.size() ? looked_at(row.to[i]) : "");
    table.rows.push_back(std::move(cells));
  }
  return table;
}

} // namespace tfx
