// Other formulas of scores, scales, softmax, masks and heads.

#include "core/number.hpp"
#include "core/tensor.hpp"
#include "judge/variant.hpp"
#include "page/layer_formulas.hpp"
#include "trace/mistake.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tfx {

namespace {

using arma::mat;
using arma::vec;

constexpr double infinity = std::numeric_limits<double>::infinity();

mat exponentials(const mat& M) {
  return page::softmax(M).exponentials;
}

mat shares(const mat& M) {
  return M.each_col() / vec(arma::sum(M, 1));
}

mat softmax(const mat& M) {
  return page::softmax(M).weights;
}

// What a scale may be by mistake: the sizes of the run, their roots, and temperatures.
std::vector<Size> scales(const Trace& now) {
  std::vector<Size> all;
  const auto add = [&](const std::string& name, double value) {
    const auto same = [&](const Size& one) { return std::abs(one.value - value) <= 1e-9 * value; };
    if (!std::ranges::any_of(all, same)) all.push_back({name, value});
  };
  const std::vector<Size> sizes = sizes_of(now);
  for (const Size& size : sizes) add("√" + size.name, std::sqrt(size.value));
  for (const Size& size : sizes) add(size.name, size.value);
  for (const Size& a : sizes)
    for (const Size& b : sizes)
      if (a.name < b.name) add("√(" + a.name + "·" + b.name + ")", std::sqrt(a.value * b.value));
  for (const Size& size : sizes) add(size.name + "²", size.value * size.value);
  for (const Size& size : sizes) add("√√" + size.name, std::sqrt(std::sqrt(size.value)));
  for (const double t : {2.0, 0.5, 3.0, 4.0, 5.0, 8.0, 10.0, 0.1, 100.0}) add(format_number(t, 3), t);
  return all;
}

class AttentionVariants : Family {
public:
  AttentionVariants(const Trace& now, const Step& step) : Family(now, step) {}

  std::vector<Alternative> all() {
    const Operation& operation = step_.operation;
    if (operation.is(op::divide_by) || operation.is(op::multiply_by)) scaled();
    if (step_.name == "scores") scores();
    if (step_.name == "weights" && now_.has(softmax_input(now_))) weights();
    if (step_.name == "mask") other_masks();
    if (operation.is(op::mask_fill)) fills();
    if (operation.is(op::merge_heads)) merged();
    if (step_.name == "hard")
      add("onehot(argmin(scores))", for_each_matrix(now_["scores"], [](const mat& S) {
            return page::one_hot(arma::index_min(S, 1), S.n_cols);
          }));
    return std::move(found_);
  }

private:
  void scaled() {
    const std::string& of = step_.operation.inputs[0];
    const Tensor& value = now_[of];
    if (value.shape != step_.value.shape) return;
    const auto times = [&](const std::string& formula, double factor) {
      Tensor result = value;
      for (double& x : result.data) x *= factor;
      add(formula, std::move(result));
    };
    for (const Size& scale : scales(now_)) times(of + "/" + scale.name, 1 / scale.value);
    for (const Size& scale : scales(now_)) times(of + "·" + scale.name, scale.value);
  }

  void scores() {
    const Tensor &Q = now_[step_.operation.inputs[0]], &K = now_[step_.operation.inputs[1]];
    if (Q.rank() < 2 || Q.shape.back() != K.shape.back() || matrix_count(Q) != matrix_count(K)) return;
    const auto pairs = [&](const std::string& formula,
                           double (*of)(const arma::rowvec&, const arma::rowvec&)) {
      Tensor value = step_.value;
      for (std::size_t m = 0; m < matrix_count(Q); ++m) {
        const mat q = matrix(Q, m), k = matrix(K, m);
        mat result(q.n_rows, k.n_rows);
        for (arma::uword i = 0; i < q.n_rows; ++i)
          for (arma::uword j = 0; j < k.n_rows; ++j) result(i, j) = of(q.row(i), k.row(j));
        if (m < matrix_count(value)) set_matrix(value, m, result);
      }
      add(formula, std::move(value));
    };
    using row = arma::rowvec;
    pairs("‖q − k‖", [](const row& q, const row& k) { return arma::norm(q - k); });
    pairs("−‖q − k‖", [](const row& q, const row& k) { return -arma::norm(q - k); });
    pairs("‖q − k‖²", [](const row& q, const row& k) { return arma::dot(q - k, q - k); });
    pairs("−‖q − k‖²", [](const row& q, const row& k) { return -arma::dot(q - k, q - k); });
    pairs("q·k / (‖q‖·‖k‖)",
          [](const row& q, const row& k) { return arma::dot(q, k) / (arma::norm(q) * arma::norm(k)); });
    pairs("Q[:, :-1]·K[:, :-1]ᵀ",
          [](const row& q, const row& k) { return arma::dot(q, k) - q.back() * k.back(); });
  }

