#include "cli/model/roles.hpp"

#include "cli/decode/decoding.hpp"
#include "cli/model/ablation.hpp"
#include "cli/options.hpp"
#include "cli/text_lines.hpp"
#include "core/resource.hpp"
#include "io/file.hpp"
#include "io/foreign_file.hpp"
#include "model/word_alignment.hpp"
#include "render/footer.hpp"
#include "render/heatmap.hpp"
#include "render/paper.hpp"
#include "text/display_width.hpp"
#include "train/pairs_file.hpp"
#include "train/task.hpp"
#include "words/in_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tfx {

namespace {

class RolesPage {
public:
  RolesPage(const Trace& trace, RolePictures pictures, const Screen& screen, const Words& words,
            const Style& style)
      : trace_(trace),
        pictures_(pictures),
        screen_(screen),
        style_(style),
        paper_(trace, words, style),
        summary_(*std::ranges::find(trace.experiments, "roles", &Experiment::name)),
        roles_(std::get<std::vector<std::string>>(trace.facts.at("head_roles"))),
        best_(std::get<std::vector<std::string>>(trace.facts.at("head_best"))) {}

  std::string text() {
    write_title(paper_, screen_);
    for (const char* key : {"roles.intro", "roles.measured", "roles.found"})
      paper_.paragraph(paper_.word(key));
    heading("section.roles_encoder");
    table("encoder");
    heading("section.roles_decoder");
    table("decoder");
    if (pictures_ == RolePictures::all) paper_.paragraph(paper_.word("roles.rules"));
    pictures();
    write_folded_checks(paper_, screen_);
    for (const char* key : {"try.roles_without", "try.roles_text", "try.roles_full"})
      if (const auto text = paper_.word(key))
        paper_.row(key == std::string("try.roles_without") ? paper_.ui("next") : "", *text);
    return paper_.take();
  }

private:
  void heading(const char* key) {
    const std::string text = paper_.word(key).value_or("");
    const std::size_t end = std::min(text.find('\n'), text.size());
    for (const std::string& one : wrap(style_.symbols("── " + text.substr(0, end)), style_.width))
      paper_.line(style_.bold(one));
    if (end < text.size()) paper_.paragraph(text.substr(end + 1));
  }

  double cell(std::size_t head, std::size_t column) const {
    return summary_.values.data[head * summary_.columns.size() + column];
  }

  std::string place(std::size_t head) const {
    return summary_.rows[head].substr(0, summary_.rows[head].find(".head."));
  }
  std::size_t number(std::size_t head) const {
    return std::stoul(summary_.rows[head].substr(summary_.rows[head].rfind('.') + 1));
  }

  static std::string decimals(double value, int count) {
    if (std::isnan(value)) return "";
    const std::string text = fmt::format("{:.{}f}", value, count);
    return text == fmt::format("{:.{}f}", -0.0, count) ? text.substr(1) : text;
  }

  std::string said(std::size_t head) const {
    const bool stands_out = roles_[head] == "none" && best_[head] != "none";
    return paper_.role(stands_out ? "none " + best_[head] : roles_[head]);
  }

  /// "encoder 0 self_attn"
  std::string short_place(std::size_t head) const {
    const std::string at = place(head), layer = at.substr(0, at.rfind('.'));
    return at.substr(0, at.find('.')) + " " + layer.substr(layer.rfind('.') + 1) + " " +
           at.substr(at.rfind('.') + 1);
  }

  /// Of many layers the first and the last of each side, unless all are asked for.
  std::vector<std::size_t> shown() const {
    const auto layer = [&](std::size_t i) {
      const std::string at = place(i);
      return at.substr(0, at.rfind('.'));
    };
    std::vector<std::string> layers;
    for (std::size_t i = 0; i < summary_.rows.size(); ++i)
      if (layers.empty() || layers.back() != layer(i)) layers.push_back(layer(i));
    const std::size_t side = layers.size() / 2;
    std::vector<std::size_t> heads;
    for (std::size_t i = 0; i < summary_.rows.size(); ++i) {
      const auto at = static_cast<std::size_t>(std::ranges::find(layers, layer(i)) - layers.begin()) % side;
      if (pictures_ == RolePictures::all || at == 0 || at + 1 == side) heads.push_back(i);
    }
    return heads;
  }

  void table(const std::string& side) {
    constexpr int hundredths = 2, thousandths = 3, tenths = 1;
    Table table;
    for (const char* key : {"weight", "uniform", "lost_log", "right_share", "rule"})
      table.headings.push_back(paper_.column(key));
    table.last = Table::Last::text;
    std::optional<std::size_t> before;
    for (const std::size_t i : shown()) {
      if (!place(i).starts_with(side)) continue;
      if (before && i > *before + 1) table.rows.push_back({"…", {"", "", "", "", ""}, 0, false});
      before = i;
      table.rows.push_back(
          {short_place(i) + " " + std::to_string(number(i)),
           {decimals(cell(i, 0), hundredths), decimals(cell(i, 1), hundredths),
            decimals(cell(i, 3), thousandths), decimals(100 * cell(i, 4), tenths) + " %", said(i)},
           0,
           roles_[i] != "none"});
    }
    paper_.table(table);
  }

