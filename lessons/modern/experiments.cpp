#include "lessons/modern/modern.hpp"

#include "architecture/presets.hpp"
#include "core/number.hpp"
#include "core/tensor.hpp"
#include "model/transformer.hpp"
#include "model/weights.hpp"
#include "trace/checks.hpp"
#include "trace/cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace tfx {

namespace {

using arma::mat;

/// What the switched block costs, and what comes out of it.
struct Switched {
  double parameters, macs, kept;
  Tensor output;

  explicit Switched(const LessonInput& input) {
    Trace t;
    add_block(t, input);
    const Cost cost = lesson_cost(t); // of a trained model not what led to X
    const auto tokens = static_cast<double>(t["X"].size() / t["X"].shape.back());
    parameters = static_cast<double>(cost.parameters), macs = static_cast<double>(cost.macs) / tokens;
    kept = static_cast<double>(t["attn.K"].shape.back() + t["attn.V"].shape.back());
    output = t["output"];
  }

  /// The largest change of a cell.
  double moved(const Switched& other) const {
    double most = 0;
    for (std::size_t i = 0; i < matrix_count(output); ++i)
      most = std::max(most, absolute_difference(matrix(output, i), matrix(other.output, i)));
    return most;
  }
};

std::string shared_or_own(const Trace& t, const std::string& letter) {
  const std::string name = "attn." + letter + "_heads";
  return t.has(name + "_shared") ? name + "_shared" : name;
}

constexpr arma::uword tile = 2; ///< keys; the kernels take as many as fit into a cache

} // namespace

void compare_switches(Trace& t, const LessonInput& input) {
  Experiment table{"switches", {"parameters", "macs_token", "kept_token", "output_moved"}, {"today"}, {}};
  table.worded = true;
  const Switched today(input);
  mat rows(0, 4);
  const auto add = [&](const Switched& one) {
    rows =
        arma::join_cols(rows, arma::rowvec{one.parameters, std::round(one.macs), one.kept, one.moved(today)});
  };
  add(today);
  LessonInput all = input;
  for (const BlockSwitch& one : block_switches()) {
    LessonInput other = input;
    one.as_in_2017(other), one.as_in_2017(all);
    table.rows.emplace_back(one.name);
    add(Switched(other));
  }
  table.rows.emplace_back("all_2017");
  all.qk_norm = false;
  add(Switched(all));
  if (!input.qk_norm) {
    table.rows.emplace_back("qk_normed");
    add(Switched(with_qk_norm(input)));
  }
  table.values = to_tensor(rows);
  t.experiments.push_back(std::move(table));
}

void check_tiles(Trace& t, const LessonInput& input) {
  const Tensor &Q = t["attn.Q_heads"], &K = t[shared_or_own(t, "K")], &V = t[shared_or_own(t, "V")];
  double off = 0;
  for (std::size_t h = 0; h < input.heads; ++h)
    off = std::max(off, relative_difference(page::tiled_attention(matrix(Q, h), matrix(K, h), matrix(V, h),
                                                                  tile, input.window),
                                            matrix(t["attn.heads"], h)));
  t.check_at_most("tiles_equal", off, rounding);
}

namespace {

/// One query's keys, some at a time: from which on, their largest score, and what is kept behind them.
struct Tile {
  arma::uword first, last;
  double max, correction;
  page::RunningRow row;
};

std::vector<Tile> tiles_of(const mat& scaled, const mat& V, arma::uword query, arma::uword window) {
  std::vector<Tile> tiles;
  page::RunningRow row;
  for (arma::uword first = page::first_seen(query, window); first <= query; first += tile) {
    const arma::uword last = std::min(first + tile - 1, query);
    const arma::rowvec scores = scaled.row(query).cols(first, last);
    const double before = row.max;
    page::add_tile(row, scores, V.rows(first, last));
    tiles.push_back({first, last, scores.max(), std::exp(before - row.max), row});
  }
  return tiles;
}

/// How far the tiles' corrections are from showing what one does: neither all nor nothing of the sum stays.
double dullness(const std::vector<Tile>& tiles) {
  constexpr double half = 0.5;
  double nearest = half;
  for (const Tile& one : tiles) nearest = std::min(nearest, std::abs(one.correction - half));
  return nearest;
}

} // namespace

