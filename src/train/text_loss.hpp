#pragma once
// How well a language model says documents: every token after those before it, the end of a document too, in
// pieces that fit the model. Each token is said once, with half a context before it where the document has
// that.
//
//   bits per byte = (−Σ log₂ p(token) + 8 · bytes of <unk>) / bytes of the text
//
// It compares characters, byte pairs and words, counting and learning, English and Chinese.

#include "model/transformer.hpp"
#include "train/task.hpp"

#include <vector>

namespace tfx {

/// What a text costs.
struct TextLoss {
  double nats = 0;
  std::size_t tokens = 0, bytes = 0, unknown_bytes = 0;

  double mean() const { return nats / static_cast<double>(tokens); } ///< nats a token
  double bits_per_byte() const;
  TextLoss& operator+=(const TextLoss& other);
};

TextLoss total(const std::vector<TextLoss>& losses);

/// A document that counts `nats` for its tokens but the first.
TextLoss text_loss(const Example& document, double nats);

/// One a document. Throws what logits() throws, and Error(no_memory).
std::vector<TextLoss> text_losses(const Transformer<float>& model, const std::vector<Example>& documents);

} // namespace tfx
