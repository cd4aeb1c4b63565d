// Lesson params: what a model holds and what a token costs, each number the product of two widths. Source:
// Vaswani et al. 2017, sections 3 and 3.2.2 ("the total computational cost is similar to that of single-head
// attention"); annotated, make_model.

#include "architecture/blueprint.hpp"
#include "architecture/shape.hpp"
#include "core/number.hpp"
#include "input/lesson_input.hpp"
#include "lessons/params/kinds.hpp"
#include "model/counts.hpp"
#include "page/layer_formulas.hpp"
#include "steps/attention_steps.hpp"
#include "trace/checks.hpp"
#include "trace/cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

using Names = std::vector<std::string>;

const Names products{"Q·Kᵀ", "weights·V"};

// A matrix of whole numbers that the architecture says.
void add_numbers(Trace& t, const char* name, const std::string& source, Labels labels,
                 std::vector<double> numbers) {
  const std::size_t rows = labels[0].size(), columns = numbers.size() / rows;
  t.add_input(name, source, Tensor({rows, columns}, std::move(numbers)), std::move(labels));
}

// A column of them: a number of each kind.
void add_column(Trace& t, const char* name, const std::string& source, const MatrixKinds& all,
                double MatrixKind::*number) {
  std::vector<double> numbers;
  for (const MatrixKind& kind : all.kinds) numbers.push_back(kind.*number);
  add_numbers(t, name, source, {all.names(), {}}, std::move(numbers));
}

// A number of each kind at each place.
void add_table(Trace& t, const char* name, const MatrixKinds& all, std::vector<double> MatrixKind::*row) {
  std::vector<double> numbers;
  for (const MatrixKind& kind : all.kinds)
    numbers.insert(numbers.end(), (kind.*row).begin(), (kind.*row).end());
  add_numbers(t, name, all.source, {all.names(), all.places}, std::move(numbers));
}

// name = Σ counts⊙each, a column of counts a cell.
void add_sums(Trace& t, const std::string& name, const std::string& counts, const std::string& each,
              const Names& places) {
  t.add(name, op::sum_over(counts, each).with(1, "1").onto({1, places.size()}), Role::result,
        "Σ " + counts + "⊙" + each);
  t.relabel(-1, places);
}

void add_scalar(Trace& t, const std::string& name, const std::string& sums) {
  t.add(name, op::sum_over(sums, std::string("repeats")).with(1, "1"), Role::result,
        "Σ " + sums + "⊙repeats");
}

// Every matrix and its bias, how often a layer has them, and how many layers there are.
void add_parameters(Trace& t, const MatrixKinds& all) {
  add_column(t, "rows", all.of_rows, all, &MatrixKind::rows);
  add_column(t, "columns", "d, f, V", all, &MatrixKind::columns);
  t.add("weight_count", op::multiply("rows", "columns"), Role::result);
  add_column(t, "bias", all.of_biases, all, &MatrixKind::bias);
  t.add("parameters", op::add("weight_count", "bias"), Role::result);
  add_table(t, "copies", all, &MatrixKind::copies);
  add_sums(t, "sums", "copies", "parameters", all.places);
  t.add_input("repeats", all.repeated, Tensor({1, all.places.size()}, all.repeats), {{}, all.places});
  add_scalar(t, "total", "sums");
}

// W_Q cut into the columns of h heads.
void add_heads(Trace& t) {
  t.add("d_k", op::divide("d_model", "h"), Role::result);
  t.add("head_weights", op::multiply("d_model", "d_k"), Role::result);
  t.add("all_heads", op::multiply("head_weights", "h"), Role::result);
}

// What a token takes, or one of the source and one of the target.
void add_macs(Trace& t, const MatrixKinds& all, double n) {
  add_table(t, "passes", all, &MatrixKind::passes);
  add_sums(t, "weight_macs", "passes", "weight_count", all.places);
  add_numbers(t, "keys", "n", {products, {}}, {n, n});
  t.add("mixed", op::multiply("keys", "d_model"), Role::result);
  t.relabel(0, products);
  std::vector<double> twice = all.attentions;
  twice.insert(twice.end(), all.attentions.begin(), all.attentions.end());
  add_numbers(t, "attentions", all.source, {products, all.places}, std::move(twice));
  add_sums(t, "mixing_macs", "attentions", "mixed", all.places);
  t.add("layer_macs", op::add("weight_macs", "mixing_macs"), Role::result);
  add_scalar(t, "macs", "layer_macs");
  t.add("flops", op::multiply_by("macs").with(2, "2"), Role::result);
}

