#include "render/matrix.hpp"

#include "core/number.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

constexpr std::size_t max_rows = 12, edge_rows = 3, label_columns = 16;

struct Grid {
  Shown rows, columns;
  std::vector<std::string> row_labels, column_labels; ///< of the shown ones; all empty where there are none
  std::vector<std::vector<std::string>> cells;
  std::vector<std::size_t> widths; ///< of each shown column
  std::size_t label_width = 0;

  std::size_t width() const {
    std::size_t sum = label_width;
    for (std::size_t w : widths) sum += w + 2;
    return sum - (label_width == 0 && !widths.empty() ? 2 : 0);
  }
};

std::vector<std::string> labels_of(const std::vector<std::string>& all, const Shown& shown,
                                   const Style& style) {
  std::vector<std::string> labels;
  for (std::size_t position : shown.positions)
    labels.push_back(all.empty()              ? std::string()
                     : position == Shown::gap ? style.symbols("…")
                                              : style.shortened(escape_controls(all[position]),
                                                                std::min(label_columns, style.width / 4)));
  return labels;
}

// The digits after the point; none of a number written with an exponent, of an infinity, of NaN, of an
// ellipsis.
std::optional<std::size_t> decimals_of(const std::string& number) {
  if (number.find_first_not_of("-.0123456789") != std::string::npos || number == "...") return std::nullopt;
  const auto point = number.find('.');
  return point == std::string::npos ? 0 : number.size() - point - 1;
}

std::string cell_text(double value, const Style& style) {
  if (std::isinf(value)) return style.symbols(value > 0 ? "∞" : "−∞");
  return format_number(value, style.precision);
}

// One number of decimals for all that is shown: integers stay integers, and columns line up.
void align_decimals(std::vector<std::vector<std::string>>& cells) {
  std::size_t max_decimals = 0;
  for (const auto& row : cells)
    for (const std::string& cell : row) max_decimals = std::max(max_decimals, decimals_of(cell).value_or(0));
  for (auto& row : cells)
    for (std::string& cell : row)
      if (const auto have = decimals_of(cell); have && *have < max_decimals)
        cell.append(*have == 0 ? "." : "").append(max_decimals - *have, '0');
}

Grid make_grid(const arma::mat& M, const std::vector<std::string>& rows,
               const std::vector<std::string>& columns, const Style& style, std::size_t width) {
  for (std::size_t max_columns = M.n_cols > 40 ? 40 : M.n_cols;;) {
    Grid grid;
    grid.rows = shown_of(M.n_rows, max_rows, edge_rows);
    grid.columns = shown_of(M.n_cols, max_columns, std::max<std::size_t>(1, max_columns / 2));
    grid.row_labels = labels_of(rows, grid.rows, style);
    grid.column_labels = labels_of(columns, grid.columns, style);
    for (const std::string& label : grid.row_labels)
      grid.label_width = std::max(grid.label_width, display_width(label));
    grid.cells = aligned_cells(M, grid.rows, grid.columns, style);
    grid.widths.assign(grid.columns.positions.size(), 1);
    for (const auto& cells : grid.cells)
      for (std::size_t c = 0; c < cells.size(); ++c)
        grid.widths[c] = std::max(grid.widths[c], display_width(cells[c]));
    for (std::size_t c = 0; c < grid.widths.size(); ++c)
      grid.widths[c] = std::max(grid.widths[c], display_width(grid.column_labels[c]));
    if (grid.width() <= width || max_columns <= 2) return grid;
    // Too wide: as many columns of the widest kind as fit, then one less at a time.
    const std::size_t widest = *std::max_element(grid.widths.begin(), grid.widths.end()) + 2;
    max_columns = std::max<std::size_t>(
        2, std::min(max_columns - 1, (width + 2 - std::min(width, grid.label_width)) / widest));
  }
}

bool any_label(const std::vector<std::string>& labels) {
  return std::any_of(labels.begin(), labels.end(), [](const std::string& label) {
    return !label.empty() && label != "…" && label != "...";
  });
}

