#include "trace/mistake.hpp"

#include "core/error.hpp"
#include "core/number.hpp"
#include "ops/formula.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

namespace tfx {

namespace {

// Whether the name is of the pattern, and what # stands for.
std::optional<std::string> suffix_of(const std::string& name, const std::string& pattern) {
  if (pattern.empty() || name == pattern) return "";
  if (!pattern.ends_with('#') || !name.starts_with(pattern.substr(0, pattern.size() - 1))) return {};
  return name.substr(pattern.size() - 1);
}

std::string input_of(const Step& step, std::size_t i) {
  const std::vector<std::string>& inputs = step.operation.inputs;
  return i < inputs.size() ? inputs[i] : "";
}

// "Q@matmul of norm_1 if memory".
struct Clause {
  std::string name, operation; ///< empty: any
  std::vector<std::pair<std::string, std::string>> conditions;
};

const std::vector<Clause>& clauses_of(const std::string& at) {
  static std::map<std::string, std::vector<Clause>> read;
  const auto [found, is_new] = read.try_emplace(at);
  if (!is_new) return found->second;
  std::istringstream all(at);
  for (std::string text; std::getline(all, text, ',');) {
    std::istringstream words(text);
    std::string which, word, what;
    words >> which;
    const std::size_t kind = which.find('@');
    Clause clause{which.substr(0, kind), kind == std::string::npos ? "" : which.substr(kind + 1), {}};
    while (words >> word >> what) clause.conditions.emplace_back(word, what);
    found->second.push_back(std::move(clause));
  }
  return found->second;
}

// An extent of the first of the tensors that there is, counted from the last.
struct SizeOf {
  const char* name;
  bool is_scale; ///< a scale can be made of it
  std::vector<std::pair<const char*, std::size_t>> tensors;
};

const std::vector<SizeOf>& sizes() {
  static const std::vector<SizeOf> all = {{"d_k", true, {{"Kₕ", 1}, {"keys", 1}}},
                                          {"d_v", true, {{"Vₕ", 1}}},
                                          {"d_model", true, {{"X", 1}, {"token_embedding", 1}}},
                                          {"n_k", true, {{"Kₕ", 2}}},
                                          {"n_q", true, {{"Qₕ", 2}}},
                                          {"h", true, {{"K_heads", 3}}},
                                          {"batch", true, {{"K_heads", 4}, {"K", 3}}},
                                          {"n", true, {{"token_ids", 1}, {"X", 2}}},
                                          {"d_ff", true, {{"hidden", 1}}},
                                          {"vocabulary", true, {{"logits", 1}}},
                                          {"tokens", true, {}}, // of the labels, those that are no padding
                                          {"rows", false, {{"A", 2}}},
                                          {"columns", false, {{"A", 1}}},
                                          {"width", false, {{"K", 1}}}};
  return all;
}

/// The operation that adds ε in the norm of that suffix; nullptr where there is none.
const Operation* epsilon_of(const Trace& trace, const Step& step, const std::string& suffix) {
  if (step.operation.is(op::add_constant)) return &step.operation;
  for (const std::string& name : {"divisor_" + suffix, "variance_" + suffix + "_eps"})
    if (const Step* added = trace.find(name); added && added->operation.is(op::add_constant))
      return &added->operation;
  return nullptr;
}

} // namespace

double padding_of(const Trace& trace) {
  return trace.has("pad_id") ? trace["pad_id"].data[0] : -1;
}

double label_count(const Trace& trace) {
  const std::vector<double>& labels = trace["labels"].data;
  return static_cast<double>(labels.size()) -
         static_cast<double>(std::ranges::count(labels, padding_of(trace)));
}

std::vector<Size> sizes_of(const Trace& trace) {
  static const Step any;
  const auto names = FormulaNames::of("#", trace, any);
  std::vector<Size> found;
  for (const SizeOf& size : sizes()) {
    const bool of_cache = std::string_view(size.name) == "d_k" && !trace.has("K"); // keys of an earlier step
    const auto value = size.is_scale && !of_cache ? names->number(size.name) : std::nullopt;
    if (value && *value > 1) found.push_back({size.name, *value});
  }
  return found;
}

std::optional<FormulaNames> FormulaNames::of(const std::string& at, const Trace& trace, const Step& step) {
  for (const Clause& clause : clauses_of(at)) {
    const auto suffix = suffix_of(step.name, clause.name);
    if (!suffix || (!clause.operation.empty() && clause.operation != step.operation.kind->name)) continue;
    FormulaNames names(trace, step, *suffix);
    const bool holds = std::ranges::all_of(clause.conditions, [&](const auto& condition) {
      const auto& [word, what] = condition;
      if (word == "of" || word == "by") return suffix_of(input_of(step, word == "by"), what).has_value();
      return names.tensor(what).empty() == (word == "unless");
    });
    if (holds) return names;
  }
  return {};
}

std::string FormulaNames::tensor(const std::string& name) const {
  const auto input = [&](const std::string& letter) {
    return input_of(step_, static_cast<std::size_t>(letter[0] - 'A'));
  };
  std::string called = name;
  if (const std::size_t at = name.find('#'); at != std::string::npos) called = name.substr(0, at) + suffix_;
  if (name == "A" || name == "B" || name == "C") called = input(name);
  if (name == "S") called = softmax_input(trace_);
  if (name == "W") called = trace_.has("dropped") ? "dropped" : "weights";
  if (name.ends_with("ₕ")) called = per_head(trace_, name.substr(0, 1));
  if (const Step* mean = name == "N" ? trace_.find("mean_" + suffix_) : nullptr) called = input_of(*mean, 0);
  if (name == "x") return step_.name;
  const Step* found = trace_.find(called);
  return found && !(name == "memory" && !has_memory(trace_)) ? called : "";
}

std::optional<double> FormulaNames::number(const std::string& name) const {
  if (name == "c") return step_.operation.constant;
  if (name == "c_A" || name == "c_B") {
    const Step* made = trace_.find(input_of(step_, name == "c_B"));
    return made && !made->operation.is(op::given) ? std::optional(made->operation.constant) : std::nullopt;
  }
  if (const Operation* added = name == "eps" ? epsilon_of(trace_, step_, suffix_) : nullptr)
    return added->constant;
  if (name == "pad") return padding_of(trace_);
  if (name == "tokens" && trace_.has("labels")) return label_count(trace_);
  const auto size = std::ranges::find(sizes(), name, &SizeOf::name);
  if (size == sizes().end()) return {};
  for (const auto& [tensor_name, from_end] : size->tensors) {
    const std::string called = tensor(tensor_name);
    if (called.empty()) continue;
    const Shape& shape = trace_[called].shape;
    if (shape.size() >= from_end) return static_cast<double>(shape[shape.size() - from_end]);
  }
  return {};
}

std::optional<std::string> FormulaNames::with_numbers(const std::string& formula) const {
  for (const std::string& name : formula_of_text(formula).names())
    if (tensor(name).empty() && !number(name)) return {};
  return with_names(formula, [&](const std::string& name) {
    if (!tensor(name).empty() || !number(name)) return name;
    const std::string text = format_number(*number(name), 17);
    return *number(name) < 0 ? "(−" + text.substr(1) + ")" : text;
  });
}

std::string FormulaNames::on_screen(const std::string& text, const std::string& itself,
                                    const std::string& in_brackets) const {
  return with_names(text, [&](const std::string& name) {
    if (name == "x") return itself;
    if (name == "y") return in_brackets;
    if (name == "c") return step_.operation.constant_text;
    if (const Operation* added = name == "eps" ? epsilon_of(trace_, step_, suffix_) : nullptr)
      return added->constant_text;
    const bool is_stack = step_.value.rank() > 2;
    if (name == "rows_axis") return std::string(is_stack ? "-2" : "0");
    if (name == "heads_axis") return std::to_string(std::max<std::size_t>(step_.value.rank(), 3) - 3);
    if (name == "rows_reversed") return std::string(is_stack ? "..., ::-1, :" : "::-1");
    if (name == "first_row") return std::string(is_stack ? "..., :1, :" : ":1");
    const std::string called = tensor(name);
    return called.empty() ? name : called;
  });
}

Step FormulaNames::computed(const std::string& formula, std::string shown) const {
  Operation operation =
      Operation(op::formula()).with(step_.operation.constant, formula).onto(Shape(step_.value.shape));
  std::vector<const Tensor*> tensors;
  bool reads_itself = false;
  for (const std::string& name : formula_of_text(formula).names()) {
    operation.inputs.push_back(tensor(name));
    reads_itself = reads_itself || name == "x";
    tensors.push_back(name == "x" ? &step_.value : &trace_[operation.inputs.back()]);
  }
  Step step = valued_instead(step_, std::move(shown), compute(Arguments(operation, tensors)));
  if (!reads_itself) step.operation = std::move(operation);
  return step;
}

std::vector<Mistake> in_own_lesson(std::vector<Mistake> mistakes) {
  for (Mistake& mistake : mistakes) mistake.own_lesson = true;
  return mistakes;
}

std::optional<Step> Mistake::wrong(const Trace& trace, const Step& right) const {
  if (own_lesson && folder != "lessons/" + trace.lesson) return {};
  for (const WrongFormula& row : formulas) {
    const auto names = FormulaNames::of(row.at, trace, right);
    const auto formula = names ? names->with_numbers(row.formula) : std::nullopt;
    if (!formula) continue;
    std::string shown = row.shown.empty() ? row.formula : row.shown;
    const bool has_sizes = *formula != row.formula;
    const std::size_t equals = shown.find(" = ");
    if (has_sizes && row.shown.empty()) shown += " = " + *formula;
    if (has_sizes && !row.shown.empty() && equals != std::string::npos)
      shown = shown.substr(0, equals + 3) + names->with_numbers(shown.substr(equals + 3)).value_or("");
    return names->computed(*formula, names->on_screen(shown, right.formula, right.formula));
  }
  return by ? by(trace, right) : std::nullopt;
}

Step computed_instead(const Trace& trace, const Step& right, std::string formula, Operation operation) {
  const Arguments arguments = trace.arguments(operation);
  operation.kind->shape(arguments); // Armadillo's words on what does not fit name no tensor
  Step step = right;
  step.value = compute(arguments);
  step.formula = std::move(formula);
  step.operation = std::move(operation);
  if (step.value.shape != right.value.shape) step.labels.assign(step.value.rank(), {});
  return step;
}

Step valued_instead(const Step& right, std::string formula, Tensor value) {
  if (value.size() != element_count(value.shape))
    throw defect(right.name + ": a mistake with more or fewer numbers than its shape has");
  Step step = right;
  step.value = std::move(value);
  step.formula = std::move(formula);
  step.operation = Operation{};
  if (step.value.shape != right.value.shape) step.labels.assign(step.value.rank(), {});
  return step;
}

Step cells_instead(const Step& right, std::string formula, const std::function<double(std::size_t)>& cell) {
  Tensor value = right.value;
  for (std::size_t i = 0; i < value.size(); ++i) value.data[i] = cell(i);
  return valued_instead(right, std::move(formula), std::move(value));
}

const Tensor& cells_beside(const Trace& trace, const Step& right, std::string_view name) {
  const Step* other = trace.find(std::string(name));
  if (!other)
    throw Error(ErrorKind::bad_data,
                said("{name}: there is no {other}", {{"name", right.name}, {"other", std::string(name)}}));
  if (other->value.shape != right.value.shape)
    throw Error(ErrorKind::bad_data, Message::given(with_shape(other->name, other->value.shape) + ", " +
                                                    with_shape(right.name, right.value.shape)));
  return other->value;
}

std::set<std::string> way_to(std::set<std::string> names, const Trace& trace) {
  for (auto step = trace.steps.rbegin(); step != trace.steps.rend(); ++step)
    if (names.contains(step->name))
      names.insert(step->operation.inputs.begin(), step->operation.inputs.end());
  return names;
}

std::string softmax_input(const Trace& trace) {
  return trace.has("masked") ? "masked" : trace.has("scaled") ? "scaled" : "scores";
}

std::string per_head(const Trace& trace, const std::string& name) {
  return trace.has(name + "_heads") ? name + "_heads" : name;
}

bool has_memory(const Trace& run) {
  const Step* memory = run.find("memory");
  return memory && memory->role != Role::before;
}

} // namespace tfx
