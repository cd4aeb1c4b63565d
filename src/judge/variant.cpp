#include "judge/variant.hpp"

#include "core/error.hpp"
#include "core/number.hpp"
#include "core/tensor.hpp"
#include "ops/formula.hpp"
#include "ops/shared.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <map>
#include <optional>

namespace tfx {

// Formulas in the place of a step: rows of text, and what any step can be instead: an input left out,
// exchanged or turned, another tensor beside it.

using arma::mat;

namespace {

// What a scale may be by mistake: the sizes of the run, their roots, and temperatures, as text.
std::vector<std::string> scales_of(const Trace& now) {
  const std::vector<Size> sizes = sizes_of(now);
  std::vector<Size> all;
  const auto add = [&](const std::string& text, double value) {
    const auto same = [&](const Size& one) { return std::abs(one.value - value) <= 1e-9 * value; };
    if (!std::ranges::any_of(all, same)) all.push_back({text, value});
  };
  for (const Size& size : sizes) add("√" + size.name, std::sqrt(size.value));
  for (const Size& size : sizes) add(size.name, size.value);
  for (const Size& a : sizes)
    for (const Size& b : sizes)
      if (a.name < b.name) add("√(" + a.name + "·" + b.name + ")", std::sqrt(a.value * b.value));
  for (const Size& size : sizes) add(size.name + "²", size.value * size.value);
  for (const Size& size : sizes) add("√√" + size.name, std::sqrt(std::sqrt(size.value)));
  for (const double t : {2.0, 0.5, 3.0, 4.0, 5.0, 8.0, 10.0, 0.1, 100.0}) add(format_number(t, 3), t);
  std::vector<std::string> texts;
  for (const Size& size : all) texts.push_back(size.name);
  return texts;
}

using Fillings = std::vector<std::string>;
/// What braces stand for that name something of the run: {scale}.
using FillingsOf = std::function<Fillings(const std::string& name)>;

Fillings counted_to(std::size_t count) {
  Fillings numbers;
  for (std::size_t n = 0; n < count; ++n) numbers.push_back(std::to_string(n));
  return numbers;
}

// {scale}: what divides; {row}: each of the loss's tokens; {matrix}: each head, or sentence, of the step.
Fillings choices_of_run(const std::string& name, const Trace& now, const Step& step) {
  if (name == "scale") return scales_of(now);
  if (name == "row") return counted_to(now.has("labels") ? now["labels"].size() : 0);
  const std::size_t rank = step.value.rank();
  return counted_to(name == "matrix" && rank > 2 ? step.value.shape[rank - 3] : 0);
}

// What the first braces of the text hold.
std::optional<Fillings> choices_in(const std::string& text, const FillingsOf& of_run) {
  const std::size_t open = text.find('{');
  if (open == std::string::npos) return {};
  const std::string inside = text.substr(open + 1, text.find('}', open) - open - 1);
  if (inside == "eps")
    return Fillings{"", " + 1e-3", " + 1e-5", " + 1e-6", " + 1e-8", " + 1e-9", " + 1e-12", " + 1e-2"};
  if (inside.find('|') == std::string::npos) return of_run(inside);
  Fillings choices;
  std::size_t from = 0;
  for (std::size_t bar; (bar = inside.find('|', from)) != std::string::npos; from = bar + 1)
    choices.push_back(inside.substr(from, bar - from));
  choices.push_back(inside.substr(from));
  return choices;
}

// The text with choice `k` in all braces that have as many.
std::string chosen(std::string text, std::size_t k, std::size_t count, const FillingsOf& of_run) {
  for (std::size_t open = 0; (open = text.find('{', open)) != std::string::npos;) {
    const Fillings choices = *choices_in(text.substr(open), of_run);
    if (choices.size() != count) {
      ++open;
      continue;
    }
    text.replace(open, text.find('}', open) + 1 - open, choices[k]);
  }
  return text;
}

// The row with every choice of its braces.
void expand(const WrongFormula& row, const FillingsOf& of_run, std::vector<WrongFormula>& all) {
  const auto choices = choices_in(row.formula, of_run);
  if (!choices) return all.push_back(row);
  for (std::size_t k = 0; k < choices->size(); ++k)
    expand({row.at, chosen(row.formula, k, choices->size(), of_run),
            chosen(row.shown, k, choices->size(), of_run)},
           of_run, all);
}

// "scores/√d_k" of "scores/√d_k = scores/√3", "√Σ x²" of "‖x‖ = √Σ x²".
std::string formula_of(const Step& step) {
  if (step.operation.is(op::given)) return step.name;
  const std::size_t at = step.formula.find(" = ");
  if (at == std::string::npos) return step.formula;
  return step.operation.is(op::row_norm) ? step.formula.substr(at + 3) : step.formula.substr(0, at);
}

std::string in_brackets(const Step& step) {
  return step.operation.is(op::given) ? step.name : "(" + formula_of(step) + ")";
}

} // namespace

void add_rows(const std::vector<WrongFormula>& rows, const Trace& now, const Step& step,
              std::vector<Alternative>& found) {
  for (const WrongFormula& row : rows) {
    const auto names = FormulaNames::of(row.at, now, step);
    if (!names) continue;
    std::vector<WrongFormula> all;
    expand(
        row, [&](const std::string& name) { return choices_of_run(name, now, step); }, all);
    for (const WrongFormula& one : all) {
      const auto formula = names->with_numbers(one.formula);
      if (!formula) continue;
      const std::string& text = one.shown.empty() ? one.formula : one.shown;
      const bool reads_itself =
          std::ranges::count(formula_of_text(one.formula).names(), "x") > 0; // else x is a letter
      try {
        Tensor value = names->computed(*formula, "").value;
        // A mask that hides everything is what any rule gives on few keys: no formula that a learner wrote.
        const bool hides_all =
            step.name == "mask" && std::ranges::all_of(value.data, [](double x) { return x == 0; });
        if (!hides_all)
          found.push_back({names->on_screen(text, reads_itself ? formula_of(step) : "x", in_brackets(step)),
                           std::move(value)});
      } catch (const std::exception&) {
      }
    }
  }
}

namespace {

// A formula of one tensor, P.
Tensor formula_of_one(const std::string& formula, const Tensor& P) {
  const Operation operation = Operation(op::formula("P")).with(0, formula).onto(Shape(P.shape));
  return compute(Arguments(operation, {&P}));
}

class AnyVariants {
public:
  AnyVariants(const Trace& now, const Step& step) : now_(now), step_(step) {}

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
    other_constants();
    for (std::size_t i = 0; operation.is(op::total) && i < operation.inputs.size(); ++i) without(i);
    again();
    combined();
    add_rows(changes_behind(), now_, step_, found_);
    return std::move(found_);
  }

private:
  void add(std::string formula, Tensor value) { found_.push_back({std::move(formula), std::move(value)}); }

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
    const bool is_stack = value.rank() > 2 && value.shape[value.rank() - 3] > 1;
    const auto by = [&](const std::string& before, const std::string& after, const char* formula) {
      with_input(i, before + name + after, formula_of_one(formula, value));
    };
    by("", "ᵀ", "Pᵀ");
    with_input(i, name + ".reshape", for_each_matrix(value, [](const mat& M) {
                 const mat rows = M.t(); // C order
                 return mat(arma::reshape(arma::vectorise(rows), M.n_rows, M.n_cols));
               }));
    by("", value.rank() == 2 ? "[::-1]" : "[..., ::-1, :]", "flip(P)");
    by("roll(", ", 1)", "roll(P)"), by("roll(", ", -1)", "roll_back(P)");
    if (is_stack) by("", "[::-1]", "stack_flip(P)"), by("", "[:1]", "stack_first(P)");
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

