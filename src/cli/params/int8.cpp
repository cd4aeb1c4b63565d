#include "cli/params/int8.hpp"

#include "architecture/presets.hpp"
#include "core/memory.hpp"
#include "core/number.hpp"
#include "lessons/known_models.hpp"
#include "model/shipped.hpp"
#include "text/names.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace tfx {

namespace {

double error_of(const NarrowMatrix& narrow, MatrixView<const float> weight, std::size_t row, std::size_t k) {
  return static_cast<double>(narrow(row, k)) - static_cast<double>(weight(k, row));
}

HeldIn errors_in(const NarrowMatrix& narrow, MatrixView<const float> weight) {
  HeldIn held{narrow.type(), narrow.bytes(), 0, 0};
  double squares = 0;
  for (std::size_t row = 0; row < narrow.rows(); ++row)
    for (std::size_t k = 0; k < narrow.depth(); ++k) {
      const double error = error_of(narrow, weight, row, k);
      held.largest_error = std::max(held.largest_error, std::abs(error));
      squares += error * error;
    }
  held.rms_error = std::sqrt(squares / static_cast<double>(narrow.rows() * narrow.depth()));
  return held;
}

void state_row(HeldMatrix& held, const NarrowMatrix& narrow, MatrixView<const float> weight) {
  held.scale = narrow.scale(held.row);
  for (std::size_t k = 0; k < held.depth; ++k)
    held.numbers.push_back({weight(k, held.row), narrow.int8_row(held.row)[k], narrow(held.row, k),
                            error_of(narrow, weight, held.row, k)});
  const auto place = [&](auto size) {
    return static_cast<std::size_t>(std::ranges::max_element(held.numbers, {}, size) - held.numbers.begin());
  };
  held.at_largest = place([](const HeldNumber& one) { return std::abs(one.weight); });
  held.at_worst = place([](const HeldNumber& one) { return std::abs(one.error); });
}

double largest_in_scales(const NarrowMatrix& narrow, MatrixView<const float> weight) {
  double largest = 0;
  for (std::size_t row = 0; row < narrow.rows(); ++row) {
    const double scale = static_cast<double>(narrow.scale(row));
    if (scale < static_cast<double>(std::numeric_limits<float>::min())) continue;
    for (std::size_t k = 0; k < narrow.depth(); ++k)
      largest = std::max(largest, std::abs(error_of(narrow, weight, row, k)) / scale);
  }
  return largest;
}

} // namespace

HeldMatrix held_matrix(const std::vector<float>& weight, std::size_t rows, std::size_t depth,
                       std::size_t row) {
  const MatrixView<const float> columns(weight.data(), depth, rows); // a row of the file is a column here
  HeldMatrix held;
  held.rows = rows, held.depth = depth, held.row = row;
  for (const auto& [word, type] : weight_types()) {
    if (type == WeightType::f32) {
      held.types.push_back({type, weight.size() * sizeof(float), 0, 0});
      continue;
    }
    const NarrowMatrix narrow(columns, type);
    held.types.push_back(errors_in(narrow, columns));
    if (type != WeightType::int8) continue;
    state_row(held, narrow, columns);
    held.largest_in_scales = largest_in_scales(narrow, columns);
  }
  return held;
}

