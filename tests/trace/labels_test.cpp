// Rows and columns keep the names of the words they came from.

#include "trace/trace.hpp"

#include "support/catch.hpp"
#include "support/lesson_trace.hpp"

using namespace tfx;

namespace {

using Names = std::vector<std::string>;

const Labels& labels(const Trace& trace, const std::string& name) {
  return trace.find(name)->labels;
}

} // namespace

TEST_CASE("scores have queries as rows and keys as columns", "[trace][labels]") {
  const Trace trace = trace_of("attention", {});
  CHECK(labels(trace, "X")[0] == Names{"word_1", "word_2", "word_3", "word_4"});
  CHECK(labels(trace, "Q")[0] == Names{"q1", "q2", "q3", "q4"});
  CHECK(labels(trace, "V") == Labels{{"v1", "v2", "v3", "v4"}, {}});
  for (const char* name : {"scores", "scaled", "weights"}) {
    INFO(name);
    CHECK(labels(trace, name) == Labels{{"q1", "q2", "q3", "q4"}, {"k1", "k2", "k3", "k4"}});
  }
  CHECK(labels(trace, "output") == Labels{{"q1", "q2", "q3", "q4"}, {}});
}

TEST_CASE("the learner's words stay words in every tensor", "[trace][labels]") {
  InputOptions options;
  options.text = "the cat the", options.causal = true, options.heads = 2;
  const Names words{"the", "cat", "the"};
  const Trace trace = trace_of("multihead", options);
  CHECK(labels(trace, "vectors")[0] == Names{"the", "cat"});
  CHECK(labels(trace, "X")[0] == words);
  CHECK(labels(trace, "Q")[0] == words);
  CHECK(labels(trace, "mask") == Labels{words, words});
  CHECK(labels(trace, "Q_heads") == Labels{{}, words, {}});
  CHECK(labels(trace, "weights") == Labels{{}, words, words});
  CHECK(labels(trace, "concat") == Labels{words, {}});
  CHECK(labels(trace, "output") == Labels{words, {}});
  options.heads.reset();
  const Trace softmax = trace_of("softmax", options);
  for (const char* name : {"row_max", "row_sum", "entropy"})
    CHECK(labels(softmax, name) == Labels{words, {}});
  CHECK(labels(softmax, "shifted") == Labels{words, words});
  options.causal = false;
  const Trace vectors = trace_of("words", options);
  CHECK(labels(vectors, "norms") == Labels{words});
  for (const char* name : {"dots", "cosines", "distances"})
    CHECK(labels(vectors, name) == Labels{words, words});
}

TEST_CASE("a cell is called by its labels, or by its indices", "[trace][labels]") {
  const Trace trace = trace_of("scores", {});
  CHECK(cell_name(*trace.find("scores"), {0, 2}) == "scores[q1, k3]");
  CHECK(cell_name(*trace.find("W_Q"), {0, 2}) == "W_Q[0, 2]");
  CHECK(cell_name(*trace.find("Q"), {3, 1}) == "Q[q4, 1]");
  Step scalar;
  scalar.name = "loss", scalar.value = Tensor(Shape{});
  CHECK(cell_name(scalar, {}) == "loss");
  Step words;
  words.name = "weights", words.value = Tensor(Shape{1, 1});
  words.labels = {{std::string(1'000'000, 'a')}, {"b"}};
  CHECK(cell_name(words, {0, 0}) == "weights[" + std::string(59, 'a') + "…, b]");
}

TEST_CASE("labels that do not fit are dropped", "[trace][labels]") {
  const auto labels_for = [](const Trace& t, const Operation& operation, const Shape& result) {
    std::vector<const LabelledTensor*> inputs;
    for (const std::string& name : operation.inputs) inputs.push_back(t.find(name));
    return labels_of(operation, inputs, result);
  };
  Trace trace;
  trace.add_input("A", "", Tensor(Shape{2, 3}), {{"a", "b"}, {"x", "y", "z"}});
  trace.add_input("B", "", Tensor(Shape{3, 2}), {{}, {"p", "q"}});
  CHECK(labels_for(trace, op::matmul("A", "B"), {2, 2}) == Labels{{"a", "b"}, {"p", "q"}});
  CHECK(labels_for(trace, op::weighted_sum("A", "B"), {2, 2}) == Labels{{"a", "b"}, {"p", "q"}});
  CHECK(labels_for(trace, op::matmul("A", "B"), {5, 2}) == Labels{{}, {"p", "q"}});
  CHECK(labels_for(trace, op::matmul_transposed("A", "A"), {2, 2}) == Labels{{"a", "b"}, {"a", "b"}});
  CHECK(labels_for(trace, op::exp("A"), {2, 3}) == Labels{{"a", "b"}, {"x", "y", "z"}});
  CHECK(labels_for(trace, Operation{}, {2, 3}) == Labels{{}, {}});
}

TEST_CASE("an axis is relabelled from either end", "[trace][labels]") {
  Trace trace;
  trace.add_input("A", "", Tensor(Shape{2, 1, 3}), {});
  trace.relabel(-1, {"x", "y", "z"});
  trace.relabel(0, {"first", "second"});
  CHECK(labels(trace, "A") == Labels{{"first", "second"}, {}, {"x", "y", "z"}});
  trace.relabel(-1, {});
  CHECK(labels(trace, "A")[2].empty());
}
