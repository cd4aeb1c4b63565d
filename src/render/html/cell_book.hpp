#pragma once
// Which cells of a tensor an HTML document shows (of a long axis its ends, as NumPy prints it), and what it
// knows of them: for each shown cell its arithmetic, in the words of `tfx explain`, and the cells it was made
// of. The document's script reads it as JSON from a data block, which no browser runs.

#include "render/html/html.hpp"
#include "render/matrix.hpp"
#include "trace/trace.hpp"

#include <map>
#include <string>
#include <vector>

namespace tfx {

struct ShownCells {
  std::size_t slices = 1; ///< matrices, from the first on
  Shown rows, columns;
};

ShownCells shown_cells(const Tensor& tensor);

/// The place of a shown cell in the tensor's C order.
std::size_t flat_index(const Tensor& tensor, std::size_t slice, std::size_t row, std::size_t column);

/// Matrices in a stack; 1 for a matrix, a vector, a scalar.
std::size_t slices_of(const Tensor& tensor);

// What an HTML document knows of its cells: for each shown cell of each shown tensor its arithmetic, in the
// words of `tfx explain`, and the cells it was made of. The document's script reads it as JSON from a data
// block, which no browser runs.
//
//   {"tensors": [{"name", "shape", "slices", "rows", "columns", "text": […], "sources": […]}, …]}
//
// rows and columns are the shown positions; text and sources have an item a cell, in C order of the shown
// cells. A text is its lines joined by \n, or [English, Chinese] where the two differ. Sources are runs of
// four numbers: tensor, first cell, how many, step; tensors by their place in the list, cells in the C order
// of their tensor.

class CellBook {
public:
  /// Terms of a long sum that are written out.
  static constexpr std::size_t max_terms = 8;

  explicit CellBook(const Bilingual& words) : words_(words) {}

  /// The tensor's number in the book; the first time it gets one.
  std::size_t number_of(const Step& step);

  /// "<script type="application/json">…</script>"; no text in it can end the block.
  Html block() const;

private:
  const Bilingual& words_;
  std::vector<const Step*> steps_;
  std::map<std::string, std::size_t> numbers_;
};

} // namespace tfx
