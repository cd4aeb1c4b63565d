// What learners get wrong about a text that repeats itself, and a head that only seems to have understood it.

#include "lessons/induction/induction.hpp"
#include "trace/mistake.hpp"

#include <map>

namespace tfx {

namespace {

using Weights = std::map<std::string, Tensor>;

Weights weights_of(const char* name) {
  const TensorFile file = grown_file(name);
  Weights weights;
  for (std::size_t i = 0; i < file.entries().size(); ++i)
    weights.emplace(file.entries()[i].name, Tensor(file.entries()[i].shape, file.read(i)));
  return weights;
}

/// The weights of the model that has seen one period alone, for those of the lesson's: right there, and
/// nowhere else.
std::optional<Step> fixed_period(const Trace&, const Step& right) {
  static const Weights lessons = weights_of("induction"), trap = weights_of("fixed-period");
  const auto own = lessons.find(right.name);
  if (own == lessons.end() || own->second.data != right.value.data) return {};
  return valued_instead(right, "fixed-period: " + right.name, trap.at(right.name));
}

/// Both layers read the embedding: the second finds no token that the first has moved.
std::optional<Step> side_by_side(const Trace& t, const Step& right) {
  if (right.name != "decoder.layers.1.sublayer.0.norm" || !t.has("decoder.layers.0.sublayer.0.norm"))
    return {};
  return valued_instead(right, "decoder.layers.0.sublayer.0.norm", t["decoder.layers.0.sublayer.0.norm"]);
}

/// The score of looking where the token itself stood.
std::optional<Step> token_itself(const Trace& t, const Step& right) {
  if (!right.operation.is(op::induction_score)) return {};
  const Tensor& weights = t[right.operation.inputs[0]];
  const std::size_t n = weights.shape.back();
  Tensor moved = weights; // the weight behind a place is that of the place
  for (std::size_t i = 0; i < weights.size(); ++i) moved.data[i] = i % n > 0 ? weights.data[i - 1] : 0;
  const Operation& score = right.operation;
  return valued_instead(
      right, "mean(" + score.inputs[0] + "[q, k]), " + score.inputs[1] + "[k] = " + score.inputs[1] + "[q]",
      compute(Arguments(score, {&moved, &t[score.inputs[1]]})));
}

} // namespace

std::vector<Mistake> induction_mistakes() {
  return in_own_lesson({Mistake{"induction.fixed_period", fixed_period}.as_a_whole(),
                        {"induction.side_by_side", side_by_side},
                        {"induction.no_places", {{"tgt_embed", "A"}}},
                        {"induction.token_itself", token_itself}});
}

} // namespace tfx
