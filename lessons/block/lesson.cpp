// Lesson block: one encoder layer. Source: annotated, EncoderLayer, SubLayerConnection, LayerNorm and
// PositionwiseFeedForward; Vaswani et al. 2017, 3.1 and 3.3; Xiong et al. 2020 on where the norm stands.

#include "core/resource.hpp"
#include "input/lesson_input.hpp"
#include "io/csv.hpp"
#include "lessons/block/view.hpp"
#include "random/numpy_rng.hpp"
#include "steps/attention_steps.hpp"
#include "steps/layer_steps.hpp"
#include "trace/checks.hpp"
#include "trace/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace tfx {

namespace {

using arma::mat;

bool drops(const LessonInput& input, DropoutAt place) {
  return input.dropout > 0 && input.dropout_at == place;
}

// One token under both rules of LayerNorm: experiment "norm_rules".
void compare_norms(Trace& t, const std::string& X) {
  const mat token = matrix(t[X]).head_rows(1);
  if (token.n_cols < 2) return;
  const arma::rowvec ones(token.n_cols, arma::fill::ones), zeros(token.n_cols, arma::fill::zeros);
  const page::LayerNorm annotated = page::layer_norm(token, ones, zeros, Norm::annotated),
                        standard = page::layer_norm(token, ones, zeros, Norm::layer);
  const mat table = arma::join_rows(token.t(), annotated.output.t(), standard.output.t(),
                                    (annotated.output - standard.output).t());
  std::vector<std::string> rows;
  constexpr arma::uword screen = 16; // of a wider token as many of its first numbers
  const arma::uword shown = std::min(token.n_cols, screen);
  for (arma::uword j = 0; j < shown; ++j) rows.push_back(std::to_string(j));
  t.experiments.push_back({"norm_rules",
                           {"number", "annotated", "standard", "difference"},
                           std::move(rows),
                           to_tensor(mat(table.head_rows(shown)))});
  if (shown < token.n_cols) t.facts["norm_shown"] = static_cast<double>(shown);
  t.facts["norm_token"] = row_label(t, X, 0);
  t.facts["norm_mean"] = annotated.mean(0);
  t.facts["annotated_divisor"] = annotated.divisor(0);
  t.facts["standard_divisor"] = standard.divisor(0);
}

// Other places of norm and residual: facts "placement_moved", "residual_wrong"; check "page_layer", that the
// steps are the page's layer.
void check_placement(Trace& t, const LessonInput& input) {
  const mat X = matrix(t["X"]), mask = first_mask(t, X.n_rows, X.n_rows);
  const page::Layer layer = layer_of(t, input);
  const mat first = page::encoder_layer_norm_first(X, layer, mask),
            last = page::encoder_layer_norm_last(X, layer, mask), &ours = input.norm_first ? first : last;
  // Rows that see nothing may be NaN by the learner's wish, and a dropped weight is not the page's layer.
  if (input.dropout == 0 && input.masked_row == FullyMaskedRow::zero)
    t.check_at_most("page_layer", relative_difference(ours, matrix(t["output"])), rounding);
  t.facts["placement_moved"] = absolute_difference(first, last);
  t.facts["cells"] = static_cast<double>(ours.n_elem);
  if (!input.norm_first) return;
  // X + f(norm(X)) and norm(X) + f(norm(X)) have the same shape.
  const mat normed = matrix(t["norm_1"]), attended = matrix(t["attention"]);
  t.facts["residual_wrong"] = count_different(page::residual(normed, attended), matrix(t["residual_1"]));
}

// The first norm, of `X`, leaves every token with mean 0: check "norm_mean".
void check_norm_mean(Trace& t, const std::string& X) {
  if (!arma::vec(t[X].data).is_finite()) return; // a row of NaN has no mean
  double mean = 0;
  for (std::size_t i = 0; i < matrix_count(t["centred_1"]); ++i)
    mean = std::max(mean, arma::abs(arma::mean(matrix(t["centred_1"], i), 1)).max());
  t.check_at_most("norm_mean", mean, rounding * std::max(1.0, arma::abs(arma::vec(t[X].data)).max()));
}

// The feed-forward of `fed` sees one token at a time: check "token_by_token".
void check_token_by_token(Trace& t, const LessonInput& input, const std::string& fed) {
  if (drops(input, DropoutAt::hidden)) return; // the page's network drops nothing
  const mat alone = matrix(t[fed]).tail_rows(1), all = matrix(t["feed_forward"]).tail_rows(1);
  const mat last = page::feed_forward(alone, matrix(t["W_1"]), arma::rowvec(t["b_1"].data), matrix(t["W_2"]),
                                      arma::rowvec(t["b_2"].data), input.activation)
                       .output;
  // Of a wide layer small numbers are sums of large ones: they are as exact as the largest of the row.
  const double largest = std::max(1.0, arma::abs(all).max());
  t.check_at_most("token_by_token", arma::abs(last - all).max() / largest, rounding);
}

// Fact "activation", its name; of GELU and SiLU the least number that came out, "gelu_least",
// "gelu_tanh_least", "silu_least".
void state_activation(Trace& t, const LessonInput& input) {
  const double least = *std::ranges::min_element(t["activated"].data);
  std::string name = "ReLU";
  if (input.activation == Activation::gelu) name = "GELU", t.facts["gelu_least"] = least;
  if (input.activation == Activation::gelu_tanh) name = "GELU by tanh", t.facts["gelu_tanh_least"] = least;
  if (input.activation == Activation::silu) name = "SiLU", t.facts["silu_least"] = least;
  t.facts["activation"] = name;
}

// Copies of a layer own their numbers: check "clones_apart". Facts "clones" and "shared_moved".
void check_clones(Trace& t) {
  const mat W = matrix(t["W_1"]);
  constexpr std::size_t copies = 3;
  std::vector<mat> clones(copies, W); // copy.deepcopy, as often
  const auto original = std::make_shared<mat>(W);
  const std::vector<std::shared_ptr<mat>> shared(copies, original); // [layer] * 3
  clones[0] += 1;
  *shared[0] += 1;
  double clones_moved = 0, shared_moved = 0;
  for (std::size_t i = 1; i < copies; ++i) {
    clones_moved += count_different(clones[i], W) > 0;
    shared_moved += count_different(*shared[i], W) > 0;
  }
  t.check("clones_apart", clones_moved == 0, clones_moved);
  t.facts["clones"] = static_cast<double>(copies);
  t.facts["shared_moved"] = shared_moved;
}

// Q as view and transpose see its memory: experiment "memory_layout"; check "strided_view", that a view
// needs strides that fit and not contiguity.
void show_memory(Trace& t, std::size_t heads) {
  const Shape& q = t["Q"].shape;
  const std::size_t n = q[q.size() - 2], d_k = q.back() / heads;
  const View whole = View::contiguous({n, heads, d_k}), turned = whole.transposed(0, 1),
             copied = View::contiguous(turned.shape);
  Experiment layout{
      "memory_layout",
      {"view(n, h, d_k)", "transpose(0, 1)", "contiguous()"},
      {"size(0)", "size(1)", "size(2)", "stride(0)", "stride(1)", "stride(2)", "is_contiguous()"},
      Tensor(Shape{7, 3})};
  const View* views[] = {&whole, &turned, &copied};
  for (std::size_t column = 0; column < 3; ++column) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      layout.values.at({axis, column}) = static_cast<double>(views[column]->shape[axis]);
      layout.values.at({3 + axis, column}) = static_cast<double>(views[column]->strides[axis]);
    }
    layout.values.at({6, column}) = views[column]->is_contiguous();
  }
  t.experiments.push_back(std::move(layout));
  if (heads < 2 || n < 2 || d_k < 2) return;
  // Back to (n, d_model) without a copy is what PyTorch refuses; the first head's columns take a view.
  const View columns = View::contiguous({n, heads * d_k}).first(1, d_k);
  const bool refused = !turned.viewed({heads * n, d_k});
  t.check("strided_view", refused && !columns.is_contiguous() && columns.viewed({n, d_k, 1}).has_value(), 1);
}

