#include "cli/diff/difference.hpp"

#include "cli/inspect/contents.hpp"
#include "core/error.hpp"
#include "io/npz.hpp"
#include "io/safetensors.hpp"
#include "support/catch.hpp"
#include "support/not_finite.hpp"
#include "support/temporary_folder.hpp"

#include <cmath>

using namespace tfx;

namespace {

CellDifferences of(std::vector<double> a, std::vector<double> b, const FileTolerance& tolerance = {},
                   DType type = DType::f64) {
  const Shape shape{a.size()};
  return difference_of(Tensor(shape, std::move(a)), type, Tensor(shape, std::move(b)), type, tolerance);
}

} // namespace

TEST_CASE("a difference has its size, its place and its units", "[diff]") {
  const CellDifferences d = of({1, 2, 3}, {1, 2.5, 2});
  CHECK(d.different == 2);
  CHECK(d.largest == 1);
  CHECK(d.largest_relative == 0.5); // by b, as numpy.testing has it
  CHECK(d.worst == 2);
  CHECK(d.a == 3);
  CHECK(d.b == 2);
  CHECK_FALSE(d.equal());
  CHECK(of({1, 2, 3}, {2, 4, 6}).cosine == Approx(1));
  CHECK(of({1, 0}, {0, 1}).cosine == 0);
  CHECK(of({1, 1}, {-1, -1}).cosine == Approx(-1));
  CHECK(of({1e300, 1e300}, {1e300, 1e300}).cosine == Approx(1)); // no square overflows
  CHECK(of({1e-300}, {1e-300}).cosine == Approx(1));
  CHECK(std::isnan(of({0, 0}, {0, 0}).cosine));
  CHECK(of({1}, {1 + 0x1p-23}, {}, DType::f32).ulp == 1);
  CHECK_FALSE(of({1}, {2}, {}, DType::i64).ulp.has_value());
}

TEST_CASE("NaN equals NaN, infinities equal themselves, and the zeros are equal", "[diff]") {
  CHECK(of({NaN, inf, -inf, 0.0}, {NaN, inf, -inf, -0.0}).equal());
  const CellDifferences one = of({1, NaN, 3}, {5, 2, 3});
  CHECK(one.different == 2);
  CHECK(one.one_nan == 1);
  CHECK(one.worst == 1);
  CHECK(std::isnan(one.largest));
  CHECK_FALSE(one.ulp.has_value());
  const CellDifferences sign = of({inf}, {-inf});
  CHECK(sign.different == 1);
  CHECK(std::isinf(sign.largest));
  CHECK(of({inf}, {1}, {0.5, 1e300}).different == 1); // no tolerance reaches infinity
  CHECK(of({5e-324}, {0}).different == 1);
  CHECK(of({5e-324}, {0}).largest == 5e-324);
  CHECK(of({5e-324}, {0}).ulp == 1);
}

TEST_CASE("tolerances are those of assert_allclose", "[diff]") {
  CHECK(of({1.09}, {1}, {0.1, 0}).equal());
  CHECK_FALSE(of({1.11}, {1}, {0.1, 0}).equal());
  CHECK(of({0.09}, {0}, {0, 0.1}).equal());
  CHECK_FALSE(of({0.09}, {0}, {0.1, 0}).equal());
}

TEST_CASE("a transposed array is recognised, matrix by matrix", "[diff]") {
  const Tensor a({2, 3}, {1, 2, 3, 4, 5, 6}), b({3, 2}, {1, 4, 2, 5, 3, 6});
  CHECK(is_transposed(a, b, {}));
  CHECK_FALSE(is_transposed(a, Tensor({3, 2}, {1, 2, 3, 4, 5, 6}), {}));
  CHECK(is_transposed(Tensor({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
                      Tensor({2, 2, 2}, {1, 3, 2, 4, 5, 7, 6, 8}), {}));
  CHECK_FALSE(is_transposed(Tensor({2}, {1, 2}), Tensor({2}, {2, 1}), {}));
  CHECK(is_transposed(Tensor(Shape{0, 3}), Tensor(Shape{3, 0}), {}));
}

TEST_CASE("files are compared by name, in the order of the first", "[diff]") {
  const TemporaryFolder folder;
  const Tensor x({2, 2}, {1, 2, 3, 4}), y({2, 2}, {1, 3, 2, 4}), z(Shape{3}, {1, 2, 3});
  const ArrayFile a(folder.write(
      "a.npz", write_npz({{"p", &x, DType::f64}, {"q", &z, DType::f64}, {"r", &x, DType::f64}}))),
      b(folder.write("b.safetensors", write_safetensors({{"s", &z}, {"q", &z}, {"p", &y}})));
  const auto all = compare_files(a, b, {});
  REQUIRE(all.size() == 4);
  CHECK(all[0].name == "p");
  CHECK(all[0].verdict == ArrayVerdict::values);
  CHECK(all[0].transposed);
  CHECK(all[1].verdict == ArrayVerdict::equal); // float64 and float32 with the same values
  CHECK(all[1].a->dtype != all[1].b->dtype);
  CHECK(all[2].verdict == ArrayVerdict::only_in_a);
  CHECK(all[3].name == "s");
  CHECK(all[3].verdict == ArrayVerdict::only_in_b);
  const ArrayFile npy(folder.write("z.npy", write_npy(z))), csv(folder.write("z.csv", "1\n2\n3\n"));
  CHECK(compare_files(npy, csv, {})[0].verdict == ArrayVerdict::shapes); // (3,) and (3, 1)
  const ArrayFile one(folder.write("z.npz", write_npz({{"named", &z, DType::f64}})));
  const auto alone = compare_files(npy, one, {});
  REQUIRE(alone.size() == 1); // one array each: whatever its name
  CHECK(alone[0].name == "named");
  CHECK(alone[0].verdict == ArrayVerdict::equal);
}

TEST_CASE("statistics need no room for all values, and say what is no number", "[inspect]") {
  const TemporaryFolder folder;
  Tensor large(Shape{150'000});
  for (std::size_t i = 0; i < large.size(); ++i) large.data[i] = static_cast<double>(i);
  const Tensor odd(Shape{4}, {NaN, -2, inf, NaN}), none(Shape{0, 2});
  const ArrayFile file(folder.write(
      "x.safetensors", write_safetensors({{"large", &large, DType::f64}, {"none", &none}, {"odd", &odd}})));
  std::size_t pieces = 0, longest = 0;
  file.each_piece(
      0, [&](const std::vector<double>& piece) { ++pieces, longest = std::max(longest, piece.size()); });
  CHECK(pieces == 3);
  CHECK(longest == 65536);
  const ArrayStatistics s = statistics_of(file, 0);
  CHECK(s.cells == 150'000);
  CHECK(s.min == 0);
  CHECK(s.max == 149'999);
  CHECK(s.mean == Approx(74'999.5));
  CHECK(std::isnan(statistics_of(file, 1).mean));
  const ArrayStatistics of_odd = statistics_of(file, 2);
  CHECK(of_odd.nan == 2);
  CHECK(of_odd.infinite == 1);
  CHECK(of_odd.min == -2);
  CHECK(std::isinf(of_odd.max));
  const ArrayFile npy(folder.write("x.npy", write_npy(large)));
  CHECK(statistics_of(npy, 0).mean == Approx(74'999.5));
  CHECK_THROWS_AS(ArrayFile(folder.write("cut.npy", write_npy(large).substr(0, 900))), Error);
}