  void weights() {
    const std::string of = softmax_input(now_);
    const Tensor& S = now_[of];
    if (S.shape != step_.value.shape) return;
    const auto by = [&](const std::string& formula, const std::function<mat(const mat&)>& change) {
      add(formula, for_each_matrix(S, change));
    };
    for (const Size& scale : scales(now_)) {
      const double by_scale = scale.value;
      by("softmax(" + of + "/" + scale.name + ")", [=](const mat& M) { return softmax(M / by_scale); });
    }
    by("softmax(−" + of + ")", [](const mat& M) { return softmax(-M); });
    by("softmax(|" + of + "|)", [](const mat& M) { return softmax(arma::abs(M)); });
    by("2^" + of + " / rowsum(2^" + of + ")", [](const mat& M) { return softmax(M * std::log(2.0)); });
    by("10^" + of + " / rowsum(10^" + of + ")", [](const mat& M) { return softmax(M * std::log(10.0)); });
    by("e^" + of, [](const mat& M) { return mat(arma::exp(M)); });
    by("e^(" + of + " − rowmax)", exponentials);
    by(of + "/rowsum(" + of + ")", shares);
    by(of + "²/rowsum(" + of + "²)", [](const mat& M) { return shares(M % M); });
    by("|" + of + "|/rowsum|" + of + "|", [](const mat& M) { return shares(arma::abs(M)); });
    for (const double least : {0.0, 1e-12, 1e-9})
      by("max(0, " + of + ")/rowsum(max(0, " + of + "))",
         [=](const mat& M) { return shares(arma::clamp(M, 0, infinity) + least); });
    by("sigmoid(" + of + ")", [](const mat& M) { return mat(1 / (1 + arma::exp(-M))); });
    by("e^" + of + "/Σ e^" + of, [](const mat& M) {
      const mat E = arma::exp(M - M.max());
      return mat(E / arma::accu(E));
    });
    by("softmax(" + of + ", axis=0)", [](const mat& M) { return mat(softmax(M.t()).t()); });
    by("e^" + of + "/√rowsum(e^" + of + ")²", [](const mat& M) {
      const mat E = exponentials(M);
      return mat(E.each_col() / vec(arma::sqrt(arma::sum(E % E, 1))));
    });
    by("e^" + of + "/(1 + rowsum(e^" + of + "))", [](const mat& M) {
      const mat E = arma::exp(M);
      return mat(E.each_col() / vec(1 + arma::sum(E, 1)));
    });
    by("onehot(argmax(" + of + "))",
       [](const mat& M) { return page::one_hot(arma::index_max(M, 1), M.n_cols); });
    by("(" + of + " − rowmin)/(rowmax − rowmin)", [](const mat& M) {
      const vec lowest = arma::min(M, 1), highest = arma::max(M, 1);
      return mat((M.each_col() - lowest).eval().each_col() / vec(highest - lowest));
    });
    if (of != "masked")
      by("softmax(where(j ≤ i, " + of + ", −∞))", [](const mat& M) {
        mat seen = M;
        if (M.n_cols > 1)
          seen.elem(arma::trimatu_ind(arma::size(M), 1)).fill(-infinity); // or no key is later
        return softmax(seen);
      });
    for (const arma::uword most : {1, 2, 3}) largest(of, most);
    by("(e^" + of + " − 1)/rowsum(e^" + of + " − 1)", [](const mat& M) { return shares(arma::expm1(M)); });
    by("|" + of + "|³/rowsum|" + of + "|³", [](const mat& M) { return shares(arma::pow(arma::abs(M), 3)); });
    by("1/n_k", [](const mat& M) { return mat(arma::size(M), arma::fill::value(1.0 / double(M.n_cols))); });
    by("1", [](const mat& M) { return mat(arma::size(M), arma::fill::ones); });
    by("diag(softmax(" + of + "))",
       [](const mat& M) { return mat(softmax(M) % mat(arma::size(M), arma::fill::eye)); });
    square(of, S);
    if (S.rank() > 2) across(of, S);
  }

