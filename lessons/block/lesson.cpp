// Lesson 11: one encoder layer. Source: annotated, EncoderLayer, SubLayerConnection, LayerNorm and
// PositionwiseFeedForward; Vaswani et al. 2017, 3.1 and 3.3; Xiong et al. 2020 on where the norm stands.

#include "input/lesson_input.hpp"
#include "lessons/block/experiments.hpp"
#include "steps/attention_steps.hpp"
#include "steps/layer_steps.hpp"
#include "trace/checks.hpp"

namespace tfx {

namespace {

StepNames numbered_by(const std::string& number) {
  return [number](const std::string& name) { return name + "_" + number; };
}

void add_norm(Trace& t, const LessonInput& input, const std::string& number, const std::string& X,
              const std::string& output) {
  for (const std::string name : {"gain_", "shift_"}) give(t, input, name + number);
  add_layer_norm(t, {X, "gain_" + number, "shift_" + number, output, input.norm}, numbered_by(number),
                 Role::result);
}

// Lesson 8 on the tokens of `X`: attention = concat·W_O.
void add_attention(Trace& t, const LessonInput& input, const std::string& X) {
  for (const char* name : {"Q", "K", "V"}) add_projection_of(t, input, name, X, Role::recap);
  for (const char* name : {"Q", "K", "V"}) add_split(t, name, input.heads, Role::recap);
  add_scores(t, "Q_heads", "K_heads", Role::recap);
  add_scaled(t, "K_heads", Role::recap);
  const std::string of = add_masked(t, input, Role::recap);
  add_weights(t, of, Role::recap, masked_row_value(input.masked_row));
  if (input.dropout > 0) {
    give(t, input, "keep");
    add_dropout(t, "weights", "keep", input.dropout, Role::result);
  }
  add_output(t, "heads", input.dropout > 0 ? "dropped" : "weights", "V_heads", Role::recap);
  add_merge(t, Role::recap);
  add_output_projection(t, input, "attention", Role::recap);
}

void add_feed_forward(Trace& t, const LessonInput& input, const std::string& X) {
  for (const char* name : {"W_1", "b_1", "W_2", "b_2"}) give(t, input, name);
  add_feed_forward(
      t, {X, "W_1", "b_1", "W_2", "b_2", "feed_forward", input.activation},
      [](const std::string& name) { return name; }, Role::result);
}

} // namespace

Trace run_block(const LessonInput& input) {
  Trace t = begin_trace("block", input, "output");
  give(t, input, "X");
  if (input.norm_first) {
    add_norm(t, input, "1", "X", "norm_1");
    add_attention(t, input, "norm_1");
    add_residual(t, "residual_1", "X", "attention", Role::result);
    add_norm(t, input, "2", "residual_1", "norm_2");
    add_feed_forward(t, input, "norm_2");
    add_residual(t, "output", "residual_1", "feed_forward", Role::result);
  } else {
    add_attention(t, input, "X");
    add_residual(t, "residual_1", "X", "attention", Role::result);
    add_norm(t, input, "1", "residual_1", "norm_1");
    add_feed_forward(t, input, "norm_1");
    add_residual(t, "residual_2", "norm_1", "feed_forward", Role::result);
    add_norm(t, input, "2", "residual_2", "output");
  }

  check_rows_sum_to_one(t, "weights");
  check_placement(t, input);
  check_norm_mean(t, input.norm_first ? "X" : "residual_1");
  state_activation(t, input);
  check_token_by_token(t, input, input.norm_first ? "norm_2" : "norm_1");
  t.check("whole_heads", t["Q"].shape.back() % input.heads == 0,
          static_cast<double>(t["Q"].shape.back() % input.heads));
  check_clones(t);
  check_dropout(t, input);
  compare_norms(t, input.norm_first ? "X" : "residual_1");
  show_memory(t, input.heads);
  show_state(t);
  show_masked_fill(t);
  t.facts["heads"] = static_cast<double>(input.heads);
  return t;
}

} // namespace tfx
