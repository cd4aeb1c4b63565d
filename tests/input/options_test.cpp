// What a lesson refuses, with which kind of error, and before it costs anything.

#include "core/error.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "lessons/run.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <functional>
#include <limits>

using namespace tfx;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();

/// The error of running a lesson; of kind internal where there is none.
Error error_of(const std::string& lesson, const InputOptions& options) {
  try {
    run_lesson(find_lesson(lesson), options);
  } catch (const Error& error) {
    return error;
  }
  return defect("nothing was thrown");
}

bool says(const Error& error, const std::string& part) {
  return (error.what() + error.hint().in_english()).find(part) != std::string::npos;
}

struct Refused {
  std::string lesson;
  std::function<void(InputOptions&)> options;
  std::string message; ///< a part of it
};

void check_refused(const std::vector<Refused>& cases, ErrorKind kind) {
  for (const Refused& one : cases) {
    InputOptions options;
    one.options(options);
    const Error error = error_of(one.lesson, options);
    INFO(one.lesson << ": " << error.what() << " / " << error.hint().in_english());
    CHECK(error.kind() == kind);
    CHECK(says(error, one.message));
  }
}

} // namespace

TEST_CASE("options that contradict each other are refused", "[input]") {
  check_refused(
      {{"scores", [](auto& o) { o.words = "w.csv", o.x = "x.npy"; }, "--text, --words and --x"},
       {"scores", [](auto& o) { o.text = "a b", o.words = "w.csv", o.x = "x.npy"; },
        "--text, --words and --x"},
       {"scores", [](auto& o) { o.source = "a b"; }, "--source has no use for scores"},
       {"cross", [](auto& o) { o.tutorial = "annotated", o.source = "a b"; }, "--tutorial fixes the data"},
       {"cross", [](auto& o) { o.source = "a b", o.n_k = 2; }, "--n-k does not apply"},
       {"scores", [](auto& o) { o.text = "a b", o.words = "w.csv"; }, "--text, --words and --x"},
       {"scores", [](auto& o) { o.text = "a b", o.q = "q.npy"; }, "contradict"},
       {"scores", [](auto& o) { o.tutorial = "annotated", o.text = "a"; }, "--tutorial fixes the data"},
       {"scores", [](auto& o) { o.tutorial = "annotated", o.d_model = 4; }, "--tutorial fixes the data"},
       {"scores", [](auto& o) { o.tutorial = "annotated", o.init = Init::he; }, "--tutorial fixes the data"},
       {"scores", [](auto& o) { o.tutorial = "anotated"; }, "did you mean annotated?"},
       {"words", [](auto& o) { o.tutorial = "scaled-dot-product"; }, "do not fit"},
       {"words", [](auto& o) { o.q = "q.npy"; }, "--q has no use for words"},
       {"words", [](auto& o) { o.v = "v.npy"; }, "--v has no use for words"},
       {"words", [](auto& o) { o.d_k = 3; }, "--d-k has no use for words"},
       {"words", [](auto& o) { o.text = "a b", o.d_v = 3; }, "--d-v has no use for words"},
       {"qkv", [](auto& o) { o.n_q = 3, o.n_k = 4; }, "n_q = n_k"},
       {"scores", [](auto& o) { o.text = "a b", o.n_q = 3; }, "--n-q does not apply"},
       {"scores", [](auto& o) { o.text = "a b", o.batch = 3; }, "--batch does not apply"},
       {"scores", [](auto& o) { o.words = "w.csv", o.d_model = 3; }, "--words gives the vectors"},
       {"scores", [](auto& o) { o.x = "x.npy", o.d_model = 3; }, "--x gives the vectors"},
       {"qkv", [](auto& o) { o.q = "q.npy", o.d_model = 3; }, "--d-model does not apply"},
       {"sdpa", [](auto& o) { o.q = "q.npy", o.n_q = 3; }, "--q gives the queries"},
       {"sdpa", [](auto& o) { o.k = "k.npy", o.n_k = 3; }, "--k gives the keys"},
       {"sdpa", [](auto& o) { o.q = "q.npy", o.k = "k.npy", o.d_k = 3; }, "--d-k does not apply: --q"},
       {"sdpa", [](auto& o) { o.k = "k.npy", o.d_k = 3; }, "--d-k does not apply: --k"},
       {"sdpa", [](auto& o) { o.v = "v.npy", o.n_k = 3; }, "--n-k does not apply: every key needs a value"},
       {"sdpa", [](auto& o) { o.v = "v.npy", o.d_v = 3; }, "--d-v does not apply: --v"},
       {"sdpa", [](auto& o) { o.q = "q.npy", o.k = "k.npy", o.v = "v.npy", o.batch = 2; },
        "--batch does not apply"},
       {"multihead", [](auto& o) { o.d_model = 6, o.heads = 4; },
        "--heads 4 does not divide the 6 columns of W_Q"},
       {"multihead", [](auto& o) { o.tutorial = "happy-llm:2", o.heads = 3; }, "does not divide"},
       {"multihead", [](auto& o) { o.text = "a b", o.d_k = 3; }, "d_model / heads"},
       {"multihead", [](auto& o) { o.batch = 2, o.d_v = 3; }, "--d-v does not apply: in multihead"},
       {"multihead", [](auto& o) { o.d_k = 3; }, "--d-k does not apply: in multihead"},
       {"masked", [](auto& o) { o.text = "a b", o.pad = 3; }, "more than the 2 keys"}},
      ErrorKind::usage);
}

