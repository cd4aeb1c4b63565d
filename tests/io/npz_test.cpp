#include "io/npz.hpp"

#include "error_of.hpp"
#include "io/file.hpp"
#include "io/npy.hpp"
#include "numpy_files.hpp"
#include "support/catch.hpp"

#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <optional>

using namespace tfx;
using namespace std::string_literals;

namespace {

std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8) text += static_cast<char>(value & 0xFF);
  return text;
}

std::uint32_t crc32(const std::string& bytes) {
  return static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

/// One entry of an archive made by hand; what is not set is told truthfully.
struct Member {
  std::string name;
  std::string content;
  std::uint64_t method = 0, flags = 0;
  std::optional<std::uint64_t> size = {}, stored_size = {}, crc = {}, offset = {};
};

/// `announced` stands in the end record for the number of entries.
std::string zip(const std::vector<Member>& members, std::optional<std::uint64_t> announced = {}) {
  std::string body, directory;
  for (const Member& member : members) {
    const std::string about = little_endian(20, 2) + little_endian(member.flags, 2) +
                              little_endian(member.method, 2) + little_endian(0, 2) + little_endian(0x21, 2) +
                              little_endian(member.crc.value_or(crc32(member.content)), 4) +
                              little_endian(member.stored_size.value_or(member.content.size()), 4) +
                              little_endian(member.size.value_or(member.content.size()), 4) +
                              little_endian(member.name.size(), 2) + little_endian(0, 2);
    directory += "PK\1\2" + little_endian(20, 2) + about + little_endian(0, 10) +
                 little_endian(member.offset.value_or(body.size()), 4) + member.name;
    body += "PK\3\4" + about + member.name + member.content;
  }
  const std::uint64_t count = announced.value_or(members.size());
  return body + directory + "PK\5\6" + little_endian(0, 4) + little_endian(count, 2) +
         little_endian(count, 2) + little_endian(directory.size(), 4) + little_endian(body.size(), 4) +
         little_endian(0, 2);
}

std::string npy_of_zeros(std::size_t cells) {
  return write_npy(Tensor(Shape{cells}));
}

/// As an archive holds it: deflate without zlib's own header.
std::string deflated(const std::string& content) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

void check_npz_refused(const std::string& bytes, const std::string& fragment) {
  const Error error = check_error(ErrorKind::bad_data, fragment, [&] { read_npz(bytes, "x.npz"); });
  CHECK(std::string(error.what()).starts_with("x.npz: "));
}

} // namespace

TEST_CASE("every npz file that NumPy wrote is read", "[io]") {
  for (const std::string file : {"numpy.npz", "compressed.npz"}) {
    const std::vector<NamedArray> arrays = read_npz(read_file(numpy_files + file), file);
    CHECK(arrays.size() == 25);
    CHECK(arrays[0].name == "f2_scalar");
    CHECK(arrays.back().name == "f8_嵌入_2x3");
    CHECK(arrays[24].array.values.shape == Shape{2, 3});
    for (const auto& [name, array] : arrays) {
      INFO(file << " " << name);
      REQUIRE(array.values.size() > 0);
      for (std::size_t i = 0; i < array.values.size(); ++i)
        REQUIRE(array.values.data[i] == value_of(sample_of(name).dtype, i));
    }
  }
  CHECK(read_npz(read_file(numpy_files + "empty.npz"), "empty.npz").empty());
}

TEST_CASE("one array is read without the others", "[io]") {
  const std::string bytes = read_file(numpy_files + "compressed.npz");
  const NpzReader reader(bytes, "x.npz");
  CHECK(reader.names().size() == 25);
  CHECK(reader.has("u1_100x50"));
  CHECK_FALSE(reader.has("u1_100x50.npy"));
  CHECK(reader.read("u1_100x50").values.shape == Shape{100, 50});
  CHECK(reader.read("u1_100x50").dtype == DType::u8);
  try {
    reader.read("W\x1b");
    FAIL("was read");
  } catch (const Error& error) {
    CHECK(error.what() == "x.npz: holds no array \"W\\x1b\""s);
    CHECK(error.hint().in_english().starts_with("it holds f2_scalar, f2_2x3, "));
    CHECK(error.hint().in_english().ends_with(", and 13 more"));
  }
}

