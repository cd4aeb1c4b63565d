#include "model/text_writer.hpp"

#include "core/error.hpp"
#include "random/stream.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tfx {

template <class Real>
TextWriter<Real>::TextWriter(const Transformer<Real>& model, TokenIds begun)
    : model_(&model), written_(std::move(begun)) {
  if (model.spec.has_encoder())
    throw Error(ErrorKind::bad_data,
                said("this model has an encoder: it translates, and goes on with no text"),
                said("tfx decode --model FILE --text \"…\" asks it"));
  read(written_.size() > model.spec.max_len ? written_.size() - model.spec.max_len : 0);
}

template <class Real>
void TextWriter<Real>::read(std::size_t from) {
  begin_ = from;
  state_.emplace(*model_, Prompt(std::vector<TokenIds>{{}}), CacheRoom{model_->spec.max_len, 1},
                 Prefix::cached);
  const TokenIds kept(written_.begin() + static_cast<std::ptrdiff_t>(from), written_.end());
  const arma::Mat<Real> log_probs = state_->after(std::vector<TokenIds>{kept});
  next_.assign(log_probs.begin(), log_probs.end());
}

template <class Real>
void TextWriter<Real>::write(std::uint32_t token) {
  written_.push_back(token);
  const std::size_t context = model_->spec.max_len;
  if (written_.size() - begin_ > context) return read(written_.size() - (context + 1) / 2);
  const arma::Mat<Real> log_probs = state_->after(TokenIds{token});
  next_.assign(log_probs.begin(), log_probs.end());
}

template class TextWriter<float>;
template class TextWriter<double>;

namespace {

/// Padding, <unk> and a start that is no end: no text holds them, so none is written.
TokenIds never_written(const ModelCard& card) {
  TokenIds ids;
  for (const std::string_view mark : {pad_token, unknown_token})
    if (const auto id = card.tgt.id_of(std::string(mark))) ids.push_back(*id);
  if (card.start != card.end && card.tgt.id_of(std::string(start_token)) == card.start)
    ids.push_back(card.start);
  return ids;
}

GeneratedToken drawn_token(const std::vector<double>& log_probs, const TokenIds& never,
                           const Sampling& sampling, double uniform) {
  std::vector<double> allowed = log_probs;
  for (const std::uint32_t id : never) allowed[id] = -std::numeric_limits<double>::infinity();
  std::vector<Choice> possible = choices(allowed, sampling);
  std::erase_if(possible, [](const Choice& one) { return one.probability == 0; });
  const std::vector<Choice> all = choices(log_probs, {});
  GeneratedToken one;
  one.token = draw(possible, uniform);
  one.kept = possible.size();
  one.drawn = *std::ranges::find(possible, one.token, &Choice::token);
  one.probability = std::ranges::find(all, one.token, &Choice::token)->probability;
  constexpr std::size_t runners_up = 3;
  for (std::size_t i = 0; i < all.size() && one.runners_up.size() < runners_up; ++i)
    if (all[i].token != one.token) one.runners_up.push_back(all[i]);
  return one;
}

} // namespace

GeneratedText generate_text(const Transformer<float>& model, const ModelCard& card,
                            const GenerateRequest& request, std::size_t number,
                            const std::function<void(std::uint32_t)>& tell) {
  GeneratedText text;
  text.prompt = {card.start};
  text.prompt.insert(text.prompt.end(), request.prompt.begin(), request.prompt.end());
  const TokenIds never = never_written(card);
  TextWriter<float> writer(model, text.prompt);
  while (text.tokens.size() < request.max_tokens) {
    RandomStream numbers(request.sampling.seed, stream_number("generated"), text.tokens.size());
    text.tokens.push_back(drawn_token(writer.next(), never, request.sampling, numbers.uniform(number)));
    const std::uint32_t token = text.tokens.back().token;
    if (token == card.end) break;
    if (tell) tell(token);
    if (text.tokens.size() < request.max_tokens) writer.write(token);
  }
  text.has_slid = writer.has_slid();
  return text;
}

TokenIds written_tokens(const GeneratedText& text, const ModelCard& card) {
  TokenIds ids;
  for (const GeneratedToken& one : text.tokens)
    if (one.token != card.end) ids.push_back(one.token);
  return ids;
}

} // namespace tfx
