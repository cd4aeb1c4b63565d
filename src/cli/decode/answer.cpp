#include "cli/decode/answer.hpp"

#include "cli/lesson/screen.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>

namespace tfx {

namespace {

constexpr std::size_t max_targets = 10;

/// A beam's tree as the rows of a table, of at most so many targets that were kept to the end, the best
/// first: a row goes on until its targets part, what they share stands above. Cells: the score, how many
/// other tokens were tried beside the row's and not kept, and its place in the end.
class BeamRows {
public:
  BeamRows(const BeamTree& tree, const Vocabulary& vocabulary, std::size_t max_targets)
      : tree_(tree), vocabulary_(vocabulary) {
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

  ReportTable take() {
    write(roots_, 0);
    return std::move(table_);
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
    const Cell nothing = std::string();
    if (indent > 0) table_.indents[table_.rows.size()] = indent;
    if (place != places_.end() && place->second == 1) table_.strong.insert(table_.rows.size());
    table_.rows.push_back({vocabulary_.decode(tokens), tree_.nodes[node].score,
                           others > 0 ? Count{others} : nothing,
                           place != places_.end() ? Count{place->second} : nothing});
    write(shown_[node].children, indent + 2);
  }

  const BeamTree& tree_;
  const Vocabulary& vocabulary_;
  std::map<std::size_t, std::size_t> places_; ///< of a node that is a target in the end
  std::map<std::size_t, Place> shown_;
  std::vector<std::size_t> roots_;
  ReportTable table_{.name = {},
                     .columns = {"text", "score", "others", "place"},
                     .shown = {"text", "score", "others", "place"}};
};

ReportTable tokens_table(const Decoded& decoded, const Vocabulary& words) {
  const bool is_sampled = !decoded.written.empty() && decoded.written[0].kept > 0;
  ReportTable table{"tokens",
                    {"id", "token", "log_prob", "probability", "runner_up.id", "runner_up.token",
                     "runner_up.log_prob", "runner_up.probability"},
                    {"token", "log_prob", "probability"}};
  table.total = {None{}, Sentence{"column.total"}, decoded.sum, std::exp(decoded.sum)};
  if (is_sampled)
    for (const char* column : {"drawn_with", "out_of"})
      table.columns.emplace_back(column), table.shown.emplace_back(column);
  std::ranges::copy(std::array{"runner_up.token", "runner_up.probability"}, std::back_inserter(table.shown));
  table.total.resize(table.columns.size(), std::string());
  for (const WrittenToken& one : decoded.written) {
    table.rows.push_back({Count{one.token}, token_name(words, one.token), one.log_prob,
                          std::exp(one.log_prob), Count{one.runner_up}, token_name(words, one.runner_up),
                          one.runner_up_log_prob, std::exp(one.runner_up_log_prob)});
    if (!is_sampled) continue;
    table.rows.back().emplace_back(one.drawn.probability);
    table.rows.back().emplace_back(Count{one.kept});
  }
  return table;
}

/// All of it in the JSON document, of the page what was kept to the end.
void add_tree(Report& report, BeamTree held, const Vocabulary& words) {
  const auto tree = std::make_shared<const BeamTree>(std::move(held));
  const auto row = [tree, names = std::make_shared<const Vocabulary>(words)](std::size_t i) {
    const BeamNode& node = tree->nodes[i];
    return std::vector<Cell>{node.parent ? Cell(Count{*node.parent}) : None{},
                             Count{node.token},
                             token_name(*names, node.token),
                             node.log_prob,
                             std::exp(node.log_prob),
                             node.sum,
                             node.score,
                             node.kept,
                             node.ended};
  };
  ReportTable nodes{
      "beam", {"parent", "id", "token", "log_prob", "probability", "sum", "score", "kept", "ended"}, {}};
  nodes.made = {tree->nodes.size(), row};
  report.add(std::move(nodes));
  report.add("ranked", Shape(tree->ranked));
  report.say("tree");
  report.add(BeamRows(*tree, words, max_targets).take());
}

Alignments alignments_of(const Trace& trace, bool each_head) {
  if (!each_head) return {{"alignment"}, {{"alignment"}}};
  Alignments all{{"alignment.each"}, {}};
  std::size_t layer = 0;
  for (const Step& step : trace.steps) {
    if (!step.name.ends_with("src_attn.weights")) continue;
    for (std::size_t head = 0; head < matrix_count(step.value); ++head)
      all.pictures.push_back(
          {step.name, head, {"ui.head", {{"layer", std::to_string(layer)}, {"head", std::to_string(head)}}}});
    ++layer;
  }
  return all;
}

} // namespace

void add_narrowing(Report& report, const Narrowing& measured) {
  report.add("narrowing.dtype", word_of(weight_types(), measured.type));
  report.add("narrowing.bytes_per_token", Bytes{static_cast<double>(measured.bytes)});
  report.add("narrowing.float_bytes_per_token", Bytes{static_cast<double>(measured.float_bytes)});
  report.add("narrowing.largest_difference", measured.difference);
}

Report answer_report(Screen frame, Decoded decoded, const TrainedModel& trained, const std::string& text,
                     const AnswerLayout& layout) {
  const Vocabulary& words = trained.card.tgt;
  const std::string output = words.decode(decoded.tokens);
  Report report{std::move(frame), std::move(decoded.trace)};
  report.title = layout.is_lesson ? Title::spaced : Title::none, report.has_tensors = report.has_cost = true;
  report.status = status_of(report.trace);
  report.add("model", trained.name);
  report.add("task", trained.card.task.empty() ? Cell(None{}) : trained.card.task);
  report.add("text", text);
  report.add("src", Shape(decoded.src.begin(), decoded.src.end()));
  report.add("output", output);
  report.add("ended", decoded.written.size() > decoded.tokens.size());
  report.add("log_prob", decoded.sum), report.add("score", decoded.score);
  if (layout.is_lesson) report.say("intro"), report.say("reads");
  report.add(Heading{.cell = (layout.is_lesson ? "→ " : "") + output, .is_answer = true});
  for (const char* key : {"drawn", "how.greedy", "how.beam", "how.beam_of_sums", "how.sample", "read.reverse",
                          "read.numbers-zh", "read.en-zh", "too_long", "unknown.read", "unknown.written",
                          "repeated", "recomputed"})
    report.say(key);
  if (decoded.narrowing) {
    add_narrowing(report, *decoded.narrowing);
    report.add("narrowing.output_in_double", words.decode(decoded.exact_tokens));
    for (const char* key : {"narrow", "narrow.same", "narrow.other"}) report.say(key);
  }
  report.add(tokens_table(decoded, words));
  if (decoded.tree) add_tree(report, std::move(*decoded.tree), words);
  report.add(alignments_of(report.trace, layout.each_head));
  return report;
}

} // namespace tfx
