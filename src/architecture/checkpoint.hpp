#pragma once
// A checkpoint as a blueprint: the tree that the dotted names of its tensors spell. What it computes no file
// says, so it has no operations.

#include "architecture/blueprint.hpp"
#include "core/shape.hpp"

namespace tfx::params {

struct FileTensor {
  std::string name;
  Shape shape;
  std::string tied_to = {}; ///< the whole name of the tensor that it is
};

/// Numbers in a name are layers, in numerical order. Buffers are known by their names (running_mean, pe,
/// inv_freq, …), a mask by its two leading axes of 1.
Module tree_of(const std::vector<FileTensor>& tensors);

} // namespace tfx::params