TEST_CASE("a lesson is found by its command", "[input]") {
  CHECK(find_lesson("softmax").number == 4);
}

TEST_CASE("files with the wrong shape are refused with the shapes", "[input]") {
  const TemporaryFolder folder;
  const auto array = [&](const Shape& shape) {
    static int count = 0;
    return folder.write("a" + std::to_string(++count) + ".npy", write_npy(Tensor(shape)));
  };
  const auto weights = [&](const std::string& name, const Shape& shape) {
    const Tensor tensor(shape);
    return folder.write(name + to_string(shape) + ".npz", write_npz({{name, &tensor}}));
  };
  check_refused(
      {{"words", [&](auto& o) { o.x = array({3}); }, "shape (3,)"},
       {"words",
        [&](auto& o) {
          o.x = array({2, 2, 2, 2});
        },
        "shape (2, 2, 2, 2)"},
       {"words",
        [&](auto& o) {
          o.x = array({0, 3});
        },
        "empty"},
       {"sdpa",
        [&](auto& o) {
          o.q = array({2, 3}), o.k = array({2, 4});
        },
        "(2, 3), K has shape (2, 4)"},
       {"sdpa",
        [&](auto& o) {
          o.k = array({2, 3}), o.v = array({3, 3});
        },
        "every key needs a value"},
       {"sdpa",
        [&](auto& o) {
          o.q = array({2, 2, 3}), o.k = array({3, 2, 3});
        },
        "(2,) and (3,)"},
       {"sdpa",
        [&](auto& o) {
          o.text = "a b", o.mask = array({3, 3});
        },
        "(2, 2) and (3, 3)"},
       {"sdpa",
        [&](auto& o) {
          o.text = "a b", o.mask = array({5, 2, 2});
        },
        "the scores have shape (2, 2)"},
       {"sdpa", [&](auto& o) { o.text = "a b", o.mask = array({2}); }, "a mask is (n_q, n_k)"},
       {"qkv",
        [&](auto& o) {
          o.text = "a b", o.weights = weights("W_Q", {3, 4});
        },
        "W_Q has shape (3, 4)"},
       {"qkv",
        [&](auto& o) {
          o.text = "a b", o.weights = weights("W_K", {2, 4});
        },
        "save weight.T"},
       {"qkv", [&](auto& o) { o.text = "a b", o.weights = weights("W_Q", {4}); }, "it takes 2 axes"},
       {"block",
        [&](auto& o) {
          o.weights = weights("in_proj_weight", {10, 4});
        },
        "a third of the rows each"},
       {"multihead", [&](auto& o) { o.weights = weights("self_attn.in_proj_weight", {12}); }, "shape (12,)"},
       {"multihead",
        [&](auto& o) {
          o.weights = weights("in_proj_bias", {4, 3});
        },
        "shape (4, 3)"},
       {"qkv", [&](auto& o) { o.text = "a b", o.weights = weights("b_Q", {3}); },
        "b has one number for each column"},
       {"qkv", [&](auto& o) { o.text = "a b", o.weights = weights("gamma", {3}); }, "no tensor is called"},
       {"qkv",
        [&](auto& o) {
          o.weights = weights("W_Q", {2, 2});
        },
        "the tutorial's has (3, 3)"}},
      ErrorKind::bad_data);
  check_refused({{"words", [&](auto& o) { o.x = "no such file.npy"; }, "no such file.npy"},
                 {"words", [&](auto& o) { o.words = "no such file.csv"; }, "no such file.csv"},
                 {"qkv", [&](auto& o) { o.text = "a", o.weights = "no such file.npz"; }, "no such file.npz"}},
                ErrorKind::no_input);
}

