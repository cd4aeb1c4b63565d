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
  return learned.lesson != "words";
}

bool has_heads(const Learned& learned) {
  return std::ranges::any_of(learned.rows,
                             [&](const LearnedRow& row) { return row.head != learned.rows[0].head; });
}

std::string name_of(const Learned& learned, const LearnedRow& row) {
  return has_heads(learned) ? row.from + " " + std::to_string(row.head) : row.from;
}

/// The row that the sentence quotes: of a decoder's the surest; of words the last that looks at another one,
/// as a phrase ends with what it is about.
const LearnedRow& telling(const Learned& learned) {
  if (!learned.answer.empty())
    return *std::ranges::max_element(learned.rows, {},
                                     [](const LearnedRow& row) { return row.to[0].second; });
  for (auto row = learned.rows.rbegin(); row != learned.rows.rend(); ++row)
    if (row->to[0].first != row->from) return *row;
  return learned.rows.front();
}

std::string looked_at(const std::pair<std::string, double>& one) {
  return fmt::format("{} {:.2f}", escape_controls(one.first), one.second);
}

} // namespace

std::map<std::string, std::string> box_values(const Learned& learned) {
  const LearnedRow& row = telling(learned);
  const std::size_t arrow = row.from.find("→");
  const std::string reads = row.from.substr(0, arrow),
                    writes =
                        arrow == std::string::npos ? "" : row.from.substr(arrow + std::string("→").size());
  return {{"model", learned.model},
          {"text", escape_controls(learned.text)},
          {"answer", escape_controls(learned.answer)},
          {"head", std::to_string(learned.rows[0].head)},
          {"heads", std::to_string(learned.rows.size())},
          {"from", escape_controls(row.from)},
          {"reads", escape_controls(reads)},
          {"writes", escape_controls(writes)},
          {"key", escape_controls(row.to[0].first)},
          {"weight", fmt::format("{:.2f}", row.to[0].second)}};
}

void write_box(Paper& paper, const Learned& learned) {
  constexpr std::size_t longest_bar = 12;
  const Style& style = paper.style();
  const auto values = box_values(learned);
  paper.row(paper.ui("trained"), paper.word("box", values).value_or(""));
  std::size_t names = 0, most = 0;
  for (const LearnedRow& row : learned.rows) {
    names = std::max(names, display_width(style.symbols(escape_controls(name_of(learned, row)))));
    most = std::max(most, display_width(style.symbols(looked_at(row.to[0]))));
  }
  for (const LearnedRow& row : learned.rows) {
    std::string text = pad_right(style.symbols(escape_controls(name_of(learned, row))), names) + "  " +
                       pad_right(style.symbols(looked_at(row.to[0])), most);
    if (has_shares(learned)) {
      const auto length = static_cast<std::size_t>(std::lround(row.to[0].second * longest_bar));
      text += "  ";
      for (std::size_t i = 0; i < length; ++i) text += style.ascii ? "#" : "█";
      if (row.to.size() > 1) text += std::string(longest_bar - length, ' ');
    }
    for (std::size_t i = 1; i < row.to.size(); ++i) {
      const std::string further = "  " + style.symbols(looked_at(row.to[i]));
      if (display_width(text + further) + Paper::margin > style.width) break;
      text += further;
    }
    paper.line(std::string(Paper::margin, ' ') + text);
  }
  paper.row("", paper.word("box.so", values).value_or(""));
  paper.line();
}

ShownTable box_table(const Learned& learned) {
  constexpr std::size_t most = 4;
  ShownTable table;
  table.columns.resize(1 + most);
  for (const LearnedRow& row : learned.rows) {
    std::vector<std::string> cells{name_of(learned, row)};
    for (std::size_t i = 0; i < most; ++i) cells.push_back(i < row.to.size() ? looked_at(row.to[i]) : "");
    table.rows.push_back(std::move(cells));
  }
  return table;
}

} // namespace tfx
