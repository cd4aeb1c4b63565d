#include "ops/shared.hpp"

#include "ops/cell_reader.hpp"
#include "ops/shape_rule.hpp"
#include "page/backward.hpp"

#include <algorithm>
#include <numbers>

namespace tfx {

namespace {

template <Activation of>
Tensor activation(const Arguments& in) {
  return for_each_matrix(in[0], [](const arma::mat& A) { return page::activated(A, of); });
}

void explain_relu_gradient(Explanation& e, const CellReader& read) {
  const CellRef a = read.here(0), b = read.here(1);
  const std::string upper = read.name(0, a), hidden = read.name(1, b);
  e.formula = upper;
  if (b.value > 0) {
    e.set_single(read.plain(a.value), {a, b});
    e.rule = hidden + " > 0 ⇒ " + upper;
  } else { // what stands there is not read
    e.set_single("0", {b});
    read.decide(e, hidden + " ≤ 0");
  }
}

// "a·Φ(a)": Φ as a calculator has it.
void explain_gelu(Explanation& e, const CellReader& read) {
  const CellRef a = read.here(0);
  const std::string x = read.factor(a.value), name = read.name(0, a);
  e.set_single(x + "·(1 + erf(" + read.plain(a.value) + "/sqrt(2)))/2", {a});
  e.formula = name + "·Φ(" + name + ")";
}

void explain_silu(Explanation& e, const CellReader& read) {
  const CellRef a = read.here(0);
  const std::string name = read.name(0, a);
  e.set_single(read.plain(a.value) + "/(1 + exp(-" + read.factor(a.value) + "))", {a});
  e.formula = name + "/(1 + e^−" + name + ")";
}

void explain_gelu_gradient(Explanation& e, const CellReader& read) {
  const CellRef d = read.here(0), a = read.here(1);
  const std::string x = read.factor(a.value), name = read.name(1, a);
  e.set_single(read.factor(d.value) + "·((1 + erf(" + read.plain(a.value) + "/sqrt(2)))/2 + " + x + "·exp(-" +
                   x + "^2/2)/sqrt(2·" + read.plain(std::numbers::pi) + "))",
               {d, a});
  e.formula = read.name(0, d) + "·(Φ(" + name + ") + " + name + "·φ(" + name + "))";
}

void explain_silu_gradient(Explanation& e, const CellReader& read) {
  const CellRef d = read.here(0), a = read.here(1);
  const std::string x = read.factor(a.value), sigmoid = "1/(1 + exp(-" + x + "))", name = read.name(1, a);
  e.set_single(read.factor(d.value) + "·" + sigmoid + "·(1 + " + x + "·(1 - " + sigmoid + "))", {d, a});
  e.formula = read.name(0, d) + "·σ(" + name + ")·(1 + " + name + "·(1 − σ(" + name + ")))";
}

// GPT-2's: the argument of its tanh, "sqrt(2/3.1416)·(x + 0.044715·x^3)".
std::string tanh_of(const CellReader& read, const std::string& x) {
  return "tanh(sqrt(2/" + read.plain(std::numbers::pi) + ")·(" + x + " + 0.044715·" + x + "^3))";
}

void explain_gelu_tanh(Explanation& e, const CellReader& read) {
  const CellRef a = read.here(0);
  const std::string x = read.factor(a.value), name = read.name(0, a);
  e.set_single(x + "·(1 + " + tanh_of(read, x) + ")/2", {a});
  e.formula = name + "·(1 + tanh(√(2/π)·(" + name + " + 0.044715·" + name + "³)))/2";
}

void explain_gelu_tanh_gradient(Explanation& e, const CellReader& read) {
  const CellRef d = read.here(0), a = read.here(1);
  const std::string x = read.factor(a.value), t = tanh_of(read, x), name = read.name(1, a);
  e.set_single(read.factor(d.value) + "·((1 + " + t + ")/2 + " + x + "·(1 - " + t + "^2)/2·sqrt(2/" +
                   read.plain(std::numbers::pi) + ")·(1 + 0.134145·" + x + "^2))",
               {d, a});
  e.formula = read.name(0, d) + "·((1 + t)/2 + " + name + "·(1 − t²)/2·√(2/π)·(1 + 0.134145·" + name +
              "²)), t = tanh(√(2/π)·(" + name + " + 0.044715·" + name + "³))";
}

void explain_squared_relu_gradient(Explanation& e, const CellReader& read) {
  const CellRef d = read.here(0), a = read.here(1);
  e.set_single(read.factor(d.value) + "·2·max(" + read.plain(a.value) + ", 0)", {d, a});
  e.formula = read.name(0, d) + "·2·max(" + read.name(1, a) + ", 0)";
}

} // namespace

constinit const Op op::relu = {
    .name = "relu",
    .formula = [](const Operation& o) { return "max(" + o.inputs[0] + ", 0)"; },
    .shape = same_shape,
    .value =
        [](const Arguments& in) { return cell_by_cell(in[0], [](double a) { return std::max(a, 0.0); }); },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = one_a_cell,
    .explain = [](Explanation& e,
                  const CellReader& read) { explain_one(e, read, "max(", ", 0)", "max(", ", 0)"); },
    .vjp = [](const Computed& c, std::size_t) -> std::optional<Vjp> {
      const std::string d = gradient_name(c.result.name), &A = c.name(0);
      return Vjp{"where(" + A + " > 0, " + d + ", 0)", op::relu_gradient(d, A)};
    },
    .corner = Corner::at_zero};

constinit const Op op::relu_gradient = {
    .name = "relu_gradient",
    .formula = [](const Operation& o) { return "where(" + o.inputs[1] + " > 0, " + o.inputs[0] + ", 0)"; },
    .shape = cell_for_cell,
    .value = [](const Arguments& in) { return for_each_matrix(in[0], in[1], page::relu_backward); },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = one_a_cell,
    .explain = explain_relu_gradient};

constinit const Op op::gelu = {
    .name = "gelu",
    .formula = [](const Operation& o) { return "gelu(" + o.inputs[0] + ")"; },
    .shape = same_shape,
    .value = activation<Activation::gelu>,
    .rows = {0, 1},
    .columns = {0, 0},
    .work =
        [](const Computed& c) {
          return Work{0, 5 * c.cells()};
        },
    .explain = explain_gelu,
    .vjp = [](const Computed& c, std::size_t) -> std::optional<Vjp> {
      const std::string d = gradient_name(c.result.name), &A = c.name(0);
      return Vjp{d + "⊙(Φ(" + A + ") + " + A + "⊙φ(" + A + "))", op::gelu_gradient(d, A)};
    }};

constinit const Op op::gelu_gradient = {
    .name = "gelu_gradient",
    .formula =
        [](const Operation& o) {
          const std::string& B = o.inputs[1];
          return o.inputs[0] + "⊙(Φ(" + B + ") + " + B + "⊙φ(" + B + "))";
        },
    .shape = cell_for_cell,
    .value = [](const Arguments& in) { return for_each_matrix(in[0], in[1], page::gelu_backward); },
    .rows = {0, 1},
    .columns = {0, 0},
    .work =
        [](const Computed& c) {
          return Work{0, 12 * c.cells()};
        },
    .explain = explain_gelu_gradient};

constinit const Op op::silu = {
    .name = "silu",
    .formula = [](const Operation& o) { return "silu(" + o.inputs[0] + ")"; },
    .shape = same_shape,
    .value = activation<Activation::silu>,
    .rows = {0, 1},
    .columns = {0, 0},
    .work =
        [](const Computed& c) {
          return Work{0, 4 * c.cells()};
        },
    .explain = explain_silu,
    .vjp = [](const Computed& c, std::size_t) -> std::optional<Vjp> {
      const std::string d = gradient_name(c.result.name), &A = c.name(0);
      return Vjp{d + "⊙σ(" + A + ")⊙(1 + " + A + "⊙(1 − σ(" + A + ")))", op::silu_gradient(d, A)};
    }};

constinit const Op op::silu_gradient = {
    .name = "silu_gradient",
    .formula =
        [](const Operation& o) {
          const std::string& B = o.inputs[1];
          return o.inputs[0] + "⊙σ(" + B + ")⊙(1 + " + B + "⊙(1 − σ(" + B + ")))";
        },
    .shape = cell_for_cell,
    .value = [](const Arguments& in) { return for_each_matrix(in[0], in[1], page::silu_backward); },
    .rows = {0, 1},
    .columns = {0, 0},
    .work =
        [](const Computed& c) {
          return Work{0, 9 * c.cells()};
        },
    .explain = explain_silu_gradient};

constinit const Op op::squared_relu = {
    .name = "squared_relu",
    .formula = [](const Operation& o) { return "max(" + o.inputs[0] + ", 0)²"; },
    .shape = same_shape,
    .value = activation<Activation::squared_relu>,
    .rows = {0, 1},
    .columns = {0, 0},
    .work =
        [](const Computed& c) {
          return Work{0, 2 * c.cells()};
        },
    .explain = [](Explanation& e,
                  const CellReader& read) { explain_one(e, read, "max(", ", 0)^2", "max(", ", 0)²"); },
    .vjp = [](const Computed& c, std::size_t) -> std::optional<Vjp> {
      const std::string d = gradient_name(c.result.name), &A = c.name(0);
      return Vjp{d + "⊙2·max(" + A + ", 0)", op::squared_relu_gradient(d, A)};
    }};

constinit const Op op::squared_relu_gradient = {
    .name = "squared_relu_gradient",
    .formula = [](const Operation& o) { return o.inputs[0] + "⊙2·max(" + o.inputs[1] + ", 0)"; },
    .shape = cell_for_cell,
    .value = [](const Arguments& in) { return for_each_matrix(in[0], in[1], page::squared_relu_backward); },
    .rows = {0, 1},
    .columns = {0, 0},
    .work =
        [](const Computed& c) {
          return Work{0, 3 * c.cells()};
        },
    .explain = explain_squared_relu_gradient};

constinit const Op op::gelu_tanh = {
    .name = "gelu_tanh",
    .formula = [](const Operation& o) { return "gelu_tanh(" + o.inputs[0] + ")"; },
    .shape = same_shape,
    .value = activation<Activation::gelu_tanh>,
    .rows = {0, 1},
    .columns = {0, 0},
    .work =
        [](const Computed& c) {
          return Work{0, 9 * c.cells()};
        },
    .explain = explain_gelu_tanh,
    .vjp = [](const Computed& c, std::size_t) -> std::optional<Vjp> {
      const std::string d = gradient_name(c.result.name), &A = c.name(0);
      return Vjp{d + "⊙gelu_tanh′(" + A + ")", op::gelu_tanh_gradient(d, A)};
    }};

constinit const Op op::gelu_tanh_gradient = {
    .name = "gelu_tanh_gradient",
    .formula = [](const Operation& o) { return o.inputs[0] + "⊙gelu_tanh′(" + o.inputs[1] + ")"; },
    .shape = cell_for_cell,
    .value = [](const Arguments& in) { return for_each_matrix(in[0], in[1], page::gelu_tanh_backward); },
    .rows = {0, 1},
    .columns = {0, 0},
    .work =
        [](const Computed& c) {
          return Work{0, 18 * c.cells()};
        },
    .explain = explain_gelu_tanh_gradient};

} // namespace tfx
