#pragma once
// What a whole encoder layer takes beyond its tokens.

#include "input/parameters.hpp"

namespace tfx {

/// W_Q … W_O and their biases, W_1 b_1 W_2 b_2, gains and shifts: the file's, or drawn in that order with
/// biases and shifts 0 and gains 1. d_ff is --d-ff, the file's, or 4·d_model.
void draw_layer(const InputOptions& options, Parameters& parameters, std::size_t d_model);

/// keep = np.random.rand(heads, n_q, n_k) >= p, a batch in front where X has one, where --dropout is more
/// than 0. It has a stream of its own with the same seed: the layer's numbers do not depend on it.
void draw_dropout(const InputOptions& options, LessonInput& input);

} // namespace tfx
