// 10,000 damaged npy files (tools/reference/mutated_npy.py) and what NumPy said of each. What NumPy refuses
// is refused here, and what both read holds the same values. Where tfx is stricter it says why;
// docs/file_formats.md counts that.
#include "core/error.hpp"
#include "io/file.hpp"
#include "io/npy.hpp"
#include "mutations.hpp"
#include "numpy_files.hpp"

#include <map>

using namespace tfx;

namespace {

std::vector<std::string> read_bases(const NpzReader& file) {
  Column names(file, "bases");
  std::vector<std::string> bases;
  std::string all = names.next_text(names.size()) + "\n";
  for (std::size_t start = 0; start < all.size();) {
    const std::size_t end = all.find('\n', start);
    bases.push_back(read_file(numpy_files + all.substr(start, end - start) + ".npy"));
    start = end + 1;
  }
  return bases;
}

/// As docs/file_formats.md lists them.
const Reasons reasons_against_npy = {{"is not a type of number", "type"},
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

} // namespace

TEST_CASE("of 10,000 damaged npy files none is read that NumPy refuses, and none with other values", "[io]") {
  const std::string bytes = read_file(TFX_SOURCE_DIR "/data/reference/mutated_npy.npz");
  const NpzReader file(bytes, "mutated_npy.npz");
  const std::vector<std::string> bases = read_bases(file);
  Mutations mutations(file);
  REQUIRE(mutations.size() == 10'000);

  std::size_t read = 0;
  std::map<std::string, std::size_t> stricter;
  for (std::size_t i = 0; i < mutations.size(); ++i) {
    const auto [mutation, said, wanted] = mutations.next(bases);
    INFO("mutation " << i << ", header " << mutation.substr(0, 200));
    try {
      const Array array = read_npy(mutation, "x.npy");
      REQUIRE(said == numbers);
      REQUIRE(digest_of(array.values, 0) == wanted);
      ++read;
    } catch (const Error& error) {
      INFO(error.what());
      REQUIRE(error.kind() == ErrorKind::bad_data);
      if (said == refused) continue;
      const std::string reason = reason_of(error.what(), reasons_against_npy);
      REQUIRE(!reason.empty());
      ++stricter[reason];
    }
  }
  // NumPy reads 1,161 of them. The figures stand in docs/file_formats.md.
  CHECK(read == 243);
  CHECK(stricter == std::map<std::string, std::size_t>{{"longer", 506},
                                                       {"header", 271},
                                                       {"type", 104},
                                                       {"axes", 16},
                                                       {"integers", 14},
                                                       {"bool", 5},
                                                       {"product", 2}});
}
