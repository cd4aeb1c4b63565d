#pragma once
// The section of `tfx params FILE --int8 NAME`: how 8 bits hold a row of that matrix.

#include "cli/params/options.hpp"
#include "kernels/narrow.hpp"
#include "render/report.hpp"

namespace tfx {

struct HeldNumber {
  float weight = 0;
  int q = 0;        ///< the whole number that is kept
  float held = 0;   ///< what it stands for: q·scale
  double error = 0; ///< held − weight
};

/// What a type costs and errs, over the whole matrix.
struct HeldIn {
  WeightType type = WeightType::f32;
  std::uint64_t bytes = 0;
  double largest_error = 0, rms_error = 0; ///< against the floats
};

struct HeldMatrix {
  std::string name; ///< in its file
  std::size_t rows = 0, depth = 0;
  std::size_t row = 0; ///< the one that is shown
  float scale = 0;     ///< of that row
  std::vector<HeldNumber> numbers;
  std::size_t at_largest = 0; ///< the number of the row with the largest absolute value
  std::size_t at_worst = 0;   ///< the one with the largest error
  std::vector<HeldIn> types;  ///< f32, bf16, int8
  /// Of all numbers in int8, |error| / scale of its row: half a step, and what a float's rounding adds to it.
  /// Rows whose scale is below 2⁻¹²⁶ and has few digits itself are left out.
  double largest_in_scales = 0;
};

/// `weight`: rows × depth in C order, as in a file, neither 0; finite; row < rows.
HeldMatrix held_matrix(const std::vector<float>& weight, std::size_t rows, std::size_t depth,
                       std::size_t row);

/// The matrix that the options name; nothing where they name none. Throws Error(usage) where the model has no
/// numbers, no such matrix or no such row, Error(bad_data) where a number is not finite as a float,
/// Error(no_memory), and what reading a file may throw.
std::optional<HeldMatrix> held_matrix_of(const ParamsOptions& options);

/// Facts for the words, with so many digits, the check that no number errs by more than half a step, the row,
/// and the member "int8" of a JSON document.
void add_held(Report& report, const HeldMatrix& held, int digits);

} // namespace tfx
