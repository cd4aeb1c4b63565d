#pragma once
// Inputs of a property's own: random ones of a lesson's kind, small, and square, so that a mistake gets
// through to the numbers. What the learner's own input cannot show shows here.

#include "judge/property.hpp"

namespace tfx {

struct ProbeSize {
  std::size_t n = 6; ///< tokens; a memory has one more
  std::size_t d_model = 6, heads = 2;
  std::size_t d_v = 6;   ///< in lessons without heads
  std::size_t batch = 0; ///< 0: plain matrices
};

/// Whether the lesson makes queries, keys or values of all tokens at once.
bool projects(const Lesson& lesson);

/// X, weights and what else the lesson needs, without biases of the attention; every token sees all.
LessonInput probe(const Lesson& lesson, const ProbeSize& size = {});
/// The same where every token sees those up to itself.
LessonInput causal_probe(const Lesson& lesson, const ProbeSize& size = {});
/// The same where nobody sees the last key.
LessonInput padded_probe(const Lesson& lesson);

/// What the keys and values are made of: "memory" or "X".
std::string keys_source(const Lesson& lesson);

void replace(LessonInput& input, const std::string& name, Tensor value);
/// Zeros in all its cells.
void zero(LessonInput& input, const std::string& name);
Tensor times(Tensor A, double factor);
/// Random numbers that no probe has.
Tensor noise(const Shape& shape, std::uint32_t seed = 99);
/// With another row `i` in every matrix.
Tensor with_other_row(Tensor A, std::size_t i);

/// What attention gives: "attention" in a block, else "output", or what comes last of weights and scores.
const Tensor& attended(const Trace& trace);

/// How far row `i` of all matrices moved; infinite where the shapes differ.
double row_moved(const Tensor& a, const Tensor& b, std::size_t i);

Measured at_most(double value, double limit);
Measured at_least(double value, double limit);

} // namespace tfx
