// Lesson modern: NumPy's and PyTorch's block, a trained model's block, each part as in 2017, attention in
// tiles.

#include "core/tensor.hpp"
#include "input/options.hpp"
#include "io/file.hpp"
#include "io/npz.hpp"
#include "lessons/catalogue.hpp"
#include "lessons/model/page.hpp"
#include "lessons/modern/modern.hpp"
#include "lessons/run.hpp"
#include "model/checkpoint.hpp"
#include "support/catch.hpp"
#include "support/random_input.hpp"
#include "support/small_model.hpp"
#include "support/temporary_folder.hpp"
#include "trace/checks.hpp"
#include "trace/cost.hpp"

#include <algorithm>
#include <cmath>
#include <map>

using namespace tfx;

namespace {

Trace modern(const InputOptions& options) {
  const Lesson& lesson = find_lesson("modern");
  return lesson.run(resolve_input(options, lesson));
}

const Experiment& experiment(const Trace& t, const char* name) {
  return *std::ranges::find(t.experiments, std::string(name), &Experiment::name);
}

ModelSpec llamas_decoder() {
  ModelSpec spec = small_spec();
  spec.stacks = Stacks::decoder, spec.src_vocab = 0, spec.max_len = 9, spec.kv_heads = 1;
  spec.positions = Positions::rotary, spec.norm.rule = Norm::rms, spec.norm.shift = false;
  spec.gated = true, spec.activation = Activation::silu, spec.biases = {false, false, false, false};
  return spec;
}

} // namespace

TEST_CASE("the block is NumPy's and PyTorch's, whatever its shape", "[modern]") {
  std::map<std::string, Tensor> arrays;
  const std::string file = std::string(TFX_SOURCE_DIR) + "/data/reference/modern.npz";
  for (NamedArray& one : read_npz(read_file(file), file))
    arrays.emplace(one.name, std::move(one.array.values));
  std::size_t cases = 0;
  for (; arrays.contains(std::to_string(cases) + ".output"); ++cases) {
    const std::string place = std::to_string(cases) + ".";
    LessonInput input;
    for (const char* name : {"X", "W_Q", "W_K", "W_V", "W_O", "W_1", "W_3", "W_2", "gain_1", "gain_2"})
      input.given.add_input(name, "modern.npz", arrays.at(place + "in." + name), {}, Role::parameter);
    const auto number = [&](const char* name) { return arrays.at(place + "in." + name).data[0]; };
    const std::size_t n = input.given["X"].shape[0];
    Tensor positions(Shape{n});
    for (std::size_t i = 0; i < n; ++i) positions.data[i] = static_cast<double>(i);
    input.given.add_input("positions", "0 …", positions, {});
    input.heads = static_cast<std::size_t>(number("heads")),
    input.kv_heads = static_cast<std::size_t>(number("kv_heads"));
    input.window = static_cast<std::size_t>(number("window")), input.rotary_base = number("base");
    input.norm = Norm::rms, input.activation = Activation::silu, input.pairs = RotaryPairs::halves;
    const Trace t = find_lesson("modern").run(input);
    INFO("case " << cases);
    for (const char* name : {"attended", "between", "fed", "output"})
      CHECK(relative_difference(t[name], arrays.at(place + name)) < 1e-12);
    for (const Check& check : t.checks) CHECK(check.pass);
  }
  CHECK(cases == 12);
}

TEST_CASE("a trained model's block is its page's, whatever its parts", "[modern][model]") {
  const TemporaryFolder folder;
  ModelSpec shifted = llamas_decoder(), biased = llamas_decoder(), lifted = llamas_decoder(),
            normed = llamas_decoder(), seeing = llamas_decoder();
  shifted.norm.shift = true;
  biased.biases.queries = true; // Qwen2's, with shared keys
  lifted.biases.feed_forward = true;
  normed.qk_norm = true;
  seeing.window = 2, seeing.pairs = RotaryPairs::halves;
  std::uint32_t seed = 9;
  for (const ModelSpec& spec : {llamas_decoder(), shifted, biased, lifted, normed, seeing}) {
    const auto model = small_model<double>(++seed, spec);
    InputOptions options;
    options.model = folder.path("llama.safetensors");
    save_model(model, *options.model);
    options.text = "3 1 4 1 5";
    for (const std::size_t layer : {0U, 1U}) {
      options.layer = layer;
      const Trace t = modern(options);
      std::vector<std::uint32_t> ids;
      for (const double id : t["tgt"].data) ids.push_back(static_cast<std::uint32_t>(id));
      const Trace page = run_model_page(page_of(model, Batch(), ragged_batch({ids}), 1000));
      INFO("seed " << seed << ", layer " << layer);
      CHECK(relative_difference(
                t["output"], page["decoder.layers." + std::to_string(layer) + ".sublayer.1.output"]) < 1e-12);
      for (const Check& check : t.checks) CHECK(check.pass);
      options.qk_norm = true;
      CHECK_NOTHROW(modern(options)); // with gains of 1 where the file has none
      options.qk_norm = false;
    }
  }
  ModelSpec other = llamas_decoder();
  other.gated = false;
  InputOptions options;
  options.model = folder.path("other.safetensors");
  save_model(small_model<double>(9, other), *options.model);
  CHECK_THROWS_WITH(modern(options), Catch::Matchers::ContainsSubstring("a block as Llama"));
}

