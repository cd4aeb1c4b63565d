#include "cli/model/roles.hpp"

#include "cli/decode/decoding.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/model/ablation.hpp"
#include "cli/options.hpp"
#include "cli/text_lines.hpp"
#include "core/resource.hpp"
#include "io/file.hpp"
#include "io/foreign_file.hpp"
#include "model/word_alignment.hpp"
#include "train/pairs_file.hpp"
#include "train/task.hpp"
#include "words/in_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tfx {

namespace {

/// Heads as the experiment "roles" has them: "encoder.layers.0.self_attn.head.1".
class Heads {
public:
  explicit Heads(const Trace& trace)
      : summary_(*trace.find_experiment("roles")),
        roles_(std::get<Names>(trace.facts.at("head_roles"))),
        best_(std::get<Names>(trace.facts.at("head_best"))) {}

  std::size_t count() const { return summary_.rows.size(); }
  double cell(std::size_t head, std::size_t column) const {
    return summary_.values.data[head * summary_.columns.size() + column];
  }
  bool has_role(std::size_t head) const { return roles_[head] != "none"; }

  /// "encoder.layers.0.self_attn"
  std::string place(std::size_t head) const {
    return summary_.rows[head].substr(0, summary_.rows[head].find(".head."));
  }
  std::size_t number(std::size_t head) const {
    return std::stoul(summary_.rows[head].substr(summary_.rows[head].rfind('.') + 1));
  }
  /// "encoder.layers.0"
  std::string layer(std::size_t head) const { return place(head).substr(0, place(head).rfind('.')); }
  std::string side(std::size_t head) const { return place(head).substr(0, place(head).find('.')); }
  /// "self_attn"
  std::string part(std::size_t head) const { return place(head).substr(place(head).rfind('.') + 1); }
  /// "encoder 0 self_attn 1"
  std::string name(std::size_t head) const {
    return side(head) + " " + layer(head).substr(layer(head).rfind('.') + 1) + " " + part(head) + " " +
           std::to_string(number(head));
  }

  /// Its role; without one what stands out most.
  Sentence said(std::size_t head) const {
    if (has_role(head) || best_[head] == "none") return {"ui.role." + roles_[head]};
    return {"ui.role.none_but", {}, {{"rule", {"ui.role." + best_[head]}}}};
  }

  /// All, or of many layers the first and the last of each side.
  std::vector<std::size_t> shown(bool all) const {
    Names layers;
    for (std::size_t i = 0; i < count(); ++i)
      if (layers.empty() || layers.back() != layer(i)) layers.push_back(layer(i));
    const std::size_t of_side = layers.size() / 2;
    std::vector<std::size_t> heads;
    for (std::size_t i = 0; i < count(); ++i) {
      const auto at =
          static_cast<std::size_t>(std::ranges::find(layers, layer(i)) - layers.begin()) % of_side;
      if (all || at == 0 || at + 1 == of_side) heads.push_back(i);
    }
    return heads;
  }

