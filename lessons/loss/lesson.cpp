// Lesson loss: how wrong the predictions are, as one number, and which way every number before it should
// move. Source: annotated (the notebook's LabelSmoothing), attention-block (compute_loss, backward_pass);
// Szegedy et al. 2016, section 7.

#include "core/tensor.hpp"
#include "input/lesson_input.hpp"
#include "page/backward.hpp"
#include "steps/attention_steps.hpp"
#include "steps/loss_steps.hpp"
#include "trace/checks.hpp"
#include "trace/gradients.hpp"
#include "trace/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace tfx {

namespace {

using arma::mat;
using arma::vec;

double tokens_of(const Trace& t) {
  return std::get<double>(t.facts.at("tokens"));
}

// How many cells of a wrong gradient lie apart from the central differences, and how far that and the right
// one do at most, relative to the right one's largest cell, as GradientCheck::largest is.
struct Apart {
  double wrong_cells = 0, wrong = 0, right = 0;
};

Apart compare(const Trace& t, const std::string& tensor, const mat& wrong) {
  const auto check = std::find_if(t.gradients.begin(), t.gradients.end(),
                                  [&](const GradientCheck& g) { return g.of == tensor; });
  const mat differences = matrix(check->differences), right = matrix(t["d" + tensor]);
  Apart apart;
  for (arma::uword i = 0; i < differences.n_elem; ++i) {
    if (std::isnan(differences(i))) continue; // not tried
    const double off = std::abs(wrong(i) - differences(i));
    apart.wrong_cells += off > 1e-6 * std::max(1.0, std::abs(differences(i)));
    apart.wrong = std::max(apart.wrong, off);
    apart.right = std::max(apart.right, std::abs(right(i) - differences(i)));
  }
  if (const double size = arma::abs(vec(t["d" + tensor].data)).max(); size > 0)
    apart.wrong /= size, apart.right /= size;
  return apart;
}

// Rows of the target sum to 1, those of the padding to 0: check "target_rows"; the padding's rows of dlogits
// are 0: check "padding_still".
void check_rows(Trace& t) {
  const Tensor &labels = t["labels"], &target = t["target"], &gradient = t["dlogits"];
  const double pad = t["pad_id"].data[0];
  const std::size_t V = target.shape.back();
  double off = 0, moved = 0, padding = 0;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const bool counts = labels.data[row] != pad;
    double sum = 0;
    for (std::size_t j = 0; j < V; ++j) sum += target.data[row * V + j];
    off = std::max(off, std::abs(sum - (counts ? 1 : 0)));
    if (counts) continue;
    ++padding;
    for (std::size_t j = 0; j < V; ++j) moved = std::max(moved, std::abs(gradient.data[row * V + j]));
  }
  t.check_at_most("target_rows", off, rounding * static_cast<double>(V));
  if (padding == 0) return;
  t.facts["padding"] = padding;
  t.check_at_most("padding_still", moved, 0);
}

// dlogits = (softmax − target)/tokens: check "logits_gradient".
void check_logits_gradient(Trace& t) {
  const double tokens = tokens_of(t);
  const Tensor closed = for_each_matrix(t["probs"], t["target"], [&](const mat& p, const mat& target) {
    return mat((p.each_col() % arma::sum(target, 1) - target) / tokens); // 0 in rows of padding
  });
  t.check_at_most("logits_gradient", relative_difference(t["dlogits"], closed), rounding);
}

// One number added to all keys' scores of a query moves no weight, so rows of dscores sum to 0, and with
// them the gradient of a bias of the keys: check "key_bias". Fact "key_bias".
void check_key_bias(Trace& t) {
  if (!t.has("dscores")) return;
  double sum = 0, bias = 0;
  for_each_matrix(t["dscores"], t["Q"], [&](const mat& dS, const mat& Q) {
    sum = std::max(sum, arma::abs(arma::sum(dS, 1)).max());
    bias = std::max(bias, arma::abs(arma::sum(dS.t() * Q, 0)).max());
    return dS;
  });
  const double size = std::max(1.0, arma::abs(vec(t["Q"].data)).max());
  t.facts["key_bias"] = bias;
  t.check_at_most("key_bias", sum, rounding * size);
}

// How large gradients are at the end and at the beginning of the way back: facts "flow_from", "flow_to", and
// below what attention-block warns that they vanish, "flow_threshold".
void state_flow(Trace& t) {
  if (!t.has("dX")) return;
  const auto largest = [&](const char* name) { return arma::abs(vec(t[name].data)).max(); };
  t.facts["flow_from"] = largest("dlogits");
  t.facts["flow_to"] = largest("dX");
  t.facts["flow_threshold"] = 1e-7; // check_gradient_flow(gradient_threshold=1e-7)
}

