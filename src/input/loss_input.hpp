#pragma once
// What the lesson on the loss takes beyond its tokens: a vocabulary, labels, and how they are smoothed.

#include "input/parameters.hpp"

namespace tfx {

/// W_O (d_v, V): the file's, or drawn after the other weights, for the words of X and the padding; and
/// labels: for each word the next, for the last the padding.
void draw_vocabulary(const InputOptions& options, Parameters& parameters, LessonInput& input);

/// labels and pad_id of tokens whose names are `words`, V = distinct words + 1. Names of the vocabulary by
/// id.
std::vector<std::string> add_next_words(LessonInput& input, const std::vector<std::string>& words,
                                        std::size_t pad, const Shape& batch = {});

/// --logits instead of tokens; labels come from --labels. Throws as load_matrices does, and Error(usage)
/// where other input is given too or --labels is missing.
LessonInput given_logits(const InputOptions& options);

/// --labels, --pad-id and --smoothing onto whatever data there are. Throws Error(usage) where the labels are
/// not one a token, lie outside the vocabulary, or are all padding.
void finish_loss(const InputOptions& options, LessonInput& input);

} // namespace tfx
