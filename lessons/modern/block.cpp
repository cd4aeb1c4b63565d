#include "lessons/modern/modern.hpp"

#include "core/tensor.hpp"
#include "steps/attention_steps.hpp"
#include "steps/layer_steps.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tfx {

namespace {

const std::string attn = "attn.", mlp = "mlp.";

void add_given(LessonInput& input, const std::string& name, Tensor value,
               const std::string& source = "np.zeros") {
  if (!input.has(name)) input.given.add_input(name, source, std::move(value), {}, Role::parameter);
}

void zeros_beside(LessonInput& input, const std::string& bias, const std::string& weight) {
  if (input.has(weight)) add_given(input, bias, Tensor({input.given[weight].shape[1]}));
}

// LayerNorm has a shift too, which begins at 0.
void norm_then(LessonInput& input) {
  input.norm = Norm::layer;
  for (const std::string i : {"1", "2"})
    add_given(input, "shift_" + i, Tensor(input.given["gain_" + i].shape));
}

void place_then(LessonInput& input) {
  input.norm_first = false;
}

void gate_then(LessonInput& input) {
  std::erase_if(input.given.steps, [](const Step& step) { return step.name == "W_3" || step.name == "b_3"; });
  input.activation = Activation::relu;
}

// Every head of queries gets a head of keys and values of its own: copies of the one that it shares.
void groups_then(LessonInput& input) {
  if (input.kv_heads == input.heads) return;
  const arma::uword group = input.heads / input.kv_heads;
  for (Step& step : input.given.steps) {
    if (step.name != "W_K" && step.name != "W_V" && step.name != "b_K" && step.name != "b_V") continue;
    const bool is_bias = step.value.rank() == 1;
    const arma::mat few = is_bias ? arma::mat(arma::rowvec(step.value.data)) : matrix(step.value);
    const arma::uword width = few.n_cols / input.kv_heads;
    arma::mat all(few.n_rows, few.n_cols * group);
    for (arma::uword i = 0; i < input.heads; ++i)
      all.cols(i * width, (i + 1) * width - 1) = few.cols(i / group * width, (i / group + 1) * width - 1);
    step.value = to_tensor(all);
    if (is_bias) step.value.shape = {all.n_cols};
  }
  input.kv_heads = input.heads;
}

void positions_then(LessonInput& input) {
  input.turns = false;
}

void biases_then(LessonInput& input) {
  for (const std::string letter : {"Q", "K", "V", "O"}) zeros_beside(input, "b_" + letter, "W_" + letter);
  zeros_beside(input, "b_1", "W_1"), zeros_beside(input, "b_3", "W_3"), zeros_beside(input, "b_2", "W_2");
}

constexpr BlockSwitch switches[] = {{"norm", norm_then},           {"place", place_then},
                                    {"gate", gate_then},           {"groups", groups_then},
                                    {"positions", positions_then}, {"biases", biases_then}};

std::string optional(Trace& t, const LessonInput& input, const std::string& name) {
  give(t, input, name);
  return t.has(name) ? name : std::string();
}

std::string product(Trace& t, const LessonInput& input, const std::string& name, const std::string& x,
                    const std::string& letter) {
  give(t, input, "W_" + letter);
  const std::string b = optional(t, input, "b_" + letter), W = "W_" + letter;
  t.add(name, b.empty() ? op::matmul(x, W) : op::matmul(x, W, b), Role::result);
  return name;
}

std::string norm(Trace& t, const LessonInput& input, const std::string& number, const std::string& x,
                 const std::string& output) {
  give(t, input, "gain_" + number);
  add_layer_norm(
      t, {x, "gain_" + number, optional(t, input, "shift_" + number), output, input.norm, input.epsilon},
      [&](const std::string& part) { return output + "." + part; }, Role::result);
  return output;
}

// How far each pair of a head's columns turns at each place: the same for queries and keys.
std::string angles(Trace& t, const LessonInput& input, std::size_t width) {
  if (t.has("angles")) return "angles";
  give(t, input, "positions");
  t.add("angles",
        op::rotary_angle("positions")
            .with(input.rotary_base, fmt::format("{}", input.rotary_base))
            .onto({t["positions"].size(), width / 2}),
        Role::result);
  return "angles";
}

// A projection cut into heads; of queries and keys each normed, and turned by its place, where the block does
// that.
std::string heads(Trace& t, const LessonInput& input, const std::string& letter, std::size_t count) {
  HeadsStep step{attn + letter, attn + letter + "_heads", count};
  const bool is_compared = letter != "V";
  if (input.qk_norm && is_compared)
    step.norm = [&](const std::string& x, const std::string& output) { norm(t, input, letter, x, output); };
  if (input.turns && is_compared)
    step.angles = angles(t, input, t[step.projected].shape.back() / count), step.pairs = input.pairs;
  add_heads(t, step);
  return step.name;
}

std::string attention(Trace& t, const LessonInput& input, const std::string& x) {
  const std::size_t group = input.heads / input.kv_heads;
  for (const std::string letter : {"Q", "K", "V"}) product(t, input, attn + letter, x, letter);
  const std::string Q = heads(t, input, "Q", input.heads),
                    K = add_shared_heads(t, heads(t, input, "K", input.kv_heads), group),
                    V = add_shared_heads(t, heads(t, input, "V", input.kv_heads), group);
  add_scores(t, Q, K, Role::result, attn), add_scaled(t, K, Role::result, attn);
  const std::string scaled = attn + "scaled", mask = attn + "mask";
  add_causal_mask(t, mask, scaled, input.window);
  add_mask_fill(t, mask, Role::result, attn), add_weights(t, attn + "masked", Role::result, 0, attn);
  add_output(t, attn + "heads", attn + "weights", V, Role::result);
  t.add(attn + "concat", op::merge_heads(attn + "heads"), Role::result);
  return product(t, input, "attended", attn + "concat", "O");
}

std::string feed_forward(Trace& t, const LessonInput& input, const std::string& x) {
  for (const char* name : {"W_1", "W_3", "W_2"}) give(t, input, name);
  FeedForwardStep layer{x,     "W_1",           optional(t, input, "b_1"), "W_2", optional(t, input, "b_2"),
                        "fed", input.activation};
  layer.W_3 = optional(t, input, "W_3"), layer.b_3 = layer.W_3.empty() ? "" : optional(t, input, "b_3");
  add_feed_forward(
      t, layer, [](const std::string& part) { return mlp + part; }, Role::result);
  return "fed";
}

// The vectors of 2017 came with their places added.
std::string placed(Trace& t, const LessonInput& input) {
  give(t, input, "X");
  if (input.turns) return "X";
  give(t, input, "positions");
  const std::size_t d = t["X"].shape.back();
  t.add("angles", op::angle("positions").with(static_cast<double>(d), std::to_string(d)), Role::result);
  t.add("position_vectors", op::sin_cos("angles"), Role::result);
  t.add("placed", op::add("X", "position_vectors"), Role::result);
  return "placed";
}

} // namespace

