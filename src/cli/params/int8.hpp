#pragma once
// The section of `tfx params FILE --int8 NAME`: how 8 bits hold a row of that matrix.

#include "cli/params/options.hpp"
#include "io/json_writer.hpp"
#include "parity/held_matrix.hpp"
#include "render/paper.hpp"

namespace tfx {

/// The matrix that the options name; nothing where they name none. Throws Error(usage) where the model has no
/// numbers, no such matrix or no such row, Error(bad_data) where a number is not finite as a float,
/// Error(no_memory), and what reading a file may throw.
std::optional<HeldMatrix> held_matrix_of(const ParamsOptions& options);

/// Facts for the words, with so many digits, and the check that no number errs by more than half a step.
void state_held(Trace& trace, const HeldMatrix& held, const std::string& name, int digits);

void write_held(Paper& paper, const HeldMatrix& held);

/// The member "int8".
void write_held(JsonWriter& json, const HeldMatrix& held, const std::string& name);

} // namespace tfx
