// Lessons 9 to 11: what is particular to each, and what is refused.

#include "core/error.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "lessons/run.hpp"
#include "support/catch.hpp"
#include "support/lesson_trace.hpp"
#include "support/temporary_folder.hpp"

#include <cmath>

using namespace tfx;

namespace {

bool passes(const Trace& trace, const std::string& id) {
  for (const Check& check : trace.checks)
    if (check.id == id) return check.pass;
  return false;
}

bool has_check(const Trace& trace, const std::string& id) {
  for (const Check& check : trace.checks)
    if (check.id == id) return true;
  return false;
}

// "message | hint" of the refusal.
std::string refusal(const std::string& lesson, const InputOptions& options,
                    ErrorKind kind = ErrorKind::usage) {
  try {
    trace_of(lesson, options);
  } catch (const Error& error) {
    CHECK(error.kind() == kind);
    return std::string(error.what()) + " | " + error.hint().in_english();
  }
  return "not refused";
}

template <class Change>
InputOptions with(Change change) {
  InputOptions options;
  change(options);
  return options;
}

} // namespace

TEST_CASE("cross: a decoder of its own width, and a memory of words", "[lessons][cross]") {
  const TemporaryFolder folder;
  const std::string memory = folder.write("m.npy", write_npy(Tensor({2, 3}, {1, 2, 3, 4, 5, 6})));
  const Trace trace = trace_of("cross", with([&](InputOptions& o) { o.text = "a b c", o.memory = memory; }));
  CHECK(trace["X"].shape == Shape{3, 4});
  CHECK(trace["memory"] == Tensor({2, 3}, {1, 2, 3, 4, 5, 6}));
  CHECK(trace["W_K"].shape == Shape{3, 4});
  CHECK(trace["weights"].shape == Shape{3, 2});
  CHECK(trace.find("weights")->labels == Labels{{"a", "b", "c"}, {"m1", "m2"}});
  CHECK(trace.facts.count("reversed_shape") == 0); // other widths: reversed, nothing fits
  CHECK(trace.numpy[2] == "X = np.array([vector(word, 42) for word in ['a', 'b', 'c']])");
}

TEST_CASE("cross: memory is drawn after X and before the weights", "[lessons][cross]") {
  const Trace trace = trace_of("cross", with([](InputOptions& o) { o.d_model = 2, o.n_q = 3, o.n_k = 6; }));
  CHECK(trace.numpy == std::vector<std::string>{"np.random.seed(42)", "X = np.random.randn(3, 2)",
                                                "memory = np.random.randn(6, 2)",
                                                "W_Q = np.random.randn(2, 2)", "W_K = np.random.randn(2, 2)",
                                                "W_V = np.random.randn(2, 2)"});
  CHECK(std::get<std::string>(trace.facts.at("reversed_shape")) == "6×3");
  CHECK(number_of(trace, "reversed_rows") == 6);
  const Trace even = trace_of("cross", with([](InputOptions& o) { o.d_model = 2, o.n_q = 4, o.n_k = 4; }));
  CHECK(even.facts.count("reversed_shape") == 0);
  CHECK(number_of(even, "reversed_wrong") == 8); // right shape, wrong in every cell
}

TEST_CASE("cross: --pad hides the last words of the source", "[lessons][cross]") {
  const Trace trace = trace_of("cross", with([](InputOptions& o) { o.pad = 2; }));
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 5; ++j) CHECK((trace["weights"].at({i, j}) == 0) == (j >= 3));
  CHECK(passes(trace, "masked_memory"));
  CHECK(passes(trace, "memory_order"));
  const Trace one = trace_of("cross", with([](InputOptions& o) { o.n_k = 1; }));
  CHECK_FALSE(has_check(one, "masked_memory"));
  CHECK(one["weights"].at({0, 0}) == 1);
}

TEST_CASE("embed: words are numbered as they appear", "[lessons][embed]") {
  const Trace trace = trace_of("embed", with([](InputOptions& o) { o.text = "b a b", o.d_model = 6; }));
  CHECK(trace["token_ids"].data == std::vector<double>{0, 1, 0});
  CHECK(trace["token_embedding"].shape == Shape{2, 6});
  CHECK(trace["one_hot"] == Tensor({3, 2}, {1, 0, 0, 1, 1, 0}));
  CHECK(trace["product"] == trace["token_vectors"]);
  CHECK(trace["position_vectors"].at({0, 0}) == 0);
  CHECK(trace["position_vectors"].at({0, 1}) == 1);
  CHECK(trace["position_vectors"].at({2, 4}) == Approx(std::sin(2 / std::pow(10000.0, 4 / 6.0))));
  CHECK(trace["X"].at({1, 3}) == Approx(trace["token_embedding"].at({1, 3}) * std::sqrt(6.0) +
                                        std::cos(1 / std::pow(10000.0, 2 / 6.0))));
  CHECK(number_of(trace, "order_without") <= 1e-12);
  CHECK(number_of(trace, "order_with") > 0.01);
  CHECK(number_of(trace, "halves_wrong") > 0);
  const Trace odd = trace_of("embed", with([](InputOptions& o) { o.d_model = 3; }));
  CHECK_FALSE(has_check(odd, "distance_only")); // the last sine has no cosine
}

