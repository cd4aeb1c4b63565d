// What the lesson decode chooses on where a trained decoder says it: the logits behind a text.

#include "input/logits_input.hpp"
#include "lessons/gpt/gpt.hpp"
#include "lessons/known_models.hpp"
#include "model/search.hpp"

#include <algorithm>
#include <set>

namespace tfx {

namespace {

using Names = std::vector<std::string>;

/// A target that the model goes on with: its tokens and the end's, if it ends, and log p of each.
struct Continuation {
  std::string text;
  std::vector<double> log_probs;

  /// Whichever search has found it: its numbers may differ in the last bit.
  bool operator==(const Continuation& other) const {
    return text == other.text && log_probs.size() == other.log_probs.size();
  }
};

std::vector<Continuation> continuations(const BeamTree& tree, const Names& words) {
  std::vector<Continuation> all;
  for (const std::size_t last : tree.ranked) {
    Continuation one;
    for (std::optional<std::size_t> at = last; at; at = tree.nodes[*at].parent) {
      one.text.insert(0, words[tree.nodes[*at].token]);
      one.log_probs.insert(one.log_probs.begin(), tree.nodes[*at].log_prob);
    }
    all.push_back(std::move(one));
  }
  return all;
}

/// The steps that lead to the logits, which were computed before the lesson.
void give_way(Trace& given, Trace page) {
  std::set<std::string> needed{"logits"};
  for (auto step = page.steps.rbegin(); step != page.steps.rend(); ++step)
    if (needed.contains(step->name))
      needed.insert(step->operation.inputs.begin(), step->operation.inputs.end());
  for (Step& step : page.steps) {
    if (!needed.contains(step.name)) continue;
    if (step.name == "logits") step.name = "logits_of_all";
    step.role = Role::before;
    given.steps.push_back(std::move(step));
  }
}

void give_targets(Trace& given, const std::string& source, const std::vector<Continuation>& targets) {
  std::size_t steps = 0;
  Names names, places;
  for (const Continuation& target : targets) {
    steps = std::max(steps, target.log_probs.size());
    names.push_back(target.text);
  }
  for (std::size_t t = 0; t < steps; ++t) places.push_back("t" + std::to_string(t + 1));
  Tensor log_probs({steps, targets.size()}), lengths({targets.size()});
  for (std::size_t i = 0; i < targets.size(); ++i) {
    lengths.data[i] = static_cast<double>(targets[i].log_probs.size());
    for (std::size_t t = 0; t < targets[i].log_probs.size(); ++t)
      log_probs.data[t * targets.size() + i] = targets[i].log_probs[t];
  }
  given.add_input("target_log_probs", source, std::move(log_probs), {places, names});
  given.add_input("lengths", source, std::move(lengths), {names});
}

} // namespace

/// logits (1, V) of --model behind the last token of --text, with all that led to them; u, drawn; and the
/// targets that a beam of four goes on with, greedy's beside them. Throws what text_begun and finish_choice
/// throw.
LessonInput choice_after_text(const InputOptions& o, const InputRules& lesson) {
  constexpr std::size_t most = 8;        // tokens of a target: a column of the page
  constexpr Beam beam{4, 0.6}, alone{1}; // Vaswani et al. 2017, section 6.1
  LessonInput begun = text_begun(o, lesson), input;
  const TensorFile file = model_file(*o.model);
  const auto model = load_model<double>(file, given_style(o, file));
  const ModelCard card = card_or_ids(file, model.spec);
  const std::vector<double>& ids = begun.given["tgt"].data;
  Trace& given = input.given;
  give_way(given, run_gpt(begun));
  const Step& all = given.step_named("logits_of_all");
  const Names words = all.labels[1];
  given.add_input("last", "n − 1", Tensor({1}, {static_cast<double>(ids.size() - 1)}), {});
  given.add("logits", op::gather("logits_of_all", "last"), Role::recap);
  given.steps.back().labels = {{}, words};
  finish_choice(o, input);
  const Prompt prompt(std::vector<TokenIds>{TokenIds(ids.begin(), ids.end())});
  const DecodeLimits limits{card.start, card.end, std::min(most, model.spec.max_len - ids.size() + 1)};
  std::vector<Continuation> targets = continuations(beam_search(model, prompt, limits, beam), words);
  for (const Continuation& greedy : continuations(beam_search(model, prompt, limits, alone), words))
    if (!std::ranges::count(targets, greedy)) targets.push_back(greedy);
  give_targets(given, *o.model, targets);
  input.notes = begun.notes;
  input.named_words = true;
  given.facts["trained"] = given.facts["decoder_alone"] = *o.model;
  given.facts["trained_read"] = begun.given.facts.at("begun");
  given.facts["family"] = std::string("decoder");
  return input;
}

} // namespace tfx
