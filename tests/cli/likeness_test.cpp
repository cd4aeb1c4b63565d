// Which programs are one in two sets of clothes, and which are not.

#include "cli/grade/likeness.hpp"
#include "support/catch.hpp"

using namespace tfx;

namespace {

std::string python(const std::string& text) {
  return likeness_of(text, ProgramLanguage::numpy);
}

std::string cpp(const std::string& text) {
  return likeness_of(text, ProgramLanguage::cpp);
}

} // namespace

TEST_CASE("a Python program is the same with other names, comments, blanks and docstrings", "[grade]") {
  const std::string original = R"(# tfx exercise softmax
"""A docstring."""
import numpy as np

def shifted(x, axis=-1):
    return x - x.max(axis=axis, keepdims=True)

def softmax(scores, d_k):
    """Given, of one case"""
    scaled = scores / np.sqrt(d_k)  # √d_k
    e, total = np.exp(shifted(scaled, axis=-1)), 0
    for row in e: total += row.sum()
    parts = [r / r.sum() for r in e]
    return dict(scaled=scaled, weights=parts)
)";
  const std::string copy = "import numpy  as  numpy_\r\n"
                           "def minus(y, along = -1):\r\n"
                           "  '''mine'''\r\n"
                           "  return (y - y.max(axis=along, keepdims=True))\r\n";
  const std::string renamed = R"(import numpy as n
def minus(a, along=-1):
  # all by myself
  return a - a.max(axis=along,
                   keepdims=True)
def softmax(s, dk):
  r"""other words"""
  divided = s / n.sqrt(dk);  exps, sum_of_all = n.exp(minus(divided, along=-1)), 0


  for line in exps:
    sum_of_all += line.sum()
  ps = [q / q.sum() for q in \
        exps]
  return dict(scaled=divided, weights=ps)
)";
  CHECK(python(original) == python(renamed));
  CHECK(python(original) != python(copy));
}

TEST_CASE("a name may be another's elsewhere, and a module's", "[grade]") {
  const std::string below = "for name, x in f(1).items():\n    print(x)\n";
  CHECK(python("def f(a):\n    e = a + 1\n    return e\n" + below) ==
        python("def f(x):\n    name = x + 1\n    return name\n" + below));
  CHECK(python("import numpy as np\nx = np.pi") == python("import numpy as numpy\nx = numpy.pi"));
  CHECK(python("def f(a): return 1\ndef g(a): return f(a)") !=
        python("def f(a): return 1\ndef g(a): return g(a)"));
  CHECK(cpp("int f(int a) { return a; }\nint x = f(1);") == cpp("int g(int x) { return x; }\nint x = g(1);"));
}

TEST_CASE("what is not of the program's own naming tells programs apart", "[grade]") {
  CHECK(python("x = np.exp(1)") != python("x = np.sin(1)"));
  CHECK(python("x = max(a)") != python("x = min(a)"));
  CHECK(python("f(x, axis=1)") != python("f(x, keepdims=1)"));
  CHECK(python("x = 1\ny = x") != python("x = 1\ny = 2"));
  CHECK(python("a = 1; b = 2; c = a - b") != python("a = 1; b = 2; c = b - a"));
  CHECK(python("x = 'one'") != python("x = 'two'"));
  CHECK(python("x = a # b") == python("y = a # c"));
  CHECK(python("x = '# no comment'") != python("x = '# no words'"));
  CHECK(python("s.T") != python("s.U"));
  CHECK(cpp("mat x = exp(a);") != cpp("mat x = log(a);"));
  CHECK(cpp("double x = 1'000;") != cpp("double x = 1'001;"));
}

TEST_CASE("a C++ program is the same with other names, comments and blanks", "[grade]") {
  const std::string original = R"(#include <armadillo>
/* mine */
using arma::mat;
tfx::Returned softmax(const mat& scores, int d_k) {
  const mat scaled = scores / std::sqrt(double(d_k)); // the scale
  mat e = arma::exp(scaled.each_col() - arma::vec(arma::max(scaled, 1))), other;
  for (int i = 0, n = 3; i < n; ++i) e.row(i) /= arma::accu(e.row(i));
  const auto [a, b] = pair();
  auto f = [k = a](double x) { return x * k; };
  return {{"scaled", scaled}, {"weights", f(b) * e}};
}
)";
  const std::string renamed = R"(#include <armadillo>
using arma::mat;
tfx::Returned softmax(const mat &S, int width)
{
  const mat divided = S / std::sqrt(double(width));
  mat exps = arma::exp(divided.each_col() - arma::vec(arma::max(divided, 1))), more;
  for (int row = 0, rows = 3; row < rows; ++row)
    exps.row(row) /= arma::accu(exps.row(row));
  const auto [first, second] = pair();
  auto g = [of = first](double y) { return y * of; };
  return {{"scaled", divided}, {"weights", g(second) * exps}};
}
)";
  CHECK(cpp(original) == cpp(renamed));
  CHECK(cpp(original) != cpp("#include <armadillo>\n"));
}

TEST_CASE("any bytes have tokens, and nothing but remarks has none", "[grade]") {
  CHECK(python("").empty());
  CHECK(python("# a\n\n'''words'''\n").empty());
  CHECK(cpp("// a\n/* b").empty());
  for (const std::string text :
       {"\"", "'''", "x = 'a\\", "R\"", "R\"(", "\\", "/*", "((((", "))))", "\xff\xfe", "lambda", "def",
        "for", "[", "auto [", "import", "1.", ".", "#define"}) {
    CHECK(python(text) == python(text));
    CHECK(cpp(text) == cpp(text));
  }
}

TEST_CASE("a program of no end is like nobody's", "[grade]") {
  std::string endless = "x = 1\n";
  for (int i = 0; i < 30'000; ++i) endless += "for ";
  CHECK(python(endless).empty());
}

TEST_CASE("arrays are alike by name, shape and every value", "[grade]") {
  const auto handed = [](const std::string& name, Tensor values) {
    return std::vector<HandedIn>{{name, {DType::f64, std::move(values)}, FromText::no}};
  };
  const std::string one = likeness_of(handed("weights", Tensor({2, 1}, {0.25, 0.75})));
  CHECK(one == likeness_of(handed("weights", Tensor({2, 1}, {0.25, 0.75}))));
  CHECK(one != likeness_of(handed("scores", Tensor({2, 1}, {0.25, 0.75}))));
  CHECK(one != likeness_of(handed("weights", Tensor({1, 2}, {0.25, 0.75}))));
  CHECK(one != likeness_of(handed("weights", Tensor({2, 1}, {0.25, 0.7500001}))));
}
