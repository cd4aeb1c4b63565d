#include "cli/decode/beam_rows.hpp"

#include "render/screen_number.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <map>

namespace tfx {

namespace {

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

  void write(const std::vector<std::size_t>& nodes, std::size_t indent) {
    for (const std::size_t node : nodes) branch(node, indent);
  }

  const std::vector<std::size_t>& roots() const { return roots_; }
  std::vector<TableRow> take() { return std::move(rows_); }

private:
  struct Place {
    std::vector<std::size_t> children;
    std::size_t others = 0;
  };

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

} // namespace

std::vector<TableRow> beam_rows(const BeamTree& tree, const Vocabulary& vocabulary, std::size_t max_targets,
                                const Style& style) {
  BeamRows rows(tree, vocabulary, max_targets, style);
  rows.write(rows.roots(), 0);
  return rows.take();
}

} // namespace tfx
