#include "kernels/rotary.hpp"

#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/slopes.hpp"

#include <utility>
#include <vector>

using namespace tfx;

namespace {

constexpr RotaryPairs both_pairs[] = {RotaryPairs::neighbours, RotaryPairs::halves};

/// A table of angles that owns its numbers.
template <class Real>
struct RotaryTable {
  arma::Mat<Real> cosines, sines;

  RotaryTable(std::size_t w, std::size_t positions, double base, std::size_t first = 0)
      : cosines(w / 2, positions), sines(w / 2, positions) {
    rotary_angles<Real>(view(cosines), view(sines), base, first);
  }
  RotaryAngles<Real> of(RotaryPairs pairs) const { return {view(cosines), view(sines), pairs}; }
};

/// Where the cells of pair i stand in a head of w.
std::pair<std::size_t, std::size_t> cells_of_pair(RotaryPairs pairs, std::size_t i, std::size_t w) {
  return pairs == RotaryPairs::neighbours ? std::pair{2 * i, 2 * i + 1} : std::pair{i, i + w / 2};
}

/// The definition, cell by cell.
template <class Real>
std::vector<long double> rotated_by_hand(const arma::Mat<Real>& x, RotaryPairs pairs, std::size_t w,
                                         long double base, std::size_t first) {
  std::vector<long double> y(x.begin(), x.end());
  for (std::size_t j = 0; j < x.n_cols; ++j)
    for (std::size_t head = 0; head < x.n_rows; head += w)
      for (std::size_t i = 0; i < w / 2; ++i) {
        const long double angle =
            static_cast<long double>(first + j) *
            std::pow(base, -2 * static_cast<long double>(i) / static_cast<long double>(w));
        const auto [at_a, at_b] = cells_of_pair(pairs, i, w);
        const long double a = x(head + at_a, j), b = x(head + at_b, j);
        long double* const turned = y.data() + j * x.n_rows + head;
        turned[at_a] = a * std::cos(angle) - b * std::sin(angle);
        turned[at_b] = a * std::sin(angle) + b * std::cos(angle);
      }
  return y;
}

} // namespace

TEST_CASE("a rotary position by hand, both conventions", "[kernels]") {
  // w = 4, base 100: the pairs turn by p and p/10. cos 2, sin 2, cos 0.2, sin 0.2 by Python's math.
  const double cos_2 = -0.4161468365471424, sin_2 = 0.9092974268256817, cos_02 = 0.9800665778412416,
               sin_02 = 0.19866933079506122;
  const RotaryTable<double> table(4, 3, 100);
  arma::mat x = arma::vec{1, 0, 0, 1};
  rotate(view(x), table.of(RotaryPairs::neighbours), 2); // pairs (1, 0) and (0, 1)
  CHECK(worst_difference(x, arma::mat(arma::vec{cos_2, sin_2, -sin_02, cos_02})) <= 1e-15);
  x = arma::vec{1, 0, 0, 1};
  rotate(view(x), table.of(RotaryPairs::halves), 2); // the same pairs: cells 0 and 2, cells 1 and 3
  CHECK(worst_difference(x, arma::mat(arma::vec{cos_2, -sin_02, sin_2, cos_02})) <= 1e-15);
  rotate(view(x), table.of(RotaryPairs::halves), 0); // position 0 stays
  CHECK(worst_difference(x, arma::mat(arma::vec{cos_2, -sin_02, sin_2, cos_02})) <= 1e-15);
}