TEST_CASE("embed: learned positions come from the file, and end with it", "[lessons][embed]") {
  const TemporaryFolder folder;
  const Tensor words({3, 2}, {1, 2, 3, 4, 5, 6}), positions({2, 2}, {0.5, 0.25, -1, 8});
  const std::string file =
      folder.write("w.npz", write_npz({{"token_embedding", &words}, {"position_embedding", &positions}}));
  const Trace trace = trace_of("embed", with([&](InputOptions& o) { o.text = "a b", o.weights = file; }));
  CHECK(trace["X"] == Tensor({2, 2}, {1.5, 2.25, 2, 12}));
  CHECK_FALSE(trace.has("embedded"));
  CHECK(refusal("embed", with([&](InputOptions& o) { o.text = "a b a", o.weights = file; }),
                ErrorKind::bad_data)
            .find("position_embedding has shape (2, 2), the text has 3 tokens") != std::string::npos);
  CHECK(refusal("embed", with([&](InputOptions& o) { o.text = "a b c d", o.weights = file; }),
                ErrorKind::bad_data)
            .find("token_embedding has shape (3, 2), the text has 4 distinct words") != std::string::npos);
  CHECK(refusal("embed", with([&](InputOptions& o) { o.d_model = 3, o.weights = file; }))
            .find("--d-model 3 contradicts") != std::string::npos);
}

TEST_CASE("block: pre-norm and post-norm are the page's layers", "[lessons][block]") {
  const Trace first = trace_of("block", {}),
              last = trace_of("block", with([](InputOptions&o) { o.norm_first = false; }));
  CHECK(passes(first, "page_layer"));
  CHECK(passes(last, "page_layer"));
  CHECK(first["output"] != last["output"]);
  CHECK(first.find("Q")->operation.inputs[0] == "norm_1");
  CHECK(last.find("Q")->operation.inputs[0] == "X");
  CHECK_FALSE(first.has("residual_2"));
  CHECK(last.find("output")->operation.is(op::add)); // the shift of the last norm
  CHECK(number_of(first, "residual_wrong") == 32);
  CHECK(number_of(first, "placement_moved") == Approx(number_of(last, "placement_moved")));
}

TEST_CASE("block: the tutorial's norm is not nn.LayerNorm", "[lessons][block]") {
  const Trace trace = trace_of("block", {});
  const Experiment& norms = trace.experiments[0];
  REQUIRE(norms.name == "norm_rules");
  // Of d numbers, std over d − 1 is √(d/(d − 1)) of that over d; the two epsilons are far smaller.
  for (std::size_t j = 0; j < 8; ++j)
    CHECK(norms.values.at({j, 2}) / norms.values.at({j, 1}) == Approx(std::sqrt(8.0 / 7)).epsilon(1e-4));
  const Trace standard = trace_of("block", with([](InputOptions& o) { o.norm = Norm::layer; }));
  CHECK(standard["norm_1"].at({0, 3}) == Approx(norms.values.at({3, 2})).epsilon(1e-14));
  CHECK(standard.has("variance_1"));
  CHECK_FALSE(standard.has("std_1"));
}

TEST_CASE("block: what is stored, viewed, filled and copied", "[lessons][block]") {
  const Trace trace = trace_of("block", {});
  const Experiment *layout = nullptr, *state = nullptr, *filled = nullptr;
  for (const Experiment& e : trace.experiments) {
    if (e.name == "memory_layout") layout = &e;
    if (e.name == "state") state = &e;
    if (e.name == "masked_fill") filled = &e;
  }
  REQUIRE((layout && state && filled));
  CHECK(layout->values == Tensor({7, 3}, {4, 2, 2, 2, 4, 4, 4, 4, 4, 8, 4, 16, 4, 8, 4, 1, 1, 1, 1, 0, 1}));
  // 4·(64 + 8) of the attention, 8·32 + 32 and 32·8 + 8 of the feed-forward, 4·8 of the norms; 4 × 8
  // positions.
  CHECK(state->values == Tensor({2, 3}, {4 * 72 + 288 + 264 + 32, 1, 1, 32, 1, 0}));
  CHECK(filled->values.at({0, 4}) == -1e9);
  CHECK(filled->values.at({2, 5}) == -1e9);
  CHECK(filled->values.at({1, 4}) == 0.9866);
  CHECK(passes(trace, "strided_view"));
  CHECK(passes(trace, "clones_apart"));
  CHECK(number_of(trace, "shared_moved") == 2);
}

