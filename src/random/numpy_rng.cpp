#include "random/numpy_rng.hpp"

#include "core/error.hpp"

#include <bit>
#include <cfloat>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

// Each product and sum below must round on its own, as in NumPy's build. The folder is compiled with
// -ffp-contract=off, which holds with -march=native too; the lines here catch the other ways to lose that
// rounding.
#ifdef __FAST_MATH__
#error "numpy_rng.cpp must not be compiled with -ffast-math: it would no longer give NumPy's numbers"
#endif
#ifdef __clang__
#pragma clang fp contract(off)
#endif
static_assert(FLT_EVAL_METHOD == 0, "double arithmetic must be done in double, not in a wider type");

namespace tfx {

namespace {

// Fills in C order, which is the order of the draws.
template <class Draw>
Tensor filled(const Shape& shape, Draw draw) {
  Tensor tensor(shape);
  for (double& value : tensor.data) value = draw();
  return tensor;
}

} // namespace

double NumpyRandom::uniform(double low, double high) {
  const double range = high - low;
  if (!std::isfinite(range))
    throw usage(said("the range of uniform numbers is not finite: [{low}, {high})",
                     {{"low", std::to_string(low)}, {"high", std::to_string(high)}}),
                said("give two finite bounds"));
  return low + range * rand();
}

double NumpyRandom::randn() {
  if (waiting_) return *std::exchange(waiting_, std::nullopt);
  double x1, x2, r2;
  do {
    x1 = 2.0 * rand() - 1.0;
    x2 = 2.0 * rand() - 1.0;
    r2 = x1 * x1 + x2 * x2;
  } while (r2 >= 1.0 || r2 == 0.0);
  const double factor = std::sqrt(-2.0 * std::log(r2) / r2);
  waiting_ = factor * x1;
  return factor * x2;
}

// A number in [0, last]: keep as many low bits as `last` has, and draw again while the result is too large.
// NumPy takes one 32-bit draw while `last` fits in it, else two with the high half first, and none where
// nothing is open.
std::uint64_t NumpyRandom::draw_up_to(std::uint64_t last) {
  if (last == 0) return 0;
  const std::uint64_t mask = ~std::uint64_t{0} >> std::countl_zero(last);
  const bool wide = last > 0xFFFFFFFFu;
  std::uint64_t value;
  do {
    value = engine_();
    if (wide) value = value << 32 | engine_();
    value &= mask;
  } while (value > last);
  return value;
}

std::int64_t NumpyRandom::randint(std::int64_t low, std::int64_t high) {
  if (low >= high)
    throw usage(said("no integer to draw from [{low}, {high})", {{"low", low}, {"high", high}}),
                said("the upper bound must be greater than the lower one; it is itself never drawn"));
  // Unsigned, since high - low may exceed 2⁶³.
  const std::uint64_t base = static_cast<std::uint64_t>(low);
  const std::uint64_t last = static_cast<std::uint64_t>(high) - base - 1;
  return static_cast<std::int64_t>(base + draw_up_to(last));
}

Tensor NumpyRandom::rand(const Shape& shape) {
  return filled(shape, [this] { return rand(); });
}

Tensor NumpyRandom::uniform(double low, double high, const Shape& shape) {
  return filled(shape, [=, this] { return uniform(low, high); });
}

Tensor NumpyRandom::randn(const Shape& shape) {
  return filled(shape, [this] { return randn(); });
}

Tensor NumpyRandom::randint(std::int64_t low, std::int64_t high, const Shape& shape) {
  return filled(shape, [=, this] { return static_cast<double>(randint(low, high)); });
}

std::vector<std::int64_t> NumpyRandom::permutation(std::size_t n) {
  std::vector<std::int64_t> order(n);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  shuffle(order);
  return order;
}

std::vector<std::int64_t> NumpyRandom::choice(std::size_t n, std::size_t size, Replace replace) {
  const bool enough = replace == Replace::yes ? n > 0 || size == 0 : size <= n;
  if (!enough)
    throw usage(said("cannot choose {count} of {all} numbers", {{"count", size}, {"all", n}}),
                replace == Replace::yes
                    ? said("there must be at least one number to choose from")
                    : said("without replacement a number is taken once: choose fewer of them"));
  if (replace == Replace::no) {
    std::vector<std::int64_t> order = permutation(n); // NumPy shuffles all of them, too
    order.resize(size);
    return order;
  }
  std::vector<std::int64_t> chosen(size);
  for (std::int64_t& number : chosen) number = randint(static_cast<std::int64_t>(n));
  return chosen;
}

} // namespace tfx
