#include "judge/variant.hpp"

#include "core/tensor.hpp"
#include "ops/elementwise.hpp"
#include "page/formulas.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

namespace tfx {

// What any step can be instead: an input left out, exchanged or turned, the result changed behind.

using arma::mat;

std::vector<Size> sizes_of(const Trace& trace) {
  std::vector<Size> sizes;
  const auto add = [&](const std::string& name, const char* tensor, std::size_t from_end) {
    const Step* step = trace.find(tensor);
    if (!step || step->value.rank() < from_end) return;
    const double n = static_cast<double>(step->value.shape[step->value.rank() - from_end]);
    const bool known = std::ranges::any_of(sizes, [&](const Size& one) { return one.name == name; });
    if (n > 1 && !known) sizes.push_back({name, n});
  };
  add("d_k", "K_heads", 1), add("d_k", "K", 1), add("d_v", "V", 1), add("d_model", "X", 1);
  add("d_model", "token_embedding", 1), add("n_k", "K", 2), add("n_q", "Q", 2), add("h", "K_heads", 3);
  add("batch", trace.has("K_heads") ? "" : "K", 3);
  add("n", "token_ids", 1), add("n", "X", 2), add("d_ff", "hidden", 1), add("vocabulary", "logits", 1);
  if (trace.has("labels") && trace.has("pad_id")) {
    const std::vector<double>& labels = trace["labels"].data;
    const auto padded = std::ranges::count(labels, trace["pad_id"].data[0]);
    const double tokens = static_cast<double>(labels.size()) - static_cast<double>(padded);
    if (tokens > 1) sizes.push_back({"tokens", tokens});
  }
  return sizes;
}

namespace {

// Rows moved on by one, the last to the front, or back.
mat rolled(const mat& M, int by) {
  return M.n_rows > 1 ? mat(arma::shift(M, by, 0)) : M;
}

class AnyVariants : Family {
public:
  AnyVariants(const Trace& now, const Step& step) : Family(now, step) {}

  std::vector<Alternative> all() {
    const Operation& operation = step_.operation;
    for (std::size_t i = 0; i < operation.inputs.size(); ++i) {
      left_out(i);
      exchanged(i);
      turned(i);
    }
    if (operation.inputs.size() == 2) {
      both_alike();
      other_sign();
    }
    for (std::size_t i = 0; operation.is(op::total) && i < operation.inputs.size(); ++i) without(i);
    again();
    combined();
    changed_behind();
    return std::move(found_);
  }

private:
  // "scores/√d_k" of "scores/√d_k = scores/√3", "√Σ x²" of "‖x‖ = √Σ x²".
  std::string formula() const {
    const std::size_t at = step_.formula.find(" = ");
    if (at == std::string::npos) return step_.formula;
    return step_.operation.is(op::row_norm) ? step_.formula.substr(at + 3) : step_.formula.substr(0, at);
  }

  std::vector<const Tensor*> values() const {
    std::vector<const Tensor*> inputs;
    for (const std::string& name : step_.operation.inputs) inputs.push_back(&now_[name]);
    return inputs;
  }

  // Shapes that do not fit are no alternative.
  void add_computed(const Operation& operation, const std::vector<const Tensor*>& inputs) {
    try {
      const Arguments arguments(operation, inputs);
      operation.kind->shape(arguments);
      Tensor value = compute(arguments);
      add(formula_of(operation, step_), std::move(value));
    } catch (const std::exception&) {
    }
  }

  void with_input(std::size_t i, const std::string& name, const Tensor& value) {
    Operation operation = step_.operation;
    operation.inputs[i] = name;
    std::vector<const Tensor*> inputs = values();
    inputs[i] = &value;
    add_computed(operation, inputs);
  }

  // The step is its input: nothing was done.
  void left_out(std::size_t i) {
    const std::string& name = step_.operation.inputs[i];
    if (now_[name].shape == step_.value.shape && !is_mask(*now_.find(name))) add(name, now_[name]);
  }

