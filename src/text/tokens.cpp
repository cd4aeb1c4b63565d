#include "text/tokens.hpp"

#include "core/error.hpp"
#include "text/utf8.hpp"

#include <unordered_map>

namespace tfx {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::vector<std::string> split_at_cjk(std::string_view run) {
  std::vector<std::string> tokens;
  bool in_other = false;
  for (const std::string_view grapheme : graphemes(run)) {
    const bool cjk = is_cjk(decode(grapheme, 0).value);
    if (cjk || !in_other) tokens.emplace_back();
    tokens.back() += grapheme;
    in_other = !cjk;
  }
  return tokens;
}

} // namespace

void require_utf8(std::string_view text) {
  const auto bad = first_invalid_byte(text);
  if (!bad) return;
  throw Error(ErrorKind::usage,
              "the text is not UTF-8: unexpected byte " + escape_controls(text.substr(*bad, 1)) +
                  " at byte " + std::to_string(*bad),
              "convert it first, for example with iconv -f GB18030 -t UTF-8");
}

std::vector<std::string> split_at_white_space(std::string_view text) {
  std::vector<std::string> runs;
  bool in_run = false;
  for (std::size_t position = 0; position < text.size();) {
    const CodePoint next = decode(text, position);
    const bool space = is_white_space(next.value);
    if (!space && !in_run) runs.emplace_back();
    if (!space) runs.back() += text.substr(position, next.length);
    in_run = !space;
    position += next.length;
  }
  return runs;
}

std::vector<std::string> tokenize(std::string_view text) {
  require_utf8(text);
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  const std::vector<std::string> runs = split_at_white_space(text);
  if (runs.empty()) throw Error(ErrorKind::usage, "the text holds no token", "write at least one word");
  return runs.size() == 1 ? split_at_cjk(runs.front()) : runs;
}

DistinctTokens distinct(const std::vector<std::string>& tokens) {
  DistinctTokens vocabulary;
  std::unordered_map<std::string_view, std::size_t> id_of;
  for (const std::string& token : tokens) {
    const auto [known, is_new] = id_of.try_emplace(token, vocabulary.words.size());
    if (is_new) vocabulary.words.push_back(token);
    vocabulary.ids.push_back(known->second);
  }
  return vocabulary;
}

} // namespace tfx