  /// All, or the one of each kind of attention whose role is clearest, the last kind first.
  std::vector<std::size_t> pictured(bool all) const {
    std::vector<std::size_t> heads;
    for (std::size_t i = 0; i < count(); ++i) {
      const auto same = std::ranges::find_if(
          heads, [&](std::size_t j) { return !all && side(j) == side(i) && part(j) == part(i); });
      const auto excess = [&](std::size_t j) { return cell(j, 0) - cell(j, 1); };
      if (same == heads.end())
        heads.push_back(i);
      else if (excess(i) > excess(*same) || std::isnan(excess(*same)))
        *same = i;
    }
    if (!all) std::ranges::reverse(heads);
    return heads;
  }

private:
  const Experiment& summary_;
  const Names &roles_, &best_;
};

Cell measured(double value, int decimals) {
  return std::isnan(value) ? Cell("") : Rounded{value, decimals};
}

/// The shown heads of a side; "…" for those between them.
ReportTable table_of(const Heads& heads, const std::string& side, bool all) {
  constexpr int hundredths = 2, thousandths = 3;
  ReportTable table;
  table.columns = table.shown = {"head", "weight", "uniform", "lost_log", "right_share", "rule"};
  table.of_text = true;
  std::optional<std::size_t> before;
  for (const std::size_t i : heads.shown(all)) {
    if (heads.side(i) != side) continue;
    if (before && i > *before + 1) table.rows.push_back({"…", "", "", "", "", ""});
    before = i;
    if (heads.has_role(i)) table.strong.insert(table.rows.size());
    table.rows.push_back({heads.name(i), measured(heads.cell(i, 0), hundredths),
                          measured(heads.cell(i, 1), hundredths), measured(heads.cell(i, 3), thousandths),
                          Share{heads.cell(i, 4)}, heads.said(i)});
  }
  return table;
}

/// The weights on one sentence; none of them where the model reads more than one.
Alignments pictures_of(const Trace& trace, const Heads& heads, bool all) {
  Alignments pictures{.said = {"section.roles_pictures"}, .pictures = {}, .is_section = true, .some = {}};
  if (!all) pictures.some = {"roles.some"};
  for (const std::size_t i : heads.pictured(all)) {
    const Step* weights = trace.find(heads.place(i) + ".weights");
    if (!weights || weights->value.rank() != 3) return {};
    pictures.pictures.push_back({weights->name, heads.number(i), heads.said(i), heads.name(i)});
  }
  return pictures;
}

struct RoleSet {
  std::string name; ///< key of its words
  std::vector<RolePair> pairs;
  std::vector<TokenIds> right; ///< what each place of a tgt should say
};

template <class Real>
class SetOfRoles {
public:
  SetOfRoles(const GivenModel<Real>& given, const ModelOptions& asked) : given_(given), asked_(asked) {}

  RoleSet take(const std::optional<std::string>& file) {
    const bool is_asked = asked_.text || asked_.src || asked_.tgt;
    const std::string shipped = "data/sentences/" + given_.weights + ".tsv";
    if (file)
      from_file("pairs", read_pairs(read_text(*file), *file), *file);
    else if (!is_asked && given_.card && has_resource(shipped))
      from_file("shipped", read_pairs(resource(shipped), shipped), shipped);
    else if (is_asked || !held_out())
      as_read();
    align();
    return std::move(set_);
  }

private:
  std::string name(bool of_target, std::uint32_t id) const {
    if (!given_.card) return std::to_string(id);
    return token_name(of_target ? given_.card->tgt : given_.card->src, id);
  }

  void add(const TokenIds& src, const TokenIds& tgt, const TokenIds& right) {
    RolePair pair{src, tgt, {}, {}};
    for (const std::uint32_t id : src) pair.src_names.push_back(name(false, id));
    for (const std::uint32_t id : tgt) pair.tgt_names.push_back(name(true, id));
    set_.pairs.push_back(std::move(pair)), set_.right.push_back(right);
  }

  /// tgt from its start to its end.
  void add(const TokenIds& src, const TokenIds& tgt) {
    add(src, {tgt.begin(), tgt.end() - 1}, {tgt.begin() + 1, tgt.end()});
  }

  void from_file(const char* name, const std::vector<Pair>& pairs, const std::string& file) {
    if (!given_.card) throw usage_error("no_words", {{"name", given_.weights}});
    const ModelCard& card = *given_.card;
    set_.name = name;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      try {
        TokenIds tgt = card.tgt.encode(pairs[i].target);
        const TokenIds src = card.src.encode(pairs[i].source);
        tgt.insert(tgt.begin(), card.start);
        if (card.end) tgt.push_back(*card.end);
        if (std::max(src.size(), tgt.size()) > given_.model.spec.max_len)
          throw Error(ErrorKind::bad_data, said("the pair has more tokens than the model takes"),
                      said("cut the text into shorter pairs"));
        add(src, tgt);
      } catch (const Error& error) {
        refuse_line(file, i + 1, error);
      }
    }
  }

