#pragma once
// What the page of `tfx model` shows besides activations: with --labels the loss of what the model says, and
// with --grad the gradient of every parameter; the walk through its answer; with --without, --uniform and
// --ablate what each part contributes; and with --step the walk a screen at a time.

#include "cli/model/ablation.hpp"
#include "cli/model/given.hpp"
#include "parity/model_run.hpp"
#include "render/model_walk.hpp"
#include "train/gradient_descent.hpp"

namespace tfx {

struct LossOptions {
  std::optional<std::vector<TokenIds>> labels; ///< a row for each target
  std::optional<double> smoothing;             ///< in [0, 1)
  bool grad = false;
};

const std::vector<Option<LossOptions>>& loss_options();

/// The labels in the shape of the target, filled up with padding: those of --labels, else what the model was
/// given to say; empty where nobody said it. Throws Error(usage) where rows or numbers do not fit, where a
/// label is not in the vocabulary, or where --grad or --smoothing have none.
TokenIds labels_of(const LossOptions& options, const ModelBatches& batches, const TokenIds& expected,
                   std::size_t vocabulary);

/// What record_loss adds, with the gradient for --grad. Nothing without labels.
template <class Real>
void add_loss(Trace& trace, const Transformer<Real>& model, const TrainingBatch& batch,
              const LossOptions& options, std::uint32_t pad, const Keep& keep);

struct InterventionOptions {
  std::vector<std::string> without, uniform; ///< parts
  bool ablate = false;                       ///< each part in turn, also where that takes long
};

const std::vector<Option<InterventionOptions>>& intervention_options();

/// The experiments "answer", "intervention", "ablation" and their facts onto the run's trace, which has
/// log_probs, and the walk. `right`: the token that each position should say; empty where the most probable
/// one counts as right. Throws Error(usage) for a part that the model has not, or where the page cannot
/// compute the model or not in a minute.
template <class Real>
ModelWalk walk_of(ModelRun& run, const GivenModel<Real>& given, const TokenIds& right,
                  const InterventionOptions& options);

/// The model's run on the page, its tokens named, with the loss and the gradients that were asked for.
Trace trace_on_page(const GivenModel<double>& given, const LossOptions& loss = {});

/// What is lost without each part of such a run; nothing where that takes longer than a moment.
std::optional<Experiment> quick_ablation(const GivenModel<double>& given, const Trace& page);

/// The tokens as labels of every activation that has a row or a column for each.
void label_tokens(Trace& trace, const TokenNames& names);

/// `sections` are those of render_model_walk. A section about a sublayer is asked about by that
/// sublayer's recorded steps, the one about what parts contribute by what was computed without them; a
/// section without a question joins the one before. At a terminal it waits for answers, elsewhere it shows
/// them.
void step_through_model(const std::vector<WalkSection>& sections, const GivenModel<double>& given,
                        std::uint64_t seed, Context& context);

} // namespace tfx
