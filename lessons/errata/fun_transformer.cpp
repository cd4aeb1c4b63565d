// The errata of fun-transformer: four words in three dimensions, then a multi-head class.

#include "core/error.hpp"
#include "core/tensor.hpp"
#include "lessons/errata/erratum.hpp"
#include "lessons/errata/page_data.hpp"
#include "random/numpy_rng.hpp"
#include "trace/checks.hpp"

namespace tfx::errata {

using arma::mat;
using arma::uword;

namespace {

bool is_zero(double x) {
  return x == 0;
}

// Queries whose largest value stands at the key that is best aligned with them.
double best_aligned_found(const mat& values, const mat& cosines) {
  double found = 0;
  for (uword q = 0; q < values.n_rows; ++q) found += values.row(q).index_max() == cosines.row(q).index_max();
  return found;
}

Findings similarity() {
  const LessonInput run = run_of("fun-transformer:1");
  const mat Q = projected(run, "Q"), K = projected(run, "K"), S = page::scores(Q, K);
  const mat lengths = arma::vec(arma::sqrt(arma::sum(arma::square(Q), 1))) *
                      arma::rowvec(arma::sqrt(arma::sum(arma::square(K), 1)).t());
  const mat cosines = S / lengths;
  Findings f;
  const double by_dot = best_aligned_found(S, cosines), by_cosine = best_aligned_found(cosines, cosines);
  f.measure("best_aligned", by_dot, by_cosine);
  f.facts["queries"] = count(S.n_rows);
  f.facts["misled"] = count(S.n_rows) - by_dot;
  f.facts["cosines"] = arma::conv_to<std::vector<double>>::from(cosines.row(0));
  f.facts["scores"] = arma::conv_to<std::vector<double>>::from(S.row(0));
  f.verdict(by_dot, by_cosine, [&](double found) { return found == count(S.n_rows); });
  return f;
}

double not_finite(const mat& M) {
  double cells = 0;
  M.for_each([&](double x) { cells += !std::isfinite(x); });
  return cells;
}

// The scale alone against overflow, on the page's scores grown as large as wide vectors make them; and the
// subtracted maximum.
Findings softmax_overflow() {
  const LessonInput run = run_of("fun-transformer:1");
  const mat S = page::scores(projected(run, "Q"), projected(run, "K"));
  constexpr double grown = 200;
  const mat large = page::scale(grown * S, 3), e = arma::exp(large);
  const mat scaled_only = e.each_col() / arma::vec(arma::sum(e, 1));
  Findings f;
  const double page = not_finite(scaled_only), instead = not_finite(page::softmax(large).weights);
  f.measure("not_finite", page, instead);
  f.facts["grown"] = grown;
  f.facts["largest"] = large.max();
  f.facts["entropy_plain"] = arma::mean(page::entropy(page::softmax(S).weights));
  f.facts["entropy_scaled"] = arma::mean(page::entropy(page::softmax(page::scale(S, 3)).weights));
  f.verdict(page, instead, is_zero);
  return f;
}

Findings masked_row() {
  const LessonInput run = run_of("fun-transformer:1");
  const mat S = page::scale(page::scores(projected(run, "Q"), projected(run, "K")), 3);
  const mat nothing_seen(1, S.n_cols, arma::fill::zeros);
  const mat filled(1, S.n_cols, arma::fill::value(-1e9));
  const mat page = page::softmax(filled).weights,
            instead = page::softmax(page::mask_fill(S.row(0), nothing_seen)).weights;
  Findings f;
  f.measure("weight_on_blocked", arma::accu(page), arma::accu(instead));
  f.facts["each"] = page(0, 0);
  f.verdict(arma::accu(page), arma::accu(instead), is_zero);
  return f;
}

// A batch of four sentences, the last b words of sentence b being padding: a mask (B, T, T) on scores
// (B, h, T, T).
Findings mask_on_heads() {
  constexpr std::size_t B = 4, h = 4, T = 5;
  NumpyRandom random(42);
  const Tensor scores = random.randn({B, h, T, T});
  Tensor mask({B, T, T});
  for (std::size_t b = 0; b < B; ++b) set_matrix(mask, b, page::padding_mask(T, T, b));
  const auto weight_on_padding = [&](const Shape& mask_shape) {
    const Tensor weights =
        for_each_matrix(scores, Tensor(mask_shape, mask.data), [](const mat& S, const mat& M) {
          return page::softmax(page::mask_fill(S, M)).weights;
        });
    double sum = 0;
    for (std::size_t i = 0; i < B * h; ++i)
      sum += arma::accu(matrix(weights, i) % (1 - page::padding_mask(T, T, i / h)));
    return sum;
  };
  Findings f;
  const double page = weight_on_padding({B, T, T}), instead = weight_on_padding({B, 1, T, T});
  f.measure("weight_on_padding", page, instead);
  f.facts["refusal"] = shape_or_refusal({2, 4, T, T}, {2, T, T}, elementwise_shape);
  f.facts["batch"] = count(B);
  f.verdict(page, instead, is_zero);
  return f;
}

// view(batch, −1, h, d_model // h) of one sentence: how many of its rows hold numbers of two words.
std::size_t mixed_rows(std::size_t tokens, std::size_t d_model, std::size_t row, std::size_t& rows) {
  rows = tokens * d_model / row;
  std::size_t mixed = 0;
  for (std::size_t r = 0; r < rows; ++r) mixed += r * row / d_model != ((r + 1) * row - 1) / d_model;
  return mixed;
}

Findings heads_divide() {
  constexpr std::size_t d_model = 128, tokens = 63;
  std::size_t rows_3 = 0, rows_4 = 0;
  const std::size_t mixed_3 = mixed_rows(tokens, d_model, 3 * (d_model / 3), rows_3),
                    mixed_4 = mixed_rows(tokens, d_model, 4 * (d_model / 4), rows_4);
  Findings f;
  f.measure("rows_of_view", count(rows_3), count(rows_4));
  f.measure("mixed_rows", count(mixed_3), count(mixed_4));
  f.facts["tokens"] = count(tokens);
  f.facts["shape"] = to_string({2, rows_3 * 3 * (d_model / 3) / d_model, d_model});
  f.verdict(count(mixed_3), count(mixed_4), is_zero);
  return f;
}

using Form = mat (*)(const mat& Q, const mat& K, const mat& V);

// Attentions that are wrong, each in another way.
const std::vector<Form>& wrong_attentions() {
  static const std::vector<Form> forms = {
      [](const mat& Q, const mat& K, const mat& V) { // no scale
        return page::weighted_sum(page::softmax(page::scores(Q, K)).weights, V);
      },
      [](const mat& Q, const mat& K, const mat& V) { // the softmax over the other axis
        const mat S = page::scale(page::scores(Q, K), count(Q.n_cols));
        return page::weighted_sum(page::softmax(S.t()).weights.t(), V);
      },
      [](const mat& Q, const mat& K, const mat& V) { // no softmax
        return page::weighted_sum(page::scale(page::scores(Q, K), count(Q.n_cols)), V);
      },
      [](const mat& Q, const mat& K, const mat&) { return page::attention(Q, K, K).output; }, // K for V
  };
  return forms;
}

// How the mean of the output moves with one cell of V or K.
double slope_of_mean(Form form, const mat& Q, const mat& K, mat V) {
  const double h = 1e-5, before = arma::accu(form(Q, K, V));
  V(0, 0) += h;
  return (arma::accu(form(Q, K, V)) - before) / h;
}

Findings backward_proves() {
  const LessonInput run = run_of("fun-transformer:2");
  const mat Q = page::split_heads(projected(run, "Q"), 4)[0],
            K = page::split_heads(projected(run, "K"), 4)[0],
            V = page::split_heads(projected(run, "V"), 4)[0];
  const mat right = page::attention(Q, K, V).output;
  double by_page = 0, by_numbers = 0;
  for (const Form form : wrong_attentions()) {
    const mat output = form(Q, K, V);
    by_page += arma::size(output) == arma::size(right) && std::isfinite(slope_of_mean(form, Q, K, V));
    by_numbers += relative_difference(output, right) <= rounding;
  }
  const auto mean_after_dropout = [&](std::uint32_t seed) {
    NumpyRandom random(seed);
    mat keep = matrix(random.rand({Q.n_rows, K.n_rows}));
    keep.transform([](double x) { return x >= 0.1; });
    return arma::mean(
        arma::vectorise(page::weighted_sum(page::dropout(page::attention(Q, K, V).weights, keep, 0.1), V)));
  };
  Findings f;
  f.measure("wrong_accepted", by_page, by_numbers);
  f.facts["wrong"] = count(wrong_attentions().size());
  f.facts["one_run"] = mean_after_dropout(1);
  f.facts["another_run"] = mean_after_dropout(2);
  f.verdict(by_page, by_numbers, is_zero);
  return f;
}

} // namespace

std::vector<Erratum> of_fun_transformer() {
  return {{"similarity", "fun-transformer", similarity},
          {"softmax_overflow", "fun-transformer", softmax_overflow},
          {"blocked_row", "fun-transformer", masked_row},
          {"mask_on_heads", "fun-transformer", mask_on_heads},
          {"heads_divide", "fun-transformer", heads_divide},
          {"backward_proves", "fun-transformer", backward_proves}};
}

} // namespace tfx::errata