  /// Examples of the model's own task, where it is one of ours with the same tokens.
  bool held_out() {
    constexpr std::size_t count = 100;
    if (!given_.card || given_.card->task == "pairs" ||
        std::ranges::count(task_names(), given_.card->task) == 0)
      return false;
    const auto task = make_task(given_.card->task);
    if (task->src_vocabulary().tokens != given_.card->src.tokens ||
        task->tgt_vocabulary().tokens != given_.card->tgt.tokens)
      return false;
    set_.name = "held_out";
    for (const Example& one : task->held_out(count)) add(one.src, one.tgt);
    return true;
  }

  /// What the model was given; without labels its own most probable tokens are right.
  void as_read() {
    set_.name = "read";
    const auto& [src, tgt, pad] = given_.batches;
    for (std::size_t s = 0; s < src.sequences.count(); ++s) {
      const TokenIds source = valid_of(src, s), target = valid_of(tgt, s);
      TokenIds right = given_.expected;
      if (right.size() != target.size()) {
        const arma::Mat<Real> log_probs =
            forward(given_.model, {ragged_batch({source}), ragged_batch({target})});
        right.clear();
        for (arma::uword i = 0; i < log_probs.n_cols; ++i)
          right.push_back(static_cast<std::uint32_t>(log_probs.col(i).index_max()));
      }
      add(source, target, right);
    }
  }

  static TokenIds valid_of(const Batch& batch, std::size_t s) {
    TokenIds ids;
    const auto& [offsets, valid] = batch.sequences;
    for (std::size_t j = offsets[s]; j < offsets[s + 1]; ++j)
      if (valid.empty() || valid[j]) ids.push_back(batch.ids[j]);
    if (ids.empty()) ids.push_back(batch.ids[offsets[s]]); // nothing but padding
    return ids;
  }

  void align() {
    std::vector<TextPair> texts;
    for (std::size_t i = 0; i < set_.pairs.size(); ++i) {
      TokenIds answer = set_.right[i];
      if (given_.card && given_.card->end && !answer.empty() && answer.back() == *given_.card->end)
        answer.pop_back();
      texts.push_back({set_.pairs[i].src, std::move(answer)});
    }
    auto aligned = align_words(texts);
    for (std::size_t i = 0; i < aligned.size(); ++i) set_.pairs[i].aligned = std::move(aligned[i]);
  }

  const GivenModel<Real>& given_;
  const ModelOptions& asked_;
  RoleSet set_;
};

std::string named(const std::optional<HeadRule>& rule) {
  return rule ? word_of(head_rules(), *rule) : "none";
}

/// A row a head: its best rule's share and what is lost without it; and its share of every rule.
void add_tables(Trace& t, const MeasuredRoles& roles) {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  const std::size_t heads = roles.heads.size();
  Experiment summary{"roles", {"weight", "uniform", "queries", "lost", "right"}, {}, Tensor({heads, 5})};
  Experiment weights{"role_weights", {}, {}, Tensor({heads, head_rule_count})};
  for (const auto& [name, rule] : head_rules()) weights.columns.push_back(name);
  Experiment uniform = weights;
  uniform.name = "role_uniform";
  std::vector<std::string> role, best;
  for (std::size_t i = 0; i < heads; ++i) {
    const HeadScores& head = roles.heads[i];
    for (Experiment* table : {&summary, &weights, &uniform}) table->rows.push_back(head.part);
    for (std::size_t r = 0; r < head_rule_count; ++r) {
      const RuleShare share = head.rules[r].mean();
      const bool is_measured = share.queries > 0;
      weights.values.data[i * head_rule_count + r] = is_measured ? share.weight : nothing;
      uniform.values.data[i * head_rule_count + r] = is_measured ? share.uniform : nothing;
    }
    const auto most = head.best();
    const RuleShare share = most ? head.of(*most) : RuleShare{nothing, nothing, 0};
    const double row[] = {share.weight, share.uniform, static_cast<double>(share.queries),
                          roles.whole.log_probability - roles.without[i].log_probability,
                          roles.without[i].share};
    std::ranges::copy(row, summary.values.data.begin() + static_cast<std::ptrdiff_t>(5 * i));
    role.push_back(named(head.role())), best.push_back(named(most));
  }
  t.facts["head_roles"] = role, t.facts["head_best"] = best;
  for (Experiment* table : {&summary, &weights, &uniform}) t.experiments.push_back(std::move(*table));
}

