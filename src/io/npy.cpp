#include "io/npy.hpp"

#include "core/error.hpp"
#include "core/memory.hpp"
#include "io/file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tfx {

namespace {

template <class Stored>
Stored load(const char* from, bool swapped) {
  std::array<char, sizeof(Stored)> raw;
  std::memcpy(raw.data(), from, sizeof(Stored));
  if (swapped) std::reverse(raw.begin(), raw.end());
  return std::bit_cast<Stored>(raw);
}

/// IEEE 754 binary16, exact.
double half_to_double(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1F, fraction = bits & 0x3FF;
  double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31) value = fraction ? std::numeric_limits<double>::quiet_NaN() : HUGE_VAL;
  return bits & 0x8000 ? -value : value;
}

/// The values of one file, in the order the file has them.
class Values {
public:
  Values(std::string_view bytes, const NpyHeader& header, const std::string& name)
      : bytes_(bytes), header_(header), name_(name) {}

  void fill(std::vector<double>& out) const {
    switch (header_.dtype) {
    case DType::f16:
      return convert<std::uint16_t>(out, [](std::uint16_t bits) { return half_to_double(bits); });
    case DType::f32: return convert<float>(out);
    case DType::f64: return convert<double>(out);
    case DType::i8: return convert<std::int8_t>(out);
    case DType::i16: return convert<std::int16_t>(out);
    case DType::i32: return convert<std::int32_t>(out);
    case DType::u8: return convert<std::uint8_t>(out);
    case DType::u16: return convert<std::uint16_t>(out);
    case DType::u32: return convert<std::uint32_t>(out);
    case DType::i64: return convert_checked<std::int64_t>(out);
    case DType::u64: return convert_checked<std::uint64_t>(out);
    case DType::boolean: return convert_booleans(out);
    case DType::bf16: break; // no npy header says so
    }
    throw Error(ErrorKind::internal, "npy has no type " + std::string(name_of(header_.dtype)));
  }

private:
  template <class Stored>
  Stored stored(std::size_t i) const {
    constexpr bool native_is_big = std::endian::native == std::endian::big;
    return load<Stored>(bytes_.data() + header_.data_offset + i * sizeof(Stored),
                        header_.big_endian != native_is_big);
  }

  template <class Stored, class Conversion>
  void convert(std::vector<double>& out, Conversion conversion) const {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = conversion(stored<Stored>(i));
  }
  template <class Stored>
  void convert(std::vector<double>& out) const {
    convert<Stored>(out, [](Stored value) { return static_cast<double>(value); });
  }

  template <class Stored>
  void convert_checked(std::vector<double>& out) const {
    constexpr auto limit = Stored{1} << std::numeric_limits<double>::digits;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto value = stored<Stored>(i);
      bool exact = value <= limit;
      if constexpr (std::is_signed_v<Stored>) exact = exact && value >= -limit;
      if (!exact) refuse(i, "holds " + std::to_string(value) + ", beyond 2^53: a double cannot hold it,");
      out[i] = static_cast<double>(value);
    }
  }

  void convert_booleans(std::vector<double>& out) const {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto value = stored<std::uint8_t>(i);
      if (value > 1) refuse(i, "holds " + std::to_string(value) + ", but a bool is 0 or 1,");
      out[i] = value;
    }
  }

  /// Names the cell as NumPy indexes it.
  [[noreturn]] void refuse(std::size_t i, const std::string& what) const {
    Shape extents = header_.shape;
    if (header_.fortran) std::reverse(extents.begin(), extents.end());
    Index index = index_of(extents, i);
    if (header_.fortran) std::reverse(index.begin(), index.end());
    std::string cell;
    for (const std::size_t position : index) cell += (cell.empty() ? "[" : ", ") + std::to_string(position);
    throw Error(ErrorKind::bad_data,
                printable(name_) + ": " + (cell.empty() ? "the value " : "cell " + cell + "] ") + what +
                    " at byte " + std::to_string(header_.data_offset + i * size_of(header_.dtype)),
                "save with arr.astype(float)");
  }

  std::string_view bytes_;
  const NpyHeader& header_;
  const std::string& name_;
};

/// First axis fastest → last axis fastest.
std::vector<double> to_c_order(const std::vector<double>& fortran, const Shape& shape) {
  std::vector<double> ordered(fortran.size());
  Index stride(shape.size(), 1), index(shape.size(), 0);
  for (std::size_t axis = shape.size(); axis-- > 1;) stride[axis - 1] = stride[axis] * shape[axis];
  std::size_t offset = 0;
  for (const double value : fortran) {
    ordered[offset] = value;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) { // the next index: carry from the first axis on
      offset += stride[axis];
      if (++index[axis] < shape[axis]) break;
      offset -= stride[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return ordered;
}

template <class Stored>
void append(std::string& bytes, const std::vector<double>& values) {
  for (const double value : values) {
    auto raw = std::bit_cast<std::array<char, sizeof(Stored)>>(static_cast<Stored>(value));
    if constexpr (std::endian::native == std::endian::big) std::reverse(raw.begin(), raw.end());
    bytes.append(raw.data(), raw.size());
  }
}

} // namespace

Array read_npy(std::string_view bytes, const std::string& name) {
  const NpyHeader header = parse_npy_header(bytes, name);
  const std::size_t expected = npy_data_size(header), found = bytes.size() - header.data_offset;
  if (expected != found)
    throw Error(ErrorKind::bad_data,
                printable(name) + ": shape " + to_string(header.shape) + " of " + name_of(header.dtype) +
                    " takes " + std::to_string(expected) + " bytes, the file has " + std::to_string(found) +
                    " at byte " + std::to_string(header.data_offset),
                found < expected ? "the file is cut off; save it again" : "save it again with np.save");
  constexpr std::size_t worth_asking = 1 << 21;
  const std::size_t cells = element_count(header.shape);
  const bool reordered = header.fortran && header.shape.size() > 1;
  if (cells >= worth_asking)
    require_memory((reordered ? 2 : 1) * sizeof(double) * cells, "reading " + printable(name));
  Array array{header.dtype, Tensor(header.shape)};
  Values(bytes, header, name).fill(array.values.data);
  if (reordered) array.values.data = to_c_order(array.values.data, header.shape);
  return array;
}

std::string write_npy(const Tensor& values, DType dtype) {
  if (dtype != DType::f64 && dtype != DType::f32)
    throw Error(ErrorKind::internal, "tfx writes float64 and float32, not " + std::string(name_of(dtype)));
  if (values.size() != element_count(values.shape))
    throw Error(ErrorKind::internal, "a tensor of shape " + to_string(values.shape) + " has " +
                                         std::to_string(values.size()) + " values");
  std::string header = std::string("{'descr': '") + (dtype == DType::f64 ? "<f8" : "<f4") +
                       "', 'fortran_order': False, 'shape': " + to_string(values.shape) + ", }";
  // np.save leaves room for the first axis to grow to 21 digits in place, then pads so that the values are
  // aligned.
  constexpr std::size_t growth_digits = 21, alignment = 64, preamble = 10;
  if (!values.shape.empty()) header.append(growth_digits - std::to_string(values.shape[0]).size(), ' ');
  header.append(alignment - (preamble + header.size() + 1) % alignment, ' ');
  header += '\n';

  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes.reserve(preamble + header.size() + values.size() * size_of(dtype));
  bytes += static_cast<char>(header.size() & 0xFF);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  if (dtype == DType::f64)
    append<double>(bytes, values.data);
  else
    append<float>(bytes, values.data);
  return bytes;
}

} // namespace tfx
