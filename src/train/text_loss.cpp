#include "train/text_loss.hpp"

#include "train/gradient_descent.hpp"

#include <algorithm>
#include <limits>
#include <numbers>

namespace tfx {

double TextLoss::bits_per_byte() const {
  constexpr double bits_of_a_byte = 8;
  return (nats / std::numbers::ln2 + bits_of_a_byte * static_cast<double>(unknown_bytes)) /
         static_cast<double>(bytes);
}

TextLoss& TextLoss::operator+=(const TextLoss& other) {
  nats += other.nats, tokens += other.tokens;
  bytes += other.bytes, unknown_bytes += other.unknown_bytes;
  return *this;
}

TextLoss total(const std::vector<TextLoss>& losses) {
  TextLoss sum;
  for (const TextLoss& one : losses) sum += one;
  return sum;
}

TextLoss text_loss(const Example& document, double nats) {
  return {nats, document.tgt.size() - 1, document.bytes, document.unknown_bytes};
}

namespace {

/// A piece of a document as the model reads it; the first `known` of what it says count elsewhere.
struct Window {
  std::size_t document, begin, end, known;
};

std::vector<Window> windows_of(const std::vector<Example>& documents, std::size_t context) {
  const std::size_t step = std::max<std::size_t>(context / 2, 1);
  std::vector<Window> windows;
  for (std::size_t d = 0; d < documents.size(); ++d) {
    const std::size_t said = documents[d].tgt.size() - 1; // tokens that are to be said
    for (std::size_t begin = 0, done = 0; done < said; begin += step) {
      const std::size_t end = std::min(begin + context, said);
      windows.push_back({d, begin, end, done - begin});
      done = end;
    }
  }
  return windows;
}

} // namespace

std::vector<TextLoss> text_losses(const Transformer<float>& model, const std::vector<Example>& documents) {
  constexpr std::size_t tokens_at_once = 4096;
  constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();
  std::vector<TextLoss> losses;
  for (const Example& document : documents) losses.push_back(text_loss(document, 0));
  const std::vector<Window> windows = windows_of(documents, model.spec.max_len);
  for (std::size_t first = 0; first < windows.size();) {
    std::vector<TokenIds> rows;
    TokenIds labels;
    std::size_t last = first;
    for (; last < windows.size() && (last == first || labels.size() < tokens_at_once); ++last) {
      const auto& [document, begin, end, known] = windows[last];
      const auto at = [&, d = document](std::size_t i) {
        return documents[d].tgt.begin() + static_cast<std::ptrdiff_t>(i);
      };
      rows.emplace_back(at(begin), at(end));
      labels.insert(labels.end(), at(begin + 1), at(end + 1));
    }
    const Batch none, batch = ragged_batch(rows);
    ModelSaved<float> saved;
    arma::Mat<float> scores = logits(model, {none, batch}, {}, saved);
    std::vector<double> nats(labels.size());
    cross_entropy<float>(nats.data(), view(scores), labels.data(), {0, nobody}, 0);
    for (std::size_t w = first, at = 0; w < last; ++w) {
      for (std::size_t i = 0; i < windows[w].end - windows[w].begin; ++i, ++at)
        if (i >= windows[w].known) losses[windows[w].document].nats += nats[at];
    }
    first = last;
  }
  return losses;
}

} // namespace tfx
