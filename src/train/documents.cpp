#include "train/documents.hpp"

#include "core/error.hpp"
#include "core/sha256.hpp"
#include "core/visible.hpp"
#include "io/file.hpp"
#include "io/foreign_file.hpp"
#include "io/message.hpp"
#include "text/tokens.hpp"
#include "text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tfx {

const Choices<Documents>& documents_words() {
  static const Choices<Documents> all{
      {"line", Documents::line}, {"blank", Documents::blank}, {"file", Documents::file}};
  return all;
}

namespace {

/// Without white space at its ends.
std::string_view stripped(std::string_view text) {
  std::size_t begin = text.size(), end = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint next = decode(text, at);
    if (!is_white_space(next.value)) begin = std::min(begin, at), end = at + next.length;
    at += next.length;
  }
  return begin < end ? text.substr(begin, end - begin) : std::string_view();
}

/// Adds what the file holds.
void add_documents(std::string_view text, Documents rule, std::vector<std::string>& documents) {
  const auto add = [&](std::string_view document) {
    if (const auto kept = stripped(document); !kept.empty()) documents.emplace_back(kept);
  };
  if (rule == Documents::file) return add(text);
  std::size_t begin = 0; // of the document
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const bool is_blank = stripped(text.substr(at, end - at)).empty();
    if (rule == Documents::line || is_blank) {
      add(text.substr(begin, end - begin));
      begin = std::min(end + 1, text.size());
    }
    at = end + 1;
  }
  add(text.substr(begin));
}

} // namespace

std::vector<std::string> documents_of(std::string text, Documents rule, const std::string& path) {
  try {
    require_utf8(text);
  } catch (const Error& error) {
    refuse_file(path, error.message(), said("save the text as UTF-8"));
  }
  text = without_byte_order_mark(text);
  std::erase(text, '\r');
  std::vector<std::string> documents;
  add_documents(text, rule, documents);
  if (documents.empty())
    refuse_file(path, said("there is no text in it"), said("give a file with something to learn from"));
  return documents;
}

Corpus read_corpus(const std::vector<std::string>& files, Documents rule) {
  Corpus corpus;
  std::string all;
  for (const std::string& file : files) {
    const std::string text = read_text(file);
    std::ranges::move(documents_of(text, rule, file), std::back_inserter(corpus.documents));
    all += text;
  }
  for (const std::uint8_t byte : sha256(all)) corpus.sha256 += fmt::format("{:02x}", byte);
  return corpus;
}

} // namespace tfx