TEST_CASE("a mask holds 0 and 1 only", "[input]") {
  const TemporaryFolder folder;
  InputOptions options;
  options.text = "a b";
  const std::vector<std::pair<double, std::string>> all = {
      {-inf, "-inf"}, {0.5, "0.5"}, {2.0, "2"}, {not_a_number, "nan"}};
  for (const auto& [wrong, written] : all) {
    options.mask = folder.write("mask.npy", write_npy(Tensor({2, 2}, {1, 1, wrong, 1})));
    const Error error = error_of("sdpa", options);
    INFO(error.what());
    CHECK(error.kind() == ErrorKind::bad_data);
    CHECK(says(error, "mask(1, 0) is " + written + ": a mask holds"));
  }
}

TEST_CASE("a score without an answer is refused by name, unless nobody sees it", "[input]") {
  const TemporaryFolder folder;
  for (const double wrong : {not_a_number, inf}) {
    INFO(wrong);
    InputOptions options;
    options.q = folder.write("q.npy", write_npy(Tensor({2, 1}, {1, 1})));
    options.k = folder.write("k.npy", write_npy(Tensor({3, 1}, {1, 2, wrong})));
    options.v = folder.write("v.npy", write_npy(Tensor({3, 1}, {1, 2, wrong})));
    for (const char* lesson : {"lookup", "softmax", "attention", "sdpa"}) {
      INFO(lesson);
      const Error error = error_of(lesson, options);
      CHECK(error.kind() == ErrorKind::bad_data);
      CHECK(says(error, "scores[q1, k3] (indices (0, 2))"));
      CHECK(says(error, wrong == inf ? "+inf" : "NaN"));
    }
    options.causal = true, options.pad = 0;
    options.q = folder.write("three q.npy", write_npy(Tensor({3, 1}, {1, 1, 1}))); // the last one sees it
    for (const char* lesson : {"softmax", "attention", "sdpa", "masked"}) {
      INFO(lesson);
      const Error error = error_of(lesson, options);
      CHECK(error.kind() == ErrorKind::bad_data);
      CHECK(says(error, "masked[q3, k3] (indices (2, 2))"));
    }
    options.causal = false, options.pad = 1; // now nobody does
    const Trace trace = run_lesson(find_lesson("sdpa"), options).trace;
    CHECK(trace["weights"].at({0, 2}) == 0);
    for (double value : trace["output"].data) CHECK((value > 1 && value < 2));
  }
}

TEST_CASE("a row that may see nothing: zeros, NaN or an error, as asked", "[input]") {
  const TemporaryFolder folder;
  InputOptions options;
  options.text = "a b";
  options.mask = folder.write("mask.npy", write_npy(Tensor({2, 2}, {1, 0, 0, 0})));
  const Trace zero = run_lesson(find_lesson("masked"), options).trace;
  CHECK(zero["weights"] == Tensor({2, 2}, {1, 0, 0, 0}));
  for (std::size_t j = 0; j < 4; ++j) CHECK(zero["output"].at({1, j}) == 0);
  CHECK(std::get<double>(zero.facts.at("blocked_rows")) == 1);
  options.masked_row = FullyMaskedRow::nan;
  const Trace nan = run_lesson(find_lesson("masked"), options).trace;
  CHECK(nan["weights"].at({0, 0}) == 1);
  for (std::size_t j = 0; j < 2; ++j) CHECK(std::isnan(nan["weights"].at({1, j})));
  options.masked_row = FullyMaskedRow::error;
  CHECK(error_of("masked", options).kind() == ErrorKind::bad_data);
}