  // The largest weights of each row alone.
  void largest(const std::string& of, arma::uword most) {
    const Tensor& S = now_[of];
    if (S.shape.back() <= most) return;
    const auto kept = [most](const mat& M) {
      mat weights = softmax(M);
      for (arma::uword i = 0; i < M.n_rows; ++i) {
        const double least = arma::rowvec(arma::sort(weights.row(i), "descend"))(most - 1);
        for (arma::uword j = 0; j < M.n_cols; ++j)
          if (weights(i, j) < least) weights(i, j) = 0;
      }
      return weights;
    };
    const std::string name = "top_" + std::to_string(most) + "(softmax(" + of + "))";
    add(name, for_each_matrix(S, kept));
    add(name + "/rowsum", for_each_matrix(S, [&](const mat& M) { return shares(kept(M)); }));
  }

  // Without keepdims NumPy lays a list of rows along the columns.
  void square(const std::string& of, const Tensor& S) {
    if (S.shape[S.rank() - 2] != S.shape.back()) return;
    add("e^" + of + "/rowsum(e^" + of + ") [keepdims=False]", for_each_matrix(S, [](const mat& M) {
          const mat E = arma::exp(M);
          return mat(E.each_row() / arma::rowvec(arma::sum(E, 1).t()));
        }));
    add("softmax(" + of + " − rowmax(" + of + ") [keepdims=False])", for_each_matrix(S, [](const mat& M) {
          return shares(arma::exp(M.each_row() - arma::rowvec(arma::max(M, 1).t())));
        }));
  }

  // Over the heads, or the sentences.
  void across(const std::string& of, const Tensor& S) {
    const std::size_t h = S.shape[S.rank() - 3], size = S.shape[S.rank() - 2] * S.shape.back();
    for (const std::string& input : {of, std::string("scores")}) {
      if (!now_.has(input)) continue;
      Tensor value = now_[input];
      for (std::size_t stack = 0; stack < matrix_count(S) / h; ++stack)
        for (std::size_t cell = 0; cell < size; ++cell) {
          const auto at = [&](std::size_t k) -> double& { return value.data[(stack * h + k) * size + cell]; };
          double sum = 0;
          for (std::size_t k = 0; k < h; ++k) sum += std::exp(at(k));
          for (std::size_t k = 0; k < h; ++k) at(k) = std::exp(at(k)) / sum;
        }
      add("softmax(" + input + ", axis=" + std::to_string(S.rank() - 3) + ")", std::move(value));
    }
  }

  // Which keys j a query i may see.
  void other_masks() {
    const Tensor& mask = step_.value;
    if (mask.rank() < 2) return;
    const long n_k = static_cast<long>(mask.shape.back());
    const auto rule = [&](const std::string& formula, const std::function<bool(long, long)>& open) {
      add(formula, for_each_matrix(mask, [&](const mat& M) {
            mat result(arma::size(M));
            for (arma::uword i = 0; i < M.n_rows; ++i)
              for (arma::uword j = 0; j < M.n_cols; ++j)
                result(i, j) = open(static_cast<long>(i), static_cast<long>(j));
            return result;
          }));
    };
    rule("[j ≤ i]", [](long i, long j) { return j <= i; });
    rule("[j ≥ i]", [](long i, long j) { return j >= i; });
    rule("[j > i]", [](long i, long j) { return j > i; });
    for (long k = 1; k <= 3; ++k) {
      const std::string by = std::to_string(k);
      rule("[j ≤ i + " + by + "]", [k](long i, long j) { return j <= i + k; });
      rule("[j ≤ i − " + by + "]", [k](long i, long j) { return j <= i - k; });
      rule("[i − " + by + " ≤ j ≤ i]", [k](long i, long j) { return j <= i && i - k <= j; });
    }
    for (long pad = 1; pad <= 4 && pad < n_k; ++pad) {
      rule("[j < n_k − " + std::to_string(pad) + "]", [=](long, long j) { return j < n_k - pad; });
      rule("[j ≥ " + std::to_string(pad) + "]", [=](long, long j) { return j >= pad; });
    }
    const mat now = matrix(mask);
    rule(step_.formula + " ⊙ [j ≤ i]", [&](long i, long j) { return now(i, j) > 0 && j <= i; });
  }

