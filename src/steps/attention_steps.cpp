#include "steps/attention_steps.hpp"

#include "core/broadcast.hpp"
#include "core/error.hpp"
#include "input/give.hpp"
#include "lessons/formulas.hpp"
#include "trace/checks.hpp"
#include "trace/labels.hpp"

#include <cmath>
#include <limits>

namespace tfx {

Trace begin(const std::string& lesson, const LessonInput& input, const std::string& main) {
  Trace trace;
  trace.lesson = lesson;
  trace.tutorial = input.given.tutorial;
  trace.numpy = input.given.numpy;
  trace.main = main;
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
      throw Error(ErrorKind::bad_data, X + " has shape " + to_string(trace[X].shape) + ", " + W +
                                           " has shape " + to_string(trace[W].shape));
    const How how = biased ? how::of(Op::matmul, {X, W, b}) : how::of(Op::matmul, {X, W});
    trace.add(name, X + "·" + W + (biased ? " + " + b : ""), how, role, [&] {
      return for_each_matrix(trace[X], trace[W], [&](const arma::mat& x, const arma::mat& w) {
        return biased ? page::project(x, w, arma::rowvec(trace[b].data)) : page::project(x, w);
      });
    });
  }
  const Step& step = trace.steps.back();
  const std::size_t rank = step.value.rank();
  if (!input.named_words && step.name == name) {
    std::string lower(1, static_cast<char>(std::tolower(letter[0])));
    trace.relabel(-2, numbered(lower, step.value.shape[rank - 2]));
  }
}

void add_scores(Trace& trace, const std::string& queries, const std::string& keys, Role role) {
  trace.add("scores", queries + "·" + keys + "ᵀ", how::of(Op::matmul_transposed, {queries, keys}), role,
            [&] { return for_each_matrix(trace[queries], trace[keys], page::scores); });
}

void add_scaled(Trace& trace, const std::string& keys, Role role) {
  const auto d_k = trace[keys].shape.back();
  const std::string root = "√" + std::to_string(d_k);
  trace.add("scaled", "scores/√d_k = scores/" + root,
            how::of(Op::divide_by, {"scores"}, std::sqrt(static_cast<double>(d_k)), root), role, [&] {
              return for_each_matrix(trace["scores"], [&](const arma::mat& S) {
                return page::scale(S, static_cast<double>(d_k));
              });
            });
}

void refuse_not_finite(const Step& step, const std::string& consequence) {
  const Tensor& S = step.value;
  for (std::size_t i = 0; i < S.size(); ++i)
    if (std::isnan(S.data[i]) || S.data[i] == std::numeric_limits<double>::infinity())
      throw Error(ErrorKind::bad_data,
                  cell_name(step, index_of(S.shape, i)) + " (indices " + to_string(index_of(S.shape, i)) +
                      ") is " + (std::isnan(S.data[i]) ? "NaN" : "+inf") + ": " + consequence,
                  "look for NaN, inf or very large numbers in the input");
}

void refuse_not_finite(const Trace& trace, const std::string& name) {
  refuse_not_finite(*trace.find(name), "a softmax over it has no answer");
}

namespace {

void add_one_mask(Trace& trace, const std::string& name, const std::string& formula, Op op, std::size_t pad,
                  Role role) {
  const Tensor& scaled = trace["scaled"];
  const auto n_q = scaled.shape[scaled.rank() - 2], n_k = scaled.shape.back();
  trace.add(name, formula, how::of(op, {"scaled"}, static_cast<double>(pad)), role, [&] {
    return to_tensor(op == Op::causal_mask ? page::causal_mask(n_q, n_k) : page::padding_mask(n_q, n_k, pad));
  });
}

} // namespace

double blocked_value(FullyMaskedRow policy) {
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
    throw Error(ErrorKind::usage, "--pad " + std::to_string(input.pad) + " is more than the " +
                                      std::to_string(n_k) + " keys there are");
  std::vector<std::string> parts;
  const int kinds = int{input.causal} + (input.pad > 0) + input.has("mask_given");
  if (input.has("mask_given")) {
    if (broadcast_shape(scaled.shape, input.given["mask_given"].shape, "the mask and the scores") !=
        scaled.shape)
      throw Error(ErrorKind::bad_data,
                  "the mask has shape " + to_string(input.given["mask_given"].shape) +
                      ", the scores have shape " + to_string(scaled.shape),
                  "a mask has one row a query and one column a key");
    give(trace, input, "mask_given");
    // One row serves every query, one column every key: (batch, 1, n_k) is a usual mask of padding.
    Tensor& mask = trace.steps.back().value;
    mask = for_each_matrix(
        mask, [&](const arma::mat& M) { return arma::mat(arma::repmat(M, n_q / M.n_rows, n_k / M.n_cols)); });
    if (kinds == 1) trace.steps.back().name = "mask";
    parts.push_back("mask_given");
  }
  if (input.causal) {
    add_one_mask(trace, kinds == 1 ? "mask" : "causal_mask", "[j ≤ i]", Op::causal_mask, 0, role);
    parts.push_back("causal_mask");
  }
  if (input.pad > 0) {
    add_one_mask(trace, kinds == 1 ? "mask" : "padding_mask", "[j < n_k − " + std::to_string(input.pad) + "]",
                 Op::padding_mask, input.pad, role);
    parts.push_back("padding_mask");
  }
  if (kinds > 1) {
    std::string formula;
    for (const std::string& part : parts) formula += (formula.empty() ? "" : " ∧ ") + part;
    trace.add("mask", formula, how::of(Op::both, parts), role, [&] {
      Tensor all = trace[parts[0]];
      for (std::size_t i = 1; i < parts.size(); ++i)
        all = for_each_matrix(all, trace[parts[i]],
                              [](const arma::mat& a, const arma::mat& b) { return arma::mat(a % b); });
      return all;
    });
  }
  trace.add("masked", "where(mask, scaled, −∞)", how::of(Op::mask_fill, {"scaled", "mask"}), role,
            [&] { return for_each_matrix(scaled, trace["mask"], page::mask_fill); });
  refuse_not_finite(trace, "masked");
  if (const std::size_t blocked = blocked_rows(trace["masked"]).size()) {
    if (input.blocked_row == FullyMaskedRow::error)
      throw Error(ErrorKind::bad_data, std::to_string(blocked) + " rows of the mask let nothing be seen",
                  "--on-masked-row zero gives them weights 0");
    trace.facts["blocked_rows"] = static_cast<double>(blocked);
    trace.facts["rows"] = static_cast<double>(scaled.size() / n_k);
    trace.facts["blocked_value"] = blocked_value(input.blocked_row);
  }
  return "masked";
}

void add_weights(Trace& trace, const LessonInput& input, const std::string& of, Role role) {
  const double fill = blocked_value(input.blocked_row);
  trace.add("weights", "softmax(" + of + ")", how::of(Op::softmax, {of}, fill), role, [&] {
    return for_each_matrix(trace[of], [&](const arma::mat& S) { return page::softmax(S, fill).weights; });
  });
}

void add_output(Trace& trace, const std::string& name, const std::string& weights, const std::string& values,
                Role role) {
  trace.add(name, weights + "·" + values, how::of(Op::weighted_sum, {weights, values}), role,
            [&] { return for_each_matrix(trace[weights], trace[values], page::weighted_sum); });
}

} // namespace tfx
