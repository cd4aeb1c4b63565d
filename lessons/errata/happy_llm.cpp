// The errata of happy-llm: what it says, and its class.

#include "lessons/errata/erratum.hpp"
#include "lessons/errata/page_data.hpp"
#include "random/numpy_rng.hpp"
#include "trace/checks.hpp"

namespace tfx::errata {

// The errata of happy-llm that are about what it says.

using arma::mat;
using arma::rowvec;
using arma::uword;

namespace {

const LessonInput& sentence() {
  static const LessonInput run = run_of("happy-llm:2");
  return run;
}

mat rows_off(const mat& M) {
  return arma::abs(arma::sum(M, 1) - 1);
}

Findings scores_for_weights() {
  const auto head = heads_of(sentence(), page::causal_mask(5, 5))[0];
  const double page = rows_off(head.scaled).max(), instead = rows_off(head.weights).max();
  Findings f;
  f.measure("sum_of_last_row", arma::accu(head.scaled.tail_rows(1)), arma::accu(head.weights.tail_rows(1)));
  f.measure("row_sum_off", page, instead);
  f.verdict(page, instead, [](double off) { return off < rounding; });
  return f;
}

// Vectors drawn without knowing of each other are as unrelated as can be.
Findings unrelated_below_zero() {
  constexpr std::size_t pairs = 2000, d = 64;
  NumpyRandom random(42);
  const mat A = matrix(random.randn({pairs, d})), B = matrix(random.randn({pairs, d}));
  double below = 0, near = 0;
  for (uword i = 0; i < pairs; ++i) {
    const double cosine = arma::norm_dot(A.row(i), B.row(i));
    below += cosine < 0;
    near += std::abs(cosine) < 3 / std::sqrt(count(d));
  }
  Findings f;
  const double page = below / pairs, instead = near / pairs;
  f.measure("recognised", 100 * page, 100 * instead);
  f.facts["pairs"] = count(pairs);
  f.facts["near"] = 3 / std::sqrt(count(d));
  f.verdict(page, instead, [](double share) { return share > 0.95; });
  return f;
}

Findings d_v() {
  const LessonInput run = run_of("happy-llm:1");
  const mat Q = given(run, "Q"), K = given(run, "K"), V = given(run, "V");
  // Its own dictionary: a key has as many numbers as a query, a value just one.
  const auto right = [&](uword width) { return width == V.n_cols; };
  Findings f;
  f.measure("value_width", count(K.n_cols), count(page::attention(Q, K, V).output.n_cols));
  f.facts["d_k"] = count(K.n_cols), f.facts["d_v"] = count(V.n_cols);
  f.verdict(K.n_cols, page::attention(Q, K, V).output.n_cols, right);
  return f;
}

Findings cross_reversed() {
  const LessonInput run = run_of("happy-llm:3");
  const mat X = given(run, "X"), memory = given(run, "memory");
  const rowvec none(4, arma::fill::zeros);
  const page::Projections p{given(run, "W_Q"), given(run, "W_K"), given(run, "W_V"), none, none, none};
  const mat page = page::cross_attention(memory, X, p).output,
            instead = page::cross_attention(X, memory, p).output;
  const auto sum = [&](const mat& output) {
    return shape_or_refusal({X.n_rows, X.n_cols}, {output.n_rows, output.n_cols}, elementwise_shape);
  };
  Findings f;
  f.measure("output_shape", to_string({page.n_rows, page.n_cols}),
            to_string({instead.n_rows, instead.n_cols}));
  f.measure("beside_decoder", sum(page), sum(instead));
  f.facts["decoder_words"] = count(X.n_rows), f.facts["source_words"] = count(memory.n_rows);
  f.verdict(page.n_rows, instead.n_rows, [&](uword rows) { return rows == X.n_rows; });
  return f;
}

// attention(x, x, x): without projections a word asks as it answers.
Findings same_three() {
  const mat X = given(sentence(), "X");
  const mat page = page::scores(X, X),
            instead = page::scores(projected(sentence(), "Q"), projected(sentence(), "K"));
  const auto lopsided = [](const mat& S) { return absolute_difference(S, S.t()); };
  Findings f;
  f.measure("lopsided", lopsided(page), lopsided(instead));
  f.verdict(lopsided(page), lopsided(instead), [](double apart) { return apart > rounding; });
  return f;
}

// The future hidden by a vector [MASK] in its place, an input a step, or by blocked scores: what the last
// word of each step still gives to the hidden ones, in the first head.
Findings masked_inputs() {
  const mat X = given(sentence(), "X");
  const auto weights = [](const mat& words, const mat& mask) {
    LessonInput run = sentence();
    for (Step& step : run.given.steps)
      if (step.name == "X") step.value = to_tensor(words);
    return heads_of(run, mask)[0].weights;
  };
  const mat all(5, 5, arma::fill::ones), masked = weights(X, page::causal_mask(5, 5));
  double page = 0, instead = 0;
  for (uword step = 0; step + 1 < X.n_rows; ++step) {
    mat drawn = X;
    drawn.tail_rows(X.n_rows - 1 - step).zeros(); // any vector will do: it is a key like the others
    page += arma::accu(weights(drawn, all).row(step).tail(X.n_rows - 1 - step));
    instead += arma::accu(masked.row(step).tail(X.n_rows - 1 - step));
  }
  Findings f;
  f.measure("weight_on_hidden", page, instead);
  f.facts["steps"] = count(X.n_rows - 1);
  f.verdict(page, instead, [](double weight) { return weight == 0; });
  return f;
}

// X·W of every head apart, or side by side: multiply-adds, and how many products.
Findings concatenation() {
  const mat X = given(sentence(), "X"), W = given(sentence(), "W_Q");
  const uword h = sentence().heads, width = W.n_cols / h;
  std::vector<mat> apart;
  for (uword i = 0; i < h; ++i) apart.push_back(X * W.cols(i * width, (i + 1) * width - 1));
  const uword each = X.n_rows * X.n_cols * width, whole = X.n_rows * X.n_cols * W.n_cols;
  Findings f;
  f.measure("saved_macs", count(h * each - whole), count(h * each - whole));
  f.measure("products", count(3 * h), count(3));
  f.facts["macs"] = count(whole);
  f.facts["difference"] = absolute_difference(page::merge_heads(apart), X * W);
  // The page: the work becomes less. Instead: the products become fewer.
  f.verdict(count(h * each - whole), count(3 * h - 3), [](double saved) { return saved > 0; });
  return f;
}

} // namespace

std::vector<Erratum> of_happy_llm() {
  return {{"scores_for_weights", "happy-llm", scores_for_weights},
          {"unrelated_below_zero", "happy-llm", unrelated_below_zero},
          {"d_v", "happy-llm", d_v},
          {"cross_reversed", "happy-llm", cross_reversed},
          {"same_three", "happy-llm", same_three},
          {"masked_inputs", "happy-llm", masked_inputs},
          {"concatenation", "happy-llm", concatenation}};
}

// The errata of happy-llm that are about its class.

using arma::mat;

namespace {

// The width is checked under other names than it is used by: a configuration that has both.
Findings config_names() {
  struct {
    std::size_t n_embd = 768, n_head = 12, dim = 66, n_heads = 4;
  } const args;
  const auto left_over = [&](bool accepted) {
    return accepted ? count(args.dim - args.n_heads * (args.dim / args.n_heads)) : 0.0;
  };
  const double page = left_over(args.n_embd % args.n_head == 0),
               instead = left_over(args.dim % args.n_heads == 0);
  Findings f;
  f.measure("lost_columns", page, instead);
  f.facts["dim"] = count(args.dim), f.facts["n_heads"] = count(args.n_heads);
  f.facts["n_embd"] = count(args.n_embd), f.facts["n_head"] = count(args.n_head);
  f.facts["kept"] = count(args.n_heads * (args.dim / args.n_heads));
  f.verdict(page, instead, [](double lost) { return lost == 0; });
  return f;
}

// forward asks for self.is_causal. Who drops the question to make it run has no mask: the future is seen.
Findings is_causal() {
  const LessonInput run = run_of("happy-llm:2");
  const auto on_future = [&](const mat& mask) {
    double sum = 0;
    for (const page::Attention& head : heads_of(run, mask))
      sum += arma::accu(head.weights % (1 - page::causal_mask(5, 5)));
    return sum / count(run.heads);
  };
  const double page = on_future(mat(5, 5, arma::fill::ones)), instead = on_future(page::causal_mask(5, 5));
  Findings f;
  f.measure("weight_on_future", page, instead);
  f.verdict(page, instead, [](double weight) { return weight == 0; });
  return f;
}

// view(bsz, seqlen, heads, width) of the keys, with the queries' seqlen and with their own.
Findings seqlen() {
  const LessonInput run = run_of("happy-llm:3");
  const std::size_t n_q = given(run, "X").n_rows, n_k = given(run, "memory").n_rows, width = 4, h = 2;
  const auto cells = [&](std::size_t length) { return length * h * (width / h); };
  const auto view = [&](std::size_t length) {
    return to_string({1, n_k, width}) + " → " + to_string({1, length, h, width / h}) + ": " +
           std::to_string(n_k * width) + (cells(length) == n_k * width ? " = " : " ≠ ") +
           std::to_string(cells(length));
  };
  Findings f;
  f.measure("keys_view", view(n_q), view(n_k));
  f.facts["queries"] = count(n_q), f.facts["keys"] = count(n_k);
  f.verdict(cells(n_q), cells(n_k), [&](std::size_t wanted) { return wanted == n_k * width; });
  return f;
}

} // namespace

std::vector<Erratum> of_happy_llm_code() {
  return {{"config_names", "happy-llm", config_names},
          {"is_causal", "happy-llm", is_causal},
          {"seqlen", "happy-llm", seqlen},
          {"super_init", "happy-llm", read_only},
          {"undefined_names", "happy-llm", read_only}};
}

} // namespace tfx::errata
