#pragma once
// What the lessons on the loss and on choosing a token run on: a vocabulary, labels and how they are
// smoothed; what the shipped model says at one step of a text that leaves it unsure, a place between 0 and 1
// to draw at, and the targets that its beam ends with.

#include "input/options.hpp"
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

/// logits (1, V) of data/tutorials/decode-logits.csv, or of --logits; u (1, 1), drawn;
/// target_log_probs and lengths of data/tutorials/decode-targets.csv. Throws as load_matrices does, and
/// Error(usage) where --logits has more than one row.
LessonInput choice_input(const InputOptions& options, const InputRules& lesson);

/// u and how to draw, for the logits that `input` has. Throws Error(bad_data) where they have no softmax at
/// that temperature.
void finish_choice(const InputOptions& options, LessonInput& input);

} // namespace tfx