  /// The head of each kind of attention whose role is clearest, or every one.
  std::vector<std::size_t> pictured() const {
    std::vector<std::size_t> all;
    if (pictures_ == RolePictures::all) {
      for (std::size_t i = 0; i < summary_.rows.size(); ++i) all.push_back(i);
      return all;
    }
    const auto kind = [&](std::size_t i) { // "encoder.self_attn"
      const std::string at = place(i);
      return at.substr(0, at.find('.')) + at.substr(at.rfind('.'));
    };
    for (std::size_t i = 0; i < summary_.rows.size(); ++i) {
      const auto same = std::ranges::find_if(all, [&](std::size_t j) { return kind(j) == kind(i); });
      const auto excess = [&](std::size_t j) { return cell(j, 0) - cell(j, 1); };
      if (same == all.end())
        all.push_back(i);
      else if (excess(i) > excess(*same) || std::isnan(excess(*same)))
        *same = i;
    }
    return all;
  }

  /// All that are asked for; else as many as stand side by side, the cross-attention's first.
  void pictures() {
    if (style_.picture == Picture::off) return;
    constexpr std::size_t between = 3; // as `place` sets them
    std::size_t used = 0;
    std::vector<TextBlock> blocks;
    std::vector<std::size_t> heads = pictured();
    if (pictures_ == RolePictures::clearest) std::ranges::reverse(heads);
    for (const std::size_t i : heads) {
      const Step* weights = trace_.find(place(i) + ".weights");
      if (!weights || weights->value.rank() != 3) return;
      TextBlock block;
      block.add(style_.symbols(short_place(i) + " " + std::to_string(number(i))));
      block.add(alignment_picture(with_labels(*weights), number(i), said(i), style_));
      used += block.width + (blocks.empty() ? 0 : between);
      if (pictures_ == RolePictures::clearest && used > style_.width && !blocks.empty()) break;
      blocks.push_back(std::move(block));
    }
    heading("section.roles_pictures");
    for (const std::string& line : tfx::place(blocks, style_.width)) paper_.line(line);
    paper_.line();
  }

  static Step with_labels(const Step& weights) {
    Step step = weights;
    step.labels.resize(3);
    for (const std::size_t axis : {std::size_t{1}, std::size_t{2}})
      if (step.labels[axis].empty())
        for (std::size_t i = 0; i < step.value.shape[axis]; ++i)
          step.labels[axis].push_back(std::to_string(i));
    return step;
  }

  const Trace& trace_;
  RolePictures pictures_;
  const Screen& screen_;
  const Style& style_;
  Paper paper_;
  const Experiment& summary_;
  const std::vector<std::string>&roles_, &best_;
};

} // namespace

std::string render_roles(const Trace& trace, RolePictures pictures, const Screen& screen, const Words& words,
                         const Style& style) {
  return RolesPage(trace, pictures, screen, words, style).text();
}

namespace {

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
  static const std::vector<Row> table{
      Row("--roles", &O::roles)
          .without({"--step", "--show", "--quiet", "--save", "--without", "--uniform", "--ablate", "--labels",
                    "--smoothing", "--grad"}),
      Row("--pairs", &O::pairs, value::text("FILE.tsv"))
          .described("roles--pairs")
          .beside({"--roles"})
          .without({"--text", "--src", "--tgt"})};
  return table;
}

template <class Real>
void add_roles(Trace& t, const GivenModel<Real>& given, const ModelOptions& asked,
               const RolesOptions& options) {
  const RoleSet set = SetOfRoles<Real>(given, asked).take(options.pairs);
  const MeasuredRoles roles = measured_roles(given.model, set.pairs, set.right);
  add_tables(t, roles);
  state_most(t, roles);
  std::size_t read = 0, written = 0;
  for (std::size_t i = 0; i < set.pairs.size(); ++i)
    read += set.pairs[i].src.size(), written += set.right[i].size();
  t.facts["roles_pairs"] = static_cast<double>(set.pairs.size());
  t.facts["roles_read"] = static_cast<double>(read), t.facts["roles_written"] = static_cast<double>(written);
  t.facts["roles_set"] = in_words("roles.set." + set.name, {{"file", options.pairs.value_or("")}});
}

template void add_roles(Trace&, const GivenModel<float>&, const ModelOptions&, const RolesOptions&);
template void add_roles(Trace&, const GivenModel<double>&, const ModelOptions&, const RolesOptions&);

} // namespace tfx
