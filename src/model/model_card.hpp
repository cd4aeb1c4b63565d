#pragma once
// What a trained model's file says beside its numbers: which texts its ids stand for, and where a target
// starts and stops. Strings in the metadata of a .safetensors file:
//
//   task                          "numbers-zh"
//   src_tokenizer, tgt_tokenizer  one of tokenizer_names()
//   src_tokens, tgt_tokens        the tokens from id 0 on, a line each; absent of ids and bpe. Of characters
//   a
//                                 line feed is written \n
//   src_merges, tgt_merges        of bpe, as merges.txt has them (tokens/byte_pair_files.hpp)
//   start, end                    ids of the target; no end where it has none
//   max_tokens                    of a target at most, start and end included
//   text_sha256                   of the text that it was trained on; absent of pairs and tasks
//   max_src_tokens                of a source in training at most; absent where the training did not say it

#include "model/model_spec.hpp"
#include "text/vocabulary.hpp"

#include <map>
#include <optional>
#include <string>

namespace tfx {

struct ModelCard {
  std::string task;
  Vocabulary src, tgt; ///< a decoder's src is empty, and nothing in the file
  std::uint32_t start = 0;
  std::optional<std::uint32_t> end = {};
  std::size_t max_tokens = 0;
  std::optional<std::size_t> max_src_tokens = {};
  std::string sha256 = {}; ///< of the text that a decoder was trained on
};

/// The card in a file's metadata; none where there is no "task". `spec` is that of the file's model.
/// Everything in it is checked: throws Error(bad_data) naming `path` where a key is missing, a number is no
/// number or out of its range, a vocabulary has not as many tokens as its embedding, or a token is empty or
/// stands twice.
std::optional<ModelCard> card_of(const std::map<std::string, std::string>& metadata, const ModelSpec& spec,
                                 const std::string& path);

/// Of a model whose file says nothing: the ids are the text, and 1 starts a target as in the notebook.
ModelCard card_of_ids(const ModelSpec& spec);

std::map<std::string, std::string> metadata_of(const ModelCard& card);

} // namespace tfx
