#pragma once
// NumPy's npy format (versions 1.0, 2.0, 3.0): its header and its values, read as a hostile file and written
// as np.save writes them. Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

#include "io/array.hpp"
#include "io/message.hpp"

#include <bit>
#include <cstddef>
#include <string>
#include <string_view>

namespace tfx {

/// What becomes of what is no array of numbers: text, records, objects; in an archive also any other file.
enum class Others { refused, kept };

/// What the header of an npy file says about the bytes that follow it.
struct NpyHeader {
  DType dtype = DType::f64;
  std::string other =
      {};               ///< "'<U5'", where the values are no numbers that tfx reads; then dtype says nothing
  bool fortran = false; ///< the first axis runs fastest
  Shape shape;
  std::endian order = std::endian::little; ///< of the bytes of a value
  std::size_t data_offset = 0;             ///< where the values start, in bytes
};

/// The most bytes of a header, as NumPy: a longer one is no header of plain numbers.
constexpr std::size_t max_npy_header = 10'000;

/// The most bytes that a header takes with its preamble; a prefix of this length is enough for
/// parse_npy_header.
constexpr std::size_t max_npy_preamble = max_npy_header + 12;

/// The header of the npy file that starts with `bytes` (all of it, or its first max_npy_preamble bytes).
/// `name` stands for the file in messages. Throws Error(bad_data) "NAME: … at byte N".
NpyHeader parse_npy_header(std::string_view bytes, const FileName& name, Others others = Others::refused);

/// Bytes that the values of `header` take; parse_npy_header has checked that the number exists.
std::size_t npy_data_size(const NpyHeader& header);

/// The array of a whole npy file, shape as stored (rank 0 to 8), values in C order.
/// float16/32/64, (u)int8/16/32/64 and bool of either byte order are read; integers beyond 2^53 are refused,
/// a double cannot hold them. Throws Error(bad_data) "NAME: … at byte N".
Array read_npy(std::string_view bytes, const FileName& name);

/// The header of a whole npy file, proved against its length unless the values are others than numbers.
/// Throws as read_npy does.
NpyHeader npy_header_of(std::string_view bytes, const FileName& name, Others others = Others::refused);

/// The values in the order in which they are stored, in pieces. Throws as read_npy does.
void each_npy_piece(std::string_view bytes, const FileName& name, const TakePiece& take);

/// An npy file, version 1.0, C order, little endian. `dtype` is f64, f32 (rounded to nearest), or i64 or
/// boolean where the values are such.
std::string write_npy(const Tensor& values, DType dtype = DType::f64);

} // namespace tfx