  // One more, one fewer, twice, half.
  void other_constants() {
    const double c = step_.operation.constant;
    if (c == 0 || step_.operation.is(op::given) || step_.operation.constant_text.empty()) return;
    std::vector<double> others{-c, 2 * c, c / 2, c * c, 1 - c};
    if (c == std::round(c)) others.insert(others.begin(), {c + 1, c - 1});
    const std::optional<double> least = step_.operation.kind->counts_from;
    const auto is_none = [&](double other) {
      return least && (other < *least || other != std::round(other));
    };
    for (const double other : others)
      if (other != c && !is_none(other))
        add_computed(Operation(step_.operation).with(other, format_number(other, 6)), values());
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
        with_input(i, in_brackets(step_), step_.value);
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
        add(in_brackets(step_) + sign + other.name, std::move(value));
      };
      with(" + ", [](double a, double b) { return a + b; });
      with(" − ", [](double a, double b) { return a - b; });
      with(" ⊙ ", [](double a, double b) { return a * b; });
    }
  }

  const Trace& now_;
  const Step& step_;
  std::vector<Alternative> found_;
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

std::vector<std::vector<WrongFormula>> rows_of_several(const Trace& run) {
  std::map<std::string, std::vector<WrongFormula>> together;
  std::map<std::string, std::size_t> steps;
  for (const WrongFormula& row : variant_rows()) {
    const Step* first = nullptr;
    std::size_t count = 0;
    for (const Step& step : run.steps)
      if (FormulaNames::of(row.at, run, step) && count++ == 0) first = &step;
    if (count == 0) continue;
    std::vector<WrongFormula> all;
    expand(
        row, [&](const std::string& name) { return choices_of_run(name, run, *first); }, all);
    for (WrongFormula& one : all) {
      const std::string& shown = one.shown.empty() ? one.formula : one.shown;
      steps[shown] += count;
      together[shown].push_back(std::move(one));
    }
  }
  std::vector<std::vector<WrongFormula>> several;
  for (auto& [shown, rows] : together)
    if (steps[shown] > 1) several.push_back(std::move(rows));
  return several;
}

std::vector<Alternative> alternatives(const Trace& now, const Step& step) {
  std::vector<Alternative> all;
  add_rows(variant_rows(), now, step, all);
  for (Alternative& one : AnyVariants(now, step).all()) all.push_back(std::move(one));
  return all;
}

} // namespace tfx
