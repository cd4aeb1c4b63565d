#include "steps/attention_steps.hpp"

#include "core/error.hpp"
#include "core/tensor.hpp"
#include "input/lesson_input.hpp"
#include "trace/checks.hpp"
#include "trace/trace.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include <utility>

namespace tfx {

Trace begin_trace(const std::string& lesson, const LessonInput& input, const std::string& main) {
  Trace trace;
  trace.lesson = lesson;
  trace.tutorial = input.given.tutorial;
  trace.numpy = input.given.numpy;
  trace.facts = input.given.facts;
  trace.main = main;
  trace.purpose = input.purpose;
  return trace;
}

void add_projection(Trace& trace, const LessonInput& input, const std::string& name, Role role) {
  const std::string letter = name.substr(0, 1);
  add_projection_of(trace, input, name, input.has("X_" + letter) ? "X_" + letter : "X", role);
}

void add_projection_of(Trace& trace, const LessonInput& input, const std::string& name, const std::string& X,
                       Role role) {
  const std::string letter = name.substr(0, 1);
  if (input.has(name)) {
    give(trace, input, name);
  } else {
    const std::string W = "W_" + letter, b = "b_" + letter;
    give(trace, input, X);
    give(trace, input, W);
    const bool biased = input.has(b);
    if (biased) give(trace, input, b);
    if (trace[X].shape.back() != trace[W].shape[0])
      throw Error(ErrorKind::bad_data, unequal_shapes(X, trace[X].shape, W, trace[W].shape));
    trace.add(name, biased ? op::matmul(X, W, b) : op::matmul(X, W), role);
  }
  const Step& step = trace.steps.back();
  const std::size_t rank = step.value.rank();
  if (!input.named_words && step.name == name) {
    std::string lower(1, static_cast<char>(std::tolower(letter[0])));
    trace.relabel(-2, numbered(lower, step.value.shape[rank - 2]));
  }
}

void add_scores(Trace& trace, const std::string& queries, const std::string& keys, Role role,
                const std::string& place) {
  trace.add(place + "scores", op::matmul_transposed(queries, keys), role);
}

void add_scaled(Trace& trace, const std::string& keys, Role role, const std::string& place) {
  const auto d_k = trace[keys].shape.back();
  const std::string root = "√" + std::to_string(d_k), scores = place + "scores";
  trace.add(place + "scaled", op::divide_by(scores).with(std::sqrt(static_cast<double>(d_k)), root), role,
            place.empty() ? "scores/√d_k = scores/" + root : "");
}

void add_mask_fill(Trace& trace, const std::string& mask, Role role, const std::string& place) {
  trace.add(place + "masked", op::mask_fill(place + "scaled", mask), role);
}

void refuse_not_finite(const Step& step, const Message& consequence) {
  const Tensor& S = step.value;
  for (std::size_t i = 0; i < S.size(); ++i)
    if (std::isnan(S.data[i]) || S.data[i] == std::numeric_limits<double>::infinity())
      throw Error(ErrorKind::bad_data,
                  said("{cell} (indices {index}) is {value}: {what}",
                       {{"cell", cell_name(step, index_of(S.shape, i))},
                        {"index", to_string(index_of(S.shape, i))},
                        {"value", std::isnan(S.data[i]) ? "NaN" : "+inf"},
                        {"what", consequence}}),
                  said("look for NaN, inf or very large numbers in the input"));
}

void refuse_not_finite(const Trace& trace, const std::string& name) {
  refuse_not_finite(*trace.find(name), said("a softmax over it has no answer"));
}

double masked_row_value(FullyMaskedRow policy) {
  return policy == FullyMaskedRow::nan ? std::numeric_limits<double>::quiet_NaN() : 0.0;
}

arma::uvec open_rows(const Trace& trace) {
  const arma::mat W = matrix(trace["weights"]);
  if (!trace.has("masked")) return arma::regspace<arma::uvec>(0, W.n_rows - 1);
  return arma::find(arma::max(matrix(trace["masked"]), 1) > -arma::datum::inf);
}

std::string add_masked(Trace& trace, const LessonInput& input, Role role) {
  if (!input.masks()) {
    refuse_not_finite(trace, "scores");
    return "scaled";
  }
  const Tensor& scaled = trace["scaled"];
  const std::size_t n_q = scaled.shape[scaled.rank() - 2], n_k = scaled.shape.back();
  if (input.pad > n_k)
    throw usage(
        said("--pad {pad} is more than the {keys} keys there are", {{"pad", input.pad}, {"keys", n_k}}));
  std::vector<std::string> parts;
  const int kinds = int{input.causal} + (input.pad > 0) + input.has("mask_given");
  if (input.has("mask_given")) {
    if (broadcast_shape(scaled.shape, input.given["mask_given"].shape, said("the mask and the scores")) !=
        scaled.shape)
      throw Error(
          ErrorKind::bad_data,
          said("the mask has shape {mask}, the scores have shape {scores}",
               {{"mask", to_string(input.given["mask_given"].shape)}, {"scores", to_string(scaled.shape)}}),
          said("a mask has one row a query and one column a key"));
    give(trace, input, "mask_given");
    // One row serves every query, one column every key: (batch, 1, n_k) is a usual mask of padding.
    Tensor& mask = trace.steps.back().value;
    mask = for_each_matrix(
        mask, [&](const arma::mat& M) { return arma::mat(arma::repmat(M, n_q / M.n_rows, n_k / M.n_cols)); });
    if (kinds == 1) trace.steps.back().name = "mask";
    parts.push_back("mask_given");
  }
  if (input.causal) {
    const bool upper = input.causal_align == CausalAlign::upper_left;
    trace.add(kinds == 1 ? "mask" : "causal_mask",
              upper ? op::causal_mask("scaled") : op::causal_mask_lower_right("scaled"), role);
    if (n_q != n_k) trace.facts[upper ? "upper_left" : "lower_right"] = static_cast<double>(n_q);
    parts.push_back("causal_mask");
    const Tensor& mask = trace.steps.back().value;
    trace.facts["causally_blocked"] =
        static_cast<double>(std::ranges::count(mask.data, 0.0)) / static_cast<double>(matrix_count(mask));
  }
  if (input.pad > 0) {
    trace.add(kinds == 1 ? "mask" : "padding_mask",
              op::padding_mask("scaled").with(static_cast<double>(input.pad), std::to_string(input.pad)),
              role);
    parts.push_back("padding_mask");
  }
  if (kinds > 1) trace.add("mask", op::both(parts), role);
  add_mask_fill(trace, "mask", role);
  refuse_not_finite(trace, "masked");
  if (const std::size_t blocked = fully_masked_rows(trace["masked"]).size()) {
    if (input.masked_row == FullyMaskedRow::error)
      throw Error(ErrorKind::bad_data,
                  said("{rows} rows of the mask let nothing be seen", {{"rows", blocked}}),
                  said("--on-masked-row zero gives them weights 0"));
    trace.facts["blocked_rows"] = static_cast<double>(blocked);
    trace.facts["rows"] = static_cast<double>(scaled.size() / n_k);
    trace.facts["blocked_value"] = masked_row_value(input.masked_row);
  }
  return "masked";
}

void add_weights(Trace& trace, const std::string& of, Role role, double masked_row,
                 const std::string& place) {
  trace.add(place + "weights", op::softmax(of).with(masked_row), role);
}

void add_output(Trace& trace, const std::string& name, const std::string& weights, const std::string& values,
                Role role) {
  trace.add(name, op::weighted_sum(weights, values), role);
}

void add_heads(Trace& t, const HeadsStep& heads) {
  const bool turned = !heads.angles.empty();
  const auto called = [&](const char* part, bool last) { return last ? heads.name : heads.name + part; };
  std::string x = called("_split", !heads.norm && !turned);
  t.add(x, op::split_heads(heads.projected).with(static_cast<double>(heads.count)), Role::result);
  if (heads.norm) {
    const std::string split = std::exchange(x, called("_normed", !turned));
    heads.norm(split, x);
  }
  if (!turned) return;
  const std::size_t behind = apart(heads.pairs, t[x].shape.back());
  t.add(heads.name, op::rotate(x, heads.angles).with(static_cast<double>(behind)), Role::result);
}

std::string add_shared_heads(Trace& t, const std::string& few, std::size_t group) {
  if (group == 1) return few;
  const std::string name = few + "_shared";
  t.add(name, op::repeat_heads(few).with(static_cast<double>(group), std::to_string(group)), Role::result);
  return name;
}

void add_causal_mask(Trace& t, const std::string& name, const std::string& scores, std::size_t window) {
  t.add(name,
        window ? op::causal_window(scores).with(static_cast<double>(window), std::to_string(window))
               : op::causal_mask(scores),
        Role::result);
}

void add_split(Trace& t, const std::string& name, std::size_t h, Role role) {
  t.add(name + "_heads", op::split_heads(name).with(static_cast<double>(h)), role);
}

void add_merge(Trace& t, Role role) {
  t.add("concat", op::merge_heads("heads"), role);
}

void add_output_projection(Trace& t, const LessonInput& input, const std::string& name, Role role) {
  give(t, input, "W_O");
  give(t, input, "b_O");
  const bool biased = t.has("b_O");
  if (t["concat"].shape.back() != t["W_O"].shape[0])
    throw Error(ErrorKind::bad_data, unequal_shapes("concat", t["concat"].shape, "W_O", t["W_O"].shape));
  t.add(name, biased ? op::matmul("concat", "W_O", "b_O") : op::matmul("concat", "W_O"), role);
}

} // namespace tfx