TEST_CASE("what the picture counts is what the run counts", "[modern]") {
  for (const bool qk_norm : {false, true})
    for (const std::vector<std::string>& parts :
         {std::vector<std::string>{}, {"biases"}, {"norm", "gate"}, {"all"}}) {
      InputOptions options;
      options.qk_norm = qk_norm, options.n_q = 3;
      if (!parts.empty()) options.as_2017 = parts;
      const Trace t = modern(options);
      CHECK(std::get<double>(t.facts.at("numbers_now")) == static_cast<double>(lesson_cost(t).parameters));
    }
}

TEST_CASE("a row of the switches is what a run with that part as in 2017 gives", "[modern]") {
  InputOptions options;
  options.n_q = 5, options.batch = 2, options.d_model = 8, options.heads = 4, options.kv_heads = 2;
  options.qk_norm = true;
  const Trace today = modern(options);
  const Experiment& table = experiment(today, "switches");
  const arma::mat rows = matrix(table.values);
  for (arma::uword i = 1; i < rows.n_rows; ++i) {
    InputOptions then = options;
    then.as_2017 = {table.rows[i] == "all_2017" ? "all" : table.rows[i]};
    const Trace t = modern(then);
    double moved = 0;
    for (std::size_t k = 0; k < t["output"].size(); ++k)
      moved = std::max(moved, std::abs(t["output"].data[k] - today["output"].data[k]));
    INFO(table.rows[i]);
    CHECK(rows(i, 0) == static_cast<double>(lesson_cost(t).parameters));
    CHECK(rows(i, 3) == Approx(moved).margin(1e-12));
  }
}

TEST_CASE("parts as in 2017 come in any order", "[modern]") {
  InputOptions one, other;
  one.as_2017 = {"biases", "groups"}, other.as_2017 = {"groups", "biases"};
  CHECK(relative_difference(modern(one)["output"], modern(other)["output"]) == 0);
}

TEST_CASE("a wide block passes its checks", "[modern]") {
  InputOptions options;
  options.n_q = 6, options.d_model = 256, options.heads = 2;
  for (const Check& check : modern(options).checks) CHECK(check.pass);
}

TEST_CASE("normed queries and keys give scores of at most the root of their width", "[modern]") {
  for (int round = 0; round < 20; ++round) {
    InputOptions options;
    options.seed = static_cast<std::uint32_t>(round), options.qk_norm = true;
    options.n_q = 1 + static_cast<std::size_t>(round) % 6, options.heads = 2,
    options.d_model = 4 * (1 + static_cast<std::size_t>(round) % 3);
    const Trace t = modern(options);
    const double width = static_cast<double>(t["attn.Q_heads"].shape.back());
    double largest = 0; // |q|·|k| / √w = √w·√w / √w
    for (const double score : t["attn.scaled"].data) largest = std::max(largest, std::abs(score));
    CHECK(largest <= std::sqrt(width) * (1 + 1e-12));
    for (const Check& check : t.checks) CHECK(check.pass);
  }
}

