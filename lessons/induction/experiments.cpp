#include "core/number.hpp"
#include "lessons/induction/induction.hpp"
#include "model/repeated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tfx {

namespace {

using arma::mat;

std::string layer_and_head(const HeadOnRepeated& one) {
  return fmt::format("{}.{}", one.layer, one.head);
}

} // namespace

void measure_heads(Trace& t, const Transformer<double>& model, std::size_t period) {
  const std::vector<HeadOnRepeated> heads = heads_on_repeated(model, period);
  const OnRepeated whole = measure_repeated(model, period);
  Experiment table{"heads", {"score_previous", "score_induction", "right_without"}, {}, {}};
  mat rows(0, 3);
  for (const HeadOnRepeated& one : heads) {
    table.rows.push_back(layer_and_head(one));
    const double right = measure_without(one, model, period).right;
    rows = arma::join_cols(rows, arma::rowvec{one.previous, one.induction, right});
  }
  table.values = to_tensor(rows);
  t.experiments.push_back(std::move(table));
  constexpr double share_that_counts = 0.1, weight_that_counts = 0.25;
  auto& facts = t.facts;
  const auto best = std::ranges::max_element(heads, {}, &HeadOnRepeated::induction);
  const double without = rows(static_cast<arma::uword>(best - heads.begin()), 2);
  if (whole.right - without > share_that_counts) {
    facts["best_head"] = layer_and_head(*best), facts["best_score"] = best->induction;
    facts["best_without"] = without;
  }
  const auto before = std::ranges::max_element(heads, {}, &HeadOnRepeated::previous);
  if (before->previous > weight_that_counts)
    facts["previous_head"] = layer_and_head(*before), facts["previous_score"] = before->previous;
  facts["whole_right"] = whole.right, facts["period"] = static_cast<double>(period);
  const std::vector<TokenIds> tested = test_rows(model.spec, period);
  facts["sequences"] = static_cast<double>(tested.size());
  facts["length"] = static_cast<double>(tested[0].size());
  facts["uniform_loss"] = std::log(static_cast<double>(model.spec.tgt_vocab));
}

void show_growth(Trace& t, const std::string& watched) {
  constexpr std::size_t most_rows = 40; // a file may say anything
  std::istringstream lines(watched);
  Experiment table{"growth", {"loss_first", "loss_again", "share_right"}, {}, {}};
  std::vector<arma::rowvec> rows;
  std::size_t step = 0, before = 0;
  double first = 0, again = 0, right = 0;
  while (rows.size() < most_rows && lines >> step >> first >> again >> right) {
    const bool makes_sense =
        first >= 0 && again >= 0 && right >= 0 && right <= 1 && (rows.empty() || step > before);
    if (!makes_sense) break;
    table.rows.push_back(fmt::format("{}", step)), before = step;
    rows.push_back({first, again, right});
  }
  if (rows.size() < 2) return;
  constexpr double as_before = 0.95, learned = 0.5;
  const arma::rowvec &begun = rows.front(), &ended = rows.back();
  if (ended(0) > as_before * begun(0) && ended(1) < learned * begun(1)) {
    std::size_t steepest = 1;
    for (std::size_t i = 2; i < rows.size(); ++i)
      if (rows[i - 1](1) - rows[i](1) > rows[steepest - 1](1) - rows[steepest](1)) steepest = i;
    t.facts["grew_from"] = begun(1), t.facts["grew_to"] = ended(1);
    t.facts["grew_before"] = table.rows[steepest - 1], t.facts["grew_at"] = table.rows[steepest];
  }
  table.values = Tensor({rows.size(), 3});
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::ranges::copy(rows[i], table.values.data.begin() + static_cast<std::ptrdiff_t>(3 * i));
  t.experiments.push_back(std::move(table));
}

namespace {

/// Highest induction score, what is right without that head, then what is right at each period.
arma::vec tested(const Transformer<double>& model, const std::vector<std::size_t>& periods) {
  const auto heads = heads_on_repeated(model, periods.front());
  const HeadOnRepeated& best = *std::ranges::max_element(heads, {}, &HeadOnRepeated::induction);
  arma::vec found{best.induction, measure_without(best, model, periods.front()).right};
  for (const std::size_t period : periods)
    found = arma::join_cols(found, arma::vec{measure_repeated(model, period).right});
  return found;
}

std::vector<std::size_t> periods_of(std::size_t longest) {
  std::vector<std::size_t> periods;
  for (std::size_t period = longest; period >= longest / 2 && period > 1; --period) periods.push_back(period);
  return periods;
}

constexpr std::size_t fixed = 1; // column of the trap
const char* const grown[] = {"induction", "fixed-period", "one-layer", "two-heads"};

} // namespace

