#include "render/html/matrix_table.hpp"

#include "render/html/cell_book.hpp"
#include "text/display_width.hpp"

#include <algorithm>

namespace tfx {

namespace {

constexpr std::size_t max_label_width = 24;

/// What a table shows: matrix `slice` of a step, or its transpose.
struct Sheet {
  std::vector<std::vector<std::string>> cells;
  std::vector<std::string> rows, columns; ///< headers: names, else indices
  bool named_rows = false, named_columns = false;
};

std::vector<std::string> headers(const std::vector<std::string>& names, const Shown& shown,
                                 const Style& style) {
  std::vector<std::string> texts;
  for (const std::size_t i : shown.positions)
    texts.push_back(i == Shown::gap ? "…"
                    : names.empty() ? std::to_string(i)
                                    : style.shortened(names[i], max_label_width));
  return texts;
}

Sheet sheet_of(const Step& step, std::size_t slice, const Style& style, Turned turned) {
  const ShownCells shown = shown_cells(step.value);
  const std::vector<std::string> rows = axis_labels(step, 1), columns = axis_labels(step, 0);
  Sheet sheet{aligned_cells(slice_of(step.value, slice), shown.rows, shown.columns, style),
              headers(rows, shown.rows, style), headers(columns, shown.columns, style), !rows.empty(),
              !columns.empty()};
  if (step.value.rank() < 2) sheet.columns.assign(1, "");
  if (step.value.rank() < 1) sheet.rows.assign(1, "");
  if (turned == Turned::no) return sheet;
  Sheet transposed{std::vector(sheet.columns.size(), std::vector<std::string>(sheet.rows.size())),
                   sheet.columns, sheet.rows, sheet.named_columns, sheet.named_rows};
  for (std::size_t r = 0; r < sheet.rows.size(); ++r)
    for (std::size_t c = 0; c < sheet.columns.size(); ++c) transposed.cells[c][r] = sheet.cells[r][c];
  return transposed;
}

Html header(const char* scope, const std::string& text, bool named) {
  if (text.empty()) return element("td", Html());
  Attributes attributes{{"scope", scope}};
  if (!named) attributes.emplace_back("class", "index");
  return element("th", attributes, Html::text(text));
}

Html table_of(const Sheet& sheet, const Attributes& attributes) {
  Html head = element("td", Html()), body;
  for (const std::string& column : sheet.columns) head += header("col", column, sheet.named_columns);
  for (std::size_t r = 0; r < sheet.rows.size(); ++r) {
    Html row = header("row", sheet.rows[r], sheet.named_rows);
    for (const std::string& cell : sheet.cells[r]) row += element("td", cell);
    body += element("tr", row);
  }
  return element("table", attributes, element("thead", element("tr", head)) + element("tbody", body));
}

/// Columns of text that a sheet takes, with what stands between its columns.
std::size_t letters_of(const Sheet& sheet) {
  constexpr std::size_t between = 2;
  std::size_t letters = 0;
  for (const std::string& row : sheet.rows) letters = std::max(letters, display_width(row));
  letters += between;
  for (std::size_t c = 0; c < sheet.columns.size(); ++c) {
    std::size_t widest = display_width(sheet.columns[c]);
    for (const auto& row : sheet.cells) widest = std::max(widest, display_width(row[c]));
    letters += widest + between;
  }
  return letters;
}

Attributes table_attributes(const Step& step, std::size_t slice, CellBook* book, Turned turned) {
  const std::string name = slice_title(step, slice);
  Attributes attributes{{"aria-label", name + (turned == Turned::yes ? "ᵀ" : "")}};
  if (!book) return attributes;
  attributes.emplace_back("data-t", std::to_string(book->number_of(step)));
  attributes.emplace_back("data-s", std::to_string(slice));
  if (turned == Turned::yes) attributes.emplace_back("data-transposed", "");
  return attributes;
}

} // namespace

Html in_box(const Html& table, std::size_t letters) {
  constexpr std::size_t page = 84, step = 5, least = 10; // letters of a page's width; percent of its size
  std::string kind = "box";
  if (letters > page) kind += " fits-" + std::to_string(std::max(least, 100 * page / letters / step * step));
  return element("div", {{"class", kind}}, table);
}

Html matrix_table(const Step& step, std::size_t slice, const Style& style, CellBook* book, Turned turned) {
  const Sheet sheet = sheet_of(step, slice, style, turned);
  return in_box(table_of(sheet, table_attributes(step, slice, book, turned)), letters_of(sheet));
}

namespace {

/// The widest cell or column name of two sheets that stand above each other: "w7" is as wide as seven digits.
std::string common_width(const Sheet& a, const Sheet& b) {
  constexpr std::size_t min_width = 3, max_width = 12;
  std::size_t widest = min_width;
  for (const Sheet* sheet : {&a, &b}) {
    for (const std::string& name : sheet->columns) widest = std::max(widest, display_width(name));
    for (const auto& row : sheet->cells)
      for (const std::string& cell : row) widest = std::max(widest, display_width(cell));
  }
  return "w" + std::to_string(std::min(widest, max_width));
}

} // namespace

Html product_tables(const Trace& trace, const Step& step, const Style& style, CellBook& book) {
  constexpr std::size_t max_size = 12;
  const ProductLayout layout = step.operation.kind->layout;
  const bool transposed = layout == ProductLayout::transposed;
  const bool plain = layout == ProductLayout::plain;
  if ((!plain && !transposed) || step.operation.inputs.size() != 2) return {};
  const Step &left = *trace.find(step.operation.inputs[0]), &right = *trace.find(step.operation.inputs[1]);
  for (const Step* one : {&left, &right, &step})
    if (one->value.rank() != 2 || one->value.shape[0] > max_size || one->value.shape[1] > max_size) return {};
  const Turned above = transposed ? Turned::yes : Turned::no;
  const Sheet top = sheet_of(right, 0, style, above), beside = sheet_of(left, 0, style, Turned::no),
              corner = sheet_of(step, 0, style, Turned::no);
  const std::string width = " " + common_width(top, corner);
  const auto part = [&](const std::string& place, const Step& one, const Sheet& sheet, Turned turned) {
    const std::string name = one.name + (turned == Turned::yes ? "ᵀ" : "");
    return element("div", {{"class", place}},
                   element("p", {{"class", "name"}}, Html::text(name)) +
                       table_of(sheet, table_attributes(one, 0, &book, turned)));
  };
  return in_box(element("div", {{"class", "product"}},
                        part("above" + width, right, top, above) + part("beside", left, beside, Turned::no) +
                            part("corner" + width, step, corner, Turned::no)),
                letters_of(beside) + std::max(letters_of(top), letters_of(corner)));
}

} // namespace tfx
