#include "cli/model/ablation.hpp"

#include "core/progress.hpp"
#include "trace/cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tfx {

namespace {

std::size_t best_but(const double* row, std::size_t count, std::size_t left_out) {
  std::size_t best = left_out == 0 && count > 1 ? 1 : 0;
  for (std::size_t j = 0; j < count; ++j)
    if (j != left_out && row[j] > row[best]) best = j;
  return best;
}

} // namespace

TokenIds right_tokens(const Tensor& log_probs, const Batch& tgt, const TokenIds& right) {
  if (!right.empty()) return right;
  const std::size_t vocabulary = log_probs.shape.back();
  TokenIds best;
  for (std::size_t i = 0; i < tgt.ids.size(); ++i)
    best.push_back(
        static_cast<std::uint32_t>(best_but(log_probs.data.data() + i * vocabulary, vocabulary, vocabulary)));
  return best;
}

std::vector<AnswerRow> answer_of(const Tensor& log_probs, const Batch& tgt, const TokenIds& right) {
  const std::size_t vocabulary = log_probs.shape.back();
  const TokenIds wanted = right_tokens(log_probs, tgt, right);
  const auto& valid = tgt.sequences.valid;
  std::vector<AnswerRow> rows;
  for (std::size_t i = 0; i < tgt.ids.size(); ++i) {
    if (!valid.empty() && !valid[i]) continue;
    const double* row = log_probs.data.data() + i * vocabulary;
    const std::size_t other = best_but(row, vocabulary, wanted[i]);
    rows.push_back({tgt.ids[i], wanted[i], static_cast<std::uint32_t>(other), std::exp(row[wanted[i]]),
                    vocabulary > 1 ? std::exp(row[other]) : 0});
  }
  return rows;
}

double mean_probability(const std::vector<AnswerRow>& answer) {
  double sum = 0;
  for (const AnswerRow& row : answer) sum += row.p_right;
  return sum / static_cast<double>(answer.size());
}

Experiment ablation(const Trace& page, const Batch& tgt, const TokenIds& right) {
  const TokenIds wanted = right_tokens(page["log_probs"], tgt, right);
  const double before = mean_probability(answer_of(page["log_probs"], tgt, wanted));
  const std::vector<std::string> parts = parts_to_leave_out(page);
  Experiment table{"ablation", {"all"}, {}, {}};
  std::vector<std::vector<double>> lost;
  std::size_t done = 0, heads = 0;
  for (const std::string& part : parts) {
    tell_progress(part, {++done, parts.size()});
    const bool of_head = is_head(part);
    if (!of_head && !is_sublayer(part)) continue;
    const double after =
        mean_probability(answer_of(log_probs_with(page, {{Intervention::Kind::without, part}}), tgt, wanted));
    if (!of_head) table.rows.push_back(part), lost.emplace_back();
    lost.back().push_back(before - after);
    heads = std::max(heads, lost.back().size() - 1);
  }
  for (std::size_t head = 0; head < heads; ++head) table.columns.push_back("head " + std::to_string(head));
  table.values =
      Tensor({lost.size(), heads + 1}, std::vector<double>(lost.size() * (heads + 1), std::nan("")));
  for (std::size_t i = 0; i < lost.size(); ++i)
    std::ranges::copy(lost[i], table.values.data.begin() + static_cast<std::ptrdiff_t>(i * (heads + 1)));
  return table;
}

double ablation_macs(const Trace& page) {
  return static_cast<double>(parts_to_leave_out(page).size()) * static_cast<double>(lesson_cost(page).macs);
}

namespace {

/// Hands the weights of every attention to the meter.
template <class Real>
class RoleObserver : public Observer<Real> {
public:
  RoleObserver(HeadMeter& meter, const RolePair& pair) : meter_(meter), pair_(pair) {}

  bool wants(const std::string& name) override { return name.ends_with("attn.weights"); }
  void report(const std::string& name, const StridedView<Real>& value) override {
    if (wants(name)) meter_.add(name.substr(0, name.size() - end.size()), to_tensor(value), pair_);
  }

private:
  static constexpr std::string_view end = ".weights";