TEST_CASE("an npz file comes back as it was written, with the same bytes every time", "[io]") {
  Tensor weights(Shape{2, 3}, {0.1, 2, 3, 4, 5, 6}), bias(Shape{}, {0.5}), none(Shape{0, 4}),
      large(Shape{300, 70});
  for (std::size_t i = 0; i < large.size(); ++i) large.data[i] = static_cast<double>(i);
  const std::vector<NpzEntry> entries = {
      {"W_Q", &weights}, {"case/b", &bias, DType::f32}, {"词", &none}, {"encoder.layers.0.weight", &large}};
  const std::string bytes = write_npz(entries);
  const std::vector<NamedArray> arrays = read_npz(bytes, "x.npz");
  REQUIRE(arrays.size() == entries.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    CHECK(arrays[i].name == entries[i].name);
    CHECK(arrays[i].array.dtype == entries[i].dtype);
    CHECK(arrays[i].array.values == *entries[i].values);
  }

  const char* const zone = std::getenv("TZ");
  const std::string before = zone ? zone : "";
  for (const char* other : {"UTC", "Asia/Shanghai", "America/Los_Angeles", "XXX+11:30"}) {
    ::setenv("TZ", other, 1);
    ::tzset();
    CHECK(write_npz(entries) == bytes);
  }
  if (zone)
    ::setenv("TZ", before.c_str(), 1);
  else
    ::unsetenv("TZ");
  ::tzset();

  CHECK(read_npz(write_npz({}), "x.npz").empty());
}

TEST_CASE("a name that no reader would take is not written", "[io]") {
  const Tensor one(Shape{1});
  for (const std::string name : {"", "/a", "a/", "a//b", "a\\b", "..", "a\n", "\xff"})
    CHECK_THROWS_AS(write_npz({{name, &one}}), Error);
  CHECK_THROWS_AS(write_npz({{"a", &one}, {"a", &one}}), Error);
  CHECK_THROWS_AS(write_npz({{"a", &one, DType::i32}}), Error);
}

