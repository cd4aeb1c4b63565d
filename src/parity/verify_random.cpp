// Every kind of draw against NumPy's: data/reference/random.txt says what was drawn, random.bin has the
// bytes.

#include "core/resource.hpp"
#include "parity/verification.hpp"
#include "random/numpy_rng.hpp"

#include <cstring>
#include <sstream>

namespace tfx {

namespace {

std::vector<double> real_numbers(NumpyRandom& random, const std::string& method, std::istringstream& words) {
  double low = 0, high = 0;
  if (method == "uniform") words >> low >> high;
  std::size_t n = 0;
  words >> n;
  if (method == "rand") return random.rand(Shape{n}).data;
  if (method == "randn") return random.randn(Shape{n}).data;
  return random.uniform(low, high, Shape{n}).data;
}

std::vector<std::int64_t> whole_numbers(NumpyRandom& random, const std::string& method,
                                        std::istringstream& words) {
  std::size_t n = 0, size = 0;
  if (method == "permutation" || method == "shuffle") {
    words >> n;
    if (method == "permutation") return random.permutation(n);
    std::vector<std::int64_t> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::int64_t>(i * i);
    random.shuffle(values);
    return values;
  }
  if (method == "randint") {
    std::int64_t low = 0, high = 0;
    words >> low >> high >> size;
    std::vector<std::int64_t> values(size);
    for (std::int64_t& value : values) value = random.randint(low, high);
    return values;
  }
  words >> n >> size;
  return random.choice(n, size, method == "choice_with_replacement" ? Replace::yes : Replace::no);
}

// Compares number by number with the reference's bytes at `position` and goes on behind them.
template <class Stored, class Drawn>
void compare(const std::vector<Drawn>& drawn, std::string_view bytes, std::size_t& position, Verified& line) {
  for (const Drawn number : drawn) {
    const Stored own = static_cast<Stored>(number);
    const bool equal =
        position + sizeof own <= bytes.size() && std::memcmp(&own, bytes.data() + position, sizeof own) == 0;
    line.worst += !equal;
    ++line.compared;
    position += sizeof own;
  }
}

} // namespace

Verified verify_random() {
  const std::string_view bytes = resource("data/reference/random.bin");
  std::istringstream script{std::string(resource("data/reference/random.txt"))};
  Verified line{"random", "np.random"};
  NumpyRandom random(0);
  std::size_t position = 0;
  for (std::string text; std::getline(script, text);) {
    if (text.starts_with('#')) continue;
    std::istringstream words(text);
    std::string type, method;
    words >> type;
    if (type == "seed") {
      std::uint32_t seed = 0;
      words >> seed;
      random = NumpyRandom(seed);
      ++line.sources;
      continue;
    }
    words >> method;
    if (type == "i64")
      compare<std::int64_t>(whole_numbers(random, method, words), bytes, position, line);
    else if (type == "f32")
      compare<float>(real_numbers(random, method, words), bytes, position, line);
    else
      compare<double>(real_numbers(random, method, words), bytes, position, line);
  }
  if (position != bytes.size()) line.worst += 1; // the reference has more, or less
  return line;
}

} // namespace tfx