void state_most(Trace& t, const MeasuredRoles& roles) {
  std::size_t most = 0, with_role = 0;
  const auto lost = [&](std::size_t i) { return -roles.without[i].log_probability; };
  for (std::size_t i = 0; i < roles.heads.size(); ++i) {
    if (lost(i) > lost(most)) most = i;
    with_role += roles.heads[i].role().has_value();
  }
  t.facts["roles_found"] = static_cast<double>(with_role);
  t.facts["roles_heads"] = static_cast<double>(roles.heads.size());
  t.facts["roles_most_lost"] = roles.heads[most].part;
  t.facts["roles_lost"] = roles.whole.log_probability + lost(most);
  t.facts["roles_log_probability"] = roles.whole.log_probability;
  t.facts["roles_right"] = fmt::format("{:.1f}", 100 * roles.whole.share);
  t.facts["roles_right_without"] = fmt::format("{:.1f}", 100 * roles.without[most].share);
  t.facts["role_weight"] = role_weight, t.facts["role_times"] = role_times;
}

} // namespace

const std::vector<Option<RolesOptions>>& roles_options() {
  using O = RolesOptions;
  using Row = Option<O>;
  static const std::vector<Row> table{Row("--roles", &O::roles)
                                          .without({"--step", "--show", "--quiet", "--without", "--uniform",
                                                    "--ablate", "--labels", "--smoothing", "--grad"}),
                                      Row("--pairs", &O::pairs, value::text("FILE.tsv"))
                                          .described("roles--pairs")
                                          .beside({"--roles"})
                                          .without({"--text", "--src", "--tgt"})};
  return table;
}

template <class Real>
Report roles_report(Trace trace, const GivenModel<Real>& given, const ModelOptions& asked,
                    const RolesOptions& options, bool all) {
  const RoleSet set = SetOfRoles<Real>(given, asked).take(options.pairs);
  const MeasuredRoles roles = measured_roles(given.model, set.pairs, set.right);
  add_tables(trace, roles);
  state_most(trace, roles);
  std::size_t read = 0, written = 0;
  for (std::size_t i = 0; i < set.pairs.size(); ++i)
    read += set.pairs[i].src.size(), written += set.right[i].size();
  const auto number = [](std::size_t n) { return static_cast<double>(n); };
  trace.facts["roles_pairs"] = number(set.pairs.size());
  trace.facts["roles_read"] = number(read), trace.facts["roles_written"] = number(written);
  const Sentence of_set{"roles.set." + set.name, {{"file", options.pairs.value_or("")}}};
  const Words words = words_in(find_lesson("model").folder);
  trace.facts["roles_set"] = text_of(of_set, Paper(trace, words, Style())).value();
  Report report{frame_of("model"), std::move(trace)};
  report.run = RunView::parts;
  report.frame.typed = "model --roles";
  RolesOptions given_beside = options;
  given_beside.roles = false;
  report.frame.options = typed_again(model_options(), asked) + typed_again(roles_options(), given_beside) +
                         (all ? " --full" : "");
  const Heads heads(report.trace);
  report.say("roles.intro");
  report.say(Sentence{"roles.measured", {}, {{"roles_set", of_set}}});
  report.say("roles.found");
  for (const std::string side : {"encoder", "decoder"}) {
    report.add(Subheading{Sentence{"section.roles_" + side}});
    report.add(table_of(heads, side, all));
  }
  if (all) report.say("roles.rules");
  report.add(pictures_of(report.trace, heads, all));
  report.onward = {{"try.roles_without"}, {"try.roles_text"}, {"try.roles_full"}};
  return report;
}

template Report roles_report(Trace, const GivenModel<float>&, const ModelOptions&, const RolesOptions&, bool);
template Report roles_report(Trace, const GivenModel<double>&, const ModelOptions&, const RolesOptions&,
                             bool);

} // namespace tfx
