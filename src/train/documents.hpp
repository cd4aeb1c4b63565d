#pragma once
// A text as documents, which are learned and held out whole.

#include "core/choices.hpp"

#include <string>
#include <vector>

namespace tfx {

/// The documents of a text, white space around each dropped; empty ones are none.
enum class Documents {
  line,  ///< each line
  blank, ///< what stands between blank lines: a poem, a chapter, a paragraph
  file   ///< each file
};
const Choices<Documents>& documents_words();

struct Corpus {
  std::vector<std::string> documents;
  std::string sha256; ///< of the files' bytes, one after another, as 64 hexadecimal digits
};

/// The documents of one file's text, `path` in messages. Throws Error(bad_data) where it is no UTF-8 or holds
/// none.
std::vector<std::string> documents_of(std::string text, Documents rule, const std::string& path);

/// Throws what reading a file throws, and what documents_of throws.
Corpus read_corpus(const std::vector<std::string>& files, Documents rule);

} // namespace tfx