std::string join(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t c = 0; c < cells.size(); ++c) line += (c ? "  " : "") + pad_left(cells[c], widths[c]);
  return line;
}

void add_grid(TextBlock& block, const Grid& grid, const Style& style) {
  const std::string indent = grid.label_width ? std::string(grid.label_width + 2, ' ') : "";
  if (any_label(grid.column_labels)) {
    const std::string line = indent + join(grid.column_labels, grid.widths);
    block.add(style.dim(line), display_width(line));
  }
  for (std::size_t r = 0; r < grid.cells.size(); ++r) {
    const std::string label = grid.label_width ? pad_right(grid.row_labels[r], grid.label_width) + "  " : "";
    const std::string numbers = join(grid.cells[r], grid.widths);
    block.add(style.dim(label) + numbers, display_width(label) + display_width(numbers));
  }
}

} // namespace

arma::mat slice_of(const Tensor& tensor, std::size_t slice) {
  if (tensor.rank() == 0) return arma::mat(1, 1, arma::fill::value(tensor.data[0]));
  if (tensor.rank() == 1) return arma::mat(arma::vec(tensor.data));
  return matrix(tensor, slice);
}

std::vector<std::string> axis_labels(const Step& step, std::size_t from_end) {
  const std::size_t rank = step.labels.size();
  if (rank == 1) return from_end == 1 ? step.labels[0] : std::vector<std::string>{};
  return rank > from_end ? step.labels[rank - 1 - from_end] : std::vector<std::string>{};
}

std::vector<std::vector<std::string>> aligned_cells(const arma::mat& M, const Shown& rows,
                                                    const Shown& columns, const Style& style) {
  std::vector<std::vector<std::string>> cells;
  for (std::size_t row : rows.positions) {
    std::vector<std::string>& line = cells.emplace_back();
    for (std::size_t column : columns.positions)
      line.push_back(row == Shown::gap || column == Shown::gap ? style.symbols("…")
                                                               : cell_text(M(row, column), style));
  }
  align_decimals(cells);
  return cells;
}

Shown shown_of(std::size_t count, std::size_t max_shown, std::size_t edge) {
  Shown shown;
  for (std::size_t i = 0; i < count; ++i) {
    if (count > max_shown && i == edge) {
      shown.positions.push_back(Shown::gap);
      i = count - edge;
    }
    shown.positions.push_back(i);
  }
  return shown;
}

std::string slice_name(const Step& step, std::size_t slice) {
  const Tensor& tensor = step.value;
  if (tensor.rank() < 3) return {};
  const Index index = index_of(stack_shape(tensor), slice);
  std::string text = step.name + "[";
  for (std::size_t i : index) text += std::to_string(i) + ", ";
  return text + ":, :]";
}

std::string header_line(const Step& step, const Style& style) {
  return style.symbols(step.name + "  " + to_page_string(step.value.shape));
}

TextBlock matrix_block(const Step& step, std::size_t slice, const Style& style, std::size_t width) {
  TextBlock block;
  add_grid(block,
           make_grid(slice_of(step.value, slice), axis_labels(step, 1), axis_labels(step, 0), style, width),
           style);
  return block;
}

TextBlock marked_block(const Step& step, std::size_t slice, const std::vector<bool>& marked,
                       const Style& style, std::size_t width) {
  const arma::mat M = slice_of(step.value, slice);
  const Grid grid = make_grid(M, axis_labels(step, 1), axis_labels(step, 0), style, width - 1);
  const bool star = style.color == Color::none || style.ascii;
  const std::string indent = grid.label_width ? std::string(grid.label_width + 2, ' ') : "";
  TextBlock block;
  if (any_label(grid.column_labels)) {
    const std::string line = indent + join(grid.column_labels, grid.widths);
    block.add(style.dim(line), display_width(line));
  }
  for (std::size_t r = 0; r < grid.cells.size(); ++r) {
    std::string line =
        grid.label_width ? style.dim(pad_right(grid.row_labels[r], grid.label_width) + "  ") : "";
    std::size_t used = indent.size();
    for (std::size_t c = 0; c < grid.widths.size(); ++c) {
      const std::size_t row = grid.rows.positions[r], column = grid.columns.positions[c];
      const bool mark =
          row != Shown::gap && column != Shown::gap && marked[(slice * M.n_rows + row) * M.n_cols + column];
      const std::string cell = pad_left(grid.cells[r][c], grid.widths[c]);
      line += (c ? " " : "") + (mark ? style.bad(cell) : cell) + (mark && star ? "*" : " ");
      used += (c ? 2 : 1) + grid.widths[c];
    }
    block.add(line, used);
  }
  return block;
}

