#pragma once
// What explains a series that is not right: an option of the lesson, a mistake of the catalogue, what is
// seen, a formula in the place of a step. Every case has its say, the right ones too: what explains most of
// them beats what explains some, and what the first wrong case alone shows, though the others could, is an
// accident.

#include "exercise/grading.hpp"

namespace tfx {

/// The diagnosis and the observations of `grading`, whose cases are compared, and the case that they are told
/// of.
void explain(Grading& grading, const Exercise& exercise, const std::vector<Case>& series);

} // namespace tfx
