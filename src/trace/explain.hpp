#pragma once
// From a cell down to what it was made of, as deep as one asks.

#include "trace/trace.hpp"

#include <algorithm>
#include <functional>

namespace tfx {

/// Is told an explanation cell by cell: each with its terms and without its sources, then its sources, then
/// its end. A cell is told once: where it comes up again it is `repeated`, and has neither.
class ExplanationVisitor {
public:
  virtual ~ExplanationVisitor() = default;
  virtual void enter(const Explanation& cell) = 0;
  virtual void leave() = 0;
};

/// Counts terms, of a long sum those that are written out; what it is told it tells `next`, if there is one.
class TermCounter final : public ExplanationVisitor {
public:
  explicit TermCounter(std::size_t max_terms, ExplanationVisitor* next = nullptr)
      : max_terms_(max_terms), next_(next) {}

  void enter(const Explanation& cell) override {
    terms_ += std::min(cell.terms.size(), max_terms_);
    if (next_) next_->enter(cell);
  }
  void leave() override {
    if (next_) next_->leave();
  }
  std::size_t terms() const { return terms_; }

private:
  std::size_t max_terms_;
  ExplanationVisitor* next_;
  std::size_t terms_ = 0;
};

struct ExplanationForm {
  std::size_t max_terms = 8; ///< of more terms, sources are told of the largest only
  int precision = 4;         ///< decimals of the numbers in the text
};

/// How the cell at `index` came about: every cell that can be reached from it in at most `depth` steps back
/// (0: none). Beside the trace and what one cell takes it needs some bits a cell. Throws Error(usage) where
/// the index lies outside the tensor or has the wrong number of places.
void explain_down(const Trace& trace, const std::string& tensor, const Index& index, int depth,
                  const ExplanationForm& form, ExplanationVisitor& visitor);

/// The same, whole.
Explanation explain(const Trace& trace, const std::string& tensor, const Index& index, int depth,
                    std::size_t most, int precision);

/// Positions of the `most` largest terms, of a sum by absolute value, in their order. Of one term more than
/// `most` all stay: to say what it adds takes as much room.
std::vector<std::size_t> largest_terms(const Explanation& explanation, std::size_t most);

/// Names the terms left out by their number and their sum; the sum is empty where terms are not added.
using NameRest = std::function<std::string(std::size_t count, const std::string& sum)>;

/// "… 505 (-0.1326)".
std::string plain_rest(std::size_t count, const std::string& sum);

/// "2·2 + 0·4 + 2·3"; of more than `most` terms the largest and the sum of the rest.
std::string arithmetic(const Explanation& explanation, std::size_t most, int precision,
                       const NameRest& name_rest = plain_rest);

} // namespace tfx
