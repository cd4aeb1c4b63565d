#include "input/mask_input.hpp"

#include "core/broadcast.hpp"
#include "input/files.hpp"
#include "io/load.hpp"
#include "words/in_words.hpp"

namespace tfx {

namespace {

void lay_out_for_heads(Tensor& mask, const Tensor& X, std::size_t heads) {
  if (mask.rank() != 3 || X.rank() < 3) return;
  const std::size_t sentences = element_count(stack_shape(X)), given = mask.shape[0];
  const bool of_each_head = given != sentences && given == sentences * heads;
  mask.shape[0] = of_each_head ? sentences : given;
  mask.shape.insert(mask.shape.begin() + 1, of_each_head ? heads : 1);
}

} // namespace

bool seems_turned_round(const Tensor& mask) {
  const std::size_t n = mask.shape.back();
  if (n < 2 || mask.shape[mask.rank() - 2] != n) return false;
  std::size_t turned = 0, rows = 0;
  for (std::size_t first = 0; first < mask.size(); first += n * n)
    for (std::size_t i = 0; i + 1 < n; ++i) {
      std::size_t earlier = 0, later = 0;
      for (std::size_t j = 0; j < n; ++j)
        if (mask.data[first + i * n + j] != 0) ++(j <= i ? earlier : later);
      turned += earlier == 0 && later > 0;
      ++rows;
    }
  return 2 * turned >= rows;
}

void give_mask(const InputOptions& o, const InputRules& lesson, LessonInput& input) {
  if (!o.mask) return;
  Tensor mask = load_mask(*o.mask, input.notes);
  if (seems_turned_round(mask))
    input.notes.push_back(in_words("note.mask_turned", {{"file", shown_name(*o.mask)}}));
  if (lesson.stage == Stage::heads || lesson.stage == Stage::layer)
    lay_out_for_heads(mask, input.given[input.has("X") ? "X" : "X_Q"], input.heads);
  input.given.add_input("mask_given", shown_name(*o.mask), std::move(mask), {});
}

} // namespace tfx
