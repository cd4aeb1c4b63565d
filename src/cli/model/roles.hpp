#pragma once
// `tfx model --roles`: what each head of a trained model looks at, and what is lost without it.

#include "cli/model/given.hpp"
#include "render/report.hpp"

namespace tfx {

// `tfx model --roles`: what every head looks at by measure, over the sentences of a set, and what the answer
// loses without it.

struct RolesOptions {
  bool roles = false;
  std::optional<std::string> pairs; ///< a file of the learner's
};

const std::vector<Option<RolesOptions>>& roles_options();

/// Of the trace of the model's run, which has the weights of every attention on one sentence, with the
/// experiments "roles", "role_weights" and "role_uniform", a row a head, and their facts; with `all` a page
/// has every layer, and a picture of every head. Measured over --pairs; else over the text that was asked
/// for; else over what the model was not trained on: sentences that come with a shipped one, held-out
/// examples of a task; else over what it reads here. Throws what reading pairs throws, and Error(bad_data)
/// naming the line that is longer than the model takes.
template <class Real>
Report roles_report(Trace trace, const GivenModel<Real>& given, const ModelOptions& asked,
                    const RolesOptions& options, bool all);

} // namespace tfx
