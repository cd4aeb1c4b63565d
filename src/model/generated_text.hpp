#pragma once
// A text that a decoder goes on with: every token that it wrote, with what it was drawn from.

#include "model/model_card.hpp"
#include "model/search.hpp"
#include "model/transformer.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tfx {

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
