// Lesson gpt: a decoder alone, what it would write next and where each token looked. Source: Radford et al.
// 2018 and 2019; Karpathy 2026, "microgpt".

#include "core/memory.hpp"
#include "core/number.hpp"
#include "input/lesson_input.hpp"
#include "lessons/gpt/gpt.hpp"
#include "lessons/model/page.hpp"
#include "steps/attention_steps.hpp"
#include "trace/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

using Texts = std::vector<std::string>;

const std::string table_of_tokens = "tgt_embed.0.lut.weight", table_of_places = "tgt_embed.1.weight",
                  last_layer = "generator.proj.weight";

/// The model on the first `count` of the tokens; with labels its loss too.
ModelPage page_on(const LessonInput& input, std::size_t count, bool with_loss) {
  const auto first = [&](const char* name) {
    const std::vector<double>& all = input.given[name].data;
    return Tensor({count}, {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)});
  };
  ModelPage page;
  page.spec = *input.decoder;
  page.tgt = first("tgt");
  page.tgt_tokens = input.given.step_named("tgt").labels[0];
  page.tgt_tokens.resize(count);
  page.pad = static_cast<double>(page.spec.tgt_vocab); // nothing is padding
  if (with_loss) page.labels = first("labels");
  for (const Step& step : input.given.steps)
    if (step.role == Role::parameter) page.parameters.emplace(step.name, step.value);
  return page;
}

std::size_t known_labels(const LessonInput& input) {
  const std::vector<double>& labels = input.given["labels"].data;
  return static_cast<std::size_t>(std::ranges::count_if(labels, [](double label) { return label >= 0; }));
}

// Steps of the page under the names of this lesson's input: where they come from, and what their rows are.
void name_inputs(Trace& t, const LessonInput& input, const Texts& words) {
  for (Step& step : t.steps) {
    if (const Step* given = input.given.find(step.name)) {
      step.formula = given->formula;
      if (step.labels.empty()) step.labels = given->labels;
    }
    const bool is_of_words = step.name == "logits" || step.name == "log_probs" || step.name == "target";
    if (is_of_words && !words.empty()) step.labels = {t.step_named("tgt").labels[0], words};
  }
}

bool is_attention(const Step& step) {
  return step.operation.is(op::softmax) && step.name.ends_with(".weights");
}

/// A row of the answer: its tokens, the most probable first.
std::vector<std::size_t> ranked(const Tensor& log_probs, std::size_t row) {
  const std::size_t V = log_probs.shape.back();
  const double* p = log_probs.data.data() + row * V;
  std::vector<std::size_t> order(V);
  for (std::size_t j = 0; j < V; ++j) order[j] = j;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return p[a] > p[b]; });
  return order;
}

// At every place: the best token, what came, how likely both were, and −ln p of what came.
void add_answers(Trace& t, const LessonInput& input, const Texts& words) {
  const Tensor& log_probs = t["log_probs"];
  const std::vector<double>& labels = input.given["labels"].data;
  const std::size_t n = log_probs.shape[0], V = log_probs.shape[1];
  Experiment answers{"answers", {"best", "came", "p_best", "p_came", "surprise"}, {}, Tensor({n, 3})};
  answers.rows = t.step_named("tgt").labels[0];
  for (std::size_t i = 0; i < n; ++i) {
    const auto best = ranked(log_probs, i).front();
    const bool is_known = labels[i] >= 0;
    const auto came = static_cast<std::size_t>(is_known ? labels[i] : 0);
    const double log_p = is_known ? log_probs.data[i * V + came] : std::nan("");
    answers.texts.push_back({words[best], is_known ? words[came] : "?"});
    answers.values.at({i, 0}) = std::exp(log_probs.data[i * V + best]);
    answers.values.at({i, 1}) = std::exp(log_p), answers.values.at({i, 2}) = -log_p;
  }
  t.experiments.push_back(std::move(answers));
}

/// What the decoder of 2017 has, and this one.
struct Choice {
  const char* name;
  std::string then, now;
};

std::string word_of_biases(const Biases& b) {
  const int count = int{b.queries} + b.output + b.feed_forward + b.generator;
  return count == 0 ? "biases_none" : count == 4 ? "biases_all" : "biases_some";
}

std::string word_of_keys(const ModelSpec& spec) {
  return spec.key_heads() == spec.heads ? "keys_own" : "keys_shared";
}

