// 10,000 damaged npy files (tools/reference/mutated_npy.py) and what NumPy said of each. What NumPy refuses
// is refused here, and what both read holds the same values. Where tfx is stricter it says why;
// docs/file_formats.md counts that.
#include "core/error.hpp"
#include "io/file.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "support/catch.hpp"

#include <zlib.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>

using namespace tfx;

namespace {

const std::string folder = TFX_SOURCE_DIR "/data/reference/";

enum Verdict { refused = 0, numbers = 1, something_else = 2 };

/// The columns of the file, each walked from its start to its end.
class Column {
public:
  Column(const NpzReader& file, const std::string& name) : values_(file.read(name).values.data) {}

  std::size_t size() const { return values_.size(); }
  std::size_t next() { return static_cast<std::size_t>(values_.at(at_++)); }
  std::string next_text(std::size_t length) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) text += static_cast<char>(next());
    return text;
  }

private:
  std::vector<double> values_;
  std::size_t at_ = 0;
};

/// CRC32 of the shape as NumPy prints it and of the cells as float64.
std::uint32_t digest_of(const Tensor& tensor) {
  static_assert(std::endian::native == std::endian::little);
  const auto add = [](uLong crc, const void* bytes, std::size_t size) {
    return crc32(crc, static_cast<const Bytef*>(bytes), static_cast<uInt>(size));
  };
  const std::string shape = to_string(tensor.shape);
  uLong crc = add(crc32(0, nullptr, 0), shape.data(), shape.size());
  for (double cell : tensor.data) {
    if (std::isnan(cell)) cell = std::numeric_limits<double>::quiet_NaN();
    crc = add(crc, &cell, sizeof cell);
  }
  return static_cast<std::uint32_t>(crc);
}

std::vector<std::string> read_bases(const NpzReader& file) {
  Column names(file, "bases");
  std::vector<std::string> bases;
  std::string all = names.next_text(names.size()) + "\n";
  for (std::size_t start = 0; start < all.size();) {
    const std::size_t end = all.find('\n', start);
    bases.push_back(read_file(folder + "io/" + all.substr(start, end - start) + ".npy"));
    start = end + 1;
  }
  return bases;
}

/// Why tfx refuses what NumPy reads, as docs/file_formats.md lists it; empty for a reason that it does not
/// know.
std::string reason_of(const std::string& message) {
  static const std::pair<const char*, const char*> reasons[] = {
      {"is not a type of number", "type"},
      {"structured", "type"},
      {"the file has", "longer"},
      {"more than 8 axes", "axes"},
      {"more bytes than any file has", "product"},
      {"beyond 2^53", "integers"},
      {"a bool is 0 or 1", "bool"},
      {"the header goes on after its newline", "header"},
      {"expected", "header"},
      {"must be True or False", "header"},
      {"twice", "header"},
      {"whole numbers in parentheses", "header"},
      {"with a leading zero", "header"},
      {"needs a comma", "header"}};
  for (const auto& [part, reason] : reasons)
    if (message.find(part) != std::string::npos) return reason;
  return "";
}

} // namespace

TEST_CASE("of 10,000 damaged npy files none is read that NumPy refuses, and none with other values", "[io]") {
  const std::string bytes = read_file(folder + "mutated_npy.npz");
  const NpzReader file(bytes, "mutated_npy.npz");
  const std::vector<std::string> bases = read_bases(file);
  Column base(file, "base"), edits(file, "edits"), position(file, "position"), removed(file, "removed"),
      inserted(file, "inserted"), fresh(file, "bytes"), verdict(file, "verdict"), digest(file, "digest");
  REQUIRE(base.size() == 10'000);

  std::size_t read = 0;
  std::map<std::string, std::size_t> stricter;
  for (std::size_t i = 0; i < base.size(); ++i) {
    std::string mutation = bases.at(base.next());
    for (std::size_t edit = edits.next(); edit > 0; --edit) {
      const std::size_t at = position.next(), count = removed.next();
      mutation.replace(at, count, fresh.next_text(inserted.next()));
    }
    const std::size_t said = verdict.next(), wanted = digest.next();
    INFO("mutation " << i << ", header " << mutation.substr(0, 200));
    try {
      const Array array = read_npy(mutation, "x.npy");
      REQUIRE(said == numbers);
      REQUIRE(digest_of(array.values) == wanted);
      ++read;
    } catch (const Error& error) {
      INFO(error.what());
      REQUIRE(error.kind() == ErrorKind::bad_data);
      if (said == refused) continue;
      const std::string reason = reason_of(error.what());
      REQUIRE(!reason.empty());
      ++stricter[reason];
    }
  }
  // NumPy reads 1,161 of them. The figures stand in docs/file_formats.md.
  CHECK(read == 240);
  CHECK(stricter == std::map<std::string, std::size_t>{{"longer", 505},
                                                       {"header", 276},
                                                       {"type", 104},
                                                       {"axes", 16},
                                                       {"integers", 13},
                                                       {"bool", 5},
                                                       {"product", 2}});
}