void show_tiles(Trace& t, const LessonInput& input) {
  const Tensor &scaled = t["attn.scaled"], &V = t[shared_or_own(t, "V")];
  const arma::uword n = scaled.shape.back();
  constexpr arma::uword looked_at = 64; // queries: enough to find one that shows it
  std::size_t head = 0;
  arma::uword query = n - 1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t h = 0; h < input.heads; ++h)
    for (arma::uword q = n; q-- > (n > looked_at ? n - looked_at : 0);)
      if (const double dull = dullness(tiles_of(matrix(scaled, h), matrix(V, h), q, input.window));
          dull < least)
        least = dull, head = h, query = q;
  constexpr std::size_t most = 8;
  Experiment table{
      "tiles", {"tile_max", "running_max", "correction", "running_sum", "running_output"}, {}, {}};
  mat rows(0, 5);
  const std::vector<Tile> tiles = tiles_of(matrix(scaled, head), matrix(V, head), query, input.window);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (i > most && i + 1 < tiles.size()) continue; // of a long text the first tiles and the last
    const Tile& one = tiles[i];
    if (i == most && i + 1 < tiles.size()) {
      table.rows.emplace_back("…");
      rows = arma::join_cols(rows, arma::rowvec(rows.n_cols).fill(arma::datum::nan));
      continue;
    }
    table.rows.push_back(one.first == one.last ? fmt::format("{}", one.first)
                                               : fmt::format("{}, {}", one.first, one.last));
    rows = arma::join_cols(rows, arma::rowvec{one.max, one.row.max, one.correction, one.row.sum,
                                              one.row.output(0) / one.row.sum});
  }
  if (tiles.size() > most + 1) table.texts.resize(table.rows.size()); // NaN is a dash
  table.values = to_tensor(rows);
  t.facts["tile_head"] = static_cast<double>(head);
  t.facts["tile_query"] = row_label(t, "output", query);
  t.facts["tile_whole"] = matrix(t["attn.heads"], head)(query, 0);
  t.facts["tile_keys"] = static_cast<double>(tile);
  t.experiments.push_back(std::move(table));
}

void compare_memory(Trace& t) {
  const auto width = static_cast<double>(t["attn.V_heads"].shape.back());
  Experiment table{"memory", {"held_whole", "held_tiles"}, {}, {}};
  mat rows(0, 2);
  for (const double n : {1024.0, 8192.0, 131072.0}) {
    rows = arma::join_cols(rows, arma::rowvec{n * n, n * (width + 2)});
    table.rows.push_back(with_separators(static_cast<std::size_t>(n)));
  }
  table.values = to_tensor(rows);
  t.facts["tile_width"] = width;
  t.experiments.push_back(std::move(table));
}

void compare_kept(Trace& t) {
  const params::ModelShape& llama = params::find_preset("llama-7b")->shape;
  constexpr double bytes_a_number = 2, giga = 1e9, keys_and_values = 2; // float16
  const auto layers = static_cast<double>(llama.layers), heads = static_cast<double>(llama.heads),
             width = static_cast<double>(llama.d_model) / heads;
  Experiment table{"kept", {"kept_a_token", "kept_4096", "kept_131072"}, {}, {}};
  mat rows(0, 3);
  for (const auto& [kv, kind] : {std::pair(heads, ""), {8.0, " GQA"}, {1.0, " MQA"}}) {
    const double numbers = keys_and_values * layers * kv * width, bytes = bytes_a_number * numbers;
    rows = arma::join_cols(rows, arma::rowvec{numbers, bytes * 4096 / giga, bytes * 131072 / giga});
    table.rows.push_back(fmt::format("{}{}", kv, kind));
  }
  table.values = to_tensor(rows);
  t.facts["llama_layers"] = layers, t.facts["llama_heads"] = heads, t.facts["llama_width"] = width;
  t.experiments.push_back(std::move(table));
}

// Their config.json, as each publisher put it on Hugging Face; 2017: Vaswani et al., the base model; GPT-2:
// Radford et al. 2019; Llama 2: Touvron et al. 2023; Mistral 7B: Jiang et al. 2023; Llama 3: Grattafiori et
// al. 2024; Gemma 2: Gemma Team 2024; Qwen2 and Qwen3: Yang et al. 2024 and 2025.
void list_published(Trace& t) {
  Experiment table{
      "published", {"has_norm", "has_gate", "has_heads", "has_places", "has_more"}, {}, Tensor({8, 0})};
  table.worded = true;
  table.rows = {"published_2017", "GPT-2 124M", "Llama 2 7B", "Mistral v0.1",
                "Llama 3 8B",     "Qwen2 7B",   "Gemma 2 9B", "Qwen3 8B"};
  table.texts = {{"LayerNorm", "ReLU", "8 : 8", "places_sinusoidal", "more_2017"},
                 {"LayerNorm", "GELU", "12 : 12", "places_learned", "more_biases_tied"},
                 {"RMSNorm", "SwiGLU", "32 : 32", "RoPE 1e4", "–"},
                 {"RMSNorm", "SwiGLU", "32 : 8", "RoPE 1e4", "more_window"},
                 {"RMSNorm", "SwiGLU", "32 : 8", "RoPE 5e5", "–"},
                 {"RMSNorm", "SwiGLU", "28 : 4", "RoPE 1e6", "more_qkv_biases"},
                 {"norm_both", "GeGLU", "16 : 8", "RoPE 1e4", "more_some_windows"},
                 {"RMSNorm", "SwiGLU", "32 : 8", "RoPE 1e6", "more_qk_norm"}};
  t.experiments.push_back(std::move(table));
}

