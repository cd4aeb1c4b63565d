// 12,000 damaged or odd npz files (tools/reference/mutated_npz.py) and what NumPy said of each. What NumPy
// refuses is refused here, and what both read holds the same names and values. Where tfx is stricter it says
// why; docs/file_formats.md counts that.
#include "core/error.hpp"
#include "io/file.hpp"
#include "io/npz.hpp"
#include "mutations.hpp"

#include <map>

using namespace tfx;

namespace {

const Reasons reasons_against_npz = {{"other bytes follow it", "after the end"},
                                     {"more than the entries that it announces", "count"},
                                     {"an entry is missing", "count"},
                                     {"last entry is cut off", "count"},
                                     {"more than 1,024", "count"},
                                     {"one part of several", "parts"},
                                     {"zip64 record is missing", "zip64"},
                                     {"it would reach beyond", "position"},
                                     {"is not where the table", "position"},
                                     {"bytes, more than the file has left", "position"},
                                     {"shares bytes", "shared"},
                                     {"is encrypted", "unread"},
                                     {"is compressed by method", "unread"},
                                     {"two arrays named", "names"},
                                     {"another name", "names"},
                                     {"bad name", "names"},
                                     {"not end in .npy", "names"},
                                     {"not say that it is UTF-8", "names"},
                                     {"the entry declares", "size"},
                                     {"which", "size"},
                                     {"goes on after", "size"},
                                     {"ends after", "size"},
                                     {"CRC", "checksum"}};

std::size_t digest_of(const std::vector<NamedArray>& arrays) {
  std::uint32_t digest = 0;
  for (const NamedArray& one : arrays) {
    digest = static_cast<std::uint32_t>(
        crc32(digest, reinterpret_cast<const Bytef*>(one.name.data()), static_cast<uInt>(one.name.size())));
    digest = digest_of(one.array.values, digest);
  }
  return digest;
}

} // namespace

TEST_CASE("of 12,000 odd npz files none is read that NumPy refuses, and none with other values", "[io]") {
  const std::string bytes = read_file(TFX_SOURCE_DIR "/data/reference/mutated_npz.npz");
  const NpzReader file(bytes, "mutated_npz.npz");
  Column all(file, "bases"), lengths(file, "lengths");
  std::vector<std::string> bases;
  for (std::size_t i = 0; i < lengths.size(); ++i) bases.push_back(all.next_text(lengths.next()));
  Mutations mutations(file);
  REQUIRE(mutations.size() == 12'000);

  std::size_t read = 0;
  std::map<std::string, std::size_t> stricter;
  for (std::size_t i = 0; i < mutations.size(); ++i) {
    const auto [mutation, said, wanted] = mutations.next(bases);
    INFO("mutation " << i);
    try {
      const std::vector<NamedArray> arrays = read_npz(mutation, "x.npz");
      REQUIRE(said == numbers);
      REQUIRE(digest_of(arrays) == wanted);
      ++read;
    } catch (const Error& error) {
      INFO(error.what());
      REQUIRE(error.kind() == ErrorKind::bad_data);
      if (said != numbers) continue;
      const std::string reason = reason_of(error.what(), reasons_against_npz);
      REQUIRE(!reason.empty());
      ++stricter[reason];
    }
  }
  // NumPy reads 5,381 of them. The figures stand in docs/file_formats.md.
  CHECK(read == 3'637);
  CHECK(stricter == std::map<std::string, std::size_t>{{"count", 541},
                                                       {"after the end", 507},
                                                       {"parts", 441},
                                                       {"names", 113},
                                                       {"size", 90},
                                                       {"position", 41},
                                                       {"unread", 8},
                                                       {"shared", 2},
                                                       {"zip64", 1}});
}
