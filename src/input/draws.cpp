#include "input/draws.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

std::string extents(const Shape& shape) {
  std::string text;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    text += (axis ? ", " : "") + std::to_string(shape[axis]);
  return text;
}

Tensor times(Tensor tensor, double factor) {
  for (double& value : tensor.data) value *= factor;
  return tensor;
}

/// As Python writes it.
std::string in_python(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\\' || c == '\'')
      quoted += std::string("\\") + c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      quoted += fmt::format("\\x{:02x}", c);
    else
      quoted += c;
  }
  return quoted + "'";
}

std::uint32_t seed_of(const std::string& word, std::uint32_t seed) {
  const auto* bytes = reinterpret_cast<const Bytef*>(word.data());
  return static_cast<std::uint32_t>(::crc32_z(0, bytes, word.size())) + seed; // modulo 2³²
}

Tensor to_float32(Tensor tensor, float factor) {
  for (double& value : tensor.data) value = static_cast<float>(value) * factor;
  return tensor;
}

} // namespace

std::vector<std::string> Draws::lines() const {
  std::vector<std::string> all = word_lines_;
  const bool none = lines_.size() == 1; // nothing but the seed
  if (!none) all.insert(all.end(), lines_.begin(), lines_.end());
  return all;
}

Draws::Draws(std::uint32_t seed) : random_(seed) {
  lines_.push_back(fmt::format("np.random.seed({})", seed));
}

void Draws::line(const std::string& name, const std::string& call) {
  lines_.push_back(name + " = " + call);
}

Tensor Draws::randn(const std::string& name, const Shape& shape) {
  line(name, fmt::format("np.random.randn({})", extents(shape)));
  return random_.randn(shape);
}

Tensor Draws::rand(const std::string& name, const Shape& shape) {
  line(name, fmt::format("np.random.rand({})", extents(shape)));
  return random_.rand(shape);
}

Tensor Draws::keep(const std::string& name, double rate, const Shape& shape) {
  line(name, fmt::format("np.random.rand({}) >= {}", extents(shape), rate));
  Tensor tensor = random_.rand(shape);
  for (double& value : tensor.data) value = value >= rate ? 1 : 0;
  return tensor;
}

Tensor Draws::randint(const std::string& name, std::int64_t high, const Shape& shape) {
  line(name, fmt::format("np.random.randint({}, size={})", high, to_string(shape)));
  return random_.randint(0, high, shape);
}

Tensor Draws::uniform(const std::string& name, double bound, const std::string& text, const Shape& shape) {
  line(name, fmt::format("np.random.uniform(-{0}, {0}, {1})", text, to_string(shape)));
  return random_.uniform(-bound, bound, shape);
}

Tensor Draws::randn_float32(const std::string& name, const Shape& shape) {
  line(name, fmt::format("np.random.randn({}).astype(np.float32)", extents(shape)));
  return to_float32(random_.randn(shape), 1.0F);
}

Tensor Draws::randn_float32(const std::string& name, const Shape& shape, double factor,
                            const std::string& text) {
  line(name, fmt::format("np.random.randn({}).astype(np.float32) * np.float32({})", extents(shape), text));
  return to_float32(random_.randn(shape), static_cast<float>(factor));
}

Tensor Draws::of_words(const std::string& name, const std::vector<std::string>& words, std::size_t width,
                       Init init, std::uint32_t seed) {
  const bool whole_numbers = init == Init::randint;
  if (word_lines_.empty()) {
    note_words("import zlib");
    note_words(fmt::format("vector = lambda word, seed: np.random.RandomState((zlib.crc32(word.encode()) + "
                           "seed) % 2**32).{}",
                           whole_numbers ? fmt::format("randint(3, size={})", width)
                                         : fmt::format("randn({})", width)));
  }
  std::string list;
  Tensor vectors(Shape{words.size(), width});
  for (std::size_t i = 0; i < words.size(); ++i) {
    list += (i ? ", " : "") + in_python(words[i]);
    NumpyRandom random(seed_of(words[i], seed));
    const Tensor vector = whole_numbers ? random.randint(0, 3, {width}) : random.randn({width});
    std::ranges::copy(vector.data, vectors.data.begin() + static_cast<std::ptrdiff_t>(i * width));
  }
  note_words(fmt::format("{} = np.array([vector(word, {}) for word in [{}]])", name, seed, list));
  return vectors;
}

Tensor Draws::vectors(const std::string& name, const Shape& shape, Init init) {
  return init == Init::randint ? randint(name, 3, shape) : randn(name, shape);
}

Tensor Draws::weight(const std::string& name, std::size_t d_in, std::size_t d_out, Init init) {
  const Shape shape{d_in, d_out};
  const auto in = static_cast<double>(d_in), out = static_cast<double>(d_out);
  switch (init) {
  case Init::randint: return randint(name, 3, shape);
  case Init::normal: return randn(name, shape);
  case Init::xavier_uniform:
    return uniform(name, std::sqrt(6 / (in + out)), fmt::format("np.sqrt(6 / ({} + {}))", d_in, d_out),
                   shape);
  case Init::xavier: {
    line(name, fmt::format("np.random.randn({0}, {1}) * np.sqrt(2 / ({0} + {1}))", d_in, d_out));
    return times(random_.randn(shape), std::sqrt(2 / (in + out)));
  }
  case Init::he: break;
  }
  line(name, fmt::format("np.random.randn({0}, {1}) * np.sqrt(2 / {0})", d_in, d_out));
  return times(random_.randn(shape), std::sqrt(2 / in));
}

} // namespace tfx
