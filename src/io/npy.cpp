#include "io/npy.hpp"

#include "core/error.hpp"
#include "core/memory.hpp"
#include "io/array.hpp"
#include "io/limits.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
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

namespace {

using namespace std::string_view_literals;

/// Whether a whole number may end in L: Python 2 wrote long ones so, and NumPy reads them in the versions
/// that Python 2 knew.
enum class Longs { refused, taken };

/// The dict literal, read from its first to its last byte. Positions in messages count from the start of the
/// file.
class HeaderText {
public:
  HeaderText(std::string_view file, std::size_t begin, std::size_t end, Longs longs, const FileName& name)
      : text_(file.substr(0, end)), at_(begin), longs_(longs), name_(name) {}

  [[noreturn]] void fail(const Message& what, std::size_t at,
                         const Message& hint = said("save it again with np.save(\"x.npy\", arr)")) const {
    refuse_file(name_, said("{what} at byte {byte}", {{"what", what}, {"byte", at}}), hint);
  }
  [[noreturn]] void fail(const Message& what) const { fail(what, at_); }
  [[noreturn]] void fail_to_find(const Message& what) const {
    fail(said("the header is not as NumPy writes it: expected {what}", {{"what", what}}));
  }

  std::size_t at() const { return at_; }
  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  void skip_spaces() {
    while (peek() == ' ') ++at_;
  }
  /// Blanks, then `wanted` where it stands there.
  bool accept(std::string_view wanted) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }
  void expect(std::string_view wanted) {
    if (!accept(wanted)) fail_to_find(Message::given(printable(wanted)));
  }
  std::string_view quoted(const Message& what) {
    skip_spaces();
    const char quote = peek();
    const std::size_t end =
        quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) fail_to_find(what);
    const std::string_view content = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return content;
  }
  /// A list or tuple of Python, whatever stands in it.
  std::string_view bracketed() {
    const std::size_t begin = at_;
    std::size_t depth = 0;
    do {
      const char c = peek();
      if (c == '\'' || c == '"') {
        quoted(said("text"));
      } else {
        if (at_end()) fail(said("the header is not as NumPy writes it: a bracket is open"));
        depth += c == '[' || c == '(';
        depth -= c == ']' || c == ')';
        ++at_;
      }
    } while (depth > 0);
    return text_.substr(begin, at_ - begin);
  }
  std::size_t extent() {
    constexpr auto limit = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
    skip_spaces();
    const std::size_t begin = at_;
    std::size_t value = 0;
    for (; peek() >= '0' && peek() <= '9'; ++at_) {
      const auto digit = static_cast<std::size_t>(peek() - '0');
      if (value > (limit - digit) / 10) fail(said("the shape has a length beyond 2^63"), begin);
      value = 10 * value + digit;
    }
    if (at_ == begin) fail(said("the shape must be whole numbers in parentheses"));
    if (text_[begin] == '0' && at_ > begin + 1)
      fail(said("the shape has a number with a leading zero"), begin);
    if (longs_ == Longs::taken && peek() == 'L') ++at_;
    return value;
  }

private:
  std::string_view text_;
  std::size_t at_;
  Longs longs_;
  const FileName& name_;
};

struct Descr {
  DType dtype;
  std::endian order;
  std::string other = {}; ///< a type of no numbers that tfx reads
};

std::optional<DType> dtype_of(std::string_view code) {
  struct TypeCode {
    std::string_view code;
    DType dtype;
  };
  static constexpr TypeCode table[] = {{"f2", DType::f16}, {"f4", DType::f32}, {"f8", DType::f64},
                                       {"i1", DType::i8},  {"i2", DType::i16}, {"i4", DType::i32},
                                       {"i8", DType::i64}, {"u1", DType::u8},  {"u2", DType::u16},
                                       {"u4", DType::u32}, {"u8", DType::u64}, {"b1", DType::boolean}};
  for (const TypeCode& one : table)
    if (one.code == code) return one.dtype;
  return std::nullopt;
}

Descr read_descr(HeaderText& header, Others others) {
  const Message hint = said("save with arr.astype(float)");
  header.skip_spaces();
  const std::size_t begin = header.at();
  const bool structured = header.peek() == '[' || header.peek() == '(';
  if (structured && others == Others::kept)
    return {DType::f64, std::endian::little, printable(header.bracketed())};
  if (structured)
    header.fail(said("the values are structured (fields with names), not numbers,"), begin, hint);
  const std::string_view descr = header.quoted(said("a type such as '<f8'"));
  const char order = descr.empty() ? '\0' : descr[0];
  const auto dtype = dtype_of(descr.substr(descr.empty() ? 0 : 1));
  const bool known_order =
      dtype && (size_of(*dtype) == 1 ? "|<>="sv : "<>="sv).find(order) != std::string_view::npos;
  if (!known_order && others == Others::kept)
    return {DType::f64, std::endian::little, "'" + printable(descr) + "'"};
  if (!known_order)
    header.fail(said("the values have type '{dtype}', which is not a type of number that tfx reads,",
                     {{"dtype", printable(descr)}}),
                begin, hint);
  return {*dtype, order == '>' ? std::endian::big : order == '=' ? std::endian::native : std::endian::little};
}