// What an optimizer changes and what only is stored: experiment "state".
void show_state(Trace& t) {
  double parameters = 0;
  for (const Step& step : t.steps)
    if (step.role == Role::parameter) parameters += static_cast<double>(step.value.size());
  const Shape& x = t["X"].shape;
  const auto positions = static_cast<double>(x[x.size() - 2] * x.back());
  t.experiments.push_back({"state",
                           {"numbers", "stored", "gradient"},
                           {"W_Q … shift_2", "pe"},
                           Tensor({2, 3}, {parameters, 1, 1, positions, 1, 0})});
}

// masked_fill on the tutorial's small tensor: experiment "masked_fill".
void show_masked_fill(Trace& t) {
  const std::string file = "data/tutorials/annotated-masked-fill.csv";
  const Csv csv = read_labelled_csv(std::string(resource(file)), file);
  const mat both = matrix(csv.values), values = both.head_cols(2), mask = both.tail_cols(2);
  mat filled = values;
  filled.elem(arma::find(mask == 0)).fill(-1e9);
  t.experiments.push_back({"masked_fill",
                           {"t_1", "t_2", "m_1", "m_2", "filled_1", "filled_2"},
                           csv.labels,
                           to_tensor(mat(arma::join_rows(both, filled)))});
}

// The mean over many masks is the weights: check "dropout_mean"; facts on the rows of this mask.
void check_dropout(Trace& t, const LessonInput& input) {
  if (input.dropout == 0) return;
  const bool of_weights = drops(input, DropoutAt::weights), of_sublayers = drops(input, DropoutAt::sublayers);
  const mat weights = matrix(t[of_weights ? "weights" : of_sublayers ? "attention" : "activated"]);
  t.facts["dropout"] = input.dropout;
  t.facts["dropped_cells"] =
      static_cast<double>(arma::accu(matrix(t[of_sublayers ? "keep_1" : "keep"]) == 0));
  t.facts["weight_cells"] = static_cast<double>(weights.n_elem);
  if (of_weights) {
    const arma::vec sums = arma::sum(matrix(t["dropped"]), 1);
    t.facts["row_least"] = sums.min();
    t.facts["row_most"] = sums.max();
  }
  // The mean of `draws` masks lies within six of its own standard deviations of the weight.
  constexpr int draws = 400;
  const mat some = weights.head_rows(std::min<arma::uword>(weights.n_rows, 8));
  NumpyRandom random(0);
  mat sum(arma::size(some), arma::fill::zeros);
  for (int i = 0; i < draws; ++i) {
    mat keep(arma::size(some));
    for (double& cell : keep) cell = random.rand() >= input.dropout ? 1 : 0;
    sum += page::dropout(some, keep, input.dropout);
  }
  const double off = absolute_difference(sum / draws, some),
               deviation = arma::abs(some).max() * std::sqrt(input.dropout / (1 - input.dropout) / draws);
  t.facts["dropout_draws"] = static_cast<double>(draws);
  t.check_at_most("dropout_mean", off, 6 * deviation + rounding);
}

