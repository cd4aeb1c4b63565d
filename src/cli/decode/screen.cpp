#include "cli/decode/screen.hpp"

#include "core/number.hpp"
#include "render/footer.hpp"
#include "render/heatmap.hpp"
#include "render/paper.hpp"
#include "render/style.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace tfx {

namespace {

constexpr std::size_t max_targets = 10;

/// A beam's tree as the rows of a table, of at most so many targets that were kept to the end, the best
/// first: a row goes on until its targets part, what they share stands above. Cells: the score, how many
/// other tokens were tried beside the row's and not kept, and its place in the end.
class BeamRows {
public:
  BeamRows(const BeamTree& tree, const Vocabulary& vocabulary, std::size_t max_targets, const Style& style)
      : tree_(tree), vocabulary_(vocabulary), style_(style) {
    for (std::size_t place = 0; place < std::min(max_targets, tree.ranked.size()); ++place) {
      places_[tree.ranked[place]] = place + 1;
      for (std::optional<std::size_t> at = tree.ranked[place]; at; at = tree.nodes[*at].parent) shown_[*at];
    }
    for (std::size_t node = 0; node < tree.nodes.size(); ++node) {
      const auto& parent = tree.nodes[node].parent;
      if (shown_.contains(node)) {
        (parent ? shown_[*parent].children : roots_).push_back(node);
      } else if (parent && shown_.contains(*parent)) {
        ++shown_[*parent].others;
      }
    }
  }

  std::vector<TableRow> take() {
    write(roots_, 0);
    return std::move(rows_);
  }

private:
  struct Place {
    std::vector<std::size_t> children;
    std::size_t others = 0;
  };

  void write(const std::vector<std::size_t>& nodes, std::size_t indent) {
    for (const std::size_t node : nodes) branch(node, indent);
  }

  void branch(std::size_t node, std::size_t indent) {
    TokenIds tokens{tree_.nodes[node].token};
    std::size_t others = shown_[node].others;
    while (shown_[node].children.size() == 1) {
      node = shown_[node].children[0];
      tokens.push_back(tree_.nodes[node].token);
      others += shown_[node].others;
    }
    const auto place = places_.find(node);
    rows_.push_back(
        {escape_controls(vocabulary_.decode(tokens)),
         {screen_number(tree_.nodes[node].score, style_.precision), others ? std::to_string(others) : "",
          place == places_.end() ? "" : std::to_string(place->second)},
         indent,
         place != places_.end() && place->second == 1});
    write(shown_[node].children, indent + 2);
  }

  const BeamTree& tree_;
  const Vocabulary& vocabulary_;
  const Style& style_;
  std::map<std::size_t, std::size_t> places_; ///< of a node that is a target in the end
  std::map<std::size_t, Place> shown_;
  std::vector<std::size_t> roots_;
  std::vector<TableRow> rows_;
};

class DecodeTables {
public:
  DecodeTables(const Paper& paper, const Decoded& decoded, const ModelCard& card)
      : paper_(paper), decoded_(decoded), card_(card) {}

  Table tokens(DecodeMethod method) const {
    const bool sampled = method == DecodeMethod::sample;
    Table table{{column("log_prob"), column("probability")}, {}, Table::Last::number};
    if (sampled) table.headings.insert(table.headings.end(), {column("drawn"), column("kept")});
    table.headings.insert(table.headings.end(), {column("runner_up"), column("probability")});
    for (const WrittenToken& one : decoded_.written) {
      std::vector<std::string> cells{number(one.log_prob), number(std::exp(one.log_prob))};
      if (sampled) cells.insert(cells.end(), {number(one.drawn.probability), std::to_string(one.kept)});
      cells.insert(cells.end(), {token(one.runner_up), number(std::exp(one.runner_up_log_prob))});
      table.rows.push_back({token(one.token), cells, 0, false});
    }
    std::vector<std::string> sums(table.headings.size());
    sums[0] = number(decoded_.sum), sums[1] = number(std::exp(decoded_.sum));
    table.rows.push_back({column("total"), sums, 0, true});
    return table;
  }

  Table tree() const {
    return {{column("score"), column("others"), column("place")},
            BeamRows(*decoded_.tree, card_.tgt, max_targets, paper_.style()).take(),
            Table::Last::number};
  }

private:
  std::string number(double value) const { return screen_number(value, paper_.style().precision); }
  std::string token(std::uint32_t id) const { return escape_controls(token_name(card_.tgt, id)); }
  std::string column(const std::string& key) const { return paper_.column(key); }

  const Paper& paper_;
  const Decoded& decoded_;
  const ModelCard& card_;
};

void write_alignment(Paper& paper, const DecodeScreen& screen) {
  const Style& style = paper.style();
  if (style.picture == Picture::off) return;
  std::vector<TextBlock> blocks;
  if (screen.heads == DecodeScreen::Heads::mean) {
    paper.paragraph(paper.word("alignment"));
    blocks.push_back(alignment_picture(*paper.trace().find("alignment"), 0, "", style));
  } else {
    paper.paragraph(paper.word("alignment.each"));
    std::size_t layer = 0;
    for (const Step& step : paper.trace().steps) {
      if (!step.name.ends_with("src_attn.weights")) continue;
      for (std::size_t head = 0; head < step.value.shape[0]; ++head)
        blocks.push_back(alignment_picture(
            step, head, paper.ui("head", {{"layer", std::to_string(layer)}, {"head", std::to_string(head)}}),
            style));
      ++layer;
    }
  }
  for (const std::string& line : place(blocks, style.width)) paper.line(line);
  paper.line();
}

void write_cost(Paper& paper, const DecodeScreen& screen) {
  paper.row(paper.ui("cost"),
            paper.word("cost").value_or("") + time_of(paper, *paper.trace().measured, screen.frame));
}

} // namespace

std::string render_decode(const Decoded& decoded, const ModelCard& card, const DecodeScreen& screen,
                          const Words& words, const Style& style) {
  Paper paper(decoded.trace, words, style);
  const bool lesson = screen.layout == DecodeScreen::Layout::lesson;
  if (lesson) {
    write_title(paper, screen.frame);
    paper.paragraph(paper.word("intro"));
    paper.paragraph(paper.word("reads"));
  }
  const std::string text = escape_controls(card.tgt.decode(decoded.tokens));
  paper.line(style.bold(lesson ? style.symbols("→ ") + text : text));
  paper.line();
  for (const char* key : {"drawn", "how.greedy", "how.beam", "how.beam_of_sums", "how.sample", "read.reverse",
                          "read.numbers-zh", "read.en-zh", "too_long", "unknown.read", "unknown.written",
                          "repeated", "recomputed", "narrow", "narrow.same", "narrow.other"})
    paper.paragraph(paper.word(key));
  const DecodeTables tables(paper, decoded, card);
  paper.table(tables.tokens(screen.method));
  if (decoded.tree) {
    paper.paragraph(paper.word("tree"));
    paper.table(tables.tree());
  }
  write_alignment(paper, screen);
  write_looks(paper);
  write_checks(paper);
  write_cost(paper, screen);
  if (lesson) {
    const std::string next = screen.frame.next.empty() ? "" : "tfx " + screen.frame.next + "    ";
    paper.row(paper.ui("next"), next + "tfx decode" + screen.frame.options + " --beam 4");
  }
  return paper.take();
}

} // namespace tfx
