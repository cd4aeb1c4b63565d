// Random inputs are drawn from NumPy's stream in the order that the documentation gives: the vectors of the
// distinct words, then W_Q, W_K, W_V and W_O; what a file gives is not drawn. Every expected array is drawn
// here by hand.

#include "input/options.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "lessons/run.hpp"
#include "random/numpy_rng.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <cmath>
#include <random>

using namespace tfx;

namespace {

LessonInput resolve(const std::string& lesson, const InputOptions& options) {
  return resolve_input(options, find_lesson(lesson));
}

Tensor times(Tensor tensor, double factor) {
  for (double& value : tensor.data) value *= factor;
  return tensor;
}

/// What a word's line of NumPy gives. CRC32 bit by bit, as the program does not compute it.
NumpyRandom stream_of(const std::string& word, std::uint32_t seed) {
  std::uint32_t crc = 0xffffffff;
  for (const char c : word) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return NumpyRandom(~crc + seed);
}

Tensor vectors_of(const std::vector<std::string>& words, std::size_t width, std::uint32_t seed) {
  Tensor all(Shape{words.size(), width});
  for (std::size_t i = 0; i < words.size(); ++i) {
    NumpyRandom random = stream_of(words[i], seed);
    for (std::size_t j = 0; j < width; ++j) all.at({i, j}) = random.randn();
  }
  return all;
}

const std::string vector_line = "vector = lambda word, seed: "
                                "np.random.RandomState((zlib.crc32(word.encode()) + seed) % 2**32).";

Tensor rows(const Tensor& table, const std::vector<std::size_t>& ids) {
  Tensor result(Shape{ids.size(), table.shape[1]});
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (std::size_t j = 0; j < table.shape[1]; ++j) result.at({i, j}) = table.at({ids[i], j});
  return result;
}

using Lines = std::vector<std::string>;

} // namespace

TEST_CASE("each word from itself and the seed, then W_Q, W_K, W_V, W_O from the seed", "[input]") {
  InputOptions options;
  options.text = "the cat sat the", options.d_model = 3, options.seed = 7;
  const LessonInput input = resolve("multihead", options);
  NumpyRandom random(7);
  const Tensor vectors = vectors_of({"the", "cat", "sat"}, 3, 7);
  CHECK(input.given["vectors"] == vectors);
  CHECK(input.given["X"] == rows(vectors, {0, 1, 2, 0})); // equal words have equal vectors
  for (const char* name : {"W_Q", "W_K", "W_V", "W_O"}) CHECK(input.given[name] == random.randn({3, 3}));
  CHECK(input.given.numpy == Lines{"import zlib", vector_line + "randn(3)",
                                   "vectors = np.array([vector(word, 7) for word in ['the', 'cat', 'sat']])",
                                   "X = vectors[[0, 1, 2, 0]]", "np.random.seed(7)",
                                   "W_Q = np.random.randn(3, 3)", "W_K = np.random.randn(3, 3)",
                                   "W_V = np.random.randn(3, 3)", "W_O = np.random.randn(3, 3)"});
  CHECK(input.given.find("X")->labels[0] == Lines{"the", "cat", "sat", "the"});
  CHECK(input.named_words);
}

TEST_CASE("a word has the same vector in every text and place", "[input]") {
  const auto row = [](const std::string& text, std::size_t place, std::uint32_t seed, std::size_t width) {
    InputOptions options;
    options.text = text, options.seed = seed, options.d_model = width;
    return rows(resolve("scores", options).given["X"], {place});
  };
  // NumPy: RandomState((zlib.crc32(word.encode()) + seed) % 2**32).randn(3)
  CHECK(row("the cat", 0, 7, 3) ==
        Tensor({1, 3}, {-0.7931206371420418, -0.37391161910250975, 1.3643541051051304}));
  CHECK(row("the cat", 1, 7, 3) ==
        Tensor({1, 3}, {-0.47480688308619295, -0.2844894964211725, -1.0244414002464266}));
  CHECK(row("我爱你", 1, 42, 3) ==
        Tensor({1, 3}, {0.8919718178797594, -0.4929507857923931, -0.5309715406325622}));
  CHECK(row("the", 0, 4294967295, 3) == // the sum passes 2³²
        Tensor({1, 3}, {-0.5882328667293216, 0.6169074928384191, 1.1951769184919896}));
  CHECK(row("the cat sat on the mat", 5, 42, 4) != row("the cat sat on the dog", 5, 42, 4));
  std::mt19937 random(40);
  const Lines words{"cat", "dog", "猫", "don't", "Cat", "3.14", "a", "</s>"};
  for (int i = 0; i < 50; ++i) {
    const std::string word = words[random() % words.size()];
    std::string text;
    const std::size_t place = random() % 5, seed = random();
    for (std::size_t k = 0; k < place; ++k) text += words[random() % words.size()] + " ";
    INFO(text << word);
    CHECK(row(text + word, place, static_cast<std::uint32_t>(seed), 4) ==
          row(word, 0, static_cast<std::uint32_t>(seed), 4));
  }
}

