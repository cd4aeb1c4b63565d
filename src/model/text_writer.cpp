#include "model/text_writer.hpp"

#include "core/error.hpp"

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

} // namespace tfx
