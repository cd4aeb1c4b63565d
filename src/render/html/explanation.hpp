#pragma once
// An explanation as a part of an HTML document: a list whose items have the cells that they read below them.

#include "render/html/html.hpp"
#include "trace/explain.hpp"

#include <vector>

namespace tfx {

/// Its formula and its arithmetic, a line each. What could drive a terminal is written out.
std::string lines_of(const Paper& paper, const Explanation& explanation, std::size_t max_terms);

/// The same in both languages.
Html arithmetic_of(const Bilingual& words, const Explanation& explanation, std::size_t max_terms);

class ExplanationHtml final : public ExplanationVisitor {
public:
  ExplanationHtml(const Bilingual& words, std::size_t max_terms) : words_(words), max_terms_(max_terms) {}

  void enter(const Explanation& cell) override;
  void leave() override;

  /// What was told.
  Html list() const;
  std::size_t bytes() const { return bytes_; } ///< of the text so far

private:
  struct Item {
    Html own, read;
  };

  const Bilingual& words_;
  std::size_t max_terms_, bytes_ = 0;
  std::vector<Item> open_{{}}; ///< the first has no cell of its own
};

} // namespace tfx