TEST_CASE("sizes that cannot fit are refused with the estimate, before anything is drawn", "[input]") {
  constexpr std::size_t billion = 1'000'000'000;
  const TemporaryFolder folder;
  const std::string batched = folder.write("q.npy", write_npy(Tensor({1000, 100, 2})));
  check_refused(
      {{"sdpa", [&](auto& o) { o.n_q = billion, o.n_k = 10; }, "needs about 1.02 TB of memory; "},
       {"sdpa", [&](auto& o) { o.n_q = o.n_k = o.batch = billion; }, "about 3.2e+04 YB of memory; "},
       {"scores", [&](auto& o) { o.text = "a b", o.d_k = 10 * billion; }, "needs about 5.76 TB of memory; "},
       {"scores", [&](auto& o) { o.text = "a b", o.d_model = billion; }, "needs about 64 EB of memory; "},
       {"multihead", [](auto& o) { o.n_q = 1'000'000, o.d_model = 4; }, "needs about 64 TB of memory; "},
       {"sdpa", [&](auto& o) { o.q = batched, o.n_k = 1'000'000; }, "needs about 3.4 TB of memory; "}},
      ErrorKind::no_memory);
}

TEST_CASE("keys that go with given values say why they are so many", "[input]") {
  const TemporaryFolder folder;
  InputOptions options;
  options.v = folder.write("v.npy", write_npy(Tensor({6, 2})));
  const LessonRun alone = run_lesson(find_lesson("sdpa"), options);
  CHECK(alone.trace["K"].shape == Shape{6, 4});
  REQUIRE(alone.notes.size() == 1);
  CHECK(alone.notes[0].find("K is drawn at random with 6 rows, as many as V has in") == 0);
  options.k = folder.write("k.npy", write_npy(Tensor({6, 2})));
  CHECK(run_lesson(find_lesson("sdpa"), options).notes.empty());
}

TEST_CASE("--pad 0 is no padding, where a mask stands without being asked for too", "[lessons][input]") {
  for (const char* lesson : {"masked", "multihead", "loss", "sdpa"}) {
    INFO(lesson);
    InputOptions options;
    const Trace without = run_lesson(find_lesson(lesson), options).trace;
    options.pad = 0;
    const Trace with = run_lesson(find_lesson(lesson), options).trace;
    REQUIRE(with.steps.size() == without.steps.size());
    for (const Step& step : without.steps) CHECK(with[step.name] == step.value);
    CHECK(with.checks.size() == without.checks.size()); // it is compared with the tutorial's numbers too
  }
}

TEST_CASE("a width that a file of weights has otherwise is refused", "[input]") {
  const TemporaryFolder folder;
  const Tensor W_Q({4, 3}, std::vector<double>(12, 1)), W_V({4, 2}, std::vector<double>(8, 1));
  const std::string file = folder.write("w.npz", write_npz({{"W_Q", &W_Q}, {"W_V", &W_V}}));
  const std::string keys = folder.write("k.npz", write_npz({{"W_K", &W_Q}}));
  check_refused(
      {{"qkv", [&](auto& o) { o.text = "a b", o.weights = file, o.d_k = 5; }, "--d-k 5 contradicts"},
       {"qkv", [&](auto& o) { o.text = "a b", o.weights = keys, o.d_k = 5; }, "whose W_K has 3 columns"},
       {"cross", [&](auto& o) { o.n_k = 4, o.weights = file, o.d_v = 5; }, "whose W_V has 2 columns"}},
      ErrorKind::usage);
  InputOptions same;
  same.text = "a b", same.weights = file, same.d_k = 3, same.d_v = 2;
  CHECK(run_lesson(find_lesson("qkv"), same).trace["V"].shape == Shape{2, 2});
}

