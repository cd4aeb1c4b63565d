// Lesson induction: how a text is continued that repeats itself. Source: Elhage et al. 2021, "A Mathematical
// Framework for Transformer Circuits"; Olsson et al. 2022, "In-context Learning and Induction Heads".

#include "core/tensor.hpp"
#include "lessons/gpt/gpt.hpp"
#include "lessons/induction/induction.hpp"
#include "model/counts.hpp"
#include "page/layer_formulas.hpp"
#include "trace/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

namespace tfx {

namespace {

using arma::mat;
using Texts = std::vector<std::string>;

/// After how many tokens the text repeats itself, from its first repetition to its end; 0 where it does not.
arma::uword period_of(const arma::uvec& ids) {
  for (arma::uword q = 1; q < ids.n_elem; ++q)
    if (const auto k = page::stood_before(ids, q)) {
      const arma::uword period = q - *k;
      bool repeats = q + 1 < ids.n_elem;
      for (arma::uword i = q; i < ids.n_elem; ++i) repeats = repeats && ids(i) == ids(i - period);
      return repeats ? period : 0;
    }
  return 0;
}

struct Periods {
  std::size_t shortest = 0, longest = 0;
};

/// Of the model's training, as its file says.
std::optional<Periods> trained_periods(const LessonInput& input) {
  const auto said = input.given.facts.find("periods");
  if (said == input.given.facts.end()) return {};
  std::istringstream text(std::get<std::string>(said->second));
  Periods periods;
  const bool makes_sense = text >> periods.shortest >> periods.longest && periods.shortest > 1 &&
                           periods.shortest <= periods.longest &&
                           periods.longest <= input.decoder->max_len / 2;
  return makes_sense ? std::optional(periods) : std::nullopt;
}

// A training that had no such period says nothing of it.
void say_period(Trace& t, const std::optional<Periods>& trained) {
  const arma::uword period = period_of(whole_numbers(t["tgt"]));
  if (!trained || period == 0 || (period >= trained->shortest && period <= trained->longest)) return;
  t.facts["own_period"] = static_cast<double>(period);
  t.facts["shortest"] = static_cast<double>(trained->shortest);
  t.facts["longest"] = static_cast<double>(trained->longest);
}

// At every place how likely the token is that comes.
void draw_answers(Trace& t) {
  const mat log_probs = matrix(t["log_probs"]);
  const arma::uvec ids = whole_numbers(t["tgt"]);
  const Texts& tokens = t.step_named("tgt").labels[0];
  BarPicture picture{{"p_came"}, {}};
  double sums[2] = {0, 0};
  std::size_t counts[2] = {0, 0};
  for (arma::uword i = 0; i + 1 < ids.n_elem; ++i) {
    const double p = std::exp(log_probs(i, ids(i + 1)));
    picture.rows.push_back({tokens[i], {{{{p, false}}, fmt::format("{:.2f} {}", p, tokens[i + 1])}}});
    bool repeats = false; // this word and the next stood so before
    for (arma::uword k = 0; k < i; ++k) repeats = repeats || (ids(k) == ids(i) && ids(k + 1) == ids(i + 1));
    sums[repeats] += p, ++counts[repeats];
  }
  t.idea = std::move(picture);
  t.facts["last_token"] = tokens.back();
  if (counts[false] > 0) t.facts["p_elsewhere"] = sums[false] / static_cast<double>(counts[false]);
  if (counts[true] > 0) t.facts["p_repeated"] = sums[true] / static_cast<double>(counts[true]);
}

// Where the head with the highest score looks from the last token, if it is just behind where that stood.
void say_look(Trace& t) {
  const std::vector<double>& scores = t["score"].data;
  const auto best = static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
  const mat head = matrix(t[t.pictured], best);
  const arma::uvec ids = whole_numbers(t["tgt"]);
  const arma::uword last = ids.n_elem - 1, key = head.row(last).index_max();
  const auto before = page::stood_before(ids, last);
  if (!before) return;
  t.facts["repeated_token"] = t.facts["last_token"];
  if (*before + 1 != key) return;
  t.facts["look_token"] = t.step_named("tgt").labels[0][key];
  t.facts["look_head"] = static_cast<double>(best);
  t.facts["look_place"] = static_cast<double>(key), t.facts["look_weight"] = head(last, key);
}

page::AttentionLayer layer_on_page(const Trace& t, std::size_t i) {
  const std::string place = fmt::format("decoder.layers.{}.", i), norm = place + "sublayer.0.norm.";
  const auto W = [&](int k) {
    return mat(matrix(t[place + fmt::format("self_attn.linears.{}.weight", k)]).t());
  };
  return {W(0), W(1), W(2), W(3), arma::rowvec(t[norm + "a_2"].data), arma::rowvec(t[norm + "b_2"].data)};
}

// The page's formula has LayerNorm with gain and shift, and no biases.
void check_formula(Trace& t, const LessonInput& input) {
  const ModelSpec& spec = *input.decoder;
  const bool fits = spec.norm.rule == Norm::layer && spec.norm.gain && spec.norm.shift && spec.final_norm &&
                    !spec.embedding_norm && !spec.scaled_embedding &&
                    spec.norm.placement == NormPlacement::pre_norm && spec.positions == Positions::learned &&
                    spec.biases == Biases{false, false, false, false} &&
                    spec.norm.kernel_rule().epsilon == usual_epsilon(Norm::layer);
  if (!fits) return;
  page::AttentionAlone p;
  p.tokens = matrix(t["tgt_embed.0.lut.weight"]), p.positions = matrix(t["tgt_embed.1.weight"]);
  for (std::size_t i = 0; i < spec.layers; ++i) p.layers.push_back(layer_on_page(t, i));
  p.gain = arma::rowvec(t["decoder.norm.a_2"].data), p.shift = arma::rowvec(t["decoder.norm.b_2"].data);
  p.W_U = matrix(t["generator.proj.weight"]).t(), p.heads = spec.heads;
  double off = relative_difference(matrix(t["log_probs"]), page::next_tokens(whole_numbers(t["tgt"]), p));
  if (t.has("copies")) {
    const page::AttentionLayer &before = p.layers.front(), &last = p.layers.back();
    off = std::max(
        {off, relative_difference(matrix(t["copies"]), page::copies(p.tokens, last.W_V, last.W_O, p.W_U)),
         relative_difference(matrix(t["matches"]), page::matches(p.tokens, before, last.W_Q, last.W_K))});
  }
  t.check_at_most("formula", off, rounding);
}

} // namespace

Trace run_induction(const LessonInput& input) {
  const Texts words = words_of(input);
  Trace t = decoder_page(input, words, false);
  t.lesson = "induction";
  for (const char* of_file : {"growth", "periods"}) t.facts.erase(of_file); // read below
  draw_answers(t);
  const std::optional<Periods> trained = trained_periods(input);
  say_period(t, trained);
  t.add("score", op::induction_score(t.pictured, "tgt"), Role::result);
  t.spotlight = Spotlight{"score", {0}};
  say_look(t);
  add_circuits(t, *input.decoder, words);
  const Transformer<double> model = model_of(input);
  t.facts["layers"] = static_cast<double>(input.decoder->layers);
  t.facts["symbols"] = static_cast<double>(input.decoder->tgt_vocab);
  t.facts["parameters"] = static_cast<double>(count_parameters(model));
  for (const Step& step : t.steps)
    if (step.name.find('.') != std::string::npos && !step.name.ends_with(".weights"))
      t.inner.insert(step.name);
  check_rows_sum_to_one(t, t.pictured);
  check_probabilities(t);
  check_formula(t, input);
  if (input.purpose == RunFor::values) return t;
  const bool has_one = trained && trained->shortest == trained->longest;
  measure_heads(t, model, has_one ? trained->longest : model.spec.max_len / 2);
  compare_periods(t, input.given.facts.contains(of_the_lesson) ? nullptr : &model);
  if (const auto watched = input.given.facts.find("growth"); watched != input.given.facts.end())
    show_growth(t, std::get<std::string>(watched->second));
  return t;
}

} // namespace tfx
