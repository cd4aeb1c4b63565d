// Files of less than 1 MB that are made to cost as much as they can: each is read or refused in less than 64
// MB and twice the file. (The fuzz targets count the bytes of every input.) A reader that went over the file
// again for each of its bytes would take minutes here; no clock is read, as it would judge what else the
// machine does.
#include "core/error.hpp"
#include "io/csv.hpp"
#include "io/json_reader.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "safetensors_files.hpp"
#include "support/address_space.hpp"
#include "support/catch.hpp"
#include "train/pairs_file.hpp"

#include <functional>
#include <new>

#ifdef NDEBUG // sanitizers take memory of their own

using namespace tfx;
using namespace std::string_literals;

namespace {

using Read = std::function<void(const std::string&)>;

enum class Outcome { read, refused, out_of_memory };

Outcome outcome_of(const Read& read, const std::string& bytes) {
  try {
    read(bytes);
    return Outcome::read;
  } catch (const Error& error) {
    return error.kind() == ErrorKind::bad_data ? Outcome::refused : Outcome::out_of_memory;
  } catch (const std::bad_alloc&) {
    return Outcome::out_of_memory;
  }
}

std::string repeated(const std::string& text, std::size_t size) {
  std::string all;
  while (all.size() + text.size() <= size) all += text;
  return all;
}

std::string npy_of_bytes(std::size_t cells) {
  std::string header = "{'descr': '|u1', 'fortran_order': True, 'shape': (1, 1, 1, 1, 1, 1, " +
                       std::to_string(cells / 2) + ", 2), }\n";
  return "\x93NUMPY\x01\0"s + static_cast<char>(header.size()) + '\0' + header + std::string(cells, '\1');
}

std::string header_of_tensors(std::size_t size) {
  std::string header = "{";
  for (int i = 0; header.size() + 100 < size; ++i)
    header += (i ? "," : "") + member(std::to_string(i), "U8", "[1,1,1,1,1,1,1,0]", 0, 0);
  return header + "}";
}

std::string names_of_json(std::size_t count) {
  std::string all = "{";
  for (std::size_t i = 0; i < count; ++i)
    all += (i ? ",\"" : "\"") + std::to_string(i) + "\":0"; // shorter than a string keeps within itself
  return all + "}";
}

} // namespace

TEST_CASE("no file below 1 MB takes more than 64 MB and twice itself", "[io]") {
  constexpr std::size_t size = 1'000'000;
  const Read npy = [](const std::string& bytes) { read_npy(bytes, "x"); };
  const Read npz = [](const std::string& bytes) { read_npz(bytes, "x"); };
  const Read tensors = [](const std::string& bytes) { read_safetensors(bytes, "x"); };
  const Read matrix = [](const std::string& bytes) { read_matrix_csv(bytes, "x"); };
  const Read words = [](const std::string& bytes) { read_labelled_csv(bytes, "x"); };
  const Read lines = [](const std::string& bytes) { read_lines(bytes, "x"); };
  const Read json = [](const std::string& bytes) { read_json(bytes, "x"); };
  const Read pairs = [](const std::string& bytes) { read_pairs(bytes, "x"); };
  struct Hostile {
    std::string what;
    Read read;
    std::string bytes;
    Outcome wanted = Outcome::refused;
  };
  const std::vector<Hostile> files = {
      {"small numbers", npy, npy_of_bytes(size - 200), Outcome::read},
      {"a header of 2 GB", npy, "\x93NUMPY\x03\0\xff\xff\xff\x7f"s + std::string(size - 20, '{')},
      {"a header of blanks", npy, "\x93NUMPY\x01\0\x10\x27"s + std::string(size - 20, ' ')},
      {"ends of archives", npz, "PK\3\4" + repeated("PK\5\6", size - 4)},
      {"announcements of entries", npz,
       "PK\3\4" + repeated("PK\1\2", size - 40) + "PK\5\6" + std::string(18, '\xff')},
      {"tensors without cells", tensors, file_of(header_of_tensors(size)), Outcome::read},
      {"lists in lists", tensors, file_of("{\"a\":{\"shape\":" + std::string(size - 40, '[') + "}}")},
      {"a long name", tensors, file_of("{\"__metadata__\":{\"" + std::string(size - 60, 'k') + "\":1}}")},
      {"100,000 numbers", json, "[" + repeated("0,", 199'990) + "0]", Outcome::read},
      {"values without end", json, "[" + repeated("0,", size - 3) + "0]"},
      {"99,000 names", json, names_of_json(99'000), Outcome::read},
      {"a list in 62 lists", json,
       repeated("[", 62) + "[" + repeated("{},", 200'000) + "0]" + repeated("]", 62), Outcome::read},
      {"objects in objects", json, repeated("{\"a\":", size)},
      {"one name again and again", json, "{" + repeated("\"a\":0,", 500'000) + "\"a\":0}"},
      {"a long text", json, "\"" + std::string(size - 2, 'a') + "\"", Outcome::read},
      {"a row", matrix, repeated("1,", size - 2) + "1\n", Outcome::read},
      {"a column", matrix, repeated("1\n", size), Outcome::read},
      {"empty cells", matrix, repeated(",", size)},
      {"quotes", matrix, repeated("\"\"", size)},
      {"an open quote", matrix, "1,2\n\"" + repeated("a\n", size - 5)},
      {"comments", matrix, repeated("#\n", size)},
      {"a byte at the end that is no text", matrix, repeated("1\n", size - 1) + "\xff"},
      {"ends of lines", matrix, repeated("\r", size)},
      {"words", words, repeated("a,1\n", size), Outcome::read},
      {"words, the last without numbers", words, repeated("a,1\n", size - 4) + "b\n"},
      {"lines", lines, repeated("a\n", size), Outcome::read},
      {"pairs", pairs, repeated("a\tb\n", size), Outcome::read},
      {"tabs", pairs, repeated("\t", size)}};
  for (const Hostile& file : files) {
    INFO(file.what);
    REQUIRE(file.bytes.size() <= size);
    const FreedMemoryTaken taken;
    const AddressSpaceLimit limit(64'000'000 + 2 * file.bytes.size());
    REQUIRE(static_cast<int>(outcome_of(file.read, file.bytes)) == static_cast<int>(file.wanted));
  }
}
#endif
