#include "cli/params/int8.hpp"

#include "architecture/presets.hpp"
#include "core/memory.hpp"
#include "core/number.hpp"
#include "lessons/known_models.hpp"
#include "model/shipped.hpp"
#include "text/names.hpp"
#include "words/in_words.hpp"

#include <fmt/format.h>

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

/// Digits that count: weights are small, and places behind the point would leave two of them.
std::string significant(double value, int digits) {
  return fmt::format("{:.{}g}", value, std::max(digits, 1));
}

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

Table row_table(const Paper& paper, const HeldMatrix& held) {
  const int digits = paper.style().precision;
  Table table{{"w", "w / scale", "q", "q·scale", paper.column("error"), ""}, {}, Table::Last::text};
  const auto gap = [&] {
    table.rows.push_back({"…", std::vector<std::string>(table.headings.size()), 0, false});
  };
  const double scale = static_cast<double>(held.scale);
  std::size_t next = 0;
  for (const std::size_t k : shown_places(held)) {
    if (k > next) gap();
    const HeldNumber& one = held.numbers[k];
    std::string remark = k == held.at_largest ? paper.word("int8.largest").value_or("") : "";
    if (k == held.at_worst) remark += (remark.empty() ? "" : ", ") + paper.word("int8.worst").value_or("");
    const double weight = static_cast<double>(one.weight);
    table.rows.push_back({std::to_string(k),
                          {significant(weight, digits), fmt::format("{:.2f}", scale > 0 ? weight / scale : 0),
                           std::to_string(one.q), significant(static_cast<double>(one.held), digits),
                           significant(one.error, digits), remark},
                          0,
                          k == held.at_largest || k == held.at_worst});
    next = k + 1;
  }
  if (next < held.depth) gap();
  return table;
}

Table type_table(const Paper& paper, const HeldMatrix& held) {
  const int digits = paper.style().precision;
  Table table{{paper.column("bytes"), paper.column("largest_error"), paper.column("rms_error")},
              {},
              Table::Last::number};
  for (const HeldIn& one : held.types)
    table.rows.push_back({word_of(weight_types(), one.type),
                          {with_separators(one.bytes), significant(one.largest_error, digits),
                           significant(one.rms_error, digits)},
                          0,
                          false});
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
  return held_matrix(floats, shape[0], shape[1], row);
}

void state_held(Trace& trace, const HeldMatrix& held, const std::string& name, int digits) {
  const auto number = [&](double value) { return significant(value, digits); };
  trace.facts["matrix"] = name;
  trace.facts["matrix_rows"] = with_separators(held.rows), trace.facts["depth"] = with_separators(held.depth);
  trace.facts["row"] = std::to_string(held.row);
  const double scale = static_cast<double>(held.scale);
  trace.facts["largest"] = number(std::abs(static_cast<double>(held.numbers[held.at_largest].weight)));
  trace.facts["scale"] = number(scale), trace.facts["half_scale"] = number(scale / 2);
  trace.facts["row_error"] = number(std::abs(held.numbers[held.at_worst].error));
  constexpr double rounding =
      2e-5; // w / scale and q·scale, up to 127 of them, are rounded to floats: 2·127·2⁻²⁴
  trace.check_at_most("int8", held.largest_in_scales, 0.5 + rounding);
}

void write_held(Paper& paper, const HeldMatrix& held) {
  for (const char* key : {"int8.matrix", "int8.scale"}) paper.paragraph(paper.word(key));
  paper.table(row_table(paper, held));
  for (const char* key : {"int8.error", "int8.whole"}) paper.paragraph(paper.word(key));
  paper.table(type_table(paper, held));
  paper.paragraph(paper.word("int8.types"));
}

void write_held(JsonWriter& json, const HeldMatrix& held, const std::string& name) {
  json.key("int8"), json.begin_object();
  json.key("name"), json.value(name);
  json.key("shape"), json.value(std::vector<std::size_t>{held.rows, held.depth});
  json.key("row"), json.value(held.row);
  json.key("largest"), json.value(std::abs(static_cast<double>(held.numbers[held.at_largest].weight)));
  json.key("scale"), json.value(static_cast<double>(held.scale));
  json.key("numbers"), json.begin_array();
  for (const HeldNumber& one : held.numbers) {
    json.begin_object();
    json.key("weight"), json.value(static_cast<double>(one.weight));
    json.key("q"), json.value(std::int64_t{one.q});
    json.key("held"), json.value(static_cast<double>(one.held));
    json.key("error"), json.value(one.error);
    json.end_object();
  }
  json.end_array();
  json.key("largest_error"), json.value(std::abs(held.numbers[held.at_worst].error));
  json.key("largest_in_scales"), json.value(held.largest_in_scales);
  json.key("types"), json.begin_array();
  for (const HeldIn& one : held.types) {
    json.begin_object();
    json.key("dtype"), json.value(word_of(weight_types(), one.type));
    json.key("bytes"), json.value(one.bytes);
    json.key("largest_error"), json.value(one.largest_error);
    json.key("rms_error"), json.value(one.rms_error);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

} // namespace tfx
