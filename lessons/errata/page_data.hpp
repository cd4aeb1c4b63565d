#pragma once
// The tutorials' own data as the errata use them, and small measures that several of them share.

#include "input/lesson_input.hpp"
#include "page/layer_formulas.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tfx::errata {

/// The run "fun-transformer:1" with its own seed, or ours where it sets none.
LessonInput run_of(const std::string& name);

/// attention-block's second run.
const LessonInput& the_block();

/// A given matrix of the run.
arma::mat given(const LessonInput& input, const std::string& name, std::size_t i = 0);

/// X·W_Q (+ b_Q) with "Q", and so for K and V.
arma::mat projected(const LessonInput& input, const std::string& letter, std::size_t i = 0);

/// One attention a head: of sentence `i`, with a mask.
std::vector<page::Attention> heads_of(const LessonInput& input, const arma::mat& mask, std::size_t i = 0);

/// Every parameter of the run that is an encoder layer.
page::Layer layer_of(const LessonInput& input);

/// attention-block from its seed on: what its script draws after the model of its second run.
struct Drawn {
  std::vector<std::size_t> labels; ///< 20: two sentences of 10
  arma::mat logits;                ///< 20 × 10000
  arma::mat gradient;              ///< 20 × 64: what it calls the backward pass
};
const Drawn& drawn_after_the_block();

/// A count as a fact.
double count(std::size_t n);

/// Shape of a·b as torch.matmul gives it; Error(bad_data) "(1, 1, 5)·(512, 512): 5 ≠ 512" where there is
/// none.
Shape product_shape(const Shape& a, const Shape& b);
/// The shape, or what the refusal says.
std::string shape_or_refusal(const Shape& a, const Shape& b, Shape (*rule)(const Shape&, const Shape&));
/// Shape of a ⊙ b, broadcast.
Shape elementwise_shape(const Shape& a, const Shape& b);

} // namespace tfx::errata