  static bool is_mask(const Step& step) { return step.name == "mask" || step.name == "mask_given"; }

  // Another tensor that was there before, in the place of an input.
  void exchanged(std::size_t i) {
    const std::string& name = step_.operation.inputs[i];
    for (const Step& other : now_.steps) {
      if (other.name == step_.name) break;
      if (other.name == name || is_mask(other) || other.value.rank() != now_[name].rank()) continue;
      with_input(i, other.name, other.value);
      cut(i, other);
    }
  }

  // The first columns, or rows, of one that has more.
  void cut(std::size_t i, const Step& other) {
    const Shape &wanted = now_[step_.operation.inputs[i]].shape, &shape = other.value.shape;
    if (shape.size() < 2 || shape.size() != wanted.size()) return;
    const std::size_t rows = wanted[wanted.size() - 2], columns = wanted.back();
    if (shape[shape.size() - 2] < rows || shape.back() < columns || shape == wanted) return;
    const bool fewer_rows = shape[shape.size() - 2] > rows, fewer_columns = shape.back() > columns;
    const std::string part = (fewer_rows ? ":" + std::to_string(rows) : ":") +
                             (fewer_columns ? ", :" + std::to_string(columns) : "");
    with_input(i, other.name + "[" + part + "]", for_each_matrix(other.value, [&](const mat& M) {
                 return mat(M.submat(0, 0, rows - 1, columns - 1));
               }));
  }

  void turned(std::size_t i) {
    const std::string& name = step_.operation.inputs[i];
    const Tensor& value = now_[name];
    if (value.rank() < 2 || value.size() < 2) return;
    with_input(i, name + "ᵀ", transposed(value));
    with_input(i, name + ".reshape", for_each_matrix(value, [](const mat& M) {
                 const mat rows = M.t(); // C order
                 return mat(arma::reshape(arma::vectorise(rows), M.n_rows, M.n_cols));
               }));
    const std::string rows = value.rank() == 2 ? "[::-1]" : "[..., ::-1, :]";
    with_input(i, name + rows, for_each_matrix(value, [](const mat& M) { return mat(arma::flipud(M)); }));
    for (const int by : {1, -1})
      with_input(i, "roll(" + name + ", " + std::to_string(by) + ")",
                 for_each_matrix(value, [by](const mat& M) { return rolled(M, by); }));
    if (value.rank() > 2 && value.shape[value.rank() - 3] > 1) {
      with_input(i, name + "[::-1]", stacked(value, [](std::size_t k, std::size_t h) { return h - 1 - k; }));
      with_input(i, name + "[:1]", stacked(value, [](std::size_t, std::size_t) { return std::size_t{0}; }));
    }
  }

  // The matrices of the innermost stack in another order.
  static Tensor stacked(const Tensor& value, std::size_t (*from)(std::size_t, std::size_t)) {
    const std::size_t h = value.shape[value.rank() - 3];
    Tensor result = value;
    for (std::size_t i = 0; i < matrix_count(value); ++i)
      set_matrix(result, i, matrix(value, i / h * h + from(i % h, h)));
    return result;
  }

  void both_alike() {
    const Operation& operation = step_.operation;
    for (const Step& other : now_.steps) {
      if (other.name == step_.name) break;
      if (is_mask(other)) continue;
      Operation alike = operation;
      alike.inputs = {other.name, other.name};
      add_computed(alike, {&other.value, &other.value});
    }
    if (now_[operation.inputs[0]].rank() < 2 || now_[operation.inputs[1]].rank() < 2) return;
    const Tensor first = transposed(now_[operation.inputs[0]]),
                 second = transposed(now_[operation.inputs[1]]);
    Operation turned = operation;
    for (std::string& name : turned.inputs) name += "ᵀ";
    add_computed(turned, {&first, &second});
  }

  void other_sign() {
    const Operation& operation = step_.operation;
    if (!operation.is(op::add) && !operation.is(op::subtract)) return;
    for (const Op* kind : {&op::add, &op::subtract, &op::multiply}) {
      Operation other = operation;
      other.kind = kind, other.constant_text.clear();
      add_computed(other, values());
    }
  }

