#include "render/html/explanation.hpp"

#include "render/explain_text.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"

namespace tfx {

std::string lines_of(const Paper& paper, const Explanation& explanation, std::size_t max_terms) {
  std::vector<std::string> lines = explanation_lines(paper, explanation, max_terms);
  for (std::string& line : lines) line = escape_controls(line);
  return join(lines, "\n");
}

Html arithmetic_of(const Bilingual& words, const Explanation& explanation, std::size_t max_terms) {
  const Both lines{lines_of(words.en(), explanation, max_terms),
                   lines_of(words.zh(), explanation, max_terms)};
  return element("p", {{"class", "arithmetic"}}, in_both(lines));
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
