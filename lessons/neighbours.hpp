#pragma once
// Which rows of a table of word vectors lie nearest to one of them: by cosine, and where each then stands by
// distance.

#include "core/tensor.hpp"
#include "text/vocabulary.hpp"
#include "trace/trace.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tfx {

/// Marks of a sequence and of capitals are tokens, but no words.
bool names_word(const std::string& token);

struct Neighbour {
  std::size_t row = 0;
  double cosine = 0, distance = 0;
  std::size_t distance_rank = 0; ///< 1: no other row is nearer by distance
};

class Neighbours {
public:
  /// `table`: (rows, width). Rows that are no words are nobody's neighbours.
  Neighbours(const Tensor& table, const std::function<bool(std::size_t row)>& is_word);

  /// How many rows are words.
  std::size_t count() const { return words_.size(); }

  /// The `most` words of largest cosine with that row, itself left out; of equal ones the first. Beside a
  /// vector of length 0 a cosine is 0.
  std::vector<Neighbour> of(std::size_t row, std::size_t most) const;

private:
  const Tensor& table_;
  std::vector<std::size_t> words_;
};

/// For each word of a text those of the vocabulary nearest to it, as the experiment "neighbours"; their
/// vectors as the input "near", with `source` as its formula; the count of all words as the fact
/// "vocabulary". A text without words has none of them.
void add_neighbours(Trace& given, const Tensor& table, const Vocabulary& words,
                    const std::vector<std::uint32_t>& text, const std::string& source);

} // namespace tfx
