#pragma once
// The screen and the JSON of `tfx decode`: the text, how sure the model was, where it looked, the beam's
// tree.

#include "cli/decode/decoding.hpp"
#include "render/terminal.hpp"

#include <string>

namespace tfx {

struct DecodeScreen {
  Screen frame;
  enum class Layout { lesson, answer } layout = Layout::answer; ///< answer: the text stands in the first line
  enum class Heads { mean, each } heads = Heads::mean;
  DecodeMethod method = DecodeMethod::greedy;
};

std::string render_decode(const Decoded& decoded, const ModelCard& card, const DecodeScreen& screen,
                          const Words& words, const Style& style);

/// `model` is its name, `text` what it read. Without seconds where `with_time` is false.
std::string decode_json(const Decoded& decoded, const ModelCard& card, const std::string& model,
                        const std::string& text, bool with_time);

} // namespace tfx