std::optional<TextBlock> product_block(const Trace& trace, const Step& step, const Style& style) {
  const ProductLayout layout = step.operation.kind->layout;
  const bool transposed = layout == ProductLayout::transposed;
  const bool plain = layout == ProductLayout::plain;
  if ((!plain && !transposed) || step.operation.inputs.size() != 2) return std::nullopt;
  const Step &left = *trace.find(step.operation.inputs[0]), &right = *trace.find(step.operation.inputs[1]);
  if (left.value.rank() != 2 || right.value.rank() != 2 || step.value.rank() != 2) return std::nullopt;
  const arma::mat A = matrix(left.value), C = matrix(step.value);
  const arma::mat B = transposed ? arma::mat(matrix(right.value).t()) : matrix(right.value);
  if (A.n_rows > max_rows || B.n_rows > max_rows || A.n_cols > max_rows || B.n_cols > max_rows)
    return std::nullopt;
  constexpr std::size_t unlimited = 100000;
  Grid a = make_grid(A, axis_labels(left, 1), {}, style, unlimited);
  Grid b = make_grid(B, axis_labels(right, transposed ? 0 : 1), axis_labels(step, 0), style, unlimited);
  Grid c = make_grid(C, {}, {}, style, unlimited);
  for (std::size_t i = 0; i < b.widths.size(); ++i)
    b.widths[i] = c.widths[i] = std::max(b.widths[i], c.widths[i]);
  const std::string above = style.symbols(right.name + (transposed ? "ᵀ" : "")), beside = left.name;
  const auto names = [&](std::size_t r) { // beside the right factor's row
    const std::string name = r == 0 ? above : std::string(display_width(above), ' ');
    return b.label_width ? name + "  " + pad_right(b.row_labels[r], b.label_width) : name;
  };
  const std::size_t left_width =
      std::max({a.width(), display_width(names(0)) + 2, display_width(beside) + 2});
  const std::size_t right_width = display_width(join(c.cells[0], c.widths));
  if (left_width + 3 + right_width > style.width) return std::nullopt;
  TextBlock block;
  const std::string gap = "   ";
  const auto line = [&](const std::string& l, const std::string& r, bool dim_left, bool bold_right) {
    const std::string padded = pad_left(l, left_width);
    block.add((dim_left ? style.dim(padded) : padded) + gap + (bold_right ? style.bold(r) : r),
              left_width + 3 + display_width(r));
  };
  if (any_label(b.column_labels)) line("", join(b.column_labels, b.widths), true, false);
  for (std::size_t r = 0; r < b.cells.size(); ++r) line(names(r), join(b.cells[r], b.widths), true, false);
  line(pad_right(beside, left_width), "", true, false);
  for (std::size_t r = 0; r < c.cells.size(); ++r) {
    const std::string label = a.label_width ? pad_right(a.row_labels[r], a.label_width) + "  " : "";
    line(label + join(a.cells[r], a.widths), join(c.cells[r], c.widths), false, true);
  }
  return block;
}

std::string slice_title(const Step& step, std::size_t slice) {
  const std::string name = slice_name(step, slice);
  return name.empty() ? step.name : name;
}

std::size_t slice_with(const Tensor& tensor, const Index& index) {
  if (tensor.rank() < 3) return 0;
  return offset_of(tensor.shape, index) * matrix_count(tensor) / tensor.size();
}

} // namespace tfx