namespace {

constexpr std::size_t depth_width = 32;

/// The length of the gradient of all of a block's parameters.
double gradient_of_block(const Transformer<double>& gradient, std::size_t layer) {
  double squares = 0;
  const std::string block = "decoder.layers." + std::to_string(layer) + ".";
  each_parameter(
      [&](const std::string& name, const auto& tensor) {
        if (name.starts_with(block))
          for (const double cell : tensor) squares += cell * cell;
      },
      "", gradient);
  return std::sqrt(squares);
}

/// Of one model with drawn weights that reads one text: the first block's gradient and the last one's.
std::pair<double, double> first_and_last(Norm rule, NormPlacement placement, std::size_t layers,
                                         std::uint32_t seed) {
  ModelSpec spec;
  spec.stacks = Stacks::decoder, spec.layers = layers, spec.d_model = depth_width, spec.heads = 4,
  spec.d_ff = 64;
  spec.src_vocab = 0, spec.tgt_vocab = 16, spec.max_len = 8;
  spec.norm.rule = rule, spec.norm.placement = placement, spec.norm.shift = rule != Norm::rms;
  spec.final_norm = placement == NormPlacement::pre_norm;
  Transformer<double> model(spec), gradient(spec);
  initialize(model, WeightInit::xavier_uniform, seed);
  each_parameter([](const std::string&, auto& tensor) { tensor.zeros(); }, "", gradient);
  const Batch no_source, tokens = ragged_batch({{1, 5, 2, 9, 5, 7, 3, 4}});
  const Inputs inputs(no_source, tokens);
  ModelSaved<double> saved;
  mat d = logits(model, inputs, {}, saved);
  for (arma::uword j = 0; j < d.n_cols; ++j) { // of −ln p of each next token
    d.col(j) = arma::exp(d.col(j) - d.col(j).max());
    d.col(j) /= arma::accu(d.col(j));
    d(tokens.ids[(j + 1) % tokens.ids.size()], j) -= 1;
  }
  backward<double>({model, gradient}, saved, inputs, d, {});
  return {gradient_of_block(gradient, 0), gradient_of_block(gradient, layers - 1)};
}

constexpr std::size_t depth_blocks[] = {2, 6, 12};
constexpr std::uint32_t depth_draws = 3;

double share_that_reaches(Norm rule, NormPlacement placement, std::size_t layers) {
  double first = 0, last = 0;
  for (std::uint32_t seed = 1; seed <= depth_draws; ++seed) {
    const auto [of_first, of_last] = first_and_last(rule, placement, layers, seed);
    first += of_first, last += of_last;
  }
  return first / last;
}

// The same in every run.
const Experiment& depth() {
  static const Experiment table = [] {
    Experiment made{"gradients_by_depth", {"rms_before", "layer_before", "layer_behind"}, {}, {}};
    mat rows(0, 3);
    for (const std::size_t layers : depth_blocks) {
      rows = arma::join_cols(rows,
                             arma::rowvec{share_that_reaches(Norm::rms, NormPlacement::pre_norm, layers),
                                          share_that_reaches(Norm::layer, NormPlacement::pre_norm, layers),
                                          share_that_reaches(Norm::layer, NormPlacement::post_norm, layers)});
      made.rows.push_back(std::to_string(layers));
    }
    made.values = to_tensor(rows);
    return made;
  }();
  return table;
}

} // namespace

void measure_depth(Trace& t) {
  const Experiment& table = depth();
  const mat rows = matrix(table.values);
  t.facts["depth_before"] = rows(rows.n_rows - 1, 1), t.facts["depth_behind"] = rows(rows.n_rows - 1, 2);
  t.facts["depth_least"] = static_cast<double>(*std::begin(depth_blocks));
  t.facts["depth_most"] = static_cast<double>(*std::rbegin(depth_blocks));
  t.facts["depth_width"] = static_cast<double>(depth_width);
  t.facts["depth_draws"] = static_cast<double>(depth_draws);
  t.experiments.push_back(table);
}

} // namespace tfx
