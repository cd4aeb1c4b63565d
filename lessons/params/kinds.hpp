#pragma once
// The matrices that a model is counted by: an encoder-decoder's, and a decoder's alone.

#include "model/model_spec.hpp"
#include "page/layer_formulas.hpp"

#include <string>
#include <vector>

namespace tfx {

/// A matrix and its bias: its widths, how often each place has it, how often a token is multiplied by it
/// there.
struct MatrixKind {
  std::string name;
  double rows, columns, bias;
  std::vector<double> copies, passes;
};

/// What is counted: whose kinds, at which places, each place so often.
struct MatrixKinds {
  std::string source, of_rows, of_biases; ///< where copies, rows and biases come from
  std::vector<MatrixKind> kinds;
  std::vector<std::string> places;
  std::vector<double> repeats, attentions; ///< of a place
  std::string repeated;

  std::vector<std::string> names() const;
};

/// make_model's of The Annotated Transformer.
MatrixKinds encoder_decoder_of(const page::Widths& m);

/// Of a decoder alone, called `name`; a part that it lacks counts 0 or has no row.
MatrixKinds decoder_of(const page::Widths& m, const ModelSpec& spec, const std::string& name);

} // namespace tfx
