#pragma once
// `tfx check --json`.

#include "judge/diagnosis.hpp"
#include "render/json.hpp"

namespace tfx {

// A diagnosis as JSON: what `tfx check` and `tfx grade` have in common.

/// The key mistake: an id, a list where several cannot be told apart, null where none is sure.
void write_mistake(JsonWriter& json, const Diagnosis& diagnosis);

/// The keys confidence, mistakes (all suspects), doubt (why a perhaps is not sure, or null), fits and
/// contradicts (the tensors or cases that speak for it and against).
void write_suspects(JsonWriter& json, const Diagnosis& diagnosis);

} // namespace tfx
