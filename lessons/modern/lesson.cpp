// Lesson modern: the block since 2017, part by part. Source: Touvron et al. 2023, "LLaMA"; Zhang & Sennrich
// 2019 (RMSNorm); Shazeer 2020 (SwiGLU); Ainslie et al. 2023 (grouped queries); Xiong et al. 2020 (where the
// norm stands).

#include "core/error.hpp"
#include "core/number.hpp"
#include "core/tensor.hpp"
#include "lessons/modern/modern.hpp"
#include "steps/attention_steps.hpp"
#include "text/names.hpp"
#include "trace/checks.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

using arma::mat;

LessonInput with_parts_of_2017(const LessonInput& input) {
  LessonInput now = input;
  for (const std::string& name : input.as_2017) {
    bool is_part = false;
    if (name == "all") now.qk_norm = false;
    for (const BlockSwitch& one : block_switches())
      if (name == one.name || name == "all") one.as_in_2017(now), is_part = true;
    if (is_part) continue;
    std::vector<std::string> names;
    for (const BlockSwitch& one : block_switches()) names.emplace_back(one.name);
    throw usage_error("block_part", {{"text", name}, {"names", listed(names)}});
  }
  return now;
}

// RMSNorm leaves every token with a mean square of 1, but for what ε takes.
void check_rms(Trace& t) {
  double off = 0;
  for (const std::string norm : {"attn_norm", "mlp_norm"}) {
    if (!t.has(norm + ".mean_square")) return;
    const mat squares = arma::mean(arma::square(matrix(t[norm + ".normalized"])), 1),
              before = matrix(t[norm + ".mean_square"]), with_epsilon = matrix(t[norm + ".mean_square_eps"]);
    off = std::max(off, relative_difference(mat(squares % with_epsilon), before));
  }
  t.check_at_most("rms_one", off, rounding);
}

void check_block(Trace& t, const LessonInput& input) {
  if (const auto block = todays_block_of(t, input))
    t.check_at_most("formula",
                    relative_difference(page::todays_block(matrix(t["X"]), *block), matrix(t["output"])),
                    rounding);
}

// Where its numbers are: the block of 2017, whose feed-forward is 4·d wide, and this one.
void draw_parameters(Trace& t, const LessonInput& input) {
  const auto d = static_cast<double>(t["X"].shape.back());
  const auto count = [&](std::initializer_list<const char*> names) {
    double sum = 0;
    for (const char* name : names)
      if (t.has(name)) sum += static_cast<double>(t[name].size());
    return sum;
  };
  const double inner = 4 * d, kept = 2 * count({"W_K"}) / d;
  const struct {
    const char* name;
    double then, now;
  } rows[] = {{"W_Q W_O", 2 * d * d, count({"W_Q", "W_O"})},
              {"W_K W_V", 2 * d * d, count({"W_K", "W_V"})},
              {"W_1 W_2 W_3", 2 * d * inner, count({"W_1", "W_2", "W_3"})},
              {"γ β b", 4 * d + 5 * d + inner,
               count({"gain_1", "gain_2", "gain_Q", "gain_K", "shift_1", "shift_2", "b_Q", "b_K", "b_V",
                      "b_O", "b_1", "b_2", "b_3"})},
              {"KV cache", 2 * d, kept}};
  double most = 0;
  for (const auto& row : rows) most = std::max({most, row.then, row.now});
  BarPicture picture{{"block_then", "block_now"}, {}};
  for (const auto& row : rows) {
    PictureRow shown{row.name, {}};
    for (const double n : {row.then, row.now})
      shown.bars.push_back({{{n / most, false}}, with_separators(static_cast<std::size_t>(n))});
    picture.rows.push_back(std::move(shown));
  }
  t.idea = std::move(picture);
  double then = 0, now = 0;
  for (const auto& row : rows)
    if (&row != std::end(rows) - 1) then += row.then, now += row.now;
  t.facts["numbers_then"] = then, t.facts["numbers_now"] = now;
  t.facts["query_heads"] = static_cast<double>(input.heads);
  t.facts["key_heads"] = static_cast<double>(input.kv_heads);
  if (input.kv_heads < input.heads) t.facts["sharing"] = static_cast<double>(input.heads);
}

// What QK-norm and a window do to this run's scores, where it has them.
void say_options(Trace& t, const LessonInput& input) {
  if (input.window > 0) t.facts["window"] = static_cast<double>(input.window);
  if (!input.qk_norm) return;
  LessonInput without = input;
  without.qk_norm = false;
  Trace other;
  add_block(other, without);
  const auto largest = [](const Tensor& scores) {
    double most = 0;
    for (const double score : scores.data) most = std::max(most, std::abs(score));
    return most;
  };
  t.facts["scores_normed"] = largest(t["attn.scaled"]),
  t.facts["scores_free"] = largest(other["attn.scaled"]);
}

} // namespace

Trace run_modern(const LessonInput& given) {
  const LessonInput input = given.qk_norm ? with_qk_norm(given) : given;
  const LessonInput now = with_parts_of_2017(input);
  Trace t = begin_trace("modern", now, "output");
  add_block(t, now);
  if (t.has("mlp.gated")) {
    Index cell(t["mlp.gated"].rank(), 0);
    cell[cell.size() - 2] = std::min<std::size_t>(1, t["mlp.gated"].shape[cell.size() - 2] - 1);
    t.spotlight = {"mlp.gated", cell};
  }
  check_rows_sum_to_one(t, "attn.weights");
  check_block(t, now);
  check_rms(t);
  check_tiles(t, now);
  draw_parameters(t, now);
  say_options(t, now);
  compare_switches(t, input);
  show_tiles(t, now);
  compare_memory(t);
  compare_kept(t);
  list_published(t);
  measure_depth(t);
  return t;
}

} // namespace tfx