params::ModelShape shape_of(const page::Widths& m, double heads) {
  const auto whole = [](double number) { return static_cast<std::size_t>(number); };
  params::ModelShape shape{{whole(m.N), whole(m.d), whole(m.f), whole(heads)}};
  shape.src_vocab = shape.tgt_vocab = whole(m.V);
  shape.seq = shape.tgt_seq = shape.context = whole(m.n);
  return shape;
}

double off(double a, double b) {
  return std::abs(a - b) / std::max(1.0, std::abs(b));
}

// The same numbers counted otherwise, and with another number of heads.
struct Otherwise {
  double parameters, macs, flops, with_other_heads;
};

Otherwise encoder_decoder_otherwise(const page::Widths& m, double h, double other_h) {
  const params::Totals counted = totals(encoder_decoder(shape_of(m, h))),
                       other = totals(encoder_decoder(shape_of(m, other_h)));
  const auto value = [](const params::Figure& figure) { return static_cast<double>(figure.value()); };
  return {value(counted.parameters), value(counted.macs), value(counted.flops()), value(other.parameters)};
}

Otherwise decoder_otherwise(const page::Widths& m, ModelSpec spec, double other_h) {
  Sequences tokens;
  tokens.append(static_cast<std::size_t>(m.n));
  const auto parameters = static_cast<double>(model_parameters(spec)),
             macs = static_cast<double>(forward_macs(spec, {}, tokens));
  spec.heads = static_cast<std::size_t>(other_h), spec.kv_heads = spec.head_width = 0;
  return {parameters, macs, 2 * macs, static_cast<double>(model_parameters(spec))};
}

void check_counts(Trace& t, const page::Widths& m, const ModelSpec* decoder) {
  const auto number = [&](const char* name) { return t[name].data[0]; };
  const double h = number("h"), other_h = h == 1 ? m.d : 1;
  const Otherwise counted =
      decoder ? decoder_otherwise(m, *decoder, other_h) : encoder_decoder_otherwise(m, h, other_h);
  if (!decoder) {
    const page::Counts by_formula = page::counts(m);
    t.check_at_most(
        "formula",
        std::max({off(number("total"), by_formula.parameters), off(number("macs"), by_formula.macs),
                  off(number("training_bytes"), by_formula.training_bytes)}),
        rounding);
    t.facts["rest"] = fmt::format("{:.2g} %", 100 * (1 - by_formula.flops * m.n / counted.flops));
  }
  t.check(decoder ? "counted_parts" : "counted", off(number("total"), counted.parameters) <= rounding,
          counted.parameters);
  t.check(decoder ? "counted_forward" : "counted_macs", off(number("macs") * m.n, counted.macs) <= rounding,
          counted.macs);
  t.check("heads", counted.parameters == counted.with_other_heads && number("all_heads") == m.d * m.d,
          other_h);
  t.measured = Cost{static_cast<std::size_t>(number("total")),
                    static_cast<std::size_t>(number("macs")),
                    static_cast<std::size_t>(counted.flops / m.n),
                    {}};
}

double in_all_places(const Trace& t, const char* sums) {
  return arma::dot(arma::vec(t[sums].data), arma::vec(t["repeats"].data));
}

// What a longer sequence does to the share of Q·Kᵀ and weights·V.
void show_lengths(Trace& t, double n, bool is_pair) {
  Experiment lengths{
      "lengths", {is_pair ? "macs_of_pair" : "macs_of_token", "mixing_share"}, {}, Tensor({4, 2})};
  const double weights = in_all_places(t, "weight_macs"), of_key = in_all_places(t, "mixing_macs") / n;
  double length = 128;
  for (std::size_t i = 0; i < 4; ++i, length *= 8) {
    const double mixing = of_key * length, macs = weights + mixing;
    lengths.rows.push_back("n = " + with_separators(static_cast<std::size_t>(length)));
    lengths.values.data[2 * i] = macs, lengths.values.data[2 * i + 1] = 100 * mixing / macs;
  }
  t.experiments.push_back(std::move(lengths));
}

// Of all parameters, those of these kinds.
double share_of(const Trace& t, const MatrixKinds& all, const Names& names) {
  double sum = 0;
  for (std::size_t i = 0; i < all.kinds.size(); ++i)
    if (std::ranges::count(names, all.kinds[i].name))
      sum += arma::dot(arma::vec(all.kinds[i].copies), arma::vec(all.repeats)) * t["parameters"].data[i];
  return sum / t["total"].data[0];
}

std::string percent(double share) {
  return share < 0.1 ? fmt::format("{:.2g} %", 100 * share) : fmt::format("{:.0f} %", 100 * share);
}

