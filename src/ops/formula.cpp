#include "ops/formula.hpp"

#include "core/error.hpp"
#include "core/number.hpp"
#include "ops/cell_reader.hpp"
#include "ops/formula_functions.hpp"
#include "ops/shape_rule.hpp"
#include "ops/shared.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numbers>
#include <optional>

namespace tfx {

/// A number, a tensor, a counter, or a function of other nodes.
struct Formula::Node {
  const FormulaFunction* function = nullptr;
  std::vector<Node> of = {};
  std::optional<std::size_t> tensor = {}; ///< its place among the formula's names
  char counter = 0;                       ///< 'i', 'j' or 'k'
  double number = 0;
  std::string text = {}; ///< what was read
};

namespace {

using Node = Formula::Node;

constexpr std::string_view signs[] = {"−", "·", "⊙", "√", "Σ", "ᵀ", "²", "³", "⌊", "⌋", "≤", "≥", "∞"};

// The sign, name or number that the text begins with, without blanks before it.
std::string_view token_at(std::string_view text) {
  for (const std::string_view sign : signs)
    if (text.starts_with(sign)) return sign;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto in_name = [&](std::size_t at) {
    const char c = text[at];
    if (static_cast<signed char>(c) < 0)
      return std::ranges::none_of(signs,
                                  [&](std::string_view sign) { return text.substr(at).starts_with(sign); });
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
           c == '#';
  };
  if (text.empty() || !in_name(0)) return text.substr(0, 1);
  std::size_t end = 1;
  const bool is_number = is_digit(text[0]);
  while (end < text.size() && (in_name(end) || (is_number && text[end] == '-' && text[end - 1] == 'e')))
    ++end;
  return text.substr(0, end);
}

bool is_name(std::string_view token) {
  const char c = token.empty() ? ' ' : token[0];
  const bool is_sign = std::ranges::find(signs, token) != std::end(signs);
  return !is_sign && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<signed char>(c) < 0);
}

bool is_counter(std::string_view name) {
  return name == "i" || name == "j" || name == "k";
}

class Parser {
public:
  explicit Parser(const std::string& text) : text_(text), rest_(text) {}

  Node whole() {
    Node node = sum();
    if (!next().empty()) fail();
    return node;
  }

  std::vector<std::string> names;
  bool counts = false;

private:
  [[noreturn]] void fail() const {
    throw defect("no formula: " + text_ + ", at \"" + std::string(rest_) + "\"");
  }

  std::string_view next() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    return token_at(rest_);
  }
  std::string take() {
    const std::string token(next());
    rest_.remove_prefix(token.size());
    return token;
  }
  bool takes(std::string_view token) {
    if (next() != token) return false;
    take();
    return true;
  }
  void expect(std::string_view token) {
    if (!takes(token)) fail();
  }

  // What began where `from` is all that was left.
  Node call(std::string_view from, std::string_view function, std::vector<Node> of) const {
    const FormulaFunction* found = formula_function(function);
    if (!found || found->arguments != of.size()) fail();
    std::string text(from.substr(0, from.size() - rest_.size()));
    text.erase(text.find_last_not_of(' ') + 1);
    return {.function = found, .of = std::move(of), .text = std::move(text)};
  }

  Node sum() {
    const std::string_view from = rest_;
    Node node = product();
    while (next() == "+" || next() == "−") {
      const std::string sign = take();
      Node right = product();
      node = call(from, sign, {std::move(node), std::move(right)});
    }
    return node;
  }

  Node product() {
    const std::string_view from = rest_;
    Node node = factor();
    while (next() == "·" || next() == "/" || next() == "⊙" || next() == "⌊") {
      const std::string sign = next() == "⌊" ? "⊙" : take(); // 2⌊j/2⌋
      Node right = factor();
      node = call(from, sign, {std::move(node), std::move(right)});
    }
    return node;
  }

  Node factor() {
    next();
    const std::string_view from = rest_;
    for (const auto& [sign, function] : {std::pair("−", "negated"), {"√", "√"}})
      if (takes(sign)) {
        Node of = factor();
        return call(from, function, {std::move(of)});
      }
    if (takes("Σ")) {
      const std::string_view first = rest_;
      Node of = factor();
      while (takes("⊙")) {
        Node right = factor();
        of = call(first, "⊙", {std::move(of), std::move(right)});
      }
      return call(from, "Σ", {std::move(of)});
    }
    Node node = postfix();
    if (!takes("^")) return node;
    Node exponent = factor();
    if (node.text == "e") return call(from, "exp", {std::move(exponent)});
    return call(from, "^", {std::move(node), std::move(exponent)});
  }