TEST_CASE("a hostile npz file is refused with its own message", "[io]") {
  const std::string one = npy_of_zeros(1);
  REQUIRE(read_npz(zip({{"a.npy", one}}), "x.npz").size() == 1);

  check_npz_refused("", "this is no npz file");
  check_npz_refused("not a zip file at all, but long enough", "this is no npz file");
  check_npz_refused("\x93NUMPY\1\0"s, "this is no npz file");
  check_npz_refused("PK", "this is no npz file");
  check_npz_refused("PK\3\4", "table of contents at the end is damaged (the file is shorter than one)");
  check_npz_refused("PK\3\4" + std::string(100, '\0'), "table of contents at the end is damaged");
  check_npz_refused(zip({{"a.npy", one}}, 2), "table of contents at the end is damaged");
  check_npz_refused(zip({{"a.npy", one}}, 65535), "holds 65535 arrays, more than 1,024");

  check_npz_refused(zip({{"a.txt", one}}), "entry \"a.txt\" is no array: its name does not end in .npy");
  check_npz_refused(zip({{"weights/data.pkl", one}}), "entry \"weights/data.pkl\" is of torch.save");
  check_npz_refused(zip({{"folder/", ""}}), "entry \"folder/\" is no array");
  check_npz_refused(zip({{".npy", one}}), "has a bad name: it is empty");
  check_npz_refused(zip({{"f//a.npy", one}}), "has a bad name: it has a slash");
  check_npz_refused(zip({{"f/.npy", one}}), "has a bad name: it has a slash");
  check_npz_refused(zip({{"/etc/a.npy", one}}), "has a bad name: it has a slash");
  check_npz_refused(zip({{"C:\\a.npy", one}}), "has a bad name: it has a slash");
  check_npz_refused(zip({{"...npy", one}}), "has a bad name: it has two dots");
  check_npz_refused(zip({{"a\x1b[2J.npy", one}}),
                    "entry \"a\\x1b[2J.npy\" has a bad name: it has characters that nobody sees");
  check_npz_refused(zip({{"a\xff.npy", one, 0, 0x800}}), "not UTF-8");
  check_npz_refused(zip({{"词.npy", one}}), "the archive does not say that it is UTF-8");
  check_npz_refused(zip({{"a.npy", one}, {"b.npy", one}, {"a.npy", one}}), "holds two arrays named \"a\"");

  check_npz_refused(zip({{"a.npy", one, 0, 1}}), "entry \"a.npy\" is encrypted");
  check_npz_refused(zip({{"a.npy", one, 12}}), "is compressed by method 12");
  check_npz_refused(zip({{.name = "a.npy", .content = one, .size = one.size() + 1}}),
                    "declares 137 bytes, which 136 stored");
  check_npz_refused(zip({{.name = "a.npy", .content = one, .method = 8, .size = 0xFFFFFFF0}}),
                    "declares 4294967280 bytes, which 136");
  check_npz_refused(zip({{.name = "a.npy", .content = one, .size = 100'000, .stored_size = 100'000}}),
                    "more than the file has left");
  check_npz_refused(zip({{"a.npy", npy_of_zeros(200)},
                         {.name = "a.npy", .content = "", .size = 1728, .stored_size = 1728, .offset = 0}}),
                    "entry \"a.npy\" shares bytes with another");
  check_npz_refused(zip({{.name = "a.npy", .content = one, .crc = 1}}),
                    "x.npz: a.npy: is damaged (CRC error)");
  check_npz_refused(zip({{.name = "a.npy", .content = one, .method = 8}}),
                    "a.npy: ends after 6 of 136 bytes"); // an npy file is a deflate of 6 bytes
  check_npz_refused(zip({{.name = "a.npy", .content = "\7" + one, .method = 8, .size = 136}}),
                    "a.npy: is damaged (invalid block type)");
  check_npz_refused(zip({{.name = "a.npy", .content = one, .offset = 3}}),
                    "entry \"a.npy\" is not where the table of contents says");
  check_npz_refused(zip({{.name = "a.npy", .content = one, .offset = 100'000}}),
                    "entry \"a.npy\" is not where the table of contents says");
  check_npz_refused(zip({{"a.npy", one, 0, 0x20}}), "entry \"a.npy\" needs a newer reader");

  check_npz_refused(zip({{"a.npy", ""}}), "a.npy: the file ends before its version");
  check_npz_refused(zip({{"a.npy", "PK\3\4"}}), "a.npy: this is no npy file");
  check_npz_refused(zip({{"a.npy", one.substr(0, 50)}}), "a.npy: the header should be 118 bytes long");
  check_npz_refused(zip({{"a.npy", one.substr(0, 135)}}),
                    "a.npy: shape (1,) of float64 takes 8 bytes, the entry declares 7 at byte 128");
  check_npz_refused(zip({{"a.npy", one + "more"}}), "the entry declares 12");
  // Deflated content with a size that does not match: too long, too short. 136 bytes in one uncompressed
  // block.
  const std::string block = "\1" + little_endian(136, 2) + little_endian(~136u & 0xFFFF, 2) + one;
  REQUIRE(
      read_npz(zip({{.name = "a.npy", .content = block, .method = 8, .size = 136, .crc = crc32(one)}}), "x")
          .size() == 1);
  check_npz_refused(zip({{.name = "a.npy", .content = block, .method = 8, .size = 144, .crc = crc32(one)}}),
                    "a.npy: ends after 136 of 144 bytes");
  const std::string longer = "\1" + little_endian(140, 2) + little_endian(~140u & 0xFFFF, 2) + one + "more";
  check_npz_refused(
      zip({{.name = "a.npy", .content = longer, .method = 8, .size = 136, .crc = crc32(one + "more")}}),
      "a.npy: goes on after the 136 bytes");

  std::vector<Member> many;
  for (int i = 0; i < 1024; ++i) many.push_back({std::to_string(i) + ".npy", one});
  CHECK(read_npz(zip(many), "x.npz").size() == 1024);
  many.push_back({"last.npy", one});
  check_npz_refused(zip(many), "holds 1025 arrays, more than 1,024");
}

TEST_CASE("a zip64 record cannot announce more entries than tfx reads", "[io]") {
  const auto archive = [](std::uint64_t announced) {
    const std::string plain = zip({{"a.npy", npy_of_zeros(1)}});
    const std::size_t end = plain.size() - 22, directory_size = 46 + 5;
    const std::string record = "PK\6\6" + little_endian(44, 8) + little_endian(45, 2) + little_endian(45, 2) +
                               little_endian(0, 8) + little_endian(announced, 8) +
                               little_endian(announced, 8) + little_endian(directory_size, 8) +
                               little_endian(end - directory_size, 8);
    const std::string locator = "PK\6\7" + little_endian(0, 4) + little_endian(end, 8) + little_endian(1, 4);
    return plain.substr(0, end) + record + locator + "PK\5\6" + little_endian(0, 4) +
           std::string(12, '\xff') + little_endian(0, 2);
  };
  CHECK(read_npz(archive(1), "x.npz").size() == 1);
  check_npz_refused(archive(2), "table of contents at the end is damaged (an entry is missing)");
  check_npz_refused(archive(1'000'000'000), "holds 1000000000 arrays, more than 1,024");
  check_npz_refused(archive(~0ULL), "holds 18446744073709551615 arrays");
}

TEST_CASE("of archives written one after the other the last is read, as NumPy does", "[io]") {
  const Tensor one(Shape{1}, {1}), two(Shape{1}, {2});
  const std::string first = write_npz({{"a", &one}}), last = write_npz({{"a", &two}});
  REQUIRE(first.size() == last.size());
  CHECK(read_npz(first + last, "x.npz")[0].array.values == two);
  CHECK(read_npz(last + first, "x.npz")[0].array.values == one);
  CHECK(read_npz(first + write_npz({}), "x.npz").empty());
  check_npz_refused(first + "more", "other bytes follow it than the comment that it announces");
}

TEST_CASE("an array whose name differs where it stands is refused, as NumPy does", "[io]") {
  std::string bytes = zip({{"a.npy", npy_of_zeros(1)}});
  bytes[30] = 'b';
  check_npz_refused(bytes, "entry \"a.npy\" has another name where it stands: \"b.npy\"");

  std::string wide = zip({{"词.npy", npy_of_zeros(1), 0, 0x800}});
  CHECK(read_npz(wide, "x.npz")[0].name == "词");
  wide[7] = 0; // there the name is no UTF-8, but of the IBM PC
  check_npz_refused(wide, "the archive does not say that it is UTF-8");
}

TEST_CASE("a small archive does not unpack into a flood", "[io]") {
  const auto packed = [](const std::string& name, std::size_t cells) {
    const std::string content = npy_of_zeros(cells);
    return Member{.name = name,
                  .content = deflated(content),
                  .method = 8,
                  .size = content.size(),
                  .crc = crc32(content)};
  };
  CHECK(read_npz(zip({packed("a.npy", 2'900'000)}), "x.npz")[0].array.values.size() == 2'900'000);
  const std::string flood = zip({packed("a.npy", 3'100'000)});
  CHECK(flood.size() < 50'000);
  check_npz_refused(flood, "x.npz: a.npy: unpacks from ");
  CHECK_THROWS_AS(NpzReader(flood, "x.npz").header("a"), Error);

  std::vector<Member> many;
  for (int i = 0; i < 7; ++i) many.push_back(packed(std::to_string(i) + ".npy", 1'000'000));
  check_npz_refused(zip(many),
                    "to numbers that take 56000000, more than 48 MB and more than 32 times as much");
  many.resize(6);
  CHECK(read_npz(zip(many), "x.npz").size() == 6);
}

TEST_CASE("every prefix of an npz file is refused", "[io]") {
  const Tensor weights(Shape{2, 3}), bias(Shape{3});
  for (const std::string& bytes :
       {write_npz({{"W", &weights}, {"b", &bias}}), zip({{"a.npy", npy_of_zeros(1)}}),
        zip({{.name = "a.npy",
        .content = deflated(npy_of_zeros(9)),
        .method = 8,
        .size = npy_of_zeros(9).size(),
        .crc = crc32(npy_of_zeros(9))}})})
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      INFO(length);
      CHECK_THROWS_AS(read_npz(std::string(bytes, 0, length), "x.npz"), Error);
    }
}

TEST_CASE("every flipped bit of an npz file is refused or gives whole arrays", "[io]") {
  const std::string block = "\1" + little_endian(136, 2) + little_endian(~136u & 0xFFFF, 2) + npy_of_zeros(1);
  const Tensor values(Shape{2}, {1, 2});
  for (const std::string& bytes : {write_npz({{"W", &values}}), zip({{.name = "a.npy",
                                                                .content = block,
                                                                .method = 8,
                                                                .size = 136,
                                                                .crc = crc32(npy_of_zeros(1))}})}) {
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      std::string flipped = bytes;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
      try {
        for (const NamedArray& array : read_npz(flipped, "x.npz"))
          REQUIRE(array.array.values.data == read_npz(bytes, "x.npz")[0].array.values.data);
      } catch (const Error& error) {
        INFO(error.what());
        REQUIRE(error.kind() == ErrorKind::bad_data);
      }
    }
  }
}
