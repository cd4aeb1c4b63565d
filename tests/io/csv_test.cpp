#include "io/csv.hpp"

#include "core/memory.hpp"
#include "error_of.hpp"
#include "support/address_space.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

using namespace tfx;
using namespace std::literals;

namespace {

struct BadFile {
  std::string bytes, message;
};

void check_each_refused(const std::vector<BadFile>& files,
                        const std::function<void(const std::string&)>& read) {
  for (const auto& [bytes, message] : files) {
    const Error error = error_of([&, &file = bytes] { read(file); });
    INFO("file: " << bytes);
    CHECK(error.kind() == ErrorKind::bad_data);
    CHECK_THAT(error.what(), Catch::Matchers::StartsWith("bad.csv: " + message));
    CHECK_FALSE(error.hint().empty());
  }
}

Tensor matrix_of(std::string_view bytes) {
  return read_matrix_csv(bytes, "x.csv").values;
}

const double inf = std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE("a labelled table has labels, a header and values", "[io]") {
  const Csv csv = read_labelled_csv("label,x1,x2\nword_1,1,0.5\n\"a, \"\"b\"\"\",-2e-3, +4 \n", "words.csv");
  CHECK(csv.labels == std::vector<std::string>{"word_1", "a, \"b\""});
  CHECK(csv.values == Tensor({2, 2}, {1, 0.5, -2e-3, 4}));
}

TEST_CASE("a labelled table needs no header", "[io]") {
  const Csv csv = read_labelled_csv("猫,1\n犬,2", "words.csv");
  CHECK(csv.labels == std::vector<std::string>{"猫", "犬"});
  CHECK(csv.values == Tensor({2, 1}, {1, 2}));
}

TEST_CASE("labels keep their blanks, may be quotes, separators or more than a line", "[io]") {
  const Csv csv = read_labelled_csv(" the,1\n\"\"\"\",2\n\",\",3\n\"a\nb\",4\n#,5\n;,6\n", "words.csv");
  CHECK(csv.labels == std::vector<std::string>{" the", "\"", ",", "a\nb", "#", ";"});
  CHECK(csv.values == Tensor({6, 1}, {1, 2, 3, 4, 5, 6}));
}

TEST_CASE("a labelled table may be separated by blanks, as word vectors are", "[io]") {
  const Csv csv = read_labelled_csv("the 0.1 0.2\ncat  0.3 0.4\n", "glove.txt");
  CHECK(csv.labels == std::vector<std::string>{"the", "cat"});
  CHECK(csv.values == Tensor({2, 2}, {0.1, 0.2, 0.3, 0.4}));
}

TEST_CASE("a matrix is read with every separator", "[io]") {
  const Tensor expected({2, 2}, {1, 2, 3, 4});
  for (const char* text :
       {"1,2\n3,4\n", "1\t2\n3\t4", "1;2\n3;4\n", "1 2\n3 4\n", " 1   2 \n 3 \t 4", "1 , 2\r\n3,4\r\n",
        "a,b\n1,2\n3,4", "\uFEFF1,2\n3,4\n\n \n\r\n", "\"1\",\"2\"\n3,4", "1,2\r3,4\r",
        "# x y\n1 2\n3 4\n# end\n", "# a, b\n1 2\n3 4\n", "# a\nx;y\n# b\n1;2\n# c\n3;4", "+1,2.\n03,4e0"}) {
    INFO(text);
    CHECK(matrix_of(text) == expected);
  }
  CHECK(matrix_of("7") == Tensor({1, 1}, {7}));
  CHECK(matrix_of("1\n2\n3\n") == Tensor({3, 1}, {1, 2, 3}));
}

TEST_CASE("the header of a matrix may have another number of cells than its rows", "[io]") {
  const Tensor wanted({2, 2}, {1, 2, 3, 4});
  CHECK(matrix_of("x,y,z\n1,2\n3,4\n") == wanted);
  CHECK(matrix_of("weights\n1 2\n3 4\n") == wanted);
}

TEST_CASE("the index that pandas writes before its columns is no column of a matrix", "[io]") {
  const Tensor wanted({2, 2}, {1, 2, 3, 4});
  CHECK(matrix_of(",a,b\n0,1,2\n1,3,4\n") == wanted);
  CHECK(matrix_of(",0,1\n0,1.0,2.0\n1,3.0,4.0\n") == wanted);              // columns without names
  CHECK(matrix_of("\"\",\"a\",\"b\"\ncat,1,2\n\"a, b\",3,4\n") == wanted); // an index of words
  CHECK(matrix_of("\ta\tb\n\t1\t2\n1\t3\t4\n") == wanted);
  CHECK(matrix_of("a,b,c\n0,1,2\n") == Tensor({1, 3}, {0, 1, 2})); // a first column with a name is one
  CHECK(matrix_of(",,\n1,2,3\n") == Tensor({1, 3}, {1, 2, 3}));    // nothing has a name
  check_each_refused({{",a,b\n0,1\n", "line 2, column 3: this row has 2 cells, the first row has 3"},
                      {",a,b\n0,1,x\n", "line 2, column 3: \"x\" is not a number"},
                      {",a,b\n", "line 2, column 1: no row of numbers follows the header line"},
                      {",1,2\n3,4,5\n", "line 1, column 1: the cell is empty"},
                      {",0\n1,1\n", "line 1, column 1: the cell is empty"}},
                     [](const std::string& bytes) { read_matrix_csv(bytes, "bad.csv"); });
}

TEST_CASE("the words of a table may be the index that pandas writes", "[io]") {
  for (const char* header : {",a,b\n", ",0,1\n", "word,a,b\n", "\"\",a,b\n"}) {
    const Csv csv = read_labelled_csv(std::string(header) + "cat,1,2\ndog,3,4\n", "words.csv");
    INFO(header);
    CHECK(csv.labels == std::vector<std::string>{"cat", "dog"});
    CHECK(csv.values == Tensor({2, 2}, {1, 2, 3, 4}));
  }
}

TEST_CASE("a table has room for its numbers before they come", "[io]") {
  std::string line = "0";
  for (int i = 1; i < 1000; ++i) line += ',' + std::to_string(i);
  for (const std::string& text : {line, line + "\r\n" + line, "1  2   3\n4 5 6\n"s}) {
    const Tensor matrix = matrix_of(text);
    CHECK(matrix.data.capacity() <= matrix.size() + 2);
  }
}

TEST_CASE("a line as long as a file takes no more memory than its numbers", "[io]") {
  constexpr std::size_t cells = 4'000'000;
  std::string text;
  text.reserve(4 * cells); // nothing freed that the reader might take without asking the system
  for (std::size_t i = 0; i < cells; ++i) text += "1.5,";
  text.back() = '\n';
#ifdef NDEBUG // a sanitizer ends the process where memory is refused
  const AddressSpaceLimit limit(cells * sizeof(double) + (1 << 20));
#endif
  CHECK(matrix_of(text).shape == Shape{1, cells});
}

TEST_CASE("a table with labels asks for room beside its numbers before it takes any", "[io]") {
  const auto table = [](std::size_t cells) {
    std::string text = "cat";
    text.reserve(text.size() + 2 * cells);
    for (std::size_t i = 0; i < cells; ++i) text += ",5";
    return text;
  };
  constexpr std::size_t fits = 2'200'000;
  CHECK(read_labelled_csv(table(fits), "words.csv").values.shape == Shape{1, fits});
#ifdef NDEBUG // a sanitizer ends the process where memory is refused
  constexpr std::size_t cells = 32'000'000, bytes = cells * sizeof(double);
  const std::string text = table(cells);
  const FreedMemoryTaken taken;
  const AddressSpaceLimit limit(bytes + (4 << 20)); // the numbers fit, and 4 MB
  REQUIRE(available_memory() > bytes);
  const Error error = error_of([&] { read_labelled_csv(text, "words.csv"); });
  CHECK(error.kind() == ErrorKind::no_memory);
  CHECK_THAT(error.what(), Catch::Matchers::ContainsSubstring("reading words.csv"));
#endif
}

TEST_CASE("nan and the infinities are read as np.savetxt writes them", "[io]") {
  const Tensor matrix = matrix_of("nan,inf,-inf,+inf\n");
  CHECK(std::isnan(matrix.data[0]));
  CHECK(matrix.data[1] == inf);
  CHECK(matrix.data[2] == -inf);
  CHECK(matrix.data[3] == inf);
}

TEST_CASE("a first row that was meant as numbers is never a header", "[io]") {
  for (const char* row :
       {"NaN,NaN", "1e400,2e400", "Infinity,-Infinity", "\u22121,\u22122", "50%,20%", "x,1e400", "$5,$6",
        "１,２", "TRUE,false", "+NaN,x", "1_000,x", "nan(1),y", "∞,y", "(1),(2)"}) {
    INFO(row);
    for (const std::string& read_as : {"matrix"s, "words"s}) {
      const Error error = error_of([&] {
        if (read_as == "matrix")
          read_matrix_csv(row + "\n1,2\n"s, "x.csv");
        else
          read_labelled_csv("cat,"s + row + "\ndog,1,2\n", "x.csv");
      });
      CHECK(error.kind() == ErrorKind::bad_data);
      CHECK_THAT(error.what(), Catch::Matchers::StartsWith("x.csv: line 1, column "));
    }
  }
  CHECK(error_of([] { read_matrix_csv(",NaN\n1,2\n", "x.csv"); }).what() ==
        "x.csv: line 1, column 1: the cell is empty"s);
}

TEST_CASE("a header that was taken is named", "[io]") {
  CHECK(read_matrix_csv("x1,_2\n1,2\n", "x.csv").header == "x1,_2");
  CHECK(read_matrix_csv("# c\n,a,b\n0,1,2\n", "x.csv").header == ",a,b");
  CHECK(read_matrix_csv("第1列,n/a\n1,2\n", "x.csv").header == "第1列,n/a");
  CHECK(read_matrix_csv("1,2\n", "x.csv").header.empty());
  CHECK(read_labelled_csv("word,x\ncat,2\n", "x.csv").header == "word,x");
  CHECK(read_labelled_csv("cat,2\n", "x.csv").header.empty());
}

TEST_CASE("decimal commas are recognised", "[io]") {
  const auto check = [](const std::string& bytes, const std::string& what) {
    const Error error = error_of([&] { read_matrix_csv(bytes, "x.csv"); });
    CHECK(error.kind() == ErrorKind::bad_data);
    CHECK(error.what() == "x.csv: " + what);
    CHECK_THAT(error.hint().in_english(), Catch::Matchers::ContainsSubstring("write 1.5 for 1,5"));
  };
  check("1,5;2,5\n", "line 1, column 2: \"5;2\" is not a number: the line has decimal commas, as in 1,5;2,5");
  check("1,5\t2,5\t3,5\n",
        "line 1, column 2: \"5\\t2\" is not a number: the line has decimal commas, as in 1,5;2,5");
  check("a;b\n1,5;2,5\n", "line 2, column 1: \"1,5\" is not a number: it has a decimal comma");
  check("1;2\n3;-4,5\n", "line 2, column 2: \"-4,5\" is not a number: it has a decimal comma");
}

TEST_CASE("a table of True and False is one of 1 and 0", "[io]") {
  CHECK(matrix_of("True,False\nFalse, True\n") == Tensor({2, 2}, {1, 0, 0, 1}));
  CHECK(matrix_of("a,b\nTrue,False\n") == Tensor({1, 2}, {1, 0}));
  CHECK(matrix_of(",0,1\n0,True,False\n1,False,True\n") == Tensor({2, 2}, {1, 0, 0, 1})); // by pandas
  check_each_refused({{"True,False\n0.5,1\n", "line 2, column 1: \"0.5\" stands among True and False"},
                      {"True,1\n", "line 1, column 2: \"1\" stands among True and False"},
                      {"1,2\n3,True\n", "line 2, column 2: \"True\" stands among numbers"},
                      {"1,2\n3,true\n", "line 2, column 2: \"true\" is not a number"}},
                     [](const std::string& bytes) { read_matrix_csv(bytes, "bad.csv"); });
}

TEST_CASE("a header that looks like numbers is data, and rows are counted across quoted lines", "[io]") {
  CHECK(read_labelled_csv("token,0,1\na,2,3\n", "x.csv").values.shape == Shape{2, 2});
  const Error error = error_of([] { read_labelled_csv("\"a\nb\",1\nc,2\nd,x\n", "x.csv"); });
  CHECK(error.what() == "x.csv: line 4, column 2: \"x\" is not a number"s);
}

TEST_CASE("lines are read as they are, blank ones dropped", "[io]") {
  CHECK(read_lines("\uFEFFThe\r\ncat\n\n  \n a,\"b \n[PAD]", "words.csv") ==
        std::vector<std::string>{"The", "cat", " a,\"b ", "[PAD]"});
  CHECK_THAT(error_of([] { read_lines("a\nb\xC4\n", "w"); }).what(),
             Catch::Matchers::StartsWith("w: line 2, column 2: byte 3"));
  CHECK(error_of([] { read_lines("\n \n", "w"); }).what() == "w: line 1, column 1: the file is empty"s);
  CHECK(read_lines(std::string(1'000'000, '\n') + "x", "w").size() == 1); // in linear time
}

TEST_CASE("a bad matrix is refused with its line and column", "[io]") {
  check_each_refused(
      {{"", "line 1, column 1: the file is empty"},
       {"\n\n  \n", "line 1, column 1: the file is empty"},
       {"\uFEFF", "line 1, column 1: the file is empty"},
       {"1,2\n3\n", "line 2, column 2: this row has 1 cell, the first row has 2"},
       {"1,2\n3,4,5\n", "line 2, column 3: this row has 3 cells, the first row has 2"},
       {"1,2\n3,4,\n", "line 2, column 3: this row has 3 cells"},
       {"1,2,\n3,4,\n", "line 1, column 3: the cell is empty"},
       {"1,2\n,4\n", "line 2, column 1: the cell is empty"},
       {"1,2\n3, \n", "line 2, column 2: the cell is empty"},
       {"1,2\n3,x\n", "line 2, column 2: \"x\" is not a number"},
       {"1,x\n3,4\n", "line 1, column 2: \"x\" is not a number"},
       {"a,b\nc,d\n", "line 2, column 1: \"c\" is not a number"},
       {"a,b\n", "line 2, column 1: no row of numbers follows the header line"},
       {"a,b\n# c\n", "line 3, column 1: no row of numbers follows"},
       {"# 1\n", "line 2, column 1: no row of numbers follows"},
       {"1,2\n3,1.2.3\n", "line 2, column 2: \"1.2.3\" is not a number"},
       {"1;2\n3;4,5\n", "line 2, column 2: \"4,5\" is not a number"},
       {"1,2\n3,4 5\n", "line 2, column 2: \"4 5\" is not a number"},
       {"1,2\n3,0x10\n", "line 2, column 2: \"0x10\" is not a number"},
       {"1,2\n3,+-4\n", "line 2, column 2: \"+-4\" is not a number"},
       {"1,2\n3,++4\n", "line 2, column 2: \"++4\" is not a number"},
       {"1,2\n3,+\n", "line 2, column 2: \"+\" is not a number"},
       {"1,2\n3,-\n", "line 2, column 2: \"-\" is not a number"},
       {"1,2\n3,1e\n", "line 2, column 2: \"1e\" is not a number"},
       {"1,2\n3,1e999\n", "line 2, column 2: \"1e999\" is not a number"},
       {"1,2\n3,NaN\n", "line 2, column 2: \"NaN\" is not a number"},
       {"1,2\n3,nan(1)\n", "line 2, column 2: \"nan(1)\" is not a number"},
       {"1,2\n3,infinity\n", "line 2, column 2: \"infinity\" is not a number"},
       {"1,2\n3,１\n", "line 2, column 2: \"１\" is not a number"},
       {"1,2\n3,1+2j\n", "line 2, column 2: \"1+2j\" is not a number"},
       {"1,2\n\n3,4\n", "line 2, column 1: a blank line stands between the rows"},
       {"\n1,2\n", "line 1, column 1: a blank line"},
       {"1,2\r\n3,x\r\n", "line 2, column 2: \"x\" is not a number"},
       {"1,2\r3,x\r", "line 2, column 2: \"x\" is not a number"},
       {"1,2\n3,\x1b[31m\n", "line 2, column 2: \"\\x1b[31m\" is not a number"},
       {"1,2\n3," + std::string(1000, '9') + "x\n",
        "line 2, column 2: \"" + std::string(40, '9') + "…\" is not a number"},
       {"1,2\n3,\"4\n", "line 2, column 2: the quote that opens this cell is never closed"},
       {"1,2\n3,\"4\"5\n", "line 2, column 2: text follows the quote that closes this cell"},
       {"1,2\n3,4\"5\n", "line 2, column 2: \"4\"5\" holds a quote but does not start with one"},
       {"1,2\n3,4\0"s, "line 2, column 4: byte 7 of the file is NUL: this looks binary"},
       {"1,2\n3,\xC4\xE3\n", "line 2, column 3: byte 6 of the file (0xc4) is not UTF-8 text"},
       {"1,2\n3,\xC0\xB1\n", "line 2, column 3: byte 6 of the file (0xc0) is not UTF-8"},
       {"1,2\n3,\xED\xA0\x80\n", "line 2, column 3: byte 6 of the file (0xed) is not UTF-8"},
       {"1,2\n3,\xE4\xBD", "line 2, column 3: byte 6 of the file (0xe4) is not UTF-8"},
       {"\xFF\xFE"
        "1\0"s,
        "line 1, column 1: byte 0 of the file (0xff) is not UTF-8"},
       {"\x93NUMPY\x01\0v"s, "line 1, column 1: byte 0 of the file (0x93) is not UTF-8"}},
      [](const std::string& bytes) { read_matrix_csv(bytes, "bad.csv"); });
}

TEST_CASE("a bad labelled table is refused with its line and column", "[io]") {
  check_each_refused({{"", "line 1, column 1: the file is empty"},
                      {"cat\n", "line 1, column 2: no number follows the label"},
                      {"cat,1\ndog\n", "line 2, column 2: this row has 1 cell, the first row has 2"},
                      {"cat,1\ndog,2,3\n", "line 2, column 3: this row has 3 cells"},
                      {"label,x\n", "line 2, column 1: no row of numbers follows the header line"},
                      {"label,x,y\ncat,1\n", "line 2, column 3: this row has 2 cells, the first row has 3"},
                      {"label,x\ncat,y\n", "line 2, column 2: \"y\" is not a number"},
                      {"cat,1,2x\ndog,3,4\n", "line 1, column 3: \"2x\" is not a number"},
                      {"cat,1,\ndog,3,4\n", "line 1, column 3: the cell is empty"},
                      {"cat,1\ndog,\n", "line 2, column 2: the cell is empty"},
                      {",1\ncat,2\n", "line 1, column 1: the label is empty"},
                      {"cat,1\n,2\n", "line 2, column 1: the label is empty"},
                      {"cat,1\n\ndog,2\n", "line 2, column 1: a blank line"},
                      {"cat,1\n\",2\n", "line 2, column 1: the quote that opens this cell is never closed"},
                      {"cat,1\n\"dog\" ,2\n", "line 2, column 1: text follows the quote"},
                      {"cat,1\ndo\"g,2\n", "line 2, column 1: \"do\"g\" holds a quote"},
                      {"\xC4\xE3,1\n", "line 1, column 1: byte 0 of the file (0xc4) is not UTF-8 text"},
                      {"PK\x03\x04\0\0"s, "line 1, column 5: byte 4 of the file is NUL"}},
                     [](const std::string& bytes) { read_labelled_csv(bytes, "bad.csv"); });
}

TEST_CASE("the hint for a GBK file says how to save it", "[io]") {
  const Error error =
      error_of([] { read_labelled_csv("\xC3\xA8,1\n\xB9\xB7,2\n", "words.csv"); }); // 猫 is C3 A8 in GBK
  CHECK_THAT(error.what(), Catch::Matchers::ContainsSubstring("line 2, column 1: byte 5"));
  CHECK_THAT(error.hint().in_english(),
             Catch::Matchers::ContainsSubstring("UTF-8") && Catch::Matchers::ContainsSubstring("GBK"));
}

TEST_CASE("what is written reads back as the same doubles", "[io]") {
  std::mt19937_64 random(1);
  Tensor matrix({200, 5});
  for (double& cell : matrix.data) do { // any bits
      const std::uint64_t bits = random();
      std::memcpy(&cell, &bits, sizeof cell);
    } while (!std::isfinite(cell));
  matrix.data[0] = 5e-324, matrix.data[1] = 1.7976931348623157e308, matrix.data[2] = inf,
  matrix.data[3] = -inf;
  CHECK(matrix_of(write_csv(matrix)) == matrix);
  CHECK(write_csv(Tensor({2, 2}, {1, 0.1, -0.0, std::nan("")})) == "1,0.1\n-0,nan\n");
  CHECK(std::signbit(matrix_of("-0").data[0]));
}

TEST_CASE("scalars and vectors are written a number a line, more axes are refused", "[io]") {
  CHECK(write_csv(Tensor(Shape{}, {0.5})) == "0.5\n");
  CHECK(write_csv(Tensor(Shape{3}, {1, 2, 1e300})) == "1\n2\n1e+300\n");
  CHECK(write_csv(Tensor(Shape{0, 3})).empty());
  CHECK(write_csv(Tensor(Shape{3, 0})).empty());
  CHECK(error_of([] { write_csv(Tensor(Shape{1, 2, 3})); }).kind() == ErrorKind::usage);
}

TEST_CASE("every prefix of a table is read or refused with its name", "[io]") {
  const std::string whole = "\uFEFFlabel,\"x\",y\r\n\"猫, \"\"a\"\"\",1e-3,-inf\r\nb,+2, 3\r\n";
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const std::string bytes = whole.substr(0, length);
    try {
      const Csv csv = read_labelled_csv(bytes, "x.csv");
      CHECK(csv.values.shape == Shape{csv.labels.size(), 2});
      CHECK(csv.values.size() == csv.labels.size() * 2);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::bad_data);
      CHECK_THAT(error.what(), Catch::Matchers::StartsWith("x.csv: line "));
    }
  }
}