// A box for the matrices of each part, as large as the part of all parameters that they hold.
void draw_parts(Trace& t, const MatrixKinds& all) {
  BarPicture picture{{"part_of_all"}, {}};
  std::vector<double> shares;
  for (const Names& part : {Names{"W_Q", "W_K", "W_V", "W_O"},
                            {"W_1", "W_2", "W_3"},
                            {"norm"},
                            {"embedding"},
                            {"positions"},
                            {"generator"}}) {
    std::string name;
    for (const std::string& matrix : part)
      if (std::ranges::count(all.kinds, matrix, &MatrixKind::name))
        name += (name.empty() ? "" : " ") + matrix;
    if (name.empty()) continue;
    shares.push_back(share_of(t, all, part));
    const auto count = static_cast<std::size_t>(std::lround(shares.back() * t["total"].data[0]));
    picture.rows.push_back({name, {{{}, with_separators(count) + "  " + percent(shares.back())}}});
  }
  const double largest = *std::ranges::max_element(shares);
  for (std::size_t i = 0; i < shares.size(); ++i)
    picture.rows[i].bars[0].stretches = {{shares[i] / largest, false}};
  t.idea = std::move(picture);
}

// A row a matrix: its widths, what it holds with its bias, and how often it stands at each place.
void list_matrices(Trace& t, const MatrixKinds& all) {
  Experiment table{"matrices", {"rows", "columns", "parameters"}, all.names(), {}};
  table.columns.insert(table.columns.end(), all.places.begin(), all.places.end());
  arma::mat cells(all.kinds.size(), table.columns.size());
  for (std::size_t i = 0; i < all.kinds.size(); ++i) {
    const MatrixKind& kind = all.kinds[i];
    const arma::rowvec widths{kind.rows, kind.columns, t["parameters"].data[i]};
    cells.row(i) = arma::join_rows(widths, arma::rowvec(kind.copies));
  }
  table.values = to_tensor(cells);
  t.experiments.push_back(std::move(table));
}

void state(Trace& t, const page::Widths& m, const MatrixKinds& all) {
  const auto whole = [](double number) { return with_separators(static_cast<std::size_t>(number)); };
  const auto number = [&](const char* name) { return t[name].data[0]; };
  t.facts["norm_rows"] = std::to_string(static_cast<int>(t["rows"].data[static_cast<std::size_t>(
      std::ranges::find(all.kinds, "norm", &MatrixKind::name) - all.kinds.begin())]));
  t.facts["vocabulary"] = "V = " + whole(m.V);
  t.facts["N"] = m.N, t.facts["V"] = m.V, t.facts["n"] = m.n, t.facts["d"] = m.d, t.facts["f"] = m.f;
  t.facts["h"] = number("h"), t.facts["d_k"] = number("d_k");
  t.facts["matrix"] = whole(m.d * m.d), t.facts["total_count"] = whole(number("total"));
  t.facts["hidden_share"] = percent(share_of(t, all, {"W_1", "W_2", "W_3"}));
  t.facts["attention_share"] = percent(share_of(t, all, {"W_Q", "W_K", "W_V", "W_O"}));
  t.facts["vocabulary_share"] = percent(share_of(t, all, {"embedding", "generator"}));
  const double mixing = in_all_places(t, "mixing_macs"), macs = number("macs"), flops = number("flops"),
               in_layers = in_all_places(t, "weight_macs") - t["weight_macs"].data.back();
  t.facts["mixing_share"] = percent(mixing / macs);
  t.facts["macs"] = whole(macs), t.facts["flops"] = whole(flops);
  t.facts["rule"] = fmt::format("{:.2f}", flops / (2 * number("total")));
  t.facts["overtakes"] = whole(std::floor(in_layers / (mixing / m.n)) + 1);
  t.facts["in_file"] = format_bytes(number("weight_bytes")),
  t.facts["in_training"] = format_bytes(number("training_bytes"));
}

} // namespace

Trace run_params(const LessonInput& input) {
  Trace t = begin_trace("params", input, "total");
  for (const char* name : {"d_model", "d_ff", "h", "N", "vocab", "n"}) give(t, input, name);
  const auto size = [&](const char* name) { return t[name].data[0]; };
  const page::Widths m{size("d_model"), size("d_ff"), size("N"), size("vocab"), size("n")};
  const ModelSpec* decoder = input.decoder.get();
  const MatrixKinds all =
      decoder ? decoder_of(m, *decoder, std::get<std::string>(t.facts.at("trained"))) : encoder_decoder_of(m);
  add_parameters(t, all);
  add_heads(t);
  add_macs(t, all, m.n);
  t.add("weight_bytes", op::multiply_by("total").with(4, "4"), Role::result);
  t.add("training_bytes", op::multiply_by("weight_bytes").with(4, "(1 + 1 + 2)"), Role::result);
  check_counts(t, m, decoder);
  list_matrices(t, all);
  draw_parts(t, all);
  show_lengths(t, m.n, !decoder);
  state(t, m, all);
  return t;
}

} // namespace tfx