TEST_CASE("each part as in 2017 costs what the widths say", "[modern]") {
  InputOptions options;
  options.n_q = 5, options.d_model = 12, options.heads = 6, options.kv_heads = 2, options.d_ff = 10;
  const Trace t = modern(options);
  const arma::mat rows = matrix(experiment(t, "switches").values);
  const double d = 12, ff = 10, kept = 2 * 2 * 2; // two heads of keys and of values, two columns each
  const double today = 2 * d * d + d * kept + 3 * d * ff + 2 * d;
  CHECK(rows(0, 0) == today);
  CHECK(rows(0, 2) == kept);
  CHECK(rows(1, 0) == today + 2 * d);                     // norm: a shift each
  CHECK(rows(2, 0) == today);                             // place
  CHECK(rows(3, 0) == today - d * ff);                    // gate
  CHECK(rows(4, 0) == today + d * (2 * d - kept));        // groups
  CHECK(rows(4, 2) == 2 * d);                             //
  CHECK(rows(5, 0) == today);                             // positions
  CHECK(rows(6, 0) == today + 2 * d + kept + 2 * ff + d); // biases: Q, O; K, V; W_1, W_3; W_2
  CHECK(rows(4, 3) < 1e-12);                              // each head has a copy of its group's keys
  CHECK(rows(6, 3) == 0);                                 // biases begin at 0
  for (const arma::uword part : {1, 2, 3, 5, 7}) CHECK(rows(part, 3) > 1e-3);
}

TEST_CASE("a block with all parts of 2017 is lesson block's, its norm before or behind", "[modern]") {
  for (const bool before : {true, false}) {
    InputOptions options;
    options.n_q = 4, options.d_model = 8, options.heads = 2, options.d_ff = 6;
    options.as_2017 = {"norm", "gate", "groups", "positions", "biases"};
    if (!before) options.as_2017 = {"all"};
    const Trace t = modern(options);
    LessonInput input = resolve_input({}, find_lesson("block"));
    input.given = Trace();
    for (const char* name :
         {"W_Q", "W_K", "W_V", "W_O", "W_1", "b_1", "W_2", "b_2", "gain_1", "shift_1", "gain_2", "shift_2"})
      input.given.add_input(name, "modern", t[name], {}, Role::parameter);
    input.given.add_input("X", "modern", t["placed"], {});
    input.heads = 2, input.norm = Norm::layer, input.norm_first = before, input.causal = true,
    input.reference = "";
    CHECK(relative_difference(find_lesson("block").run(input)["output"], t["output"]) < 1e-12);
  }
}

TEST_CASE("attention in tiles is the whole, for any length and any tile", "[modern]") {
  RandomInput random(5);
  for (int round = 0; round < 60; ++round) {
    const auto n = static_cast<arma::uword>(1 + round % 9), tile = static_cast<arma::uword>(1 + round % 4);
    const arma::mat Q = random.matrix(n, 3), K = random.matrix(n, 3), V = random.matrix(n, 2);
    const arma::mat whole = page::attention(Q, K, V, page::causal_mask(n, n)).output;
    CHECK(relative_difference(page::tiled_attention(Q, K, V, tile), whole) < 1e-12);
    // Scores of thousands: e^score alone would be infinite.
    const arma::mat large = page::attention(1000 * Q, K, V, page::causal_mask(n, n)).output;
    CHECK(relative_difference(page::tiled_attention(1000 * Q, K, V, tile), large) < 1e-12);
  }
}

TEST_CASE("two tiles by hand", "[modern]") {
  // Scores 0 and ln 2, then ln 6: weights 1/9, 2/9, 6/9 of the values 9, 18 and 3.
  page::RunningRow row;
  page::add_tile(row, {0, std::log(2.0)}, arma::mat{9, 18}.t());
  CHECK(row.sum == Approx(1.5)); // (1 + 2)/2
  page::add_tile(row, {std::log(6.0)}, arma::mat{3}.t());
  CHECK(row.sum == Approx(1.5)); // 1.5·2/6 + 1
  CHECK(row.output(0) / row.sum == Approx(1 + 4 + 2));
}

TEST_CASE("what cuts no head, group or part is refused", "[modern]") {
  InputOptions odd, groups, part;
  odd.d_model = 9, odd.heads = 3;
  groups.heads = 4, groups.kv_heads = 3;
  part.as_2017 = {"gate", "norms"};
  CHECK_THROWS_WITH(modern(odd), Catch::Matchers::ContainsSubstring("even width"));
  CHECK_THROWS_WITH(modern(groups), Catch::Matchers::ContainsSubstring("cannot share"));
  CHECK_THROWS_WITH(modern(part), Catch::Matchers::ContainsSubstring("no part of a block"));
}

TEST_CASE("with the norm behind the sum less gradient reaches the first of many blocks", "[modern]") {
  const arma::mat rows = matrix(experiment(modern({}), "gradients_by_depth").values);
  const arma::uword deepest = rows.n_rows - 1;
  CHECK(rows.head_cols(2).min() > 1);
  CHECK(rows(deepest, 2) < 1);
}
