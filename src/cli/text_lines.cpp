#include "cli/text_lines.hpp"

#include "core/error.hpp"
#include "core/visible.hpp"
#include "io/message.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

std::string shown_file(const std::string& file) {
  return file == "-" ? in_words("standard_input") : printable(file);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  text = without_byte_order_mark(text);
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    if (lines.back().ends_with('\r')) lines.back().remove_suffix(1);
    begin = end + 1;
  }
  return lines;
}

void refuse_line(const std::string& file, std::size_t line, const Error& error) {
  if (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::bad_data) throw;
  throw Error(ErrorKind::bad_data,
              Message::given(in_words("decode.line", {{"file", shown_file(file)},
                                                      {"line", std::to_string(line)},
                                                      {"error", in_learners_language(error.message())}})),
              error.hint());
}

} // namespace tfx
