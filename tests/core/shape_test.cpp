#include "core/error.hpp"
#include "core/tensor.hpp"
#include "support/catch.hpp"

using namespace tfx;

TEST_CASE("a shape is written as NumPy writes it", "[core]") {
  CHECK(to_string(Shape{}) == "()");
  CHECK(to_string(Shape{3}) == "(3,)");
  CHECK(to_string(Shape{2, 3, 4}) == "(2, 3, 4)");
  CHECK(to_page_string(Shape{2, 3}) == "2×3");
}

TEST_CASE("cells are counted without overflow", "[core]") {
  CHECK(element_count(Shape{}) == 1);
  CHECK(element_count(Shape{4, 0, 2}) == 0);
  const std::size_t big = std::size_t{1} << 40;
  CHECK_THROWS_AS(element_count(Shape{big, big}), Error);
}

TEST_CASE("an offset and its index are inverse", "[core]") {
  const Shape shape{2, 3, 4};
  for (std::size_t offset = 0; offset < 24; ++offset)
    CHECK(offset_of(shape, index_of(shape, offset)) == offset);
  CHECK(offset_of(shape, {1, 2, 3}) == 23);
  CHECK(offset_of(shape, {0, 1, 0}) == 4);
}

TEST_CASE("a matrix of a tensor has the rows NumPy prints", "[core]") {
  Tensor tensor(Shape{2, 2, 3});
  for (std::size_t i = 0; i < tensor.size(); ++i) tensor.data[i] = static_cast<double>(i);
  const arma::mat second = matrix(tensor, 1);
  CHECK(second.n_rows == 2);
  CHECK(second(0, 2) == 8);
  CHECK(second(1, 0) == 9);
  Tensor copy(tensor.shape);
  for (std::size_t i = 0; i < matrix_count(tensor); ++i) set_matrix(copy, i, matrix(tensor, i));
  CHECK(copy == tensor);
}