StepNames numbered_by(const std::string& number) {
  return [number](const std::string& name) { return name + "_" + number; };
}

void add_norm(Trace& t, const LessonInput& input, const std::string& number, const std::string& X,
              const std::string& output) {
  for (const std::string name : {"gain_", "shift_"}) give(t, input, name + number);
  add_layer_norm(t, {X, "gain_" + number, "shift_" + number, output, input.norm, input.epsilon},
                 numbered_by(number), Role::result);
}

// The lesson multihead on the tokens of `X`: attention = concat·W_O.
void add_attention(Trace& t, const LessonInput& input, const std::string& X) {
  for (const char* name : {"Q", "K", "V"}) add_projection_of(t, input, name, X, Role::recap);
  for (const char* name : {"Q", "K", "V"}) add_split(t, name, input.heads, Role::recap);
  add_scores(t, "Q_heads", "K_heads", Role::recap);
  add_scaled(t, "K_heads", Role::recap);
  const std::string of = add_masked(t, input, Role::recap);
  add_weights(t, of, Role::recap, masked_row_value(input.masked_row));
  const bool drops_weights = drops(input, DropoutAt::weights);
  if (drops_weights) {
    give(t, input, "keep");
    add_dropout(t, "weights", "keep", input.dropout, Role::result);
  }
  add_output(t, "heads", drops_weights ? "dropped" : "weights", "V_heads", Role::recap);
  add_merge(t, Role::recap);
  add_output_projection(t, input, "attention", Role::recap);
}

