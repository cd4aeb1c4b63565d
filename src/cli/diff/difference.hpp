#pragma once
// Two files of arrays compared, array by array: which differ, where most, and by how much.

#include "io/array_file.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tfx {

/// Equal is |a − b| ≤ absolute + relative·|b|, as numpy.testing.assert_allclose has it. NaN equals NaN, ∞
/// equals ∞, +0 equals −0.
struct FileTolerance {
  double relative = 0, absolute = 0;
};

/// How two arrays of one shape differ. Where one has NaN and the other has not, no number says how far they
/// are apart: then that cell is the place, and both maxima are NaN.
struct CellDifferences {
  std::size_t cells = 0, different = 0; ///< beyond the tolerance
  std::size_t one_nan = 0;              ///< NaN in one of them only
  double largest = 0;                   ///< |a − b|
  double largest_relative = 0;          ///< |a − b| / |b|
  std::optional<std::uint64_t> ulp;     ///< largest distance in the narrower of two floating types
  double cosine = 1;                    ///< of all cells; NaN where a vector is 0 or not finite
  std::size_t worst = 0;                ///< the cell of the largest difference, in C order
  double a = 0, b = 0;                  ///< what stands there
  bool equal() const { return different == 0; }
};

CellDifferences difference_of(const Tensor& a, DType a_type, const Tensor& b, DType b_type,
                              const FileTolerance& tolerance);

/// Whether b is a with its last two axes exchanged.
bool is_transposed(const Tensor& a, const Tensor& b, const FileTolerance& tolerance);

enum class ArrayVerdict { equal, values, shapes, only_in_a, only_in_b };

struct ArrayDifference {
  std::string name;
  ArrayVerdict verdict = ArrayVerdict::equal;
  std::optional<ArrayFile::Entry> a, b;
  std::optional<CellDifferences> values; ///< where the shapes are equal
  bool transposed = false;               ///< B's is A's transposed
};

/// Every array of A in its order, then those that only B has. Two files with one array each are compared
/// whatever its name is. Arrays are read one at a time. Throws as ArrayFile does.
std::vector<ArrayDifference> compare_files(const ArrayFile& a, const ArrayFile& b,
                                           const FileTolerance& tolerance);

} // namespace tfx