TEST_CASE("block: dropout has its own stream, divides what it keeps, and is nothing at 0",
          "[lessons][block]") {
  const Trace plain = trace_of("block", {}),
              zero = trace_of("block", with([](InputOptions&o) { o.dropout = 0; })),
              half = trace_of("block", with([](InputOptions&o) { o.dropout = 0.5; }));
  CHECK(zero["output"] == plain["output"]);
  CHECK_FALSE(zero.has("keep"));
  CHECK(half["weights"] == plain["weights"]); // the layer's own draws are the same
  for (std::size_t i = 0; i < half["weights"].size(); ++i)
    CHECK(half["dropped"].data[i] == half["weights"].data[i] * half["keep"].data[i] / 0.5);
  CHECK(half["output"] != plain["output"]);
  CHECK(number_of(half, "row_least") < 0.9);
  CHECK(passes(half, "dropout_mean"));
  CHECK(half.numpy[half.numpy.size() - 2] == "np.random.seed(42)");
  CHECK(half.numpy.back() == "keep = np.random.rand(2, 4, 4) >= 0.5");
}

TEST_CASE("multihead: dropout falls on each head's weights, with a stream of its own",
          "[lessons][multihead]") {
  const Trace plain = trace_of("multihead", {}),
              half = trace_of("multihead", with([](InputOptions&o) { o.dropout = 0.5; }));
  CHECK_FALSE(plain.has("keep"));
  CHECK(half["weights"] == plain["weights"]); // the draws of X and the matrices are the same
  CHECK(half["keep"].shape == half["weights"].shape);
  for (std::size_t i = 0; i < half["weights"].size(); ++i)
    CHECK(half["dropped"].data[i] == half["weights"].data[i] * half["keep"].data[i] / 0.5);
  CHECK(half["output"] != plain["output"]);
  CHECK(half.numpy.back() == "keep = np.random.rand(2, 5, 5) >= 0.5");
  const Trace batch = trace_of("multihead", with([](InputOptions& o) {
                                 o.batch = 3, o.n_q = 4, o.d_model = 6, o.heads = 2, o.dropout = 0.2;
                               }));
  CHECK(batch["keep"].shape == Shape{3, 2, 4, 4});
}

TEST_CASE("block: dropout on what a sublayer adds, or on hidden numbers, as annotated's code has it",
          "[lessons][block]") {
  const auto drops = [](DropoutAt place, bool norm_first) {
    return trace_of("block", with([=](InputOptions& o) {
                      o.dropout = 0.5, o.dropout_at = place, o.norm_first = norm_first, o.grad = true;
                    }));
  };
  const auto follows = [](const Trace& t, const std::string& of, const std::string& keep,
                          const std::string& dropped) {
    CAPTURE(of);
    CHECK(t[keep].shape == t[of].shape);
    for (std::size_t i = 0; i < t[of].size(); ++i)
      CHECK(t[dropped].data[i] == t[of].data[i] * t[keep].data[i] / 0.5);
  };
  for (const bool norm_first : {true, false}) {
    const Trace sublayers = drops(DropoutAt::sublayers, norm_first),
                hidden = drops(DropoutAt::hidden, norm_first);
    follows(sublayers, "attention", "keep_1", "dropped_1");
    follows(sublayers, "feed_forward", "keep_2", "dropped_2");
    CHECK(sublayers["keep_1"] != sublayers["keep_2"]);
    CHECK(sublayers.step_named("residual_1").operation.inputs == std::vector<std::string>{"X", "dropped_1"});
    CHECK_FALSE(sublayers.has("dropped")); // the weights stay as they are
    follows(hidden, "activated", "keep", "dropped_hidden");
    CHECK(hidden.step_named("feed_forward").operation.inputs.front() == "dropped_hidden");
    for (const Trace* one : {&sublayers, &hidden}) {
      CHECK(passes(*one, "gradients"));
      CHECK(passes(*one, "dropout_mean"));
    }
  }
  CHECK(refusal("block", with([](InputOptions& o) { o.dropout_at = DropoutAt::hidden; }))
            .find("--dropout-at needs --dropout") == 0);
}

