#include "lessons/errata/erratum.hpp"

#include <algorithm>

namespace tfx::errata {

const std::vector<Erratum>& all() {
  static const std::vector<Erratum> list = [] {
    std::vector<Erratum> joined;
    for (const auto& part :
         {of_fun_transformer(), of_scaled_dot_product(), of_attention_block(), of_attention_block_training(),
          of_annotated(), of_annotated_code(), of_happy_llm(), of_happy_llm_code()})
      joined.insert(joined.end(), part.begin(), part.end());
    return joined;
  }();
  return list;
}

std::vector<std::string> tutorials() {
  std::vector<std::string> names;
  for (const Erratum& one : all())
    if (names.empty() || names.back() != one.tutorial) names.emplace_back(one.tutorial);
  return names;
}

} // namespace tfx::errata
