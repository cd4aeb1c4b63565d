#include "ngram/kneser_ney.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>

using namespace tfx;

namespace {

using Ids = std::vector<std::uint32_t>;
using Counts = std::map<Ids, double>;

/// The same by the definition: every n-gram a vector, every sum a walk over all of them.
class Slow {
public:
  Slow(const std::vector<Ids>& documents, std::size_t vocabulary, std::uint32_t end, std::size_t order)
      : vocabulary_(static_cast<double>(vocabulary)), end_(end), order_(order) {
    for (const Ids& document : documents) {
      const Ids marked = with_marks(document);
      for (std::size_t i = order - 1; i < marked.size(); ++i)
        for (std::size_t n = 1; n <= order; ++n)
          ++seen_[{marked.begin() + static_cast<std::ptrdiff_t>(i + 1 - n),
                   marked.begin() + static_cast<std::ptrdiff_t>(i + 1)}];
    }
  }

  double probability(const Ids& before, std::uint32_t token) const {
    Ids gram(order_, end_);
    gram.insert(gram.end(), before.begin(), before.end());
    gram.push_back(token);
    gram.erase(gram.begin(), gram.end() - static_cast<std::ptrdiff_t>(order_));
    double p = 1 / vocabulary_;
    for (std::size_t n = 1; n <= order_; ++n)
      p = step({gram.end() - static_cast<std::ptrdiff_t>(n), gram.end()}, p);
    return p;
  }

private:
  Ids with_marks(const Ids& document) const {
    Ids marked(order_ - 1, end_);
    marked.insert(marked.end(), document.begin(), document.end());
    marked.push_back(end_);
    return marked;
  }

  Counts counts_of(std::size_t n) const {
    Counts counts;
    for (const auto& [gram, count] : seen_) {
      if (n == order_ && gram.size() == n) counts[gram] = count;
      if (n < order_ && gram.size() == n + 1) counts[{gram.begin() + 1, gram.end()}] += 1;
    }
    return counts;
  }

  double step(const Ids& gram, double shorter) const {
    const Counts counts = counts_of(gram.size());
    std::array<double, 5> having{};
    for (const auto& [one, count] : counts)
      if (count <= 4) ++having[static_cast<std::size_t>(count)];
    const double y = having[1] > 0 ? having[1] / (having[1] + 2 * having[2]) : 0.5;
    const auto discount = [&](double count) {
      const auto k = static_cast<std::size_t>(std::min(count, 3.0));
      if (k == 0) return 0.0;
      const double kind = static_cast<double>(k);
      const double d = having[k] > 0 ? kind - (kind + 1) * y * having[k + 1] / having[k] : kind / 2;
      return std::min(std::max(d, 0.01), kind);
    };
    double total = 0, left = 0, own = 0;
    for (const auto& [one, count] : counts) {
      if (!std::equal(one.begin(), one.end() - 1, gram.begin())) continue;
      total += count, left += discount(count);
      if (one == gram) own = count;
    }
    return total == 0 ? shorter : (own - discount(own) + left * shorter) / total;
  }

  Counts seen_;
  double vocabulary_;
  std::uint32_t end_;
  std::size_t order_;
};

std::vector<Ids> some_documents(std::mt19937& draws, std::size_t vocabulary) {
  std::vector<Ids> documents(1 + draws() % 8);
  for (Ids& document : documents) {
    document.resize(draws() % 30);
    // Two draws and the smaller one: some tokens are frequent, as in a text.
    for (auto& id : document)
      id = static_cast<std::uint32_t>(1 + std::min(draws(), draws()) % (vocabulary - 1));
  }
  return documents;
}

} // namespace

TEST_CASE("a text of three tokens is counted as by hand", "[ngram]") {
  // "a a b": unigrams a 2, b 1, end 1: n1 = 2, n2 = 1, so Y = 2/(2 + 2) = 1/2, D1 = 1 − 2·½·½ = ½,
  // D2 = 2 − 3·½·0 = 2. Left: 2 (of a) + ½ + ½ = 3 of 4. p(a) = (2 − 2 + 3·¼)/4 = 3/16 of a vocabulary of 4,
  // p(b) = p(end) = (1 − ½ + ¾)/4 = 5/16; the token that is not there has 3/16 too.
  const KneserNey model({{1, 1, 2}}, 4, 0, 1);
  const std::vector<double> p = model.next({}, 1);
  CHECK(p[0] == Approx(5.0 / 16));
  CHECK(p[1] == Approx(3.0 / 16));
  CHECK(p[2] == Approx(5.0 / 16));
  CHECK(p[3] == Approx(3.0 / 16));
}

TEST_CASE("counts equal those by the definition, each order's probabilities sum to 1", "[ngram]") {
  std::mt19937 draws(7);
  for (int round = 0; round < 30; ++round) {
    const std::size_t vocabulary = 3 + draws() % 5;
    const auto documents = some_documents(draws, vocabulary), others = some_documents(draws, vocabulary);
    constexpr std::size_t most = 4;
    const KneserNey model(documents, vocabulary, 0, most);
    for (std::size_t order = 1; order <= most; ++order) {
      const Slow slow(documents, vocabulary, 0, order);
      const Ids& text = others.front();
      const Tensor log_probs = model.log_probs(text);
      for (std::size_t i = 0; i <= text.size(); ++i) {
        const Ids before(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(i));
        const auto next = model.next(before, order);
        CHECK(std::accumulate(next.begin(), next.end(), 0.0) == Approx(1).epsilon(1e-12));
        const std::uint32_t token = i < text.size() ? text[i] : 0;
        CHECK(next[token] == Approx(slow.probability(before, token)).epsilon(1e-12));
        CHECK(log_probs.at({order - 1, i}) == Approx(std::log2(next[token])).epsilon(1e-12));
      }
    }
  }
}