TEST_CASE("embed: dropout on the sum of word and position", "[lessons][embed]") {
  const Trace plain = trace_of("embed", {}),
              half = trace_of("embed", with([](InputOptions&o) { o.dropout = 0.5; }));
  CHECK_FALSE(plain.has("keep"));
  CHECK(half["X"] == plain["X"]);
  CHECK(half["keep"].shape == half["X"].shape);
  for (std::size_t i = 0; i < half["X"].size(); ++i)
    CHECK(half["dropped"].data[i] == half["X"].data[i] * half["keep"].data[i] / 0.5);
}

TEST_CASE("a tutorial's drawn run takes sizes of one's own, another one says why not", "[lessons]") {
  const Trace heads = trace_of(
      "multihead", with([](InputOptions& o) { o.tutorial = "attention-block:1", o.batch = 3, o.n_q = 5; }));
  CHECK(heads["X"].shape == Shape{3, 5, 64});
  CHECK(heads["weights"].shape == Shape{3, 4, 5, 5});
  CHECK(heads.has("masked")); // causal, as there
  const Trace wide = trace_of("scores", with([](InputOptions& o) { o.tutorial = "annotated", o.n_k = 3; }));
  CHECK(wide["X"].shape == Shape{3, 512});
  const auto why_not = [](const char* tutorial, auto set) {
    return refusal("multihead", with([&](InputOptions& o) { o.tutorial = tutorial, set(o); }));
  };
  CHECK(why_not("happy-llm:2", [](InputOptions& o) { o.n_q = 3; }).find("its data have sizes of their own") !=
        std::string::npos);
  CHECK(why_not("attention-block:1", [](InputOptions& o) { o.n_q = 3, o.d_model = 8; }).find("--d-model") !=
        std::string::npos);
  CHECK(why_not("attention-block:1", [](InputOptions& o) { o.d_v = 3; }).find("its heads share the width") !=
        std::string::npos);
}

TEST_CASE("block: sizes of the learner's own", "[lessons][block]") {
  const Trace trace =
      trace_of("block", with([](InputOptions& o) { o.text = "a b", o.d_model = 6, o.heads = 3; }));
  CHECK(trace["W_1"].shape == Shape{6, 24}); // 4·d_model
  CHECK(trace_of("block", with([](InputOptions& o) { o.d_model = 6, o.d_ff = 5; }))["W_1"].shape ==
        Shape{6, 5});
  CHECK(trace["Q_heads"].shape == Shape{3, 2, 2});
  CHECK(trace["b_1"].data == std::vector<double>(24, 0.0));
  CHECK(trace["gain_2"].data == std::vector<double>(6, 1.0));
  const Trace one = trace_of("block", with([](InputOptions& o) { o.d_model = 1, o.norm = Norm::layer; }));
  CHECK(one["norm_1"].data == std::vector<double>(4, 0.0));
  CHECK(refusal("block", with([](InputOptions& o) { o.d_model = 1; })).find("no sample standard deviation") !=
        std::string::npos);
  CHECK(refusal("block", with([](InputOptions& o) { o.d_model = 6, o.heads = 4; })).find("--heads 4") == 0);
}

TEST_CASE("options of another lesson are refused with its name", "[lessons]") {
  const auto refuses = [](const std::string& lesson, const std::string& option, auto change) {
    INFO(lesson << " " << option);
    CHECK(refusal(lesson, with(change)).find(option + " has no use for " + lesson) == 0);
  };
  refuses("scores", "--memory", [](InputOptions& o) { o.memory = "m.npy"; });
  refuses("block", "--memory", [](InputOptions& o) { o.memory = "m.npy"; });
  refuses("multihead", "--d-ff", [](InputOptions& o) { o.d_ff = 3; });
  refuses("cross", "--norm", [](InputOptions& o) { o.norm = Norm::layer; });
  refuses("embed", "--norm-last", [](InputOptions& o) { o.norm_first = false; });
  refuses("masked", "--dropout", [](InputOptions& o) { o.dropout = 0.1; });
  for (const char* lesson : {"cross", "embed", "block"}) {
    refuses(lesson, "--q", [](InputOptions& o) { o.q = "q.npy"; });
    refuses(lesson, "--v", [](InputOptions& o) { o.v = "v.npy"; });
  }
  const auto beside_memory = [](InputOptions& o) { o.memory = "m.npy", o.n_k = 3; };
  CHECK(refusal("cross", with(beside_memory)).find("--n-k does not apply: cross") == 0);
  refuses("embed", "--x", [](InputOptions& o) { o.x = "x.npy"; });
  refuses("embed", "--batch", [](InputOptions& o) { o.batch = 2; });
  refuses("block", "--d-k", [](InputOptions& o) { o.d_k = 2; });
}
