// Lesson params: what a model holds and what a token costs, each number the product of two widths. Source:
// Vaswani et al. 2017, sections 3 and 3.2.2 ("the total computational cost is similar to that of single-head
// attention"); annotated, make_model.

#include "architecture/blueprint.hpp"
#include "architecture/shape.hpp"
#include "core/number.hpp"
#include "input/lesson_input.hpp"
#include "page/layer_formulas.hpp"
#include "steps/attention_steps.hpp"
#include "trace/checks.hpp"
#include "trace/cost.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tfx {

namespace {

using Names = std::vector<std::string>;

const Names kinds{"W_Q", "W_K", "W_V", "W_O", "W_1", "W_2", "norm", "embedding", "generator"},
    places{"encoder.layer", "decoder.layer", "outside"}, products{"Q·Kᵀ", "weights·V"};

// A matrix of whole numbers that the architecture says, a row a kind.
void add_numbers(Trace& t, const char* name, const char* source, const Names& rows, const Names& columns,
                 std::vector<double> numbers) {
  const std::size_t width = numbers.size() / rows.size();
  t.add_input(name, source, Tensor({rows.size(), width}, std::move(numbers)),
              {rows, width == columns.size() ? columns : Names{}});
}

// name = Σ counts⊙each, a column of counts a cell.
void add_sums(Trace& t, const std::string& name, const std::string& counts, const std::string& each) {
  t.add(name, op::sum_over(counts, each).with(1, "1").onto({1, places.size()}), Role::result,
        "Σ " + counts + "⊙" + each);
  t.relabel(-1, places);
}

void add_scalar(Trace& t, const std::string& name, const std::string& sums) {
  t.add(name, op::sum_over(sums, std::string("repeats")).with(1, "1"), Role::result,
        "Σ " + sums + "⊙repeats");
}

// Every matrix and its bias, how often a layer has them, and how many layers there are.
void add_parameters(Trace& t, const page::Widths& m) {
  const auto [d, f, N, V, n] = m;
  add_numbers(t, "rows", "2, d, f, V", kinds, {}, {d, d, d, d, d, f, 2, V, d});
  add_numbers(t, "columns", "d, f, V", kinds, {}, {d, d, d, d, f, d, d, d, V});
  t.add("weight_count", op::multiply("rows", "columns"), Role::result);
  add_numbers(t, "bias", "0, d, f, V", kinds, {}, {d, d, d, d, f, d, 0, 0, V});
  t.add("parameters", op::add("weight_count", "bias"), Role::result);
  add_numbers(t, "copies", "make_model, The Annotated Transformer", kinds, places,
              {1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 1, 0, 1, 1, 0, 2, 3, 2, 0, 0, 2, 0, 0, 1});
  add_sums(t, "sums", "copies", "parameters");
  t.add_input("repeats", "N, N, 1", Tensor({1, 3}, {N, N, 1}), {{}, places});
  add_scalar(t, "total", "sums");
}

// W_Q cut into the columns of h heads.
void add_heads(Trace& t) {
  t.add("d_k", op::divide("d_model", "h"), Role::result);
  t.add("head_weights", op::multiply("d_model", "d_k"), Role::result);
  t.add("all_heads", op::multiply("head_weights", "h"), Role::result);
}

// What one token of the source and one of the target take.
void add_macs(Trace& t, const page::Widths& m) {
  add_numbers(t, "passes", "make_model, The Annotated Transformer", kinds, places,
              {1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
  add_sums(t, "weight_macs", "passes", "weight_count");
  add_numbers(t, "keys", "n", products, {}, {m.n, m.n});
  t.add("mixed", op::multiply("keys", "d_model"), Role::result);
  t.relabel(0, products);
  add_numbers(t, "attentions", "make_model, The Annotated Transformer", products, places, {1, 2, 0, 1, 2, 0});
  add_sums(t, "mixing_macs", "attentions", "mixed");
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

void check_counts(Trace& t, const page::Widths& m, const page::Counts& by_formula) {
  const auto number = [&](const char* name) { return t[name].data[0]; };
  const double h = number("h");
  const params::Totals counted = totals(encoder_decoder(shape_of(m, h))),
                       otherwise = totals(encoder_decoder(shape_of(m, h == 1 ? m.d : 1)));
  const auto value = [](const params::Figure& figure) { return static_cast<double>(figure.value()); };
  t.check_at_most("formula",
                  std::max({off(number("total"), by_formula.parameters), off(number("macs"), by_formula.macs),
                            off(number("training_bytes"), by_formula.training_bytes)}),
                  rounding);
  t.check("counted", off(number("total"), value(counted.parameters)) <= rounding, value(counted.parameters));
  t.check("counted_macs", off(number("macs") * m.n, value(counted.macs)) <= rounding, value(counted.macs));
  t.check("heads",
          value(counted.parameters) == value(otherwise.parameters) && number("all_heads") == m.d * m.d,
          h == 1 ? m.d : 1);
  const double all_flops = value(counted.flops()) / m.n;
  t.facts["rest"] = fmt::format("{:.2g} %", 100 * (1 - by_formula.flops / all_flops));
  t.measured = Cost{static_cast<std::size_t>(number("total")),
                    static_cast<std::size_t>(number("macs")),
                    static_cast<std::size_t>(all_flops),
                    {}};
}

// What a longer sequence does to the share of Q·Kᵀ and weights·V.
void show_lengths(Trace& t, page::Widths m) {
  Experiment lengths{"lengths", {"macs_of_pair", "mixing_share"}, {}, Tensor({4, 2})};
  m.n = 128;
  for (std::size_t i = 0; i < 4; ++i, m.n *= 8) {
    const page::Counts c = page::counts(m);
    lengths.rows.push_back("n = " + with_separators(static_cast<std::size_t>(m.n)));
    lengths.values.data[2 * i] = c.macs, lengths.values.data[2 * i + 1] = 100 * c.mixing_macs / c.macs;
  }
  t.experiments.push_back(std::move(lengths));
}

void state(Trace& t, const page::Widths& m, const page::Counts& c) {
  const auto whole = [](double number) { return with_separators(static_cast<std::size_t>(number)); };
  t.facts["vocabulary"] = "V = " + whole(m.V);
  t.facts["N"] = m.N, t.facts["V"] = m.V, t.facts["n"] = m.n, t.facts["d"] = m.d, t.facts["f"] = m.f;
  t.facts["h"] = t["h"].data[0], t.facts["d_k"] = t["d_k"].data[0];
  t.facts["matrix"] = whole(m.d * m.d);
  const auto percent = [](double share) {
    return share < 0.1 ? fmt::format("{:.2g} %", 100 * share) : fmt::format("{:.0f} %", 100 * share);
  };
  const double vocabulary = 2 * m.V * m.d + m.d * m.V + m.V;
  t.facts["hidden_share"] = percent(2 * m.N * (2 * m.d * m.f + m.d + m.f) / c.parameters);
  t.facts["attention_share"] = percent(3 * m.N * 4 * m.d * (m.d + 1) / c.parameters);
  t.facts["vocabulary_share"] = percent(vocabulary / c.parameters);
  t.facts["mixing_share"] = percent(c.mixing_macs / c.macs);
  t.facts["macs"] = whole(c.macs), t.facts["flops"] = whole(c.flops);
  t.facts["rule"] = fmt::format("{:.2f}", c.flops / (2 * c.parameters));
  t.facts["overtakes"] = whole(std::floor(2 * m.d + 2 * m.f / 3) + 1);
  t.facts["in_file"] = format_bytes(c.bytes), t.facts["in_training"] = format_bytes(c.training_bytes);
}

} // namespace

Trace run_params(const LessonInput& input) {
  Trace t = begin_trace("params", input, "total");
  for (const char* name : {"d_model", "d_ff", "h", "N", "vocab", "n"}) give(t, input, name);
  const auto size = [&](const char* name) { return t[name].data[0]; };
  const page::Widths m{size("d_model"), size("d_ff"), size("N"), size("vocab"), size("n")};
  add_parameters(t, m);
  add_heads(t);
  add_macs(t, m);
  t.add("weight_bytes", op::multiply_by("total").with(4, "4"), Role::result);
  t.add("training_bytes", op::multiply_by("weight_bytes").with(4, "(1 + 1 + 2)"), Role::result);
  const page::Counts c = page::counts(m);
  check_counts(t, m, c);
  show_lengths(t, m);
  state(t, m, c);
  return t;
}

} // namespace tfx
