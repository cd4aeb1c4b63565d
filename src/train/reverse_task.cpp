#include "train/reverse_task.hpp"

namespace tfx {

namespace {

const std::string letters = "abcdefghijklmnopqrstuvwxyz";
constexpr std::size_t max_length = 10, min_held_out_length = 3;

Vocabulary of_letters() {
  return Vocabulary::of_texts(Tokenizer::characters, {letters}, Vocabulary::Unknown::refused);
}

} // namespace

ReverseTask::ReverseTask()
    : GeneratedTask({.name = "reverse",
                     .src_vocabulary = of_letters(),
                     .tgt_vocabulary = of_letters(),
                     .max_tokens = max_length + 2,
                     .max_src_tokens = max_length}) {}

GeneratedTask::DrawnExample ReverseTask::draw(DataStream& stream) const {
  std::string text(1 + stream.below(max_length), ' ');
  for (char& letter : text) letter = letters[stream.below(letters.size())];
  const TokenIds src = src_vocabulary().encode(text);
  return {{src, target({src.rbegin(), src.rend()})}, text.size() < min_held_out_length ? "" : text};
}

} // namespace tfx
