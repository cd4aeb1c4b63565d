#include "render/html/explanation.hpp"

#include "render/explain_text.hpp"
#include "text/names.hpp"

namespace tfx {

Html arithmetic_of(const Bilingual& words, const Explanation& explanation, std::size_t max_terms) {
  const auto lines = [&](const Paper& paper) {
    return join(explanation_lines(paper, explanation, max_terms), "\n");
  };
  return element("p", {{"class", "arithmetic"}}, in_both({lines(words.en()), lines(words.zh())}));
}

void ExplanationHtml::enter(const Explanation& cell) {
  open_.push_back({arithmetic_of(words_, cell, max_terms_), {}});
  bytes_ += open_.back().own.markup().size();
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
