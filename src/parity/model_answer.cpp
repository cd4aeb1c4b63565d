#include "parity/model_answer.hpp"

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

std::string sublayer_of(const std::string& part) {
  return part.substr(0, part.find(".head."));
}

bool is_sublayer(const std::string& part) {
  return part.ends_with("attn") || part.ends_with("feed_forward");
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
    const bool is_head = sublayer_of(part) != part;
    if (!is_head && !is_sublayer(part)) continue;
    const double after =
        mean_probability(answer_of(log_probs_with(page, {{Intervention::Kind::without, part}}), tgt, wanted));
    if (!is_head) table.rows.push_back(part), lost.emplace_back();
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

} // namespace tfx
