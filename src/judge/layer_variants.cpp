// Other formulas of norms, activations, positions, vectors of words, losses and gradients.

#include "core/tensor.hpp"
#include "judge/variant.hpp"
#include "ops/elementwise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tfx {

// Other formulas of a norm.

namespace {

using arma::mat;
using arma::vec;

// The tensor that the norm with this number is of.
std::string input_of_norm(const Trace& now, const std::string& number) {
  const Step* mean = now.find("mean_" + number);
  return mean && !mean->operation.inputs.empty() ? mean->operation.inputs[0] : "";
}

} // namespace

std::vector<Alternative> of_norm(const Trace& now, const Step& step) {
  if (!step.name.starts_with("normalized_")) return {};
  const std::string input = input_of_norm(now, step.name.substr(11));
  if (input.empty()) return {};
  const Tensor& X = now[input];
  std::vector<Alternative> found{{input, X}};
  if (const Step* centred = now.find("centred_" + step.name.substr(11)))
    found.push_back({centred->name, centred->value});
  const auto by = [&](const std::string& formula, const std::function<mat(const mat&, const vec&)>& of) {
    found.push_back(
        {formula, for_each_matrix(X, [&](const mat& M) { return of(M, vec(arma::mean(M, 1))); })});
  };
  const auto along = [](const mat& M, const vec& divisor) { return mat(M.each_col() / divisor); };
  for (const auto& [text, eps] : {std::pair("", 0.0),
                                  {" + 1e-3", 1e-3},
                                  {" + 1e-5", 1e-5},
                                  {" + 1e-6", 1e-6},
                                  {" + 1e-8", 1e-8},
                                  {" + 1e-9", 1e-9},
                                  {" + 1e-12", 1e-12},
                                  {" + 1e-2", 1e-2}}) {
    by(input + "/√(rowmean(" + input + "²)" + text + ")",
       [&, e = eps](const mat& M, const vec&) { return along(M, arma::sqrt(arma::mean(M % M, 1) + e)); });
    for (const auto& [ddof, kind] : {std::pair("ddof=1", arma::uword{0}), {"ddof=0", arma::uword{1}}}) {
      const std::string spread = input + ", " + ddof + ")";
      by("centred/(std(" + spread + text + ")", [&, e = eps, k = kind](const mat& M, const vec& mean) {
        return along(M.each_col() - mean, vec(arma::stddev(M, k, 1) + e));
      });
      by("centred/√(var(" + spread + text + ")", [&, e = eps, k = kind](const mat& M, const vec& mean) {
        return along(M.each_col() - mean, vec(arma::sqrt(arma::var(M, k, 1) + e)));
      });
      by("centred/(var(" + spread + text + ")", [&, e = eps, k = kind](const mat& M, const vec& mean) {
        return along(M.each_col() - mean, vec(arma::var(M, k, 1) + e));
      });
    }
  }
  return found;
}

// Other formulas of activations, positions, vectors of words, losses and gradients.