TEST_CASE("the words of a source have vectors of their own seed, embed's rows are the words'", "[input]") {
  InputOptions options;
  options.text = "a b", options.source = "b c b";
  const LessonInput cross = resolve("cross", options);
  CHECK(cross.given["X"] == vectors_of({"a", "b"}, 4, 42));
  CHECK(cross.given["memory"] == vectors_of({"b", "c", "b"}, 4, 43));
  NumpyRandom random(42);
  CHECK(cross.given["W_Q"] == random.randn({4, 4}));
  options.source = {};
  NumpyRandom again(42);
  const LessonInput drawn_memory = resolve("cross", options);
  CHECK(drawn_memory.given["memory"] == again.randn({5, 4})); // no word's: first from the seed
  CHECK(drawn_memory.given["W_Q"] == again.randn({4, 4}));
  for (const Init init : {Init::normal, Init::xavier, Init::he}) {
    options.init = init;
    CHECK(resolve("embed", options).given["token_embedding"] == vectors_of({"a", "b"}, 4, 42));
  }
}

TEST_CASE("words that have the same vector by chance are told", "[input]") {
  InputOptions options;
  options.text = "b d a", options.init = Init::randint, options.d_model = 2;
  const LessonInput input = resolve("words", options);
  CHECK(std::get<std::string>(input.given.facts.at("same_vectors")) == "b = d");
  options.init = Init::normal;
  CHECK_FALSE(resolve("words", options).given.facts.contains("same_vectors"));
}

TEST_CASE("distinct words are X itself; seed 42 and width 4 unless said", "[input]") {
  InputOptions options;
  options.text = "我爱你";
  const LessonInput input = resolve("qkv", options);
  NumpyRandom random(42);
  CHECK(input.given["X"] == vectors_of({"我", "爱", "你"}, 4, 42));
  CHECK_FALSE(input.has("vectors"));
  for (const char* name : {"W_Q", "W_K", "W_V"}) CHECK(input.given[name] == random.randn({4, 4}));
  CHECK_FALSE(input.has("W_O"));
  CHECK(input.given.find("X")->labels[0] == Lines{"我", "爱", "你"});
}

TEST_CASE("every kind of initialisation draws as its NumPy line says", "[input]") {
  InputOptions options;
  options.text = "a b", options.d_model = 6, options.d_k = 2;
  NumpyRandom random(42);
  SECTION("randint") {
    options.init = Init::randint;
    const LessonInput input = resolve("scores", options);
    CHECK(input.given["X"] == Tensor({2, 6}, {2, 1, 0, 1, 0, 1, 0, 1, 1, 1, 2, 2})); // by NumPy
    CHECK(input.given.numpy[1] == vector_line + "randint(3, size=6)");
    CHECK(input.given["W_Q"] == random.randint(0, 3, {6, 2}));
    CHECK(input.given["W_K"] == random.randint(0, 3, {6, 2}));
    CHECK(input.given.numpy.back() == "W_V = np.random.randint(3, size=(6, 2))");
  }
  SECTION("xavier") {
    options.init = Init::xavier;
    const LessonInput input = resolve("scores", options);
    CHECK(input.given["X"] == vectors_of({"a", "b"}, 6, 42));
    CHECK(input.given["W_Q"] == times(random.randn({6, 2}), std::sqrt(2.0 / 8)));
    CHECK(input.given.numpy.back() == "W_V = np.random.randn(6, 2) * np.sqrt(2 / (6 + 2))");
  }
  SECTION("xavier-uniform") {
    options.init = Init::xavier_uniform;
    const LessonInput input = resolve("scores", options);
    const double bound = std::sqrt(6.0 / 8);
    CHECK(input.given["W_Q"] == random.uniform(-bound, bound, {6, 2}));
    CHECK(input.given.numpy.back() ==
          "W_V = np.random.uniform(-np.sqrt(6 / (6 + 2)), np.sqrt(6 / (6 + 2)), (6, 2))");
  }
  SECTION("he") {
    options.init = Init::he;
    const LessonInput input = resolve("scores", options);
    CHECK(input.given["W_Q"] == times(random.randn({6, 2}), std::sqrt(2.0 / 6)));
    CHECK(input.given.numpy.back() == "W_V = np.random.randn(6, 2) * np.sqrt(2 / 6)");
  }
}

TEST_CASE("what a file of weights gives is not drawn", "[input]") {
  const TemporaryFolder folder;
  const Tensor W_K({4, 4}, std::vector<double>(16, 0.5)), b_V(Shape{4}, {1, 2, 3, 4}), scale(Shape{1}, {9});
  InputOptions options;
  options.text = "a b c",
  options.weights = folder.write("w.npz", write_npz({{"W_K", &W_K}, {"b_V", &b_V}, {"gamma", &scale}}));
  const LessonInput input = resolve("multihead", options);
  NumpyRandom random(42);
  CHECK(input.given["X"] == vectors_of({"a", "b", "c"}, 4, 42));
  CHECK(input.given["W_Q"] == random.randn({4, 4}));
  CHECK(input.given["W_K"] == W_K);
  CHECK(input.given["W_V"] == random.randn({4, 4}));
  CHECK(input.given["W_O"] == random.randn({4, 4}));
  CHECK(input.given["b_V"] == b_V);
  CHECK_FALSE(input.has("b_Q"));
  CHECK(input.given.numpy.size() == 7); // X in three lines, the seed, three weights
  REQUIRE(input.notes.size() == 1);
  CHECK(input.notes[0].find("gamma") != std::string::npos);
}