TEST_CASE("options of the draws are refused where no number of the input is drawn", "[input]") {
  const TemporaryFolder folder;
  const std::string x = folder.write("x.npy", write_npy(Tensor({2, 2}, {1, 0, 2, 1})));
  const Tensor table({2, 4}, std::vector<double>(8, 0.5));
  const std::string words = folder.write("words.npz", write_npz({{"token_embedding", &table}}));
  check_refused({{"words", [&](auto& o) { o.x = x, o.seed = 7; }, "--seed does not apply: no number"},
                 {"words", [&](auto& o) { o.x = x, o.init = Init::he; }, "--init does not apply: no number"},
                 {"scores", [&](auto& o) { o.q = x, o.k = x, o.v = x, o.seed = 7; }, "--seed does not apply"},
                 {"embed", [&](auto& o) { o.text = "a b", o.weights = words, o.init = Init::he; }, "--init"},
                 {"lookup", [&](auto& o) { o.seed = 7; }, "--seed does not apply"}},
                ErrorKind::usage);
  InputOptions drawn;
  drawn.x = x, drawn.seed = 7, drawn.init = Init::he;
  CHECK_NOTHROW(run_lesson(find_lesson("qkv"), drawn));
}

namespace {

using Rows = std::vector<std::string>;

Rows rows_of(const Trace& trace, const std::string& name) {
  const Step& step = trace.step_named(name);
  return step.labels[step.value.rank() - 2];
}

} // namespace

TEST_CASE("--source gives the encoder's tokens, --text the decoder's", "[input]") {
  InputOptions options;
  options.text = "我 爱", options.source = "I love love you";
  const Trace trace = run_lesson(find_lesson("cross"), options).trace;
  CHECK(rows_of(trace, "X") == Rows{"我", "爱"});
  CHECK(rows_of(trace, "memory") == Rows{"I", "love", "love", "you"});
  CHECK(rows_of(trace, "K") == Rows{"I", "love", "love", "you"});
  CHECK(trace.step_named("weights").labels[1] == Rows{"I", "love", "love", "you"});
  CHECK(trace["weights"].shape == Shape{2, 4});
  const Tensor& memory = trace["memory"]; // a word's vector is the word's
  CHECK(memory.data[4] == memory.data[8]);
}

TEST_CASE("--text beside --x and --source beside --memory name the rows", "[input]") {
  const TemporaryFolder folder;
  const std::string x = folder.write("x.npy", write_npy(Tensor({2, 3}, {1, 2, 3, 4, 5, 6}))),
                    stack = folder.write("stack.npy",
                                         write_npy(Tensor(Shape{2, 3, 4}, std::vector<double>(24, 1))));
  InputOptions options;
  options.x = x, options.text = "猫 cat";
  const Trace trace = run_lesson(find_lesson("scores"), options).trace;
  CHECK(trace["X"].data == std::vector<double>{1, 2, 3, 4, 5, 6});
  CHECK(rows_of(trace, "X") == Rows{"猫", "cat"});
  CHECK(rows_of(trace, "Q") == Rows{"猫", "cat"});
  CHECK(trace.step_named("scores").labels[1] == Rows{"猫", "cat"});
  options.x = stack, options.text = "a b c";
  CHECK(rows_of(run_lesson(find_lesson("scores"), options).trace, "X") == Rows{"a", "b", "c"});
  options = {};
  options.memory = x, options.source = "a b", options.d_model = 3;
  CHECK(rows_of(run_lesson(find_lesson("cross"), options).trace, "K") == Rows{"a", "b"});

  check_refused({{"scores", [&](auto& o) { o.x = x, o.text = "a b c"; },
                  "x.npy has 2 rows, and the tokens of --text are 3: a b c"},
                 {"scores",
                  [&](auto& o) {
                    o.x = x, o.text = "one,";
                    o.x = stack;
                  },
                  "stack.npy has 3 rows, and the tokens of --text are 2"},
                 {"cross", [&](auto& o) { o.memory = x, o.source = "a"; },
                  "x.npy has 2 rows, and the tokens of --source are 1"}},
                ErrorKind::bad_data);
}
