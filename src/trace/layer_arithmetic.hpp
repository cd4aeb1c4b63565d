#pragma once
// Explanations of the operations around the attention: positions, norms, feed-forward, log-softmax.

#include "trace/reader.hpp"

namespace tfx {

/// The mean, variance or standard deviation of a row.
void explain_moment(Explanation& e, const Reader& read, const Index& index, Op op);

void explain_log_softmax(Explanation& e, const Reader& read, const Index& index);

/// p / 10000^(2⌊j/2⌋/d).
void explain_angle(Explanation& e, const Reader& read, const Index& index, const How& how);

void explain_one_hot(Explanation& e, const Reader& read, const Index& index);

/// What reads one cell, or the same cell of two tensors.
void explain_layer_cell(Explanation& e, const Reader& read, const Index& index, const How& how);

} // namespace tfx