  Node postfix() {
    const std::string_view from = rest_;
    Node node = atom();
    for (const char* sign : {"ᵀ", "²", "³"})
      if (takes(sign)) return call(from, sign, {std::move(node)});
    return node;
  }

  Node enclosed(std::string_view from, std::string_view function, std::string_view end) {
    Node of = sum();
    expect(end);
    return call(from, function, {std::move(of)});
  }

  // [a ≤ b < c]: both hold.
  Node condition(std::string_view from) {
    std::optional<Node> all;
    Node left = sum();
    while (!takes("]")) {
      const std::string sign = take();
      Node right = sum(), holds = call(from, sign, {std::move(left), right});
      if (all) holds = call(from, "⊙", {std::move(*all), std::move(holds)});
      all = std::move(holds), left = std::move(right);
    }
    if (!all) fail();
    return std::move(*all);
  }

  Node atom() {
    next();
    const std::string_view from = rest_;
    if (takes("(")) {
      Node node = sum();
      expect(")");
      return node;
    }
    if (takes("|")) return enclosed(from, "abs", "|");
    if (takes("⌊")) return enclosed(from, "floor", "⌋");
    if (takes("[")) return condition(from);
    const std::string token = take();
    if (is_name(token)) return takes("(") ? function(from, token) : named(token);
    Node node{.text = token};
    if (token == "∞") return node.number = std::numeric_limits<double>::infinity(), node;
    std::size_t used = 0;
    try {
      node.number = std::stod(token, &used);
    } catch (const std::exception&) {
    }
    if (token.empty() || used != token.size()) fail();
    return node;
  }

  Node named(const std::string& name) {
    if (name == "e" || name == "π")
      return {.number = name == "e" ? std::numbers::e : std::numbers::pi, .text = name};
    if (is_counter(name)) return counts = true, Node{.counter = name[0], .text = name};
    const auto found = std::ranges::find(names, name);
    const auto at = static_cast<std::size_t>(found - names.begin());
    if (found == names.end()) names.push_back(name);
    return {.tensor = at, .text = name};
  }

  // "std(x, ddof=1)" is the function "std ddof=1" of x.
  Node function(std::string_view from, std::string name) {
    std::vector<Node> of;
    do {
      next();
      const std::string_view before = rest_;
      const std::string key = take();
      if (takes("="))
        name += " " + key + "=" + take();
      else
        rest_ = before, of.push_back(sum());
    } while (takes(","));
    expect(")");
    return call(from, name, std::move(of));
  }

  const std::string& text_;
  std::string_view rest_;
};

// The numbers of columns (j), rows (i) or matrices (k) of a result of the shape, to be laid over it.
Tensor counted(char counter, const Shape& shape) {
  const std::size_t axis = counter == 'j' ? 1 : counter == 'i' ? 2 : 3; // from the last
  Shape own(axis, 1);
  if (shape.size() >= axis) own[0] = shape[shape.size() - axis];
  Tensor numbers(own);
  for (std::size_t n = 0; n < own[0]; ++n) numbers.data[n] = static_cast<double>(n);
  return numbers;
}

// A formula on tensors, which it calls by the names that they have there.
struct Evaluation {
  const std::vector<const Tensor*>& tensors;
  const Shape& shape; ///< that i, j and k count in
  std::function<std::string(const std::string&)> called;
  Work work = {};

  Tensor value(const Node& node) {
    if (node.tensor) return *tensors[*node.tensor];
    if (node.counter) return counted(node.counter, shape);
    if (!node.function) return Tensor({}, {node.number});
    std::vector<Operand> of;
    for (const Node& one : node.of) of.push_back({value(one), [&] { return with_names(one.text, called); }});
    Tensor result = result_of(*node.function, of);
    if (node.function->name == "·" && of[0].value.rank() > 0 && of[1].value.rank() > 0)
      work.macs += result.size() * of[0].value.shape.back(),
          work.flops += 2 * result.size() * of[0].value.shape.back();
    else
      work.flops += std::max(result.size(), of[0].value.size());
    return result;
  }
};

// One cell of a formula as arithmetic that a learner can type into a calculator.
class CellText {
public:
  CellText(const Formula& formula, const CellReader& read) : read_(read) {
    for (std::size_t i = 0; i < read.inputs(); ++i) tensors_.push_back(&read.input(i).value);
    if (formula.counts_cells()) shape_ = read.result_shape();
  }

