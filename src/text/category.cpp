#include "text/category.hpp"

#include <utf8proc.h>

namespace tfx {

namespace {

/// The categories stand in groups: letters, marks, numbers, punctuation, symbols, separators, others.
bool is_between(char32_t character, utf8proc_category_t first, utf8proc_category_t last) {
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(character));
  return first <= category && category <= last;
}

} // namespace

bool is_letter(char32_t character) {
  return is_between(character, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LO);
}

bool is_number(char32_t character) {
  return is_between(character, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO);
}

bool is_punctuation(char32_t character) {
  return is_between(character, UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_SO);
}

} // namespace tfx
