#include "model/head_roles.hpp"

#include "text/tokens.hpp"
#include "text/utf8.hpp"

#include <algorithm>

namespace tfx {

namespace {

constexpr std::string_view head_mark = ".head.";

bool is_of(HeadRule rule, AttentionKind kind) {
  switch (rule) {
  case HeadRule::previous:
  case HeadRule::itself:
  case HeadRule::same_token: return kind != AttentionKind::cross;
  case HeadRule::next: return kind == AttentionKind::encoder;
  case HeadRule::last: return kind != AttentionKind::decoder;
  case HeadRule::same_place:
  case HeadRule::mirrored:
  case HeadRule::aligned: return kind == AttentionKind::cross;
  default: return true;
  }
}

/// A mark of capitals belongs to the word behind it.
bool is_all_punctuation(const std::string& token) {
  bool is = !token.empty() && token != capital_mark && token != capitals_mark;
  for (std::size_t at = 0; is && at < token.size(); at += tfx::decode(token, at).length)
    is = is_punctuation(tfx::decode(token, at).value);
  return is;
}

bool names_key(HeadRule rule, const std::vector<std::string>& queries, const std::vector<std::string>& keys,
               std::size_t i, std::size_t j) {
  switch (rule) {
  case HeadRule::previous: return j + 1 == i;
  case HeadRule::next: return j == i + 1;
  case HeadRule::itself:
  case HeadRule::same_place: return j == i;
  case HeadRule::same_token: return j != i && queries[i] == keys[j];
  case HeadRule::first: return j == 0;
  case HeadRule::last: return j + 1 == keys.size();
  case HeadRule::mirrored: return i + j + 1 == keys.size();
  default: return false;
  }
}

/// The causal mask hides what comes later.
bool sees(AttentionKind kind, std::size_t i, std::size_t j) {
  return kind != AttentionKind::decoder || j <= i;
}

/// A query's share, where the rule says something of it.
void add_query(RuleShare& share, const double* weights, const double* named, std::size_t visible) {
  double weight = 0;
  std::size_t count = 0;
  for (std::size_t j = 0; j < visible; ++j)
    if (named[j] != 0) weight += weights[j], ++count;
  if (count == 0 || count == visible) return;
  share.weight += weight, share.uniform += static_cast<double>(count) / static_cast<double>(visible);
  ++share.queries;
}

} // namespace

const Choices<HeadRule>& head_rules() {
  static const Choices<HeadRule> all{{"previous", HeadRule::previous},
                                     {"next", HeadRule::next},
                                     {"itself", HeadRule::itself},
                                     {"same_token", HeadRule::same_token},
                                     {"first", HeadRule::first},
                                     {"last", HeadRule::last},
                                     {"punctuation", HeadRule::punctuation},
                                     {"same_place", HeadRule::same_place},
                                     {"mirrored", HeadRule::mirrored},
                                     {"aligned", HeadRule::aligned}};
  return all;
}

AttentionKind attention_kind(const std::string& place) {
  if (place.find(".src_attn") != std::string::npos) return AttentionKind::cross;
  return place.starts_with("encoder") ? AttentionKind::encoder : AttentionKind::decoder;
}

RuleShare RuleShare::mean() const {
  if (queries == 0) return {};
  const auto n = static_cast<double>(queries);
  return {weight / n, uniform / n, queries};
}

std::optional<HeadRule> HeadScores::best() const {
  std::optional<HeadRule> found;
  double most = 0;
  for (const auto& [name, rule] : head_rules()) {
    const RuleShare share = of(rule);
    const bool speaks = static_cast<double>(share.queries) >= role_queries * static_cast<double>(queries);
    if (share.queries == 0 || !speaks) continue;
    if (const double excess = share.weight - share.uniform; !found || excess > most)
      found = rule, most = excess;
  }
  return found;
}

std::optional<HeadRule> HeadScores::role() const {
  const auto rule = best();
  if (!rule) return std::nullopt;
  const RuleShare share = of(*rule);
  const bool is = share.weight >= role_weight && share.weight >= role_times * share.uniform;
  return is ? rule : std::nullopt;
}

std::string HeadScores::said() const {
  const auto most = best();
  const std::string name = most ? word_of(head_rules(), *most) : "";
  return role() ? name : most ? "none " + name : "none";
}

Tensor named_keys(HeadRule rule, AttentionKind kind, const RolePair& pair) {
  const auto& queries = kind == AttentionKind::encoder ? pair.src_names : pair.tgt_names;
  const auto& keys = kind == AttentionKind::decoder ? pair.tgt_names : pair.src_names;
  const std::size_t n_q = queries.size(), n_k = keys.size();
  Tensor named({n_q, n_k});
  if (!is_of(rule, kind)) return named;
  for (std::size_t j = 0; j < n_k; ++j) {
    const bool by_token = rule == HeadRule::punctuation && is_all_punctuation(keys[j]);
    for (std::size_t i = 0; i < n_q; ++i)
      named.data[i * n_k + j] = by_token || names_key(rule, queries, keys, i, j);
  }
  if (rule == HeadRule::aligned)
    for (std::size_t i = 0; i < std::min(n_q, pair.aligned.size()); ++i)
      for (const std::size_t j : pair.aligned[i]) named.data[i * n_k + j] = 1;
  return named;
}

std::size_t HeadMeter::first_of(const std::string& place, std::size_t heads) {
  const std::string first = place + std::string(head_mark) + "0";
  const auto found = std::ranges::find(heads_, first, &HeadScores::part);
  const auto index = static_cast<std::size_t>(found - heads_.begin());
  if (found == heads_.end())
    for (std::size_t h = 0; h < heads; ++h)
      heads_.push_back({place + std::string(head_mark) + std::to_string(h), {}, 0});
  return index;
}

void HeadMeter::add(const std::string& place, const Tensor& weights, const RolePair& pair) {
  const AttentionKind kind = attention_kind(place);
  const std::size_t heads = weights.shape[0], n_q = weights.shape[1], n_k = weights.shape[2];
  const std::size_t first = first_of(place, heads);
  for (std::size_t h = 0; h < heads; ++h) heads_[first + h].queries += n_q;
  for (const auto& [name, rule] : head_rules()) {
    if (!is_of(rule, kind)) continue;
    const Tensor named = named_keys(rule, kind, pair);
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t i = 0; i < n_q; ++i) {
        std::size_t visible = 0;
        while (visible < n_k && sees(kind, i, visible)) ++visible;
        add_query(heads_[first + h].rules[static_cast<std::size_t>(rule)],
                  weights.data.data() + (h * n_q + i) * n_k, named.data.data() + i * n_k, visible);
      }
  }
}

} // namespace tfx