  void without(std::size_t i) {
    Operation fewer = step_.operation;
    fewer.inputs.erase(fewer.inputs.begin() + static_cast<std::ptrdiff_t>(i));
    std::vector<const Tensor*> inputs = values();
    inputs.erase(inputs.begin() + static_cast<std::ptrdiff_t>(i));
    add_computed(fewer, inputs);
  }

  // The operation once more, on its own result.
  void again() {
    for (std::size_t i = 0; i < step_.operation.inputs.size(); ++i) {
      const Tensor& input = now_[step_.operation.inputs[i]];
      if (input.shape == step_.value.shape && !is_mask(*now_.find(step_.operation.inputs[i])))
        with_input(i, "(" + formula() + ")", step_.value);
    }
  }

  // Something that was there before, added, subtracted or multiplied behind.
  void combined() {
    if (step_.operation.is(op::given)) return;
    for (const Step& other : now_.steps) {
      if (other.name == step_.name) break;
      if (other.value.shape != step_.value.shape || is_mask(other)) continue;
      const auto with = [&](const std::string& sign, auto apply) {
        Tensor value = step_.value;
        for (std::size_t i = 0; i < value.size(); ++i)
          value.data[i] = apply(value.data[i], other.value.data[i]);
        add("(" + formula() + ")" + sign + other.name, std::move(value));
      };
      with(" + ", [](double a, double b) { return a + b; });
      with(" − ", [](double a, double b) { return a - b; });
      with(" ⊙ ", [](double a, double b) { return a * b; });
    }
  }

  void changed_behind() {
    const Tensor& S = step_.value;
    const std::string in =
        step_.operation.is(op::given) ? step_.name : formula(); // in brackets of a function
    const std::string name = step_.operation.is(op::given) ? step_.name : "(" + in + ")";
    const auto cells = [&](const std::string& formula, double (*change)(double)) {
      add(formula, cell_by_cell(S, change));
    };
    cells("−" + name, [](double x) { return -x; });
    cells("|" + in + "|", [](double x) { return std::abs(x); });
    cells("max(0, " + in + ")", [](double x) { return std::max(0.0, x); });
    cells(name + "²", [](double x) { return x * x; });
    cells("√" + name, [](double x) { return std::sqrt(x); });
    cells("1 − " + name, [](double x) { return 1 - x; });
    cells("1 + " + name, [](double x) { return 1 + x; });
    cells("1/" + name, [](double x) { return 1 / x; });
    cells("e^" + name, [](double x) { return std::exp(x); });
    cells("ln " + name, [](double x) { return std::log(x); });
    cells("arccos " + name, [](double x) { return std::acos(std::clamp(x, -1.0, 1.0)); });
    cells("sigmoid(" + in + ")", [](double x) { return 1 / (1 + std::exp(-x)); });
    cells("ln sigmoid(" + in + ")", [](double x) { return -std::log1p(std::exp(-x)); });
    cells("tanh(" + in + ")", [](double x) { return std::tanh(x); });
    if (S.rank() < 2 || S.size() < 2) return;
    const auto matrices = [&](const std::string& formula, const std::function<mat(const mat&)>& change) {
      add(formula, for_each_matrix(S, change));
    };
    const auto softmax = [](const mat& M) { return page::softmax(M).weights; };
    matrices("softmax(" + in + ")", softmax);
    matrices("softmax(" + in + ", axis=0)", [&](const mat& M) { return mat(softmax(M.t()).t()); });
    matrices(name + "/rowsum", [](const mat& M) { return mat(M.each_col() / arma::vec(arma::sum(M, 1))); });
    matrices(name + "/‖row‖",
             [](const mat& M) { return mat(M.each_col() / arma::vec(arma::sqrt(arma::sum(M % M, 1)))); });
    matrices(name + " − rowmean",
             [](const mat& M) { return mat(M.each_col() - arma::vec(arma::mean(M, 1))); });
    matrices("norm(" + in + ")", [](const mat& M) {
      const mat centred = M.each_col() - arma::vec(arma::mean(M, 1));
      return mat(centred.each_col() / arma::vec(arma::stddev(M, 0, 1) + 1e-6));
    });
    if (S.shape[S.rank() - 2] == S.shape.back()) square(in, name, matrices);
    const std::string rows = S.rank() == 2 ? "[::-1]" : "[..., ::-1, :]";
    matrices(name + rows, [](const mat& M) { return mat(arma::flipud(M)); });
    matrices(name + (S.rank() == 2 ? "[:1]" : "[..., :1, :]"),
             [](const mat& M) { return mat(arma::repmat(M.row(0), M.n_rows, 1)); });
    for (const int by : {1, -1})
      matrices("roll(" + in + ", " + std::to_string(by) + ")", [by](const mat& M) { return rolled(M, by); });
    if (S.rank() > 2 && S.shape[S.rank() - 3] > 1) stacks(in, name);
  }

