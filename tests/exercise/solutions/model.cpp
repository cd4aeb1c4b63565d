// tfx exercise model
#include "attention.cpp"
#include "embed.cpp"
#include "scores.cpp"
#include "softmax.cpp"

using arma::mat, arma::rowvec;

mat linear(const tfx::Given& given, const std::string& name, const mat& x) {
  mat y = x * given.matrix("w/" + name + ".weight").t();
  y.each_row() += given.row("w/" + name + ".bias");
  return y;
}

mat norm(const tfx::Given& given, const std::string& name, mat x) {
  x.each_col() -= arma::vec(arma::mean(x, 1));
  x.each_col() /= arma::vec(arma::stddev(x, 0, 1) + 1e-6);
  x.each_row() %= given.row("w/" + name + ".a_2");
  x.each_row() += given.row("w/" + name + ".b_2");
  return x;
}

mat multihead(const tfx::Given& given, const std::string& name, const mat& x, const mat& memory,
              const mat& mask) {
  const mat Q = linear(given, name + ".linears.0", x), K = linear(given, name + ".linears.1", memory),
            V = linear(given, name + ".linears.2", memory);
  const arma::uword heads = static_cast<arma::uword>(given.whole("heads")), d_k = Q.n_cols / heads;
  mat mixed(x.n_rows, 0);
  for (arma::uword h = 0; h < heads; ++h) {
    const arma::uvec columns = arma::regspace<arma::uvec>(h * d_k, (h + 1) * d_k - 1);
    mat S = tfx::matrix(scores(Q.cols(columns), K.cols(columns)), "scores");
    S.elem(arma::find(mask == 0)).fill(-arma::datum::inf);
    const mat weights = tfx::matrix(softmax(S, static_cast<int>(d_k)), "weights");
    mixed = arma::join_rows(mixed, tfx::matrix(attention(weights, V.cols(columns)), "output"));
  }
  return linear(given, name + ".linears.3", mixed);
}

mat feed_forward(const tfx::Given& given, const std::string& name, const mat& x) {
  return linear(given, name + ".w_2", arma::clamp(linear(given, name + ".w_1", x), 0, arma::datum::inf));
}

mat encode(const tfx::Given& given, const rowvec& src) {
  mat x = tfx::matrix(embed(src, given.matrix("w/src_embed.0.lut.weight")), "X");
  const mat mask = arma::repmat(arma::conv_to<rowvec>::from(src != 0), src.n_elem, 1);
  for (int i = 0; i < 2; ++i) {
    const std::string layer = "encoder.layers." + std::to_string(i);
    const mat y = norm(given, layer + ".sublayer.0.norm", x);
    x += multihead(given, layer + ".self_attn", y, y, mask);
    x += feed_forward(given, layer + ".feed_forward", norm(given, layer + ".sublayer.1.norm", x));
  }
  return norm(given, "encoder.norm", x);
}

mat decode(const tfx::Given& given, const mat& memory, const rowvec& src, const rowvec& tgt) {
  mat x = tfx::matrix(embed(tgt, given.matrix("w/tgt_embed.0.lut.weight")), "X");
  const mat source = arma::repmat(arma::conv_to<rowvec>::from(src != 0), tgt.n_elem, 1),
            seen = arma::trimatl(arma::repmat(arma::conv_to<rowvec>::from(tgt != 0), tgt.n_elem, 1));
  for (int i = 0; i < 2; ++i) {
    const std::string layer = "decoder.layers." + std::to_string(i);
    mat y = norm(given, layer + ".sublayer.0.norm", x);
    x += multihead(given, layer + ".self_attn", y, y, seen);
    y = norm(given, layer + ".sublayer.1.norm", x);
    x += multihead(given, layer + ".src_attn", y, memory, source);
    x += feed_forward(given, layer + ".feed_forward", norm(given, layer + ".sublayer.2.norm", x));
  }
  mat logits = linear(given, "generator.proj", norm(given, "decoder.norm", x));
  logits.each_col() -= arma::vec(arma::max(logits, 1));
  logits.each_col() -= arma::vec(arma::log(arma::sum(arma::exp(logits), 1)));
  return logits;
}

tfx::Returned model(const tfx::Given& given) {
  const rowvec src = given.row("src"), tgt = given.row("tgt");
  const mat memory = encode(given, src);
  rowvec said{given.number("start")};
  while (static_cast<int>(said.n_elem) <= given.whole("longest")) {
    const mat log_probs = decode(given, memory, src, said);
    const double best = static_cast<double>(log_probs.row(log_probs.n_rows - 1).index_max());
    if (best == given.number("end")) break;
    said = arma::join_rows(said, rowvec{best});
  }
  const rowvec greedy = said.n_elem > 1 ? rowvec(said.tail(said.n_elem - 1)) : rowvec();
  return {{"memory", memory}, {"log_probs", decode(given, memory, src, tgt)}, {"greedy", greedy}};
}
