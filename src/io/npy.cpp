#include "io/npy.hpp"

#include "core/error.hpp"
#include "core/memory.hpp"
#include "io/limits.hpp"
#include "io/values.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tfx {

namespace {

/// Names the cell at position `i` of the file as NumPy indexes it.
[[noreturn]] void refuse_cell(const NpyHeader& header, const FileName& name, std::size_t i,
                              const std::string& value) {
  Shape extents = header.shape;
  if (header.fortran) std::reverse(extents.begin(), extents.end());
  Index index = index_of(extents, i);
  if (header.fortran) std::reverse(index.begin(), index.end());
  std::string cell;
  for (const std::size_t position : index) cell += (cell.empty() ? "[" : ", ") + std::to_string(position);
  const Message place = cell.empty() ? said("the value") : said("cell {cell}", {{"cell", cell + "]"}});
  const Message what =
      header.dtype == DType::boolean
          ? said("{cell} holds {value}, but a bool is 0 or 1,", {{"cell", place}, {"value", value}})
          : said("{cell} holds {value}, beyond 2^53: a double cannot hold it,",
                 {{"cell", place}, {"value", value}});
  refuse_file(name,
              said("{what} at byte {byte}",
                   {{"what", what}, {"byte", header.data_offset + i * size_of(header.dtype)}}),
              said("save with arr.astype(float)"));
}

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

} // namespace

NpyHeader npy_header_of(std::string_view bytes, const FileName& name, Others others) {
  NpyHeader header = parse_npy_header(bytes, name, others);
  if (!header.other.empty()) return header;
  const std::size_t expected = npy_data_size(header), found = bytes.size() - header.data_offset;
  if (expected != found)
    refuse_file(name,
                said("{what} at byte {byte}",
                     {{"what", said("shape {shape} of {dtype} takes {expected} bytes, the file has {found}",
                                    {{"shape", to_string(header.shape)},
                                     {"dtype", name_of(header.dtype)},
                                     {"expected", expected},
                                     {"found", found}})},
                      {"byte", header.data_offset}}),
                found < expected ? said("the file is cut off; save it again")
                                 : said("save it again with np.save"));
  return header;
}

void each_npy_piece(std::string_view bytes, const FileName& name, const TakePiece& take) {
  const NpyHeader header = npy_header_of(bytes, name);
  decode_in_pieces(
      bytes.substr(header.data_offset), header.dtype, header.order,
      [&](std::size_t i, const std::string& value) { refuse_cell(header, name, i, value); }, take);
}

Array read_npy(std::string_view bytes, const FileName& name) {
  const NpyHeader header = npy_header_of(bytes, name);
  const std::size_t needed = sizeof(double) * element_count(header.shape);
  const bool reordered = header.fortran && header.shape.size() > 1;
  if (needed >= worth_asking)
    require_memory((reordered ? 2.0 : 1.0) * static_cast<double>(needed),
                   said("reading {file}", {{"file", name}}));
  std::vector<double> values =
      decode_values(bytes.substr(header.data_offset), header.dtype, header.order,
                    [&](std::size_t i, const std::string& value) { refuse_cell(header, name, i, value); });
  if (reordered) values = to_c_order(values, header.shape);
  return {header.dtype, Tensor(header.shape, std::move(values))};
}

namespace {

const char* written_as(DType dtype) {
  switch (dtype) {
  case DType::f64: return "<f8";
  case DType::f32: return "<f4";
  case DType::i64: return "<i8";
  case DType::boolean: return "|b1";
  default: throw defect("tfx writes float64, float32, int64 and bool, not " + std::string(name_of(dtype)));
  }
}

} // namespace

std::string write_npy(const Tensor& values, DType dtype) {
  const char* descriptor = written_as(dtype);
  if (values.size() != element_count(values.shape))
    throw defect("a tensor of shape " + to_string(values.shape) + " has " + std::to_string(values.size()) +
                 " values");
  std::string header = std::string("{'descr': '") + descriptor +
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
  append_values(bytes, values.data, dtype);
  return bytes;
}

} // namespace tfx
