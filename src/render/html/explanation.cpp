#include "render/html/explanation.hpp"

#include "render/explain_text.hpp"
#include "text/names.hpp"

namespace tfx {

void ExplanationHtml::enter(const Explanation& cell) {
  const auto lines = [&](const Paper& paper) {
    return join(explanation_lines(paper, cell, max_terms_), "\n");
  };
  open_.push_back(
      {element("p", {{"class", "arithmetic"}}, in_both({lines(words_.en()), lines(words_.zh())})), {}});
}

void ExplanationHtml::leave() {
  const auto [own, read] = std::move(open_.back());
  open_.pop_back();
  open_.back().read += element("li", own + (read.empty() ? Html() : element("ul", read)));
}

Html ExplanationHtml::list() const {
  return element("ul", {{"class", "explained"}}, open_.front().read);
}

} // namespace tfx