Shape read_shape(HeaderText& header) {
  Shape shape;
  header.skip_spaces();
  const std::size_t begin = header.at();
  header.expect("(");
  while (!header.accept(")")) {
    shape.push_back(header.extent());
    if (shape.size() > max_rank) header.fail(said("the shape has more than 8 axes"), begin);
    if (header.accept(",")) continue;
    if (shape.size() == 1) header.fail(said("the shape of one axis needs a comma: (3,)"));
    header.expect(")");
    break;
  }
  return shape;
}

/// The bytes of the values, as doubles, must be countable even where an axis has no cells: strides are
/// products too, and what is read can be written again.
void require_countable(const HeaderText& header, const Shape& shape, DType dtype) {
  try {
    std::size_t bytes = sizeof(double);
    for (const std::size_t extent : shape)
      bytes = checked_product(bytes, std::max(extent, std::size_t{1}), said("the shape"));
  } catch (const Error&) {
    header.fail(said("the shape {shape} of {dtype} needs more bytes than any file has",
                     {{"shape", to_string(shape)}, {"dtype", name_of(dtype)}}));
  }
}

/// `{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }`, blanks, and the newline that ends it.
NpyHeader read_dict(HeaderText& header, Others others) {
  std::optional<Descr> descr;
  std::optional<bool> fortran;
  std::optional<Shape> shape;
  const auto once = [&](bool seen, const char* key, std::size_t at) {
    if (seen) header.fail(said("the header has '{key}' twice", {{"key", key}}), at);
  };
  header.expect("{");
  while (!header.accept("}")) {
    header.skip_spaces();
    const std::size_t begin = header.at();
    const std::string_view key = header.quoted(said("a key"));
    header.expect(":");
    if (key == "descr") {
      once(descr.has_value(), "descr", begin);
      descr = read_descr(header, others);
    } else if (key == "fortran_order") {
      once(fortran.has_value(), "fortran_order", begin);
      fortran = header.accept("True");
      if (!*fortran && !header.accept("False")) header.fail(said("fortran_order must be True or False"));
    } else if (key == "shape") {
      once(shape.has_value(), "shape", begin);
      shape = read_shape(header);
    } else {
      header.fail(said("the header has an unknown key '{key}'", {{"key", printable(key)}}), begin);
    }
    if (header.accept(",")) continue;
    header.expect("}");
    break;
  }
  if (!descr || !fortran || !shape)
    header.fail(said("the header lacks '{key}'", {{"key", !descr     ? "descr"
                                                          : !fortran ? "fortran_order"
                                                                     : "shape"}}));
  header.expect("\n");
  if (!header.at_end()) header.fail(said("the header goes on after its newline"));
  require_countable(header, *shape, descr->dtype);
  return {descr->dtype, std::move(descr->other), *fortran, *shape, descr->order, header.at()};
}

} // namespace

NpyHeader parse_npy_header(std::string_view bytes, const FileName& name, Others others) {
  constexpr auto magic = "\x93NUMPY"sv;
  const HeaderText file(bytes, 0, bytes.size(), Longs::refused, name);
  const Message cut = said("the file is cut off; save it again");
  if (bytes.substr(0, magic.size()) != magic.substr(0, bytes.size()))
    file.fail(said("this is no npy file: it does not start with \\x93NUMPY"), 0,
              said("save with np.save(\"x.npy\", arr)"));
  if (bytes.size() < magic.size() + 2) file.fail(said("the file ends before its version"), bytes.size(), cut);
  const auto byte = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(bytes[i])}; };
  const std::size_t major = byte(6), minor = byte(7);
  if (major < 1 || major > 3 || minor != 0)
    file.fail(said("npy version {version} is unknown (1.0, 2.0, 3.0 are read)",
                   {{"version", std::to_string(major) + "." + std::to_string(minor)}}),
              6);
  const std::size_t begin = major == 1 ? 10 : 12;
  if (bytes.size() < begin)
    file.fail(said("the file ends before the length of its header"), bytes.size(), cut);
  const std::size_t length = little_endian(bytes.substr(8, begin - 8));
  if (length > max_npy_header)
    file.fail(said("the header is {length} bytes long, more than 10,000,", {{"length", length}}), 8);
  if (bytes.size() - begin < length)
    file.fail(said("the header should be {length} bytes long, the file ends", {{"length", length}}),
              bytes.size(), cut);
  const Longs longs = major <= 2 ? Longs::taken : Longs::refused;
  HeaderText header(bytes, begin, begin + length, longs, name);
  return read_dict(header, others);
}

std::size_t npy_data_size(const NpyHeader& header) {
  return element_count(header.shape) * size_of(header.dtype);
}

} // namespace tfx