  HeadMeter& meter_;
  const RolePair& pair_;
};

template <class Real>
MultiHeadAttention<Real>& attention_of(Transformer<Real>& model, const std::string& place) {
  constexpr std::string_view layers = ".layers.";
  const std::size_t layer = std::stoul(place.substr(place.find(layers) + layers.size()));
  switch (attention_kind(place)) {
  case AttentionKind::encoder: return model.encoder.layers[layer].self_attn;
  case AttentionKind::decoder: return model.decoder.layers[layer].self_attn;
  default: return *model.decoder.layers[layer].src_attn;
  }
}

} // namespace

template <class Real>
std::vector<HeadScores> head_scores(const Transformer<Real>& model, const std::vector<RolePair>& pairs) {
  HeadMeter meter;
  for (const RolePair& pair : pairs) {
    RoleObserver<Real> observer(meter, pair);
    const ForwardContext<Real> context{&observer};
    const Batch src = ragged_batch({pair.src}), tgt = ragged_batch({pair.tgt});
    const arma::Mat<Real> memory = encode(model, src, context);
    decode(model, tgt, Tokens<Real>{memory, src.sequences}, context);
  }
  return meter.heads();
}

template <class Real>
Transformer<Real> without_head(Transformer<Real> model, const std::string& part) {
  constexpr std::string_view mark = ".head.";
  const std::size_t at = part.find(mark), head = std::stoul(part.substr(at + mark.size()));
  const std::size_t d_k = model.spec.d_model / model.spec.heads;
  auto& W_O = attention_of(model, part.substr(0, at)).linears[3].weight;
  W_O.rows(head * d_k, (head + 1) * d_k - 1).zeros();
  return model;
}

template <class Real>
SaidRight said_right(const Transformer<Real>& model, const std::vector<RolePair>& pairs,
                     const std::vector<TokenIds>& right) {
  constexpr std::size_t at_once = 32; // keeps the log-probabilities of a large vocabulary small
  SaidRight said;
  std::size_t positions = 0;
  for (std::size_t first = 0; first < pairs.size(); first += at_once) {
    std::vector<TokenIds> src, tgt;
    TokenIds wanted;
    for (std::size_t p = first; p < std::min(first + at_once, pairs.size()); ++p) {
      src.push_back(pairs[p].src), tgt.push_back(pairs[p].tgt);
      wanted.insert(wanted.end(), right[p].begin(), right[p].end());
    }
    const arma::Mat<Real> log_probs = forward(model, {ragged_batch(src), ragged_batch(tgt)});
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      said.log_probability += static_cast<double>(log_probs(wanted[i], i));
      said.share += log_probs.col(i).index_max() == wanted[i];
    }
    positions += wanted.size();
  }
  said.log_probability /= static_cast<double>(positions), said.share /= static_cast<double>(positions);
  return said;
}

template <class Real>
MeasuredRoles measured_roles(const Transformer<Real>& model, const std::vector<RolePair>& pairs,
                             const std::vector<TokenIds>& right) {
  MeasuredRoles roles{head_scores(model, pairs), said_right(model, pairs, right), {}};
  for (const HeadScores& head : roles.heads) {
    tell_progress(head.part, {roles.without.size() + 1, roles.heads.size()});
    roles.without.push_back(said_right(without_head(model, head.part), pairs, right));
  }
  return roles;
}

template std::vector<HeadScores> head_scores(const Transformer<float>&, const std::vector<RolePair>&);
template std::vector<HeadScores> head_scores(const Transformer<double>&, const std::vector<RolePair>&);
template Transformer<float> without_head(Transformer<float>, const std::string&);
template Transformer<double> without_head(Transformer<double>, const std::string&);
template SaidRight said_right(const Transformer<float>&, const std::vector<RolePair>&,
                              const std::vector<TokenIds>&);
template SaidRight said_right(const Transformer<double>&, const std::vector<RolePair>&,
                              const std::vector<TokenIds>&);
template MeasuredRoles measured_roles(const Transformer<float>&, const std::vector<RolePair>&,
                                      const std::vector<TokenIds>&);
template MeasuredRoles measured_roles(const Transformer<double>&, const std::vector<RolePair>&,
                                      const std::vector<TokenIds>&);

} // namespace tfx