std::vector<Choice> choices_of(const ModelSpec& spec) {
  const auto style = [](const char* kind, const std::string& word) { return std::string(kind) + "_" + word; };
  const std::string norm = spec.norm.rule == Norm::rms ? "rms" : "layer";
  std::vector<Choice> all{
      {"sees", "sees_before", "sees_before"},
      {"reads", "reads_source", "reads_own"},
      {"attends", "attends_twice", "attends_once"},
      {"norm", "norm_layer_last",
       style("norm", norm + "_" + word_of(placement_words(), spec.norm.placement))},
      {"places", "places_sinusoidal", style("places", word_of(position_words(), spec.positions))},
      {"bends", "bends_relu",
       style("bends", spec.gated ? "gated" : word_of(activation_words(), spec.activation))},
      {"biases", "biases_all", word_of_biases(spec.biases)},
      {"output", "output_tied", spec.tied ? "output_tied" : "output_own"}};
  if (spec.key_heads() != spec.heads) all.push_back({"keys", "keys_own", word_of_keys(spec)});
  return all;
}

void add_families(Trace& t, const ModelSpec& spec) {
  const std::vector<Choice> choices = choices_of(spec);
  Experiment families{"families", {"then", "now"}, {}, Tensor({choices.size(), 0})};
  families.worded = true;
  for (const Choice& one : choices) {
    families.rows.emplace_back(one.name);
    families.texts.push_back({one.then, one.now});
  }
  t.experiments.push_back(std::move(families));
}

void state(Trace& t, const LessonInput& input, const Texts& words) {
  const ModelSpec& spec = *input.decoder;
  auto& facts = t.facts;
  const auto count = [&](const char* name, std::size_t value) { facts[name] = static_cast<double>(value); };
  count("read", t["tgt"].size()), count("vocab", spec.tgt_vocab), count("context", spec.max_len);
  count("layers", spec.layers), count("heads", spec.heads), count("d_k", spec.width_of_head());
  if (spec.positions == Positions::rotary && !spec.qk_norm) // as lesson rope turns them
    facts["rotary"] = word_of(rotary_words(), spec.pairs);
  const Tensor& log_probs = t["log_probs"];
  const std::size_t last = log_probs.shape[0] - 1, V = log_probs.shape[1];
  const std::vector<std::size_t> order = ranked(log_probs, last);
  const auto p = [&](std::size_t j) { return std::exp(log_probs.data[last * V + j]); };
  constexpr std::size_t most = 5;
  std::string list;
  for (std::size_t k = 0; k < std::min(most, V); ++k)
    list += (k ? " · " : "") + words[order[k]] + " " + format_number(p(order[k]), 4);
  facts["next_list"] = list;
  t.spotlight = Spotlight{"log_probs", {last, order[0]}};
  facts["next"] = words[order[0]], facts["next_p"] = p(order[0]);
  if (V > 1) facts["second"] = words[order[1]], facts["second_p"] = p(order[1]);
  facts["uniform"] = 1 / static_cast<double>(V);
  facts["uniform_loss"] = std::log(static_cast<double>(V));
  facts["last_token"] = t.step_named("tgt").labels[0].back();
  const std::string shown = t.pictured;
  const Tensor& weights = t[shown];
  const std::size_t heads = weights.shape[0], n = weights.shape[1];
  double most_weight = 0;
  for (std::size_t h = 0; h < heads; ++h)
    for (std::size_t j = 0; j < n; ++j)
      if (const double w = weights.data[(h * n + last) * n + j]; w > most_weight) {
        most_weight = w;
        count("look_head", h), facts["look_token"] = t.step_named("tgt").labels[0][j], count("look_place", j);
      }
  facts["look_weight"] = most_weight;
  facts["place"] = shown.substr(0, shown.size() - std::string(".weights").size());
}

// --- checks

void check_attention(Trace& t, const ModelSpec& spec) {
  double off = 0, seen = 0;
  for (const Step& step : t.steps) {
    if (!is_attention(step)) continue;
    const std::size_t n = step.value.shape.back();
    for (std::size_t i = 0; i < step.value.size(); i += n) {
      double sum = 0;
      for (std::size_t j = 0; j < n; ++j) {
        sum += step.value.data[i + j];
        const std::size_t row = i / n % n;
        const bool is_hidden = j > row || (spec.window > 0 && j + spec.window <= row);
        seen += is_hidden && step.value.data[i + j] != 0;
      }
      off = std::max(off, std::abs(sum - 1));
    }
  }
  t.check_at_most("rows_sum_to_one", off, rounding);
  t.check_at_most("later_unseen", seen, 0);
}

// Without its last token the text is answered alike as far as it goes.
void check_prefix(Trace& t, const LessonInput& input) {
  const Tensor& all = t["log_probs"];
  const std::size_t n = all.shape[0];
  if (n < 2) return;
  const Trace shorter = run_model_page(page_on(input, n - 1, false));
  const Tensor& some = shorter["log_probs"];
  double apart = 0;
  for (std::size_t i = 0; i < some.size(); ++i)
    apart = std::max(apart, std::abs(some.data[i] - all.data[i]) / std::max(1.0, std::abs(all.data[i])));
  t.check_at_most("prefix", apart, rounding);
}

