#pragma once
// A decoder that goes on with a text, a token at a time, its keys and values kept. Past the model's context
// it reads the last half of that anew and goes on from there, so a text may be of any length. A generated
// text has for every token what it was drawn from.

#include "model/kv_cache.hpp"
#include "model/model_card.hpp"
#include "model/search.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace tfx {

template <class Real>
class TextWriter {
public:
  /// `begun`: the start and what is written already, at least one token. The model has to outlive it. Throws
  /// Error(bad_data) where the model has an encoder or an id is not in the vocabulary, Error(no_memory).
  TextWriter(const Transformer<Real>& model, TokenIds begun);

  /// log p of every token as the next one.
  const std::vector<double>& next() const { return next_; }
  void write(std::uint32_t token);

  const TokenIds& written() const { return written_; }
  /// Whether the context has moved over the text, so that its beginning is no longer read.
  bool has_slid() const { return begin_ > 0; }

private:
  void read(std::size_t from);

  const Transformer<Real>* model_;
  TokenIds written_;
  std::size_t begin_ = 0; ///< the first token that is read
  std::optional<NextToken<Real>> state_;
  std::vector<double> next_;
};

struct GeneratedToken {
  std::uint32_t token = 0;
  double probability = 0;              ///< as the model gives it, before temperature and cuts
  Choice drawn = {};                   ///< with which it was drawn
  std::size_t kept = 0;                ///< tokens that could be drawn
  std::vector<Choice> runners_up = {}; ///< the most probable of the others, as the model gives them
};

struct GeneratedText {
  TokenIds prompt;                    ///< the start, then what was given
  std::vector<GeneratedToken> tokens; ///< its end too, where it came to one
  bool has_slid = false;              ///< the context moved on over the beginning
};

struct GenerateRequest {
  TokenIds prompt; ///< without the start
  Sampling sampling = {};
  std::size_t max_tokens = 200;
};

/// Text `number` of those for one seed; `tell` hears each token as it is written. Throws as TextWriter does.
GeneratedText generate_text(const Transformer<float>& model, const ModelCard& card,
                            const GenerateRequest& request, std::size_t number,
                            const std::function<void(std::uint32_t)>& tell = {});

/// What was written, without start, prompt and end.
TokenIds written_tokens(const GeneratedText& text, const ModelCard& card);

} // namespace tfx