namespace {

std::size_t place_of_matrix(const TensorFile& file, const std::string& name) {
  std::vector<std::string> matrices;
  for (std::size_t i = 0; i < file.entries().size(); ++i) {
    const TensorFile::Entry& entry = file.entries()[i];
    if (entry.shape.size() != 2 || element_count(entry.shape) == 0) continue;
    if (entry.name == name) return i;
    matrices.push_back(entry.name);
  }
  throw usage_error("params_matrix",
                    {{"file", file.path()}, {"name", name}, {"near", suggestion(nearest(name, matrices))}});
}

/// Enough of a row to see how it goes: the first numbers, the largest, and the one that errs most.
std::set<std::size_t> shown_places(const HeldMatrix& held) {
  constexpr std::size_t first = 6;
  std::set<std::size_t> places{held.at_largest, held.at_worst};
  for (std::size_t k = 0; k < std::min(first, held.depth); ++k) places.insert(k);
  return places;
}

/// Of the row what is shown.
ReportTable row_table(const HeldMatrix& held) {
  ReportTable table{
      .name = "", .columns = {"k", "w", "w / scale", "q", "q·scale", "error", "note"}, .shown = {}};
  table.shown = table.columns, table.of_text = true;
  const auto gap = [&] {
    table.rows.emplace_back(table.columns.size(), std::string()), table.rows.back()[0] = "…";
  };
  const double scale = static_cast<double>(held.scale);
  std::size_t next = 0;
  for (const std::size_t k : shown_places(held)) {
    if (k > next) gap();
    const HeldNumber& one = held.numbers[k];
    const bool is_largest = k == held.at_largest, is_worst = k == held.at_worst;
    Cell remark = std::string();
    if (is_largest || is_worst)
      remark = Sentence{is_largest && is_worst ? "int8.both" : is_largest ? "int8.largest" : "int8.worst"};
    if (is_largest || is_worst) table.strong.insert(table.rows.size());
    const double weight = static_cast<double>(one.weight);
    table.rows.push_back({std::to_string(k), Significant{weight}, Rounded{scale > 0 ? weight / scale : 0, 2},
                          Integer{one.q}, Significant{static_cast<double>(one.held)}, Significant{one.error},
                          remark});
    next = k + 1;
  }
  if (next < held.depth) gap();
  return table;
}

/// All of it, for a JSON document.
ReportTable numbers_table(const HeldMatrix& held) {
  ReportTable table{.name = "int8.numbers", .columns = {"weight", "q", "held", "error"}, .shown = {}};
  for (const HeldNumber& one : held.numbers)
    table.rows.push_back(
        {static_cast<double>(one.weight), Integer{one.q}, static_cast<double>(one.held), one.error});
  return table;
}

ReportTable type_table(const HeldMatrix& held) {
  ReportTable table{
      .name = "int8.types", .columns = {"dtype", "bytes", "largest_error", "rms_error"}, .shown = {}};
  table.shown = table.columns;
  for (const HeldIn& one : held.types)
    table.rows.push_back({word_of(weight_types(), one.type), Count{one.bytes}, Significant{one.largest_error},
                          Significant{one.rms_error}});
  return table;
}

} // namespace

std::optional<HeldMatrix> held_matrix_of(const ParamsOptions& o) {
  if (!o.int8) return std::nullopt;
  if (o.names.size() > 1) throw usage_error("contradict", {{"one", "--int8"}, {"other", o.names[1]}});
  const std::string model = o.names.empty() ? o.tutorial.value_or("annotated") : o.names.front();
  if (params::find_preset(model) || names_configuration(model))
    throw usage_error("params_int8", {{"model", model}, {"names", alternatives(shipped_models())}});
  const TensorFile file = model_file(model);
  const std::size_t i = place_of_matrix(file, *o.int8);
  const Shape& shape = file.entries()[i].shape;
  const std::size_t row = o.row.value_or(0);
  if (row >= shape[0])
    throw usage_error("count", {{"name", "--row"},
                                {"least", "0"},
                                {"most", std::to_string(shape[0] - 1)},
                                {"text", std::to_string(row)}});
  const double cells = static_cast<double>(shape[0]) * static_cast<double>(shape[1]);
  require_memory(cells * (sizeof(double) + sizeof(float) + sizeof(std::uint16_t)), Message::given(*o.int8));
  const std::vector<double> numbers = file.read(i);
  const std::vector<float> floats(numbers.begin(), numbers.end());
  if (!std::ranges::all_of(floats, [](float x) { return std::isfinite(x); }))
    throw data_error("params_not_finite", {{"file", file.path()}, {"name", *o.int8}});
  HeldMatrix held = held_matrix(floats, shape[0], shape[1], row);
  held.name = *o.int8;
  return held;
}

void add_held(Report& report, const HeldMatrix& held, int digits) {
  Trace& trace = report.trace;
  const auto number = [&](double value) { return significant(value, digits); };
  const double scale = static_cast<double>(held.scale),
               largest = std::abs(static_cast<double>(held.numbers[held.at_largest].weight)),
               row_error = std::abs(held.numbers[held.at_worst].error);
  trace.facts["matrix"] = held.name;
  trace.facts["matrix_rows"] = with_separators(held.rows), trace.facts["depth"] = with_separators(held.depth);
  trace.facts["row"] = std::to_string(held.row);
  trace.facts["largest"] = number(largest);
  trace.facts["scale"] = number(scale), trace.facts["half_scale"] = number(scale / 2);
  trace.facts["row_error"] = number(row_error);
  constexpr double rounding =
      2e-5; // w / scale and q·scale, up to 127 of them, are rounded to floats: 2·127·2⁻²⁴
  trace.check_at_most("int8", held.largest_in_scales, 0.5 + rounding);
  report.add("int8.name", held.name), report.add("int8.shape", Shape{held.rows, held.depth});
  report.add("int8.row", Count{held.row});
  report.add("int8.largest", largest), report.add("int8.scale", scale);
  report.say("int8.matrix"), report.say("int8.scale");
  report.add(row_table(held)), report.add(numbers_table(held));
  report.add("int8.largest_error", row_error);
  report.add("int8.largest_in_scales", held.largest_in_scales);
  report.say("int8.error"), report.say("int8.whole");
  report.add(type_table(held));
  report.say("int8.types");
}

} // namespace tfx
