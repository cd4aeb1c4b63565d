#pragma once
// Byte-pair encodings as GPT-2's two files have them, and those of many models since.
//
//   merges.txt   "#version: 0.2", then a merge a line in the order in which they were learned: two tokens
//                with a blank between
//   vocab.json   {"!": 0, …}: the id of each token
//
// Both write bytes as letters (text/byte_pairs.hpp). Where the ids follow the order of the merges, as GPT-2's
// and ours do but for <|endoftext|>, the merges are enough.

#include "text/byte_pairs.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tfx {

/// Merges that a file may hold, and tokens, at most.
constexpr std::size_t max_merges = 1'000'000;

/// `name` is the file's name in messages. Throws Error(bad_data) "NAME: line L: …" where a line is no merge,
/// stands twice, or names a token that no line before it makes, and where there is none; Error(no_memory)
/// where it does not fit.
std::vector<Merge> read_merges(std::string_view bytes, const std::string& name);

/// The tokens in the order of their ids, as bytes. Throws Error(bad_data) where the file is no object of ids,
/// an id stands twice or is missing, or a byte or what a merge makes has none; Error(no_memory) where it does
/// not fit.
std::vector<std::string> read_vocabulary(std::string_view bytes, const std::vector<Merge>& merges,
                                         const std::string& name);

std::string write_merges(const std::vector<Merge>& merges);
std::string write_vocabulary(const std::vector<std::string>& tokens);

} // namespace tfx