TEST_CASE("queries, keys and values are drawn in that order; a given one is not drawn", "[input]") {
  InputOptions options;
  options.batch = 2, options.n_q = 3, options.n_k = 5, options.d_k = 4, options.d_v = 6, options.seed = 1;
  NumpyRandom random(1);
  SECTION("all three") {
    const LessonInput input = resolve("sdpa", options);
    CHECK(input.given["Q"] == random.randn({2, 3, 4}));
    CHECK(input.given["K"] == random.randn({2, 5, 4}));
    CHECK(input.given["V"] == random.randn({2, 5, 6}));
    CHECK(input.given.numpy == Lines{"np.random.seed(1)", "Q = np.random.randn(2, 3, 4)",
                                     "K = np.random.randn(2, 5, 4)", "V = np.random.randn(2, 5, 6)"});
  }
  SECTION("K from a file") {
    const TemporaryFolder folder;
    const Tensor K({5, 4}, std::vector<double>(20, 1));
    options.k = folder.write("k.npy", write_npy(K));
    options.n_k.reset(), options.d_k.reset();
    const LessonInput input = resolve("sdpa", options);
    CHECK(input.given["Q"] == random.randn({2, 3, 4})); // as wide as K
    CHECK(input.given["K"] == K);
    CHECK(input.given["V"] == random.randn({2, 5, 6})); // a value a key
  }
}

TEST_CASE("in lessons that project, q, k and v are what is projected", "[input]") {
  const TemporaryFolder folder;
  InputOptions options;
  options.q = folder.write("q.npy", write_npy(Tensor({2, 3}, {1, 2, 3, 4, 5, 6})));
  options.k = folder.write("k.npy", write_npy(Tensor({4, 5})));
  const LessonInput input = resolve("qkv", options);
  NumpyRandom random(42);
  CHECK(input.given["X_Q"] == Tensor({2, 3}, {1, 2, 3, 4, 5, 6}));
  CHECK(input.given["X_V"] == random.randn({4, 5})); // as many as keys, as wide as they
  CHECK(input.given["W_Q"] == random.randn({3, 3}));
  CHECK(input.given["W_K"] == random.randn({5, 3}));
  CHECK(input.given["W_V"] == random.randn({5, 3}));
  const Trace trace = run_lesson(find_lesson("qkv"), options).trace;
  CHECK(trace["Q"].shape == Shape{2, 3});
  CHECK(trace["K"].shape == Shape{4, 3});
  CHECK(trace["V"].shape == Shape{4, 3});
}

TEST_CASE("batches stand first", "[input]") {
  InputOptions options;
  options.batch = 3, options.d_model = 8, options.n_q = 5, options.heads = 2;
  const Trace trace = run_lesson(find_lesson("multihead"), options).trace;
  CHECK(trace["X"].shape == Shape{3, 5, 8});
  CHECK(trace["Q_heads"].shape == Shape{3, 2, 5, 4});
  CHECK(trace["weights"].shape == Shape{3, 2, 5, 5});
  CHECK(trace["concat"].shape == Shape{3, 5, 8});
  CHECK(trace["output"].shape == Shape{3, 5, 8});
  CHECK(trace["W_Q"].shape == Shape{8, 8});
}

TEST_CASE("a tutorial with another seed draws again, with other weights keeps its words", "[input]") {
  const TemporaryFolder folder;
  InputOptions options;
  options.tutorial = "fun-transformer:1", options.seed = 5;
  NumpyRandom random(5);
  CHECK(resolve("qkv", options).given["W_Q"] == random.randint(0, 3, {3, 3}));
  CHECK(resolve("qkv", options).reference.empty());
  options.seed.reset();
  const Tensor W_V({3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  options.weights = folder.write("w.npz", write_npz({{"W_V", &W_V}}));
  const LessonInput input = resolve("qkv", options);
  CHECK(input.given["W_V"] == W_V);
  CHECK(input.given["X"] == Tensor({4, 3}, {1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1}));
  CHECK(input.reference.empty());
}

TEST_CASE("the NumPy lines of a page end with the last array that the page shows", "[input]") {
  InputOptions options;
  options.text = "a b";
  CHECK(run_lesson(find_lesson("words"), options).trace.numpy.back() ==
        "X = np.array([vector(word, 42) for word in ['a', 'b']])");
  CHECK(run_lesson(find_lesson("scores"), options).trace.numpy.back() == "W_K = np.random.randn(4, 4)");
  CHECK(run_lesson(find_lesson("sdpa"), options).trace.numpy.back() == "W_V = np.random.randn(4, 4)");
}