/// What page::Decoder has: microgpt's parts.
bool is_microgpt(const ModelSpec& spec) {
  const bool is_plain = spec.norm.rule == Norm::rms && spec.norm.placement == NormPlacement::pre_norm &&
                        !spec.norm.gain && !spec.norm.shift && spec.embedding_norm && !spec.final_norm &&
                        !spec.scaled_embedding && spec.positions == Positions::learned &&
                        spec.activation == Activation::relu && !spec.gated && !spec.qk_norm;
  return is_plain && spec.window == 0 && spec.key_heads() == spec.heads && !spec.tied && spec.d_ff > 0 &&
         spec.biases == Biases{false, false, false, false};
}

page::Decoder decoder_of(const Trace& t, const ModelSpec& spec) {
  page::Decoder p;
  p.tokens = matrix(t[table_of_tokens]), p.positions = matrix(t[table_of_places]);
  p.W_U = matrix(t[last_layer]).t(), p.epsilon = spec.norm.kernel_rule().epsilon;
  for (std::size_t i = 0; i < spec.layers; ++i) {
    const auto W = [&](const char* part) {
      return arma::mat(matrix(t[fmt::format("decoder.layers.{}.{}.weight", i, part)]).t());
    };
    p.layers.push_back({W("self_attn.linears.0"), W("self_attn.linears.1"), W("self_attn.linears.2"),
                        W("self_attn.linears.3"), W("feed_forward.w_1"), W("feed_forward.w_2"), spec.heads});
  }
  return p;
}

void check_formula(Trace& t, const LessonInput& input) {
  const ModelSpec& spec = *input.decoder;
  if (!is_microgpt(spec)) return;
  const arma::mat log_probs = page::next_tokens(whole_numbers(t["tgt"]), decoder_of(t, spec));
  t.check_at_most("formula", relative_difference(arma::mat(matrix(t["log_probs"])), log_probs), rounding);
}

void check_loss(Trace& t, std::size_t known) {
  const arma::mat log_probs = matrix(t["log_probs"]);
  const double loss = page::next_token_loss(log_probs.head_rows(known), whole_numbers(t["labels"], 0, known));
  t.check_at_most("loss_is_mean", std::abs(t["loss"].data[0] - loss), rounding);
  if (const auto printed = t.facts.find("published_loss"); printed != t.facts.end()) {
    constexpr double digits = 5e-5; // four are printed
    const double apart = std::abs(std::get<double>(printed->second) - loss);
    t.check_at_most("published_loss", apart, digits);
  }
}

} // namespace

void check_probabilities(Trace& t) {
  const Tensor& log_probs = t["log_probs"];
  const std::size_t V = log_probs.shape[1];
  double off = 0;
  for (std::size_t i = 0; i < log_probs.size(); i += V) {
    double sum = 0;
    for (std::size_t j = 0; j < V; ++j) sum += std::exp(log_probs.data[i + j]);
    off = std::max(off, std::abs(sum - 1));
  }
  t.check_at_most("probs_sum_to_one", off, rounding);
}

Texts words_of(const LessonInput& input) {
  const Step* table = input.given.find(last_layer);
  const Labels& rows = (table ? *table : input.given.step_named(table_of_tokens)).labels;
  Texts words = rows.empty() ? Texts() : rows[0];
  for (std::size_t id = words.size(); id < input.decoder->tgt_vocab; ++id)
    words.push_back(std::to_string(id));
  return words;
}

Trace decoder_page(const LessonInput& input, const Texts& words, bool with_loss) {
  Trace t = run_model_page(page_on(input, input.given["tgt"].size(), with_loss));
  t.purpose = input.purpose, t.tutorial = input.given.tutorial;
  for (const auto& [name, fact] : input.given.facts) t.facts[name] = fact;
  name_inputs(t, input, words);
  for (Step& step : t.steps) {
    if (is_attention(step)) t.pictured = step.name;         // of the last layer
    if (step.role == Role::recap) step.role = Role::result; // all of it is this lesson's
  }
  refuse_not_finite(t.step_named("log_probs"), said("no number follows from it"));
  return t;
}

Trace run_gpt(const LessonInput& input) {
  const std::size_t known = known_labels(input);
  const Texts words = words_of(input);
  Trace t = decoder_page(input, words, known > 0);
  t.lesson = "gpt";
  add_answers(t, input, words);
  if (t.tutorial.empty()) add_families(t, *input.decoder);
  state(t, input, words);
  check_attention(t, *input.decoder);
  check_probabilities(t);
  check_prefix(t, input);
  check_formula(t, input);
  if (known > 0) {
    check_loss(t, known);
    t.objective = {"loss"};
    // The first documents are read by their letters.
    const Labels& letters = input.given.step_named(table_of_tokens).labels;
    if (!input.reference.empty() && !letters.empty() && !letters[0].empty()) add_first_steps(t, input);
    t.facts["loss"] = t["loss"].data[0], t.facts["known"] = static_cast<double>(known);
  }
  return t;
}

} // namespace tfx
