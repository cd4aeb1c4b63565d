#include "model/repeated.hpp"

#include "core/memory.hpp"
#include "io/message.hpp"
#include "random/stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace tfx {

namespace {

constexpr std::uint64_t test_seed = 99;
constexpr const char* stream_name = "repeated sequences";

std::size_t read_of(const ModelSpec& spec) {
  return spec.max_len / 2 * 2 - 1; // all but the last token
}

/// Numbers of a forward pass over the test's sequences: the log-probabilities and the weights, kept and
/// carried.
void require_room(const ModelSpec& spec, std::size_t sequences) {
  const auto number = [](std::size_t n) { return static_cast<double>(n); };
  const double n = number(read_of(spec)),
               cells = number(sequences) * n *
                       (2 * number(spec.tgt_vocab) + 3 * number(spec.heads) * n + 12 * number(spec.d_model));
  require_memory(cells * sizeof(double), said("the test on repeated sequences"));
}

template <class Real>
OnRepeated answered(const Transformer<Real>& model, const NextTokens& held, std::size_t period) {
  const Batch none;
  const arma::Mat<Real> log_probs = forward(model, {none, held.read});
  const std::size_t length = read_of(model.spec);
  OnRepeated found;
  std::size_t first = 0, again = 0;
  for (arma::uword j = 0; j < log_probs.n_cols; ++j) {
    const double loss = -static_cast<double>(log_probs(held.said[j], j));
    if (j % length < period) {
      found.first_loss += loss, ++first;
    } else {
      found.again_loss += loss, ++again;
      found.right += log_probs.col(j).index_max() == held.said[j];
    }
  }
  found.first_loss /= static_cast<double>(std::max<std::size_t>(first, 1));
  found.again_loss /= static_cast<double>(again), found.right /= static_cast<double>(again);
  return found;
}

/// Sums of the heads' weights, as they come.
template <class Real>
class Scores : public Observer<Real> {
public:
  explicit Scores(std::size_t period) : period_(period) {}

  bool wants(const std::string& name) override { return name.ends_with(".self_attn.weights"); }

  void report(const std::string& name, const StridedView<Real>& value) override {
    if (!wants(name)) return;
    const Tensor weights = to_tensor(value); // (batch, h, n, n)
    const std::size_t n = weights.shape.back(), heads = weights.shape[1];
    for (std::size_t b = 0; b < weights.shape[0]; ++b)
      for (std::size_t h = 0; h < heads; ++h) {
        auto& [previous, induction] = sums[name + std::to_string(h)];
        const double* row = weights.data.data() + (b * heads + h) * n * n;
        for (std::size_t q = 0; q < n; ++q, row += n) {
          if (q >= 1) previous.add(row[q - 1]);
          if (q >= period_) induction.add(row[q - period_ + 1]);
        }
      }
  }

  struct Mean {
    double sum = 0;
    std::size_t count = 0;
    void add(double x) { sum += x, ++count; }
    double value() const { return count ? sum / static_cast<double>(count) : 0; }
  };
  std::map<std::string, std::pair<Mean, Mean>> sums;

private:
  std::size_t period_;
};

} // namespace

std::vector<TokenIds> repeated_rows(const RepeatedRule& rule, std::size_t count, std::uint64_t seed,
                                    std::uint64_t step) {
  RandomStream stream(seed, stream_number(stream_name), step);
  std::uint64_t drawn = 0;
  const auto below = [&](std::size_t bound) {
    return static_cast<std::size_t>(stream.uniform(drawn++) * static_cast<double>(bound));
  };
  std::vector<TokenIds> rows(count);
  for (TokenIds& row : rows) {
    TokenIds tokens(rule.vocab);
    std::iota(tokens.begin(), tokens.end(), 0U);
    const std::size_t own = rule.shortest_period() + below(rule.longest_period - rule.shortest_period() + 1),
                      length = rule.period.value_or(own);
    for (std::size_t i = 0; i < length; ++i) std::swap(tokens[i], tokens[i + below(tokens.size() - i)]);
    for (std::size_t i = 0; i < rule.length(); ++i) row.push_back(tokens[i % length]);
  }
  return rows;
}

NextTokens next_tokens_of(std::vector<TokenIds> rows) {
  NextTokens all;
  for (TokenIds& row : rows) {
    all.said.insert(all.said.end(), row.begin() + 1, row.end());
    row.pop_back();
  }
  all.read = ragged_batch(rows);
  return all;
}

std::vector<TokenIds> test_rows(const ModelSpec& spec, std::size_t period) {
  constexpr std::size_t most_sequences = 64, most_tokens = 2048; // of a long context fewer sequences
  RepeatedRule rule;
  rule.vocab = spec.tgt_vocab, rule.longest_period = spec.max_len / 2, rule.period = period;
  const std::size_t count = std::clamp<std::size_t>(most_tokens / rule.length(), 1, most_sequences);
  require_room(spec, count);
  return repeated_rows(rule, count, test_seed, 0);
}

template <class Real>
OnRepeated measure_repeated(const Transformer<Real>& model, std::size_t period) {
  return answered(model, next_tokens_of(test_rows(model.spec, period)), period);
}

template <class Real>
std::vector<HeadOnRepeated> heads_on_repeated(const Transformer<Real>& model, std::size_t period) {
  const NextTokens held = next_tokens_of(test_rows(model.spec, period));
  const Batch none;
  Scores<Real> scores(period);
  ForwardContext<Real> context;
  context.observer = &scores;
  forward(model, {none, held.read}, context);
  std::vector<HeadOnRepeated> heads;
  for (std::size_t layer = 0; layer < model.spec.layers; ++layer)
    for (std::size_t head = 0; head < model.spec.heads; ++head) {
      const auto& [previous, induction] =
          scores.sums.at(fmt::format("decoder.layers.{}.self_attn.weights{}", layer, head));
      heads.push_back({layer, head, previous.value(), induction.value()});
    }
  return heads;
}

template <class Real>
OnRepeated measure_without(const HeadOnRepeated& left_out, Transformer<Real> model, std::size_t period) {
  const std::size_t width = model.spec.width_of_head(), first = left_out.head * width;
  model.decoder.layers[left_out.layer].self_attn.linears[3].weight.rows(first, first + width - 1).zeros();
  return measure_repeated(model, period);
}

template OnRepeated measure_repeated(const Transformer<float>&, std::size_t);
template OnRepeated measure_repeated(const Transformer<double>&, std::size_t);
template std::vector<HeadOnRepeated> heads_on_repeated(const Transformer<float>&, std::size_t);
template std::vector<HeadOnRepeated> heads_on_repeated(const Transformer<double>&, std::size_t);
template OnRepeated measure_without(const HeadOnRepeated&, Transformer<float>, std::size_t);
template OnRepeated measure_without(const HeadOnRepeated&, Transformer<double>, std::size_t);

} // namespace tfx
