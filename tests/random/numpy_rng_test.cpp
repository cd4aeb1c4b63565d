#include "core/error.hpp"
#include "random/numpy_rng.hpp"
#include "support/catch.hpp"

#include <bit>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

using namespace tfx;

namespace {

const std::string reference = TFX_SOURCE_DIR "/data/reference/random";

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class To, class From>
std::string cast_to_bytes(const std::vector<From>& values) {
  std::string bytes;
  for (const From value : values) {
    const To cast = static_cast<To>(value);
    bytes.append(reinterpret_cast<const char*>(&cast), sizeof cast);
  }
  return bytes;
}

template <class T>
T next_word(std::istringstream& words) {
  T value{};
  REQUIRE(words >> value);
  return value;
}

std::vector<double> draw_real(NumpyRandom& random, const std::string& method, std::istringstream& words) {
  if (method == "rand") return random.rand(Shape{next_word<std::size_t>(words)}).data;
  if (method == "randn") return random.randn(Shape{next_word<std::size_t>(words)}).data;
  REQUIRE(method == "uniform");
  const double low = std::stod(next_word<std::string>(words));
  const double high = std::stod(next_word<std::string>(words));
  return random.uniform(low, high, Shape{next_word<std::size_t>(words)}).data;
}

std::vector<std::int64_t> draw_integers(NumpyRandom& random, const std::string& method,
                                        std::istringstream& words) {
  if (method == "permutation") return random.permutation(next_word<std::size_t>(words));
  if (method == "shuffle") {
    std::vector<std::int64_t> values(next_word<std::size_t>(words));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i * i);
    random.shuffle(values);
    return values;
  }
  if (method == "randint") {
    const auto low = next_word<std::int64_t>(words), high = next_word<std::int64_t>(words);
    std::vector<std::int64_t> values(next_word<std::size_t>(words));
    for (std::int64_t& value : values) value = random.randint(low, high);
    return values;
  }
  const auto n = next_word<std::size_t>(words), size = next_word<std::size_t>(words);
  if (method == "choice_with_replacement") return random.choice(n, size, Replace::yes);
  REQUIRE(method == "choice_without_replacement");
  return random.choice(n, size, Replace::no);
}

} // namespace

TEST_CASE("every draw equals NumPy's, bit for bit", "[random]") {
  static_assert(std::endian::native == std::endian::little, "the reference file is little-endian");
  const std::string expected = bytes_of(reference + ".bin");
  std::ifstream script(reference + ".txt");
  REQUIRE(script);
  NumpyRandom random(0);
  std::size_t position = 0, seeds = 0, values = 0;
  std::string line, seed;
  while (std::getline(script, line)) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    const std::string type = next_word<std::string>(words);
    if (type == "seed") {
      seed = line;
      random = NumpyRandom(next_word<std::uint32_t>(words));
      ++seeds;
      continue;
    }
    const std::string method = next_word<std::string>(words);
    INFO(seed << ": " << line << ", byte " << position << " of random.bin");
    const std::string drawn = type == "i64"
                                  ? cast_to_bytes<std::int64_t>(draw_integers(random, method, words))
                              : type == "f32" ? cast_to_bytes<float>(draw_real(random, method, words))
                                              : cast_to_bytes<double>(draw_real(random, method, words));
    REQUIRE(position + drawn.size() <= expected.size());
    REQUIRE(std::memcmp(drawn.data(), expected.data() + position, drawn.size()) == 0);
    position += drawn.size();
    values += drawn.size() / (type == "f32" ? 4 : 8);
  }
  CHECK(position == expected.size());
  CHECK(seeds >= 5);
  CHECK(values >= 50000);
}

TEST_CASE("a tensor takes the same draws as single calls, in C order", "[random]") {
  NumpyRandom bulk(42), single(42);
  const Shape shape{3, 1, 5};
  const auto check = [&](const Tensor& tensor, auto draw) {
    CHECK(tensor.shape == shape);
    REQUIRE(tensor.size() == 15);
    for (const double value : tensor.data) CHECK(value == draw());
  };
  check(bulk.randn(shape), [&] { return single.randn(); }); // 15: one normal stays waiting
  check(bulk.rand(shape), [&] { return single.rand(); });
  check(bulk.randint(0, 7, shape), [&] { return static_cast<double>(single.randint(7)); });
  check(bulk.randint(-7, 7, shape), [&] { return static_cast<double>(single.randint(-7, 7)); });
  check(bulk.uniform(-2, 5, shape), [&] { return single.uniform(-2, 5); });
  check(bulk.randn(shape), [&] { return single.randn(); });
  check(bulk.random_sample(shape), [&] { return single.random_sample(); });
  CHECK(bulk.randn(Shape{}).data == std::vector<double>{single.randn()});
  CHECK(bulk.randn(Shape{0, 4}).size() == 0);
  CHECK(bulk.rand() == single.rand());
}

TEST_CASE("a copy of a generator goes on with the same draws", "[random]") {
  NumpyRandom random(7);
  random.randn();
  NumpyRandom copy = random;
  CHECK(random.randn() == copy.randn());
  CHECK(random.rand() == copy.rand());
}

TEST_CASE("shuffle puts anything in order that can be moved", "[random]") {
  NumpyRandom words(3), numbers(3);
  std::vector<std::string> letters{"a", "b", "c", "d", "e", "f"};
  words.shuffle(letters);
  const std::vector<std::int64_t> order = numbers.permutation(6);
  for (std::size_t i = 0; i < 6; ++i) CHECK(letters[i] == std::string(1, static_cast<char>('a' + order[i])));
}

TEST_CASE("a draw from nothing is refused", "[random]") {
  NumpyRandom random(1);
  CHECK_THROWS_WITH(random.randint(3, 3), "no integer to draw from [3, 3)");
  CHECK_THROWS_AS(random.randint(0), Error);
  CHECK_THROWS_AS(random.randint(5, -5), Error);
  CHECK_THROWS_AS(random.uniform(0, std::numeric_limits<double>::infinity()), Error);
  CHECK_THROWS_AS(random.uniform(-1e308, 1e308), Error);
  CHECK_THROWS_WITH(random.choice(3, 4, Replace::no), "cannot choose 4 of 3 numbers");
  CHECK_THROWS_AS(random.choice(0, 1, Replace::yes), Error);
  CHECK(random.choice(0, 0, Replace::yes).empty());
  CHECK(random.choice(0, 0, Replace::no).empty());
}