  // Heads, or sentences, in another order, one of them left out, all of them alike.
  void stacks(const std::string& in, const std::string& name) {
    const Tensor& S = step_.value;
    const std::size_t h = S.shape[S.rank() - 3];
    add(name + "[::-1]", stacked(S, [](std::size_t k, std::size_t n) { return n - 1 - k; }));
    add("roll(" + in + ", 1)", stacked(S, [](std::size_t k, std::size_t n) { return (k + n - 1) % n; }));
    add("roll(" + in + ", -1)", stacked(S, [](std::size_t k, std::size_t n) { return (k + 1) % n; }));
    for (std::size_t k = 0; k < h; ++k) {
      Tensor without = S;
      for (std::size_t i = k; i < matrix_count(S); i += h) set_matrix(without, i, matrix(S, i) * 0);
      add(name + "[" + std::to_string(k) + "] = 0", std::move(without));
    }
    Tensor means = S;
    for (std::size_t first = 0; first < matrix_count(S); first += h) {
      mat mean = matrix(S, first);
      for (std::size_t k = 1; k < h; ++k) mean += matrix(S, first + k);
      for (std::size_t k = 0; k < h; ++k) set_matrix(means, first + k, mat(mean / static_cast<double>(h)));
    }
    add("mean(" + in + ", axis=" + std::to_string(S.rank() - 3) + ")", std::move(means));
  }

  static void square(const std::string& in, const std::string& name, const auto& matrices) {
    matrices("tril(" + in + ")", [](const mat& M) { return mat(arma::trimatl(M)); });
    matrices("triu(" + in + ")", [](const mat& M) { return mat(arma::trimatu(M)); });
    matrices(name + " − diag", [](const mat& M) {
      mat result = M;
      result.diag().zeros();
      return result;
    });
  }
};

} // namespace

std::string formula_of(const Operation& other, const Step& step) {
  if (!other.kind->formula) return {};
  std::string text = other.kind->formula(other);
  for (std::size_t at; (at = text.find("ᵀᵀ")) != std::string::npos;)
    text.erase(at, 2 * std::string("ᵀ").size());
  if (other.kind != step.operation.kind || text != other.kind->formula(step.operation)) return text;
  for (std::size_t i = 0; i < other.inputs.size(); ++i)
    if (const std::string& name = step.operation.inputs[i]; name != other.inputs[i])
      text += " [" + name + " = " + other.inputs[i] + "]";
  return text;
}

std::vector<Alternative> of_any(const Trace& now, const Step& step) {
  return AnyVariants(now, step).all();
}

std::vector<Alternative> alternatives(const Trace& now, const Step& step) {
  std::vector<Alternative> all = of_attention(now, step);
  for (auto family : {of_norm, of_layers, of_any})
    for (Alternative& one : family(now, step)) all.push_back(std::move(one));
  return all;
}

} // namespace tfx