  /// As terms where the cell is a sum of them, else whole.
  void explain(Explanation& e, const Node& root) {
    const bool has_bias = is(root, "+") && is_product(root.of[0]);
    const Node& main = has_bias ? root.of[0] : root;
    if (is_product(main)) {
      const std::size_t width = tensor(main.of[0]).shape.back();
      for (std::size_t n = 0; n < width; ++n) {
        const Index a = in_matrix(main.of[0], row(), n), b = in_matrix(main.of[1], n, column());
        const double term = at(main.of[0], a) * at(main.of[1], b);
        std::string text =
            closed(main.of[0], a, Strength::product) + "·" + closed(main.of[1], b, Strength::power);
        e.terms.push_back({std::move(text), term, std::exchange(reads_, {})});
      }
      if (!has_bias) return;
      const double bias = at(root.of[1], read_.index);
      std::string text = closed(root.of[1], read_.index, Strength::product);
      e.terms.push_back({std::move(text), bias, std::exchange(reads_, {})});
      return;
    }
    std::string text = of(root, read_.index);
    if (!reads_.empty()) e.set_single(std::move(text), std::move(reads_));
  }

private:
  static bool is(const Node& node, std::string_view function) {
    return node.function && node.function->name == function;
  }
  bool is_product(const Node& node) {
    return is(node, "·") && tensor(node.of[0]).rank() > 0 && tensor(node.of[1]).rank() > 0;
  }

  const Tensor& tensor(const Node& node) {
    const auto [found, is_new] = values_.try_emplace(&node);
    if (is_new)
      found->second = Evaluation{tensors_, shape_, [](const std::string& name) { return name; }}.value(node);
    return found->second;
  }
  double at(const Node& node, const Index& index) {
    const Tensor& value = tensor(node);
    return value.at(broadcast_index(value.shape, index));
  }

  std::size_t row() const { return read_.row(); }
  std::size_t column() const { return read_.column(); }
  Index in_matrix(const Node& node, std::size_t i, std::size_t j) {
    return matrix_cell(tensor(node).shape, read_.index, i, j);
  }

  // The cell that falls on `index` of the result.
  std::string of(const Node& node, const Index& index) {
    if (node.tensor) {
      const Tensor& value = *tensors_[*node.tensor];
      const Index own = broadcast_index(value.shape, index);
      reads_.push_back({read_.input(*node.tensor).name, own, value.at(own)});
      return read_.plain(value.at(own));
    }
    if (!node.function) return node.counter ? read_.plain(at(node, index)) : node.text;
    const FormulaFunction& function = *node.function;
    if (is(node, "where")) return of(node.of[at(node.of[0], index) != 0 ? 1 : 2], index);
    if (is(node, "ᵀ")) {
      Index turned = index;
      if (turned.size() >= 2) std::swap(turned[turned.size() - 2], turned.back());
      return of(node.of[0], turned);
    }
    if (is(node, "column")) return of(node.of[0], Index(index.begin(), index.end() - 1));
    if (!function.along_row.empty()) return along_row(node, index);
    if (function.cell.empty() || is_product(node)) return read_.plain(at(node, index));
    const bool bracketed = function.strength == Strength::atom;
    std::string text;
    for (std::size_t i = 0; i < function.cell.size(); ++i)
      if (function.cell[i] != '$') {
        text += function.cell[i];
      } else {
        const std::size_t operand = static_cast<std::size_t>(function.cell[++i] - '1');
        const bool is_closer = operand > 0 || function.strength == Strength::power; // a − (b − c), (a^b)^c
        const auto least = static_cast<Strength>(static_cast<int>(function.strength) + is_closer);
        const bool keeps_sign = operand == 0 && (is(node, "/") || is(node, "+") || is(node, "−"));
        text += bracketed ? of(node.of[operand], index) : closed(node.of[operand], index, least, keeps_sign);
      }
    return text;
  }

  // The node whose text stands for the cell: where(…) and ᵀ have none of their own.
  const Node& spoken(const Node& node, const Index& index) {
    if (is(node, "where")) return spoken(node.of[at(node.of[0], index) != 0 ? 1 : 2], index);
    return is(node, "ᵀ") || is(node, "column") ? spoken(node.of[0], index) : node;
  }