  void fills() {
    const Tensor &scores = now_[step_.operation.inputs[0]], &masked = step_.value;
    const std::string of = step_.operation.inputs[0];
    if (scores.shape != masked.shape) return;
    const auto filled = [&](const std::string& formula, const std::function<double(double)>& hidden,
                            double open = 0) {
      Tensor value = masked;
      for (std::size_t i = 0; i < value.size(); ++i)
        value.data[i] = masked.data[i] == -infinity ? hidden(scores.data[i]) : masked.data[i] + open;
      add(formula, std::move(value));
    };
    for (const auto& [text, number] : {std::pair("−1", -1.0),
                                       {"−2", -2.0},
                                       {"−5", -5.0},
                                       {"−10", -10.0},
                                       {"−100", -100.0},
                                       {"1", 1.0},
                                       {"1e-9", 1e-9},
                                       {"1e9", 1e9}}) {
      const std::string instead = "where(mask, " + of + ", " + text + ")",
                        added = of + " + where(mask, 0, " + text + ")";
      filled(instead, [fill = number](double) { return fill; });
      if (number < 0) filled(added, [fill = number](double x) { return x + fill; });
    }
    filled(
        of + " + mask", [](double x) { return x; }, 1);
    filled(
        of + " − mask", [](double x) { return x; }, -1);
  }

  void merged() {
    const Tensor& heads = now_[step_.operation.inputs[0]];
    if (heads.rank() < 3) return;
    const std::string name = step_.operation.inputs[0];
    const std::size_t h = heads.shape[heads.rank() - 3];
    // Column c of the result: which column of which head.
    const auto placed = [&](const std::string& formula,
                            const std::function<arma::vec(std::size_t, arma::uword)>& column) {
      Tensor value = step_.value;
      for (std::size_t s = 0; s < matrix_count(value); ++s) {
        mat M = matrix(value, s);
        for (arma::uword c = 0; c < M.n_cols; ++c) M.col(c) = column(s, c);
        set_matrix(value, s, M);
      }
      add(formula, std::move(value));
    };
    const std::size_t d_k = heads.shape.back();
    placed("head₁[0], head₂[0], …, head₁[1], …",
           [&](std::size_t s, arma::uword c) { return vec(matrix(heads, s * h + c % h).col(c / h)); });
    placed("[head_h … head₁]", [&](std::size_t s, arma::uword c) {
      return vec(matrix(heads, s * h + h - 1 - c / d_k).col(c % d_k));
    });
    placed("[head₁ … head₁]",
           [&](std::size_t s, arma::uword c) { return vec(matrix(heads, s * h).col(c % d_k)); });
    const auto sum = [&](std::size_t s, arma::uword c) {
      vec total = matrix(heads, s * h).col(c % d_k);
      for (std::size_t k = 1; k < h; ++k) total += matrix(heads, s * h + k).col(c % d_k);
      return total;
    };
    placed("[Σ head, Σ head, …]", sum);
    placed("[mean(head), mean(head), …]",
           [&](std::size_t s, arma::uword c) { return vec(sum(s, c) / static_cast<double>(h)); });
  }
};

} // namespace

std::vector<Alternative> of_attention(const Trace& now, const Step& step) {
  return AttentionVariants(now, step).all();
}

} // namespace tfx