void compare_periods(Trace& t, const Transformer<double>* own) {
  static const std::vector<std::size_t> periods = periods_of(grown_model(grown[0]).spec.max_len / 2);
  static const mat shipped = [] {
    mat columns;
    for (const char* name : grown) columns = arma::join_rows(columns, tested(grown_model(name), periods));
    return columns;
  }();
  const auto row_of = [](std::size_t period) { return 2 + periods.front() - period; };
  Experiment table{"periods",
                   {"grown_varied", "grown_fixed", "grown_one_layer", "grown_two_heads"},
                   {"best_score", "without_it"},
                   {}};
  for (const std::size_t period : periods) table.rows.push_back(fmt::format("{}", period));
  table.worded = true;
  mat values = shipped;
  if (own && own->spec.max_len / 2 == periods.front()) {
    table.columns.push_back("grown_own");
    values = arma::join_rows(values, tested(*own, periods));
  }
  table.values = to_tensor(values);
  t.experiments.push_back(std::move(table));
  auto& facts = t.facts;
  facts["trap_score"] = shipped(0, fixed), facts["trap_without"] = shipped(1, fixed);
  facts["trap_right"] = shipped(row_of(periods.front()), fixed);
  facts["trap_elsewhere"] = shipped.col(fixed).subvec(3, shipped.n_rows - 2).max();
  facts["trap_half"] = shipped(row_of(periods.back()), fixed);
  facts["trap_period"] = static_cast<double>(periods.front());
  facts["trap_back"] = static_cast<double>(periods.front() - 1); // just behind where the token stood
  facts["half_period"] = static_cast<double>(periods.back());
  facts["one_layer_right"] = shipped(2, 2), facts["two_heads_without"] = shipped(1, 3);
}

void test_periods(Trace& t, const Transformer<double>& model, std::size_t trained) {
  std::vector<std::size_t> periods = periods_of(model.spec.max_len / 2);
  if (std::ranges::count(periods, trained) == 0) periods.push_back(trained);
  Experiment table{"own_periods", {"share_right"}, {}, Tensor({periods.size(), 1})};
  for (std::size_t i = 0; i < periods.size(); ++i) {
    table.rows.push_back(fmt::format("{}", periods[i]));
    table.values.data[i] = measure_repeated(model, periods[i]).right;
  }
  t.experiments.push_back(std::move(table));
}

void add_circuits(Trace& t, const ModelSpec& spec, const std::vector<std::string>& symbols) {
  constexpr std::size_t most = 256;                                   // symbols, each a row and a column
  if (spec.heads != 1 || spec.layers != 2 || spec.tgt_vocab > most) { // of one head, and one before it
    t.facts["own_layers"] = static_cast<double>(spec.layers);
    t.facts["own_heads"] = static_cast<double>(spec.heads);
    return;
  }
  const auto W = [](std::size_t layer, const char* matrix) {
    return fmt::format("decoder.layers.{}.self_attn.linears.{}.weight", layer, matrix);
  };
  const std::string E = "tgt_embed.0.lut.weight", U = "generator.proj.weight";
  const auto product = [&](const std::string& name, const std::string& A, const std::string& B) {
    t.add(name, op::matmul_transposed(A, B), Role::result);
    return name;
  };
  product("copies", product("copies.written", product("copies.read", E, W(1, "2")), W(1, "3")), U);
  const std::string moved = product("matches.moved", product("matches.read", E, W(0, "2")), W(0, "3"));
  product("matches", product("matches.queries", E, W(1, "0")), product("matches.keys", moved, W(1, "1")));
  for (const std::string name : {"copies", "matches"}) {
    Step& step = *std::ranges::find(t.steps, name, &Step::name);
    step.labels = {symbols, symbols};
    const arma::mat cells = matrix(step.value);
    std::size_t own = 0;
    for (arma::uword i = 0; i < cells.n_rows; ++i) own += cells.row(i).index_max() == i;
    t.facts[name + "_own"] = static_cast<double>(own);
    t.drawn.insert(name);
  }
}

} // namespace tfx