namespace {

using arma::mat;
using arma::vec;

struct Activation {
  const char* formula;
  double (*value)(double);
};

constexpr Activation activations[] = {
    {"relu(", [](double x) { return std::max(x, 0.0); }},
    {"gelu(", [](double x) { return x * 0.5 * (1 + std::erf(x / std::numbers::sqrt2)); }},
    {"gelu_tanh(",
     [](double x) {
       return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
     }},
    {"sigmoid(", [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"tanh(", [](double x) { return std::tanh(x); }},
    {"silu(", [](double x) { return x / (1 + std::exp(-x)); }},
    {"leaky_relu(0.01, ", [](double x) { return x > 0 ? x : 0.01 * x; }},
    {"leaky_relu(0.1, ", [](double x) { return x > 0 ? x : 0.1 * x; }},
    {"leaky_relu(0.2, ", [](double x) { return x > 0 ? x : 0.2 * x; }},
    {"elu(", [](double x) { return x > 0 ? x : std::expm1(x); }},
    {"min(1, relu)(", [](double x) { return std::clamp(x, 0.0, 1.0); }},
    {"relu6(", [](double x) { return std::clamp(x, 0.0, 6.0); }},
    {"relu²(", [](double x) { return x > 0 ? x * x : 0; }},
    {"quick_gelu(", [](double x) { return x / (1 + std::exp(-1.702 * x)); }},
    {"softplus(", [](double x) { return std::log1p(std::exp(x)); }},
};

class LayerVariants : Family {
public:
  LayerVariants(const Trace& now, const Step& step) : Family(now, step) {}

  std::vector<Alternative> all() {
    const Operation& operation = step_.operation;
    if (operation.is(op::gelu) || operation.is(op::silu)) // without ReLU is a mistake of the catalogue
      add(operation.inputs[0], now_[operation.inputs[0]]);
    if (operation.is(op::relu) || operation.is(op::gelu) || operation.is(op::silu))
      for (const Activation& one : activations)
        if (one.formula != std::string(operation.kind->name) + "(") // the step itself
          add(one.formula + operation.inputs[0] + ")", cell_by_cell(now_[operation.inputs[0]], one.value));
    if (operation.is(op::angle)) angles();
    if (operation.is(op::sin_cos)) waves();
    if (operation.is(op::gather)) next_rows();
    if (operation.is(op::row_norm)) lengths();
    if (operation.is(op::cosine)) cosines();
    if (operation.is(op::distance)) distances();
    if (step_.name == "loss") losses();
    if (operation.is(op::log_softmax)) log_probs();
    if (operation.is(op::smoothed_target)) targets();
    if (step_.name == "dlogits") dlogits();
    if (operation.is(op::softmax_gradient)) softmax_gradients();
    return std::move(found_);
  }

private:
  Tensor from_cells(const std::function<double(std::size_t row, std::size_t column)>& cell) const {
    Tensor value = step_.value;
    const std::size_t width = value.shape.back();
    for (std::size_t i = 0; i < value.size(); ++i) value.data[i] = cell(i / width, i % width);
    return value;
  }

  void angles() {
    const Tensor& positions = now_[step_.operation.inputs[0]];
    const double d = step_.operation.constant;
    const auto by = [&](const std::string& formula, const std::function<double(double, std::size_t)>& angle) {
      add(formula, from_cells([&](std::size_t i, std::size_t j) { return angle(positions.data[i], j); }));
    };
    const auto pair = [](std::size_t j) { return 2 * std::floor(static_cast<double>(j) / 2); };
    for (const auto& [text, base] :
         {std::pair("1000", 1e3), {"100", 1e2}, {"100000", 1e5}, {"e", std::numbers::e}})
      by("positions/" + std::string(text) + "^(2⌊j/2⌋/d)",
         [=, base = base](double p, std::size_t j) { return p / std::pow(base, pair(j) / d); });
    by("positions/10000^(2j/d)",
       [=](double p, std::size_t j) { return p / std::pow(1e4, 2.0 * double(j) / d); });
    by("positions/10000^(j/d)", [=](double p, std::size_t j) { return p / std::pow(1e4, double(j) / d); });
    by("positions/10000^(⌊j/2⌋/d)",
       [=](double p, std::size_t j) { return p / std::pow(1e4, pair(j) / 2 / d); });
    by("positions·10000^(2⌊j/2⌋/d)", [=](double p, std::size_t j) { return p * std::pow(1e4, pair(j) / d); });
    for (const auto& [text, off] : {std::pair(" + 1", 1.0), {" + 2", 2.0}, {" − 1", -1.0}})
      by("(positions" + std::string(text) + ")/10000^(2⌊j/2⌋/d)",
         [=, off = off](double p, std::size_t j) { return (p + off) / std::pow(1e4, pair(j) / d); });
    by("positions/10000^(2⌊j/2⌋/(d − 1))",
       [=](double p, std::size_t j) { return p / std::pow(1e4, pair(j) / (d - 1)); });
    by("positions/n/10000^(2⌊j/2⌋/d)", [=, n = double(positions.size())](double p, std::size_t j) {
      return p / n / std::pow(1e4, pair(j) / d);
    });
    if (now_.has("token_ids"))
      by("token_ids/10000^(2⌊j/2⌋/d)", [=, this](double p, std::size_t j) {
        return now_["token_ids"].data[static_cast<std::size_t>(p)] / std::pow(1e4, pair(j) / d);
      });
  }

  void waves() {
    const Tensor& A = now_[step_.operation.inputs[0]];
    const std::size_t d = A.shape.back();
    add("cos(angles[:, 0::2]), sin(angles[:, 1::2])", from_cells([&](std::size_t i, std::size_t j) {
          return j % 2 ? std::sin(A.data[i * d + j]) : std::cos(A.data[i * d + j]);
        }));
    add("cos(angles)", cell_by_cell(A, [](double x) { return std::cos(x); }));
    add("sin(angles)", cell_by_cell(A, [](double x) { return std::sin(x); }));
    if (now_.has("positions"))
      add("positions[:, None]",
          from_cells([&](std::size_t i, std::size_t) { return now_["positions"].data[i]; }));
  }

  // The row beside the one that was asked for.
  void next_rows() {
    const Tensor &table = now_[step_.operation.inputs[0]], &ids = now_[step_.operation.inputs[1]];
    const std::size_t rows = table.shape[0], width = table.shape.back();
    for (const auto& [text, by] : {std::pair(" + 1", std::size_t{1}), {" − 1", rows - 1}})
      add(step_.operation.inputs[0] + "[" + step_.operation.inputs[1] + text + "]",
          from_cells([&, by = by](std::size_t i, std::size_t j) {
            return table.data[(static_cast<std::size_t>(ids.data[i]) + by) % rows * width + j];
          }));
  }

  void lengths() {
    const mat X = matrix(now_[step_.operation.inputs[0]]);
    if (now_[step_.operation.inputs[0]].rank() != 2) return;
    const vec lines = arma::sum(arma::abs(X), 1), largest = arma::max(arma::abs(X), 1);
    add("Σ |x|", to_tensor(lines));
    add("max |x|", to_tensor(largest));
    add("√Σ x², axis=0", to_tensor(vec(arma::sqrt(arma::sum(X % X, 0).t()))));
  }

  void cosines() {
    const Tensor &dots = now_[step_.operation.inputs[0]], &norms = now_[step_.operation.inputs[1]];
    if (dots.rank() != 2) return;
    const auto by = [&](const std::string& formula, double (*divisor)(double, double)) {
      add(formula, from_cells([&](std::size_t i, std::size_t j) {
            return dots.data[i * norms.size() + j] / divisor(norms.data[i], norms.data[j]);
          }));
    };
    by("x_i·x_j / ‖x_i‖", [](double a, double) { return a; });
    by("x_i·x_j / ‖x_j‖", [](double, double b) { return b; });
    by("x_i·x_j / (‖x_i‖²·‖x_j‖²)", [](double a, double b) { return a * a * b * b; });
    by("x_i·x_j / (‖x_i‖ + ‖x_j‖)", [](double a, double b) { return a + b; });
    by("x_i·x_j / max(‖x_i‖, ‖x_j‖)²", [](double a, double b) { return std::max(a, b) * std::max(a, b); });
    by("x_i·x_j / ‖x_i‖²", [](double a, double) { return a * a; });
  }

  void distances() {
    const Tensor& X = now_[step_.operation.inputs[0]];
    if (X.rank() != 2) return;
    const mat M = matrix(X);
    const auto by = [&](const std::string& formula, double (*of)(const arma::rowvec&)) {
      add(formula, from_cells([&](std::size_t i, std::size_t j) { return of(M.row(i) - M.row(j)); }));
    };
    by("Σ |x_i − x_j|", [](const arma::rowvec& step) { return arma::accu(arma::abs(step)); });
    by("max |x_i − x_j|", [](const arma::rowvec& step) { return arma::abs(step).max(); });
    by("Σ (x_i − x_j)", [](const arma::rowvec& step) { return arma::accu(step); });
  }

  double padding() const { return now_.has("pad_id") ? now_["pad_id"].data[0] : -1; }

  std::vector<double> labels() const { return now_["labels"].data; }

  double tokens() const {
    const std::vector<double> all = labels();
    return static_cast<double>(all.size()) - static_cast<double>(std::ranges::count(all, padding()));
  }

  // Of a scalar: each is a sum over the tokens that count, by the label's cell of the row.
  void losses() {
    const Tensor &L = now_["logits"], &logs = now_["log_probs"], &target = now_["target"];
    const auto sum = [&](const std::function<double(std::size_t)>& cell) {
      double total = 0;
      for (std::size_t i = 0; i < L.size(); ++i) total += cell(i);
      return total;
    };
    const auto one = [&](const std::string& formula, double value) { add(formula, Tensor({}, {value})); };
    const double n = tokens(), cross = -sum([&](std::size_t i) { return target.data[i] * logs.data[i]; });
    const std::size_t width = L.shape.back();
    const auto counts = [&](std::size_t i) { return labels()[i / width] != padding(); };
    one("−Σ target⊙log_probs / (n·V)", cross / static_cast<double>(L.size()));
    one("−Σ target⊙log₂ probs / tokens", cross / n / std::numbers::ln2);
    one("−Σ target⊙log₁₀ probs / tokens", cross / n / std::numbers::ln10);
    one("Σ target⊙log_probs / tokens", -cross / n);
    one("e^(−Σ target⊙log_probs / tokens)", std::exp(cross / n));
    one("−Σ target⊙log_probs / tokens", cross / n);
    one("−Σ target⊙probs / tokens",
        -sum([&](std::size_t i) { return target.data[i] * std::exp(logs.data[i]); }) / n);
    one("−Σ target⊙logits / tokens", -sum([&](std::size_t i) { return target.data[i] * L.data[i]; }) / n);
    const double squares = sum([&](std::size_t i) {
      const double off = std::exp(logs.data[i]) - target.data[i];
      return counts(i) ? off * off : 0;
    });
    one("Σ (probs − target)² / tokens", squares / n);
    one("Σ (probs − target)² / (n·V)", squares / static_cast<double>(L.size()));
    one("Σ |probs − target| / tokens", sum([&](std::size_t i) {
                                         return counts(i) ? std::abs(std::exp(logs.data[i]) - target.data[i])
                                                          : 0;
                                       }) / n);
    one("−ln(Σ target⊙probs / tokens)",
        -std::log(sum([&](std::size_t i) { return target.data[i] * std::exp(logs.data[i]); }) / n));
    const auto row_loss = [&](std::size_t r) {
      return -sum([&](std::size_t i) { return i / width == r ? target.data[i] * logs.data[i] : 0; });
    };
    for (std::size_t r = 0; r < L.size() / width; ++r)
      one("−Σ (target⊙log_probs)[" + std::to_string(r) + "]", row_loss(r));
    double largest = 0;
    for (std::size_t r = 0; r < L.size() / width; ++r)
      if (counts(r * width)) {
        const auto row = logs.data.begin() + static_cast<std::ptrdiff_t>(r * width);
        largest -= *std::max_element(row, row + static_cast<std::ptrdiff_t>(width));
      }
    one("−Σ rowmax(log_probs) / tokens", largest / n);
  }

  void log_probs() {
    const Tensor& L = now_[step_.operation.inputs[0]];
    const Tensor& now = step_.value;
    add("log₂ softmax(logits)", cell_by_cell(now, [](double x) { return x / std::numbers::ln2; }));
    add("log₁₀ softmax(logits)", cell_by_cell(now, [](double x) { return x / std::numbers::ln10; }));
    add("ln sigmoid(logits)", cell_by_cell(L, [](double x) { return -std::log1p(std::exp(-x)); }));
    add("log_softmax(logits, axis=0)", for_each_matrix(L, [](const mat& M) {
          return mat(M.each_row() - arma::rowvec(arma::log(arma::sum(arma::exp(M), 0))));
        }));
  }

  void targets() {
    const std::size_t width = step_.value.shape.back();
    const double smoothing = step_.operation.constant;
    const std::vector<double> asked = labels();
    const auto by = [&](const std::string& formula,
                        const std::function<double(bool label, std::size_t row, std::size_t column)>& cell) {
      add(formula, from_cells([&](std::size_t i, std::size_t j) {
            if (asked[i] == padding()) return 0.0;
            return cell(asked[i] == static_cast<double>(j), i, j);
          }));
    };
    by("onehot(labels)", [](bool label, std::size_t, std::size_t) { return label ? 1.0 : 0.0; });
    if (smoothing == 0) {
      by("onehot(labels[−1:] + labels[:−1])", [&](bool, std::size_t i, std::size_t j) {
        return asked[(i + asked.size() - 1) % asked.size()] == static_cast<double>(j) ? 1.0 : 0.0;
      });
      return;
    }
    by("onehot(labels) + ε/(V − 2)·rest", [&](bool label, std::size_t i, std::size_t j) {
      return label ? 1.0 : step_.value.data[i * width + j];
    });
    for (const auto& [text, share] :
         {std::pair("V", double(width)), {"(V − 1)", double(width) - 1}, {"(V − 2)", double(width) - 2}})
      by("(1 − ε)·onehot + ε/" + std::string(text) + "·rest",
         [=, share = share](bool label, std::size_t, std::size_t) {
           return label ? 1 - smoothing : smoothing / share;
         });
    add("target [labels = pad_id] = ε/(V − 2)", from_cells([&](std::size_t i, std::size_t j) {
          return asked[i] == padding() ? smoothing / (double(width) - 2) : step_.value.data[i * width + j];
        }));
  }

  void dlogits() {
    const Tensor &p = now_["probs"], &target = now_["target"];
    const std::size_t width = p.shape.back();
    const double n = tokens();
    const std::vector<double> asked = labels();
    const auto by = [&](const std::string& formula, const std::function<double(std::size_t)>& cell) {
      add(formula, from_cells([&](std::size_t i, std::size_t j) { return cell(i * width + j); }));
    };
    const auto counts = [&](std::size_t i) { return asked[i / width] != padding() ? 1.0 : 0.0; };
    by("(probs − target)/tokens [labels = pad_id]",
       [&](std::size_t i) { return (p.data[i] - target.data[i]) / n; });
    by("2·(probs − target)/tokens",
       [&](std::size_t i) { return 2 * (p.data[i] - target.data[i]) * counts(i) / n; });
    by("−target/tokens", [&](std::size_t i) { return -target.data[i] / n; });
    by("(probs − 1/V)/tokens",
       [&](std::size_t i) { return (p.data[i] - 1 / double(width)) * counts(i) / n; });
    by("probs/tokens", [&](std::size_t i) { return p.data[i] * counts(i) / n; });
    by("dlogits⊙[target > 0]", [&](std::size_t i) { return target.data[i] > 0 ? step_.value.data[i] : 0; });
    by("dlogits⊙probs⊙(1 − probs)",
       [&](std::size_t i) { return step_.value.data[i] * p.data[i] * (1 - p.data[i]); });
    by("(softmax(logits, axis=0) − target)/tokens",
       [&, columns = for_each_matrix(now_["logits"], [](const mat& M) {
             const mat E = arma::exp(M);
             return mat(E.each_row() / arma::rowvec(arma::sum(E, 0)));
           })](std::size_t i) { return (columns.data[i] * counts(i) - target.data[i]) / n; });
  }

  void softmax_gradients() {
    const std::string &d = step_.operation.inputs[0], &w = step_.operation.inputs[1];
    const Tensor &D = now_[d], &W = now_[w];
    if (D.shape != W.shape || D.rank() < 2) return;
    const auto by = [&](const std::string& formula, const std::function<mat(const mat&, const mat&)>& of) {
      Tensor value = step_.value;
      for (std::size_t m = 0; m < matrix_count(value); ++m)
        set_matrix(value, m, of(matrix(D, m), matrix(W, m)));
      add(formula, std::move(value));
    };
    by(w + "⊙" + d, [](const mat& g, const mat& p) { return mat(p % g); });
    by(w + "⊙(1 − " + w + ")⊙" + d, [](const mat& g, const mat& p) { return mat(p % (1 - p) % g); });
    by(w + "⊙(" + d + " − colsum(" + d + "⊙" + w + "))", [](const mat& g, const mat& p) {
      return mat(p % (g.each_row() - arma::rowvec(arma::sum(g % p, 0))));
    });
    by(w + "⊙(" + d + " − rowsum(" + d + "))",
       [](const mat& g, const mat& p) { return mat(p % (g.each_col() - vec(arma::sum(g, 1)))); });
  }
};

} // namespace

std::vector<Alternative> of_layers(const Trace& now, const Step& step) {
  return LayerVariants(now, step).all();
}

} // namespace tfx