TEMPLATE_TEST_CASE("rotary positions equal their definition, head by head, and reach no other cell",
                   "[kernels][accuracy]", float, double) {
  for_each_isa([] {
    constexpr std::size_t widths[] = {0, 2, 4, 6, 8, 10, 14, 16, 18, 30, 32, 34, 62, 64, 66, 128, 130};
    for (std::uint32_t seed = 0; seed < 120; ++seed) {
      RandomInput random(seed);
      const RotaryPairs pairs = both_pairs[seed % 2];
      const std::size_t w = widths[random.size(0, 16)], heads = random.size(1, 3), n = random.size(0, 5),
                        first = random.coin() ? 0 : random.size(0, 3000);
      const double base = seed % 3 ? 10000 : 100;
      const RotaryTable<TestType> table(w, first + n, base);
      arma::Mat<TestType> room = random_matrix<TestType>(random, heads * w + 3, n + 2);
      const arma::Mat<TestType> before = room;
      const MatrixView<TestType> x = view(room).block(2, heads * w, 1, n);
      rotate(x, table.of(pairs), first);
      INFO("seed " << seed << ", " << heads << " heads of " << w << ", from position " << first);
      double worst = 0;
      if (w > 0 && n > 0) {
        const arma::Mat<TestType> block = before.submat(2, 1, arma::size(heads * w, n));
        const std::vector<long double> expected = rotated_by_hand(block, pairs, w, base, first);
        for (std::size_t j = 0; j < n; ++j)
          for (std::size_t head = 0; head < heads; ++head)
            for (std::size_t i = 0; i < w / 2; ++i) {
              const auto [a, b] = cells_of_pair(pairs, i, w);
              const long double* const turned = expected.data() + j * x.rows + head * w;
              for (const std::size_t cell : {a, b})
                worst = std::max(worst, static_cast<double>(std::abs(x(head * w + cell, j) - turned[cell]) /
                                                            std::hypot(turned[a], turned[b])));
            }
      }
      CHECK(worst <= (sizeof(TestType) == 4 ? 2e-7 : 4e-16) + static_cast<double>(first + n) * 3e-16);
      arma::Mat<TestType> outside = room;
      if (w > 0 && n > 0)
        outside.submat(2, 1, arma::size(heads * w, n)) = before.submat(2, 1, arma::size(heads * w, n));
      CHECK(worst_difference(outside, before) == 0);
    }
  });
}

TEMPLATE_TEST_CASE("turned back is as before, and lengths stay", "[kernels]", float, double) {
  for_each_isa([] {
    for (const RotaryPairs pairs : both_pairs) {
      RandomInput random(3);
      const auto x = random_matrix<TestType>(random, 2 * 34, 20);
      const RotaryTable<TestType> table(34, 20, 10000);
      auto y = x;
      rotate(view(y), table.of(pairs));
      CHECK(worst_difference(y, x) > 0.1);
      const double bound = sizeof(TestType) == 4 ? 1e-6 : 1e-15;
      for (std::size_t j = 0; j < 20; ++j)
        CHECK(std::abs(arma::norm(y.col(j)) / arma::norm(x.col(j)) - 1) <= bound);
      rotate_back(view(y), table.of(pairs));
      CHECK(worst_difference(y, x) <= bound);
    }
  });
}

TEST_CASE("the score of a query and a key depends on how far apart they stand alone", "[kernels]") {
  for_each_isa([] {
    for (const RotaryPairs pairs : both_pairs) {
      RandomInput random(4);
      const arma::mat q = random.matrix(18, 1), k = random.matrix(18, 1);
      const RotaryTable<double> table(18, 500, 10000);
      const auto score = [&](std::size_t at_query, std::size_t at_key) {
        arma::mat turned_q = q, turned_k = k;
        rotate(view(turned_q), table.of(pairs), at_query);
        rotate(view(turned_k), table.of(pairs), at_key);
        return arma::dot(turned_q, turned_k);
      };
      CHECK(std::abs(score(0, 0) - arma::dot(q, k)) <= 1e-13);
      for (int round = 0; round < 50; ++round) {
        const std::size_t apart = random.size(0, 100), at_key = random.size(0, 399);
        CHECK(std::abs(score(at_key + apart, at_key) - score(apart, 0)) <= 1e-11);
        CHECK(std::abs(score(at_key, at_key + apart) - score(0, apart)) <= 1e-11);
      }
      CHECK(std::abs(score(7, 0) - score(0, 7)) > 1e-3); // which of them comes first is seen
    }
  });
}

TEST_CASE("rotary backward is the slope of rotary", "[kernels][gradient]") {
  for_each_isa([] {
    for (const RotaryPairs pairs : both_pairs) {
      RandomInput random(5);
      arma::mat x = random.matrix(20, 4), d = random.matrix(20, 4);
      const arma::mat R = d;
      const RotaryTable<double> table(10, 9, 100);
      rotate_back(view(d), table.of(pairs), 5);
      CHECK(worst_slope(x, d, [&] {
              arma::mat y = x;
              rotate(view(y), table.of(pairs), 5);
              return arma::accu(R % y);
            }) <= slope_bound);
    }
  });
}

TEST_CASE("a table may begin anywhere", "[kernels]") {
  const RotaryTable<double> whole(6, 40, 10000), later(6, 10, 10000, 30);
  CHECK(worst_difference(later.cosines, arma::mat(whole.cosines.cols(30, 39))) == 0);
  CHECK(worst_difference(later.sines, arma::mat(whole.sines.cols(30, 39))) == 0);
}