std::span<const BlockSwitch> block_switches() {
  return switches;
}

LessonInput with_qk_norm(const LessonInput& input) {
  LessonInput now = input;
  now.qk_norm = true;
  const std::size_t width = input.given["W_Q"].shape.back() / input.heads;
  for (const std::string letter : {"Q", "K"})
    add_given(now, "gain_" + letter, Tensor({width}, std::vector<double>(width, 1)), "np.ones");
  return now;
}

void add_block(Trace& t, const LessonInput& input) {
  const std::string X = placed(t, input);
  if (input.norm_first) {
    add_residual(t, "between", X, attention(t, input, norm(t, input, "1", X, "attn_norm")), Role::result);
    add_residual(t, "output", "between", feed_forward(t, input, norm(t, input, "2", "between", "mlp_norm")),
                 Role::result);
  } else {
    add_residual(t, "attn_sum", X, attention(t, input, X), Role::result);
    norm(t, input, "1", "attn_sum", "between");
    add_residual(t, "mlp_sum", "between", feed_forward(t, input, "between"), Role::result);
    norm(t, input, "2", "mlp_sum", "output");
  }
}

std::optional<page::TodaysBlock> todays_block_of(const Trace& t, const LessonInput& input) {
  const bool is_llamas = input.norm == Norm::rms && input.norm_first && t.has("W_3") && input.turns &&
                         input.activation == Activation::silu;
  const auto is_added = [](const Step& step) {
    return step.operation.is(op::given) && (step.name.starts_with("b_") || step.name.starts_with("shift_"));
  };
  if (!is_llamas || std::ranges::any_of(t.steps, is_added)) return std::nullopt;
  page::TodaysBlock p;
  p.W_Q = matrix(t["W_Q"]), p.W_K = matrix(t["W_K"]), p.W_V = matrix(t["W_V"]), p.W_O = matrix(t["W_O"]);
  p.W_1 = matrix(t["W_1"]), p.W_3 = matrix(t["W_3"]), p.W_2 = matrix(t["W_2"]);
  p.gain_1 = arma::rowvec(t["gain_1"].data), p.gain_2 = arma::rowvec(t["gain_2"].data);
  p.heads = input.heads, p.kv_heads = input.kv_heads, p.base = input.rotary_base, p.window = input.window;
  p.pairs = input.pairs;
  if (input.qk_norm) p.gain_Q = arma::rowvec(t["gain_Q"].data), p.gain_K = arma::rowvec(t["gain_K"].data);
  p.epsilon = input.epsilon.value_or(usual_epsilon(Norm::rms));
  return p;
}

} // namespace tfx
