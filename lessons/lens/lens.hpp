#pragma once
// What the lesson lens runs on, a trained model's run on a text; its experiments; and its two subjects:
//
// A logit as a sum over what the parts of a model wrote into the stream, and what the model would say if it
// ended after each of them. Every norm's divisor counts as the number that it was: then all between a part
// and the logit is linear, and the sum is exact. Source: nostalgebraist 2020, "interpreting GPT: the logit
// lens"; Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits".
//
//   logit_a = Σ part · direction      direction = (γ ⊙ W_U[a] − mean) / divisor
//
// A part is a row of d_model numbers that stands in the sum of the residuals at one place: the token, its
// position, each head's mixture behind its columns of W_O, each feed-forward, each bias. What a norm adds
// behind the stream (its shift) and the last bias are terms too. Where norms stand behind the residuals, or
// behind the embedding, a part goes through each of them on its way.

#include "input/lesson_input.hpp"
#include "input/options.hpp"
#include "model/model_spec.hpp"
#include "trace/trace.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tfx {

/// "place", "token" or "against" of a run.
std::size_t asked_number(const Trace& trace, const char* name);

/// Which logit of which row.
struct AskedLogit {
  std::size_t place = 0;                     ///< row of the target: the token that is read there
  std::uint32_t token = 0;                   ///< whose logit
  std::optional<std::uint32_t> against = {}; ///< the logit less that of this one, too
};

/// Where a term comes from.
struct TermSource {
  std::string name;  ///< "decoder.layers.0.self_attn.head.2", "decoder.norm.b_2"
  std::string group; ///< "decoder.layers.0.self_attn"; of what is no sublayer the same as the name
  std::optional<std::size_t> head = {};
  bool is_bias = false; ///< b_O or b_2 of a sublayer
};

struct LogitTerms {
  std::vector<TermSource> sources; ///< a row each of "terms"
  std::size_t norms_held = 0;      ///< norms between the first part and the logit
};

/// Adds to a run of run_model_page, of one sequence, with its parameters, the steps "parts" (or "parts.1", …
/// where norms stand between them), "direction" (where a norm stands last), "terms" (terms × 1) and "logit"
/// (1 × 1), and where `asked.against` is there the same of the difference behind "difference.". The model has
/// a decoder.
LogitTerms add_logit_terms(Trace& page, const ModelSpec& spec, const AskedLogit& asked);

/// Adds the steps "stream" (depths × d_model), what stands in the stream behind the embedding and behind each
/// sublayer, and "lens" (depths × vocabulary): the last norm and the output matrix on each of them, as
/// probabilities. The last row is the model's own answer. Its rows are named as parts are. Needs "place"
/// of add_logit_terms and, where the last norm has them, its "gain" and "shift".
void add_logit_lens(Trace& page, const ModelSpec& spec);

/// Every step of the model's page up to the place asked for, with the role `before`; place, token and
/// against; `decoder`: what the model is made of; `other`: its run on --from. Of --model and --text, by
/// default the translator and the sentence that its boxes have, beside another one. An encoder-decoder reads
/// its own answer. Throws Error(usage) for a model without a decoder, a text that it cannot read or that is
/// longer than its context, a place behind the answer, a word that is no token of it, and a part that it has
/// not or that the other text has no numbers for; Error(no_memory), and what model_file throws.
LessonInput answer_asked(const InputOptions& options, const InputRules& lesson);

/// The idea: p of the token and the most probable token at each depth; experiment "depths", the same as a
/// table. Facts "said_from", where the answer is the most probable token from there on.
void show_depths(Trace& trace);

/// Experiments "logit_table" and, where two tokens are compared, "difference_table": a row a sublayer, a
/// column a head, the bias and the sum.
void show_terms(Trace& trace, const LogitTerms& terms);

/// Experiments "asked_changes", what --without and --patch change together, and "changes" and "head_changes":
/// what is left of the difference of the two logits where a part adds nothing, or what it adds on the other
/// text. Check "memory_is_all". `page`: a run of run_model_page, which the lesson begins with.
void show_changes(Trace& trace, const Trace& page, const LessonInput& input);

} // namespace tfx
