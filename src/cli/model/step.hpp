#pragma once
// tfx model --step: the walk through the model, and before each of its sections a question.

#include "cli/model/given.hpp"
#include "render/model_walk.hpp"

namespace tfx {

/// `sections` are those of render_model_walk. A section about a sublayer is asked about by that
/// sublayer's recorded steps, the one about what parts contribute by what was computed without them; a
/// section without a question joins the one before. At a terminal it waits for answers, elsewhere it shows
/// them.
void step_through_model(const std::vector<WalkSection>& sections, const GivenModel<double>& given,
                        std::uint64_t seed, Context& context);

} // namespace tfx
