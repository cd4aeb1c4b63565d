// tfx exercise induction
#include "attention.cpp"
#include "scores.cpp"
#include "softmax.cpp"

using arma::cube, arma::mat, arma::rowvec;

mat linear(const tfx::Given& given, const std::string& name, const mat& x) {
  return x * given.matrix("w/" + name + ".weight").t();
}

mat norm(const tfx::Given& given, const std::string& name, mat x) {
  x.each_col() -= arma::vec(arma::mean(x, 1));
  x.each_col() /= arma::vec(arma::sqrt(arma::var(x, 1, 1) + 1e-5));
  x.each_row() %= given.row("w/" + name + ".a_2");
  x.each_row() += given.row("w/" + name + ".b_2");
  return x;
}

mat masked_attention(const tfx::Given& given, const std::string& name, const mat& x, cube& weights) {
  const mat Q = linear(given, name + ".linears.0", x), K = linear(given, name + ".linears.1", x),
            V = linear(given, name + ".linears.2", x);
  const arma::uword heads = static_cast<arma::uword>(given.whole("heads")), d_k = Q.n_cols / heads;
  const arma::uvec later = arma::find(arma::trimatu(arma::ones(x.n_rows, x.n_rows), 1));
  mat mixed(x.n_rows, 0);
  weights.set_size(x.n_rows, x.n_rows, heads);
  for (arma::uword h = 0; h < heads; ++h) {
    const arma::uvec columns = arma::regspace<arma::uvec>(h * d_k, (h + 1) * d_k - 1);
    mat S = tfx::matrix(scores(Q.cols(columns), K.cols(columns)), "scores");
    S.elem(later).fill(-arma::datum::inf);
    weights.slice(h) = tfx::matrix(softmax(S, static_cast<int>(d_k)), "weights");
    mixed = arma::join_rows(mixed, tfx::matrix(attention(weights.slice(h), V.cols(columns)), "output"));
  }
  return linear(given, name + ".linears.3", mixed);
}

mat decode(const tfx::Given& given, const rowvec& tgt, cube& weights) {
  mat x = given.matrix("w/tgt_embed.0.lut.weight").rows(arma::conv_to<arma::uvec>::from(tgt)) +
          given.matrix("w/tgt_embed.1.weight").head_rows(tgt.n_elem);
  for (int i = 0; i < 2; ++i) {
    const std::string layer = "decoder.layers." + std::to_string(i);
    x += masked_attention(given, layer + ".self_attn", norm(given, layer + ".sublayer.0.norm", x), weights);
  }
  mat logits = linear(given, "generator.proj", norm(given, "decoder.norm", x));
  logits.each_col() -= arma::vec(arma::max(logits, 1));
  logits.each_col() -= arma::vec(arma::log(arma::sum(arma::exp(logits), 1)));
  return logits;
}

rowvec induction_score(const cube& weights, const rowvec& tgt) {
  rowvec sum(weights.n_slices, arma::fill::zeros);
  double count = 0;
  for (arma::uword q = 1; q < tgt.n_elem; ++q) {
    const arma::uvec stood = arma::find(tgt.head(q) == tgt(q));
    if (stood.is_empty()) continue;
    for (arma::uword h = 0; h < weights.n_slices; ++h) sum(h) += weights(q, stood.back() + 1, h);
    ++count;
  }
  return count > 0 ? rowvec(sum / count) : sum;
}

tfx::Returned induction(const tfx::Given& given) {
  const rowvec tgt = given.row("tgt");
  cube weights;
  const mat log_probs = decode(given, tgt, weights);
  return {{"log_probs", log_probs}, {"score", induction_score(weights, tgt)}};
}
