#pragma once
// Random inputs from NumPy's stream, each with the NumPy line that draws the same array: the page prints
// those lines.

#include "input/options.hpp"
#include "random/numpy_rng.hpp"

namespace tfx {

class Draws {
public:
  explicit Draws(std::uint32_t seed);

  Tensor randn(const std::string& name, const Shape& shape);
  Tensor rand(const std::string& name, const Shape& shape);
  /// 1 with probability 1 − rate, else 0: rand(shape) >= rate.
  Tensor keep(const std::string& name, double rate, const Shape& shape);
  Tensor randint(const std::string& name, std::int64_t high, const Shape& shape);
  /// In [−bound, bound); `text` is the bound as NumPy writes it: "np.sqrt(6 / (4 + 4))".
  Tensor uniform(const std::string& name, double bound, const std::string& text, const Shape& shape);
  /// randn(shape).astype(np.float32) * factor, in float32 as NumPy 1.24 computes it.
  Tensor randn_float32(const std::string& name, const Shape& shape, double factor, const std::string& text);
  Tensor randn_float32(const std::string& name, const Shape& shape);

  /// The vector of each word, drawn from the word and the seed alone, so that it is the same in every text:
  /// np.random.RandomState((zlib.crc32(word.encode()) + seed) % 2**32), then randn(width) or, with
  /// Init::randint, randint(3, size=width). The stream does not move. (words, width)
  Tensor of_words(const std::string& name, const std::vector<std::string>& words, std::size_t width,
                  Init init, std::uint32_t seed);
  /// A line about them.
  void note_words(std::string line) { word_lines_.push_back(std::move(line)); }

  /// Vectors in one draw: randint(3) or standard normal.
  Tensor vectors(const std::string& name, const Shape& shape, Init init);
  /// A weight matrix d_in × d_out.
  Tensor weight(const std::string& name, std::size_t d_in, std::size_t d_out, Init init);

  /// A line that draws nothing but belongs to the recipe.
  void note(std::string line) { lines_.push_back(std::move(line)); }
  /// The words' first, then the seed and what its stream gave.
  std::vector<std::string> lines() const;

private:
  void line(const std::string& name, const std::string& call);

  NumpyRandom random_;
  std::vector<std::string> word_lines_, lines_;
};

} // namespace tfx