  // In brackets where what is beside it would tear it apart.
  std::string closed(const Node& node, const Index& index, Strength least, bool keeps_sign = false) {
    const std::string text = of(node, index);
    const Node& whose = spoken(node, index);
    const bool is_text = whose.function && text != read_.plain(at(node, index));
    const bool torn = (text.starts_with('-') && !keeps_sign) || (is_text && whose.function->strength < least);
    return torn ? "(" + text + ")" : text;
  }

  // A sum or maximum of what stands along the row; of a long one the number.
  std::string along_row(const Node& node, const Index& index) {
    constexpr std::size_t longest = 4;
    const Node& of_row = node.of[0];
    const std::size_t width = tensor(of_row).shape.back();
    const std::string_view kind = node.function->along_row;
    const auto joined = [&](const std::string& before, const std::string& between, const std::string& after) {
      std::string text;
      Index cell = index;
      for (cell.back() = 0; cell.back() < width; ++cell.back()) {
        const std::string one =
            kind == "max" || kind == "softmax" ? of(of_row, cell) : closed(of_row, cell, Strength::product);
        text += (text.empty() ? "" : between) + before + one + after;
      }
      return text;
    };
    if (width > longest) return read_.plain(at(node, index));
    if (kind == "max") return "max(" + joined("", ", ", "") + ")";
    if (kind == "softmax") return "exp(" + of(of_row, index) + ")/(" + joined("exp(", " + ", ")") + ")";
    return "(" + joined("", " + ", "") + ")" + (kind == "mean" ? "/" + std::to_string(width) : "");
  }

  const CellReader& read_;
  std::vector<const Tensor*> tensors_;
  Shape shape_;
  std::map<const Node*, Tensor> values_;
  std::vector<CellRef> reads_;
};

// What a name of the operation's formula stands for; counters and numbers are themselves.
std::string input_named(const Operation& o, const std::string& name) {
  const std::vector<std::string>& names = formula_of_text(o.constant_text).names();
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? name : o.inputs[static_cast<std::size_t>(found - names.begin())];
}

Tensor of_arguments(const Arguments& in, Work* work = nullptr) {
  const Operation& o = in.operation();
  const Formula& formula = formula_of_text(o.constant_text);
  std::vector<const Tensor*> tensors;
  for (std::size_t i = 0; i < in.size(); ++i) tensors.push_back(&in[i]);
  Evaluation evaluation{tensors, o.shape, [&](const std::string& name) { return input_named(o, name); }};
  Tensor value = evaluation.value(formula.root());
  if (work) *work = evaluation.work;
  if (!formula.counts_cells() && !formula.names().empty()) return value;
  if (fitting(o.constant_text, value.shape, o.shape) != o.shape)
    throw defect("a formula that is larger than its step: " + o.constant_text);
  Tensor whole(o.shape); // a number alone, or a row of counters, fills it
  BroadcastOffset at(value.shape, whole.shape);
  for (double& cell : whole.data) cell = value.data[*at], ++at;
  return whole;
}

} // namespace

Formula::Formula(const std::string& text) {
  Parser parser(text);
  root_ = std::make_shared<Node>(parser.whole());
  names_ = std::move(parser.names), counts_cells_ = parser.counts;
}

const Formula& formula_of_text(const std::string& text) {
  static std::map<std::string, Formula> read;
  const auto found = read.find(text);
  return found != read.end() ? found->second : read.emplace(text, Formula(text)).first->second;
}

std::string with_names(const std::string& text,
                       const std::function<std::string(const std::string&)>& replaced) {
  std::string result;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view token = token_at(rest);
    rest.remove_prefix(token.size());
    result += is_name(token) && !rest.starts_with('(') ? replaced(std::string(token)) : std::string(token);
  }
  return result;
}

constinit const Op op::formula = {.name = "formula",
                                  .shape = [](const Arguments& in) { return of_arguments(in).shape; },
                                  .value = [](const Arguments& in) { return of_arguments(in); },
                                  .work =
                                      [](const Computed& c) {
                                        std::vector<const Tensor*> values;
                                        for (const LabelledTensor* input : c.inputs)
                                          values.push_back(&input->value);
                                        Work work;
                                        of_arguments(Arguments(c.operation, values), &work);
                                        return work;
                                      },
                                  .explain =
                                      [](Explanation& e, const CellReader& read) {
                                        const Operation& o = read.operation();
                                        const Formula& formula = formula_of_text(o.constant_text);
                                        e.formula = with_names(o.constant_text, [&](const std::string& name) {
                                          return input_named(o, name);
                                        });
                                        CellText(formula, read).explain(e, formula.root());
                                      }};

} // namespace tfx
