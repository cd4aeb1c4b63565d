#include "input/files.hpp"

#include "core/error.hpp"
#include "core/number.hpp"
#include "core/tensor.hpp"
#include "io/load.hpp"
#include "io/message.hpp"
#include "text/tokens.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

namespace {

void refuse_empty(const Tensor& tensor, const std::string& path) {
  if (tensor.size() == 0)
    refuse_file(shown_name(path),
                said("the array is empty: shape {shape}", {{"shape", to_string(tensor.shape)}}),
                said("give at least one row and column"));
}

Tensor load_one(const std::string& path, std::vector<std::string>& notes) {
  Array array = load_array(path);
  note_header(path, array.header, notes);
  return std::move(array.values);
}

} // namespace

void note_header(const std::string& path, const std::string& header, std::vector<std::string>& notes) {
  constexpr std::size_t max_shown = 60;
  if (!header.empty())
    notes.push_back(
        in_words("note.header", {{"file", shown_name(path)}, {"line", in_quotes(header, max_shown)}}));
}

Csv load_words(const std::string& path, std::vector<std::string>& notes) {
  Csv csv = load_labelled(path);
  note_header(path, csv.header, notes);
  if (const auto bytes = too_long_word(csv.labels))
    throw Error(ErrorKind::bad_data,
                said("{file} has a word of {count} bytes, and {most} is the most",
                     {{"file", FileName(shown_name(path))},
                      {"count", with_separators(*bytes)},
                      {"most", with_separators(max_word)}}),
                said("the first column has the words"));
  return csv;
}

Tensor load_matrices(const std::string& path, const std::string& option, std::vector<std::string>& notes) {
  Tensor tensor = load_one(path, notes);
  refuse_empty(tensor, path);
  if (tensor.rank() != 2 && tensor.rank() != 3)
    refuse_file(shown_name(path),
                said("{option} takes (n, d) or (batch, n, d), not shape {shape}",
                     {{"option", option}, {"shape", to_string(tensor.shape)}}),
                tensor.rank() == 1 ? said("one token is a row: save x.reshape(1, -1)")
                                   : said("reshape it in NumPy before saving"));
  return tensor;
}

Tensor load_mask(const std::string& path, std::vector<std::string>& notes) {
  Tensor mask = load_one(path, notes);
  refuse_empty(mask, path);
  if (mask.rank() < 2)
    refuse_file(shown_name(path),
                said("a mask is (n_q, n_k), not shape {shape}", {{"shape", to_string(mask.shape)}}),
                said("one row a query, one column a key"));
  for (std::size_t i = 0; i < mask.size(); ++i)
    if (mask.data[i] != 0 && mask.data[i] != 1) {
      const std::string cell = "mask" + to_string(index_of(mask.shape, i));
      refuse_file(shown_name(path),
                  said("{cell} is {value}: a mask holds 1 (may be seen) and 0 (may not)",
                       {{"cell", cell}, {"value", format_number(mask.data[i], 17)}}),
                  said("of an additive mask (0 and -inf) save (mask == 0)"));
    }
  return mask;
}

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
  if (lesson.takes(Input::heads))
    lay_out_for_heads(mask, input.given[input.has("X") ? "X" : "X_Q"], input.heads);
  input.given.add_input("mask_given", shown_name(*o.mask), std::move(mask), {});
}

} // namespace tfx