// The loss without the maximum inside, as attention-block computes it: facts "wrong_loss", "wrong_sum".
void compare_wrong_losses(Trace& t) {
  double wrong = 0, sum = 0;
  for (std::size_t i = 0; i < matrix_count(t["logits"]); ++i) {
    const mat logits = matrix(t["logits"], i), shifted = logits.each_col() - arma::max(logits, 1).eval();
    // The maximum is taken inside the sum and never added back.
    const mat L = logits.each_col() - arma::log(arma::sum(arma::exp(shifted), 1)).eval();
    if (i == 0) sum = arma::accu(arma::exp(L.row(0)));
    wrong += page::divergence(L, matrix(t["target"], i), tokens_of(t));
  }
  t.facts["wrong_loss"] = wrong;
  t.facts["wrong_sum"] = sum;
  const double even = std::log(static_cast<double>(t["logits"].shape.back()));
  double uniform = 0;
  for (std::size_t i = 0; i < matrix_count(t["logits"]); ++i) {
    const mat target = matrix(t["target"], i);
    uniform += page::divergence(mat(arma::size(target), arma::fill::value(-even)), target, tokens_of(t));
  }
  t.facts["uniform_loss"] = uniform;
  t.facts["vocabulary"] = static_cast<double>(t["logits"].shape.back());
  t.facts["loss_value"] = t["loss"].data[0];
}

// A cell of dlogits with its numbers: that of the first label.
void state_derivation(Trace& t) {
  const mat probs = matrix(t["probs"], 0), target = matrix(t["target"], 0), back = matrix(t["dlogits"], 0);
  for (arma::uword i = 0; i < target.n_rows; ++i) {
    if (arma::accu(target.row(i)) == 0) continue;
    const arma::uword label = target.row(i).index_max();
    Index cell(t["dlogits"].rank(), 0);
    cell.back() = label, cell[cell.size() - 2] = i;
    t.facts["derived_cell"] = cell_name(t.step_named("dlogits"), cell);
    t.facts["derived_probability"] = probs(i, label), t.facts["derived_target"] = target(i, label);
    t.spotlight = Spotlight{"probs", cell}; // the way back is another page
    t.facts["derived"] = back(i, label), t.facts["tokens_asked"] = tokens_of(t);
    return;
  }
}

// The loss of a token by the probability of its label, without label smoothing and with the run's, or with
// the paper's where the run has none: experiment "smoothing", fact "asked", of what probability a target
// asks.
void show_smoothing(Trace& t, double smoothing) {
  const arma::uword V = t["target"].shape.back();
  if (V < 4) { // a label, padding, and others that share what is left
    t.facts["few_words"] = static_cast<double>(V);
    return;
  }
  constexpr double usual = 0.1; // Vaswani et al. 2017, 5.4
  const double epsilon = smoothing > 0 ? smoothing : usual;
  const arma::uword pad = 0, label = 1;
  const auto loss = [&](double p, double eps) {
    mat probs(1, V, arma::fill::value((1 - p) / static_cast<double>(V - 2)));
    probs(pad) = 0, probs(label) = p;
    const double value = page::divergence(arma::log(probs), page::smoothed_target({label}, V, eps, pad), 1);
    return std::abs(value) < rounding ? 0 : value;
  };
  Experiment table{"smoothing", {"plain_loss", "smoothed_loss"}, {}, {}};
  constexpr std::size_t from = 50, to = 99; // percent: below, both fall steeply
  table.plots = {{"plain_loss", {}, from}, {"smoothed_loss", {}, from}};
  mat rows(0, 2);
  for (const double p : std::set<double>{0.1, 0.5, 1 - epsilon, 0.99, 0.999}) {
    table.rows.push_back(fmt::format("p = {:.4g}", p));
    rows = arma::join_cols(rows, arma::rowvec{loss(p, 0), loss(p, epsilon)});
  }
  for (std::size_t percent = from; percent <= to; ++percent)
    for (const bool smoothed : {false, true})
      table.plots[smoothed].values.push_back(
          loss(static_cast<double>(percent) / 100, smoothed ? epsilon : 0));
  table.values = to_tensor(rows);
  if (constexpr double sure = 0.999; 1 - epsilon < 0.99) { // the last row of the table
    t.facts["sure_p"] = sure, t.facts["sure_plain"] = loss(sure, 0);
    t.facts["sure_smoothed"] = loss(sure, epsilon);
  }
  t.facts["epsilon"] = epsilon, t.facts["asked"] = 1 - epsilon;
  t.experiments.push_back(std::move(table));
}

