#include "input/files.hpp"

#include "core/error.hpp"
#include "core/number.hpp"
#include "io/load.hpp"
#include "io/message.hpp"
#include "text/tokens.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

namespace {

Error bad(const std::string& path, const std::string& message, std::string hint) {
  return Error(ErrorKind::bad_data, shown_name(path) + ": " + message, std::move(hint));
}

void refuse_empty(const Tensor& tensor, const std::string& path) {
  if (tensor.size() == 0)
    throw bad(path, "the array is empty: shape " + to_string(tensor.shape),
              "give at least one row and column");
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
  if (const auto error = too_long_word(shown_name(path), csv.labels))
    throw Error(ErrorKind::bad_data, *error, "the first column has the words");
  return csv;
}

Tensor load_matrices(const std::string& path, const std::string& option, std::vector<std::string>& notes) {
  Tensor tensor = load_one(path, notes);
  refuse_empty(tensor, path);
  if (tensor.rank() != 2 && tensor.rank() != 3)
    throw bad(path, option + " takes (n, d) or (batch, n, d), not shape " + to_string(tensor.shape),
              tensor.rank() == 1 ? "one token is a row: save x.reshape(1, -1)"
                                 : "reshape it in NumPy before saving");
  return tensor;
}

Tensor load_mask(const std::string& path, std::vector<std::string>& notes) {
  Tensor mask = load_one(path, notes);
  refuse_empty(mask, path);
  if (mask.rank() < 2)
    throw bad(path, "a mask is (n_q, n_k), not shape " + to_string(mask.shape),
              "one row a query, one column a key");
  for (std::size_t i = 0; i < mask.size(); ++i)
    if (mask.data[i] != 0 && mask.data[i] != 1) {
      const std::string cell = "mask" + to_string(index_of(mask.shape, i));
      throw bad(path,
                cell + " is " + format_number(mask.data[i], 17) +
                    ": a mask holds 1 (may be seen) and 0 (may not)",
                "of an additive mask (0 and -inf) save (mask == 0)");
    }
  return mask;
}

} // namespace tfx