void add_feed_forward(Trace& t, const LessonInput& input, const std::string& X) {
  for (const char* name : {"W_1", "b_1", "W_2", "b_2"}) give(t, input, name);
  FeedForwardStep layer{X, "W_1", "b_1", "W_2", "b_2", "feed_forward", input.activation};
  if (drops(input, DropoutAt::hidden)) {
    give(t, input, "keep");
    layer.keep = "keep", layer.dropout = input.dropout;
  }
  add_feed_forward(
      t, layer, [](const std::string& name) { return name; }, Role::result);
}

// X + sublayer(…), in training with dropout on what is added.
void add_sublayer(Trace& t, const LessonInput& input, const std::string& number, const std::string& X,
                  const std::string& of, const std::string& output) {
  const bool drops_it = drops(input, DropoutAt::sublayers);
  if (drops_it) {
    give(t, input, "keep_" + number);
    add_dropout(t, of, "keep_" + number, input.dropout, Role::result, "_" + number);
  }
  add_residual(t, output, X, drops_it ? "dropped_" + number : of, Role::result);
}

// How long each token's vector is: what comes in, what each part adds, what goes on.
void draw_parts(Trace& t) {
  constexpr std::size_t most = 6;
  const std::vector<std::string> columns{"X", t.has("dropped_1") ? "dropped_1" : "attention", "residual_1",
                                         t.has("dropped_2") ? "dropped_2" : "feed_forward", "output"};
  BarPicture picture{columns, {}};
  std::vector<arma::vec> lengths;
  double longest = 0;
  for (const std::string& name : columns) {
    const arma::mat rows = matrix(t[name]);
    lengths.push_back(arma::sqrt(arma::sum(arma::square(rows), 1)));
    if (lengths.back().is_finite()) longest = std::max(longest, lengths.back().max());
  }
  if (longest == 0) return;
  for (arma::uword i = 0; i < std::min<arma::uword>(most, lengths[0].n_elem); ++i) {
    PictureRow row{row_label(t, "X", i), {}};
    for (const arma::vec& length : lengths) {
      const double share = std::isfinite(length(i)) ? length(i) / longest : 0;
      row.bars.push_back({{{share, false}}, fmt::format("{:.1f}", length(i))});
    }
    picture.rows.push_back(std::move(row));
  }
  t.idea = std::move(picture);
}

} // namespace

Trace run_block(const LessonInput& input) {
  Trace t = begin_trace("block", input, "output");
  give(t, input, "X");
  if (input.norm_first) {
    add_norm(t, input, "1", "X", "norm_1");
    add_attention(t, input, "norm_1");
    add_sublayer(t, input, "1", "X", "attention", "residual_1");
    add_norm(t, input, "2", "residual_1", "norm_2");
    add_feed_forward(t, input, "norm_2");
    add_sublayer(t, input, "2", "residual_1", "feed_forward", "output");
  } else {
    add_attention(t, input, "X");
    add_sublayer(t, input, "1", "X", "attention", "residual_1");
    add_norm(t, input, "1", "residual_1", "norm_1");
    add_feed_forward(t, input, "norm_1");
    add_sublayer(t, input, "2", "norm_1", "feed_forward", "residual_2");
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
  draw_parts(t);
  return t;
}

} // namespace tfx
