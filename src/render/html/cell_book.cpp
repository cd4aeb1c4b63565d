#include "render/html/cell_book.hpp"

#include "io/json_writer.hpp"
#include "render/html/explanation.hpp"
#include "text/utf8.hpp"
#include "trace/explain.hpp"

#include <algorithm>
#include <set>

namespace tfx {

std::size_t slices_of(const Tensor& tensor) {
  return tensor.rank() < 3 ? 1 : matrix_count(tensor);
}

ShownCells shown_cells(const Tensor& tensor) {
  constexpr std::size_t max_shown = 16, edge = 4, small = 512;
  ShownCells shown;
  const std::size_t count = slices_of(tensor);
  shown.slices = tensor.size() <= small ? count : std::min<std::size_t>(count, 1);
  const Shape& shape = tensor.shape;
  shown.rows = shown_of(shape.empty()       ? 1
                        : shape.size() == 1 ? shape[0]
                                            : shape[shape.size() - 2],
                        max_shown, edge);
  shown.columns = shown_of(shape.size() < 2 ? 1 : shape.back(), max_shown, edge);
  return shown;
}

std::size_t flat_index(const Tensor& tensor, std::size_t slice, std::size_t row, std::size_t column) {
  if (tensor.rank() < 2) return row;
  const std::size_t n = tensor.shape[tensor.rank() - 2], m = tensor.shape.back();
  return (slice * n + row) * m + column;
}

namespace {

struct CellEntry {
  Both text;
  std::vector<std::size_t> sources; ///< runs of four
};

std::size_t flat(const Shape& shape, const Index& index) {
  std::size_t at = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) at = at * shape[axis] + index[axis];
  return at;
}

/// 0 1 2 6 8 10 → (0, 3, 1), (6, 3, 2).
void append_runs(std::vector<std::size_t>& runs, std::size_t tensor, const std::set<std::size_t>& cells) {
  for (auto at = cells.begin(); at != cells.end();) {
    const std::size_t first = *at;
    std::size_t count = 1, step = 1, last = first;
    if (++at != cells.end()) step = *at - first;
    for (; at != cells.end() && *at - last == step; ++at) last = *at, ++count;
    runs.insert(runs.end(), {tensor, first, count, count > 1 ? step : 1});
  }
}

class Book {
public:
  Book(const Bilingual& words, const std::map<std::string, std::size_t>& numbers)
      : words_(words), numbers_(numbers) {}

  CellEntry entry(const Step& step, const Index& index) const {
    Explanation e =
        explain(words_.trace(), step.name, index, 0, CellBook::max_terms, words_.style().precision);
    CellEntry entry;
    const Both formula = words_.source(e.formula);
    e.formula = formula.en;
    entry.text.en = lines_of(words_.en(), e, CellBook::max_terms);
    e.formula = formula.zh;
    entry.text.zh = lines_of(words_.zh(), e, CellBook::max_terms);
    entry.sources = sources(step, e);
    return entry;
  }

private:
  // In the order in which the step names its inputs, the document's colours.
  std::vector<std::size_t> sources(const Step& step, const Explanation& e) const {
    std::map<std::string, std::set<std::size_t>> cells;
    for (const Term& term : e.terms)
      for (const CellRef& read : term.reads)
        if (numbers_.count(read.tensor))
          cells[read.tensor].insert(flat(words_.trace()[read.tensor].shape, read.index));
    std::vector<std::size_t> runs;
    for (const std::string& input : step.operation.inputs) {
      const auto found = cells.find(input);
      if (found == cells.end()) continue;
      append_runs(runs, numbers_.at(input), found->second);
      cells.erase(found);
    }
    return runs;
  }

  const Bilingual& words_;
  const std::map<std::string, std::size_t>& numbers_;
};

std::vector<std::size_t> without_gap(const Shown& shown) {
  std::vector<std::size_t> positions;
  for (const std::size_t i : shown.positions)
    if (i != Shown::gap) positions.push_back(i);
  return positions;
}

void write_step(JsonWriter& json, const Step& step, const Book& book) {
  const Tensor& tensor = step.value;
  const ShownCells shown = shown_cells(tensor);
  const std::vector<std::size_t> rows = without_gap(shown.rows), columns = without_gap(shown.columns);
  std::vector<CellEntry> entries;
  for (std::size_t s = 0; s < shown.slices; ++s)
    for (const std::size_t r : rows)
      for (const std::size_t c : columns)
        entries.push_back(book.entry(step, index_of(tensor.shape, flat_index(tensor, s, r, c))));
  json.begin_object();
  json.key("name"), json.value(escape_controls(step.name));
  json.key("shape"), json.value(tensor.shape);
  json.key("slices"), json.value(shown.slices);
  json.key("rows"), json.value(rows);
  json.key("columns"), json.value(columns);
  json.key("text");
  json.begin_array();
  for (const CellEntry& entry : entries)
    if (entry.text.en == entry.text.zh) {
      json.value(entry.text.en);
    } else {
      json.begin_array();
      json.value(entry.text.en), json.value(entry.text.zh);
      json.end_array();
    }
  json.end_array();
  json.key("sources");
  json.begin_array();
  for (const CellEntry& entry : entries) json.value(entry.sources);
  json.end_array();
  json.end_object();
}

} // namespace

std::size_t CellBook::number_of(const Step& step) {
  const auto [place, added] = numbers_.emplace(step.name, steps_.size());
  if (added) steps_.push_back(&step);
  return place->second;
}

Html CellBook::block() const {
  const Book book(words_, numbers_);
  JsonWriter json;
  json.begin_object();
  json.key("tensors");
  json.begin_array();
  for (const Step* step : steps_) write_step(json, *step, book);
  json.end_array();
  json.end_object();
  // In JSON "<" stands in strings only: written as an escape, it can neither end the block nor open a
  // comment.
  std::string text;
  for (const char c : json.take()) text += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return Html::trusted("<script type=\"application/json\">" + text + "</script>");
}

} // namespace tfx