// A row a place, as many as a screen has room for: what its label got, and what that costs. Facts of the
// costliest.
void draw_places(Trace& t, double smoothing) {
  constexpr std::size_t most = 8;
  const std::vector<AskedPlace> places = asked_places(t);
  if (places.empty()) return;
  const AskedPlace& worst = *std::ranges::max_element(places, {}, &AskedPlace::cost);
  BarPicture picture{{"idea_p", smoothing > 0 ? "idea_cost" : "idea_log"}, {}};
  for (std::size_t i = 0; i < std::min(most, places.size()); ++i) {
    const auto& [name, p, cost] = places[i];
    const double share = std::isfinite(worst.cost) && worst.cost > 0 ? cost / worst.cost : 0;
    picture.rows.push_back(
        {name, {{{{p, false}}, fmt::format("{:.4f}", p)}, {{{share, false}}, fmt::format("{:.4f}", cost)}}});
  }
  if (places.size() > most) picture.rows.push_back({"…", std::vector<PictureBar>(2)});
  t.facts["places"] = static_cast<double>(places.size());
  t.facts["worst_place"] = worst.name, t.facts["worst_cost"] = worst.cost;
  t.idea = std::move(picture);
}

// A row of dlogits sums to 0: fact "row_sum".
void state_row_sums(Trace& t) {
  double largest = 0;
  for (std::size_t i = 0; i < matrix_count(t["dlogits"]); ++i)
    largest = std::max(largest, arma::abs(arma::sum(matrix(t["dlogits"], i), 1)).max());
  t.facts["row_sum"] = largest;
}

// Gradients of the right shape that are wrong, beside the central differences: experiment "wrong_gradients".
void show_wrong_gradients(Trace& t) {
  if (t.gradients.empty()) return;
  Experiment table{"wrong_gradients", {"wrong_cells", "wrong_off", "right_off"}, {}, {}};
  mat rows(0, 3);
  const auto add = [&](const std::string& tensor, const std::string& formula, const mat& wrong) {
    const Apart apart = compare(t, tensor, wrong);
    if (apart.wrong_cells == 0) return; // the same here: nothing to see
    table.rows.push_back("d" + tensor + " = " + formula);
    rows = arma::join_cols(rows, arma::rowvec{apart.wrong_cells, apart.wrong, apart.right});
  };
  if (t["logits"].rank() != 2) return;
  add("logits", "(probs − target)⊙[label ≠ pad]", matrix(t["dlogits"]) * tokens_of(t));
  if (t.has("W_Q") && t["X"].rank() == 2) {
    const mat X = matrix(t["X"]), K = matrix(t["K"]), W = matrix(t["weights"]);
    const mat dscores = W % matrix(t["dweights"]) / std::sqrt(static_cast<double>(K.n_cols));
    add("W_Q", "Xᵀ·(weights⊙dweights)·K/√d_k", X.t() * (dscores * K));
    const mat W_Q = matrix(t["W_Q"]), W_V = matrix(t["W_V"]);
    if (W_Q.is_square() && W_V.is_square())
      add("X", "dQ·W_Q + dK·W_K + dV·W_V",
          matrix(t["dQ"]) * W_Q + matrix(t["dK"]) * matrix(t["W_K"]) + matrix(t["dV"]) * W_V);
  }
  table.values = to_tensor(rows);
  if (!table.rows.empty()) t.experiments.push_back(std::move(table));
}

} // namespace

Trace run_loss(const LessonInput& input) {
  Trace t = begin_trace("loss", input, "dlogits");
  if (input.has("logits")) {
    give(t, input, "logits");
  } else {
    add_logits(t, input, Role::result);
    t.facts["attended"] = static_cast<double>(t.steps.size() - 1); // those before the logits
  }
  add_loss(t, input, Role::result);
  add_gradients(t);

  if (input.has("logits")) t.facts["logits_source"] = t.find("logits")->formula;
  check_rows(t);
  check_logits_gradient(t);
  check_key_bias(t);
  state_flow(t);
  state_row_sums(t);
  state_derivation(t);
  compare_wrong_losses(t);
  show_smoothing(t, input.smoothing);
  draw_places(t, input.smoothing);
  show_wrong_gradients(t);
  return t;
}

} // namespace tfx
