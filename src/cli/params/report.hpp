#pragma once
// The Report of `tfx params`: one model with its rows, several in a line each, or the index of a model that
// is not there. A JSON document has the tree of modules with exact counts.

#include "architecture/remarks.hpp"
#include "cli/params/int8.hpp"
#include "render/report.hpp"

namespace tfx {

/// A row a module, equal layers folded into one; a row a layer; a row a tensor.
enum class By { module, layer, tensor };

struct CountRequest {
  By by = By::module;
  params::Precision precision = params::Precision::f32;
  std::optional<HeldMatrix> int8 = {}; ///< of a file: how 8 bits hold one of its matrices
  int digits = 4;                      ///< of the numbers of that matrix in sentences
};

Report count_report(const params::Counted& model, const CountRequest& request);

/// Side by side. At least one.
Report comparison_report(const std::vector<params::Counted>& models, const CountRequest& request);

/// An index alone has names and bytes, and nothing to count with: how many tensors each module has, or by
/// tensor, in which file each stands.
Report index_report(const params::Counted& model, By by);

/// The member "models" of the JSON document, its rows made where they are written.
ReportTable models_table(std::vector<params::Counted> models, params::Precision precision);
ReportTable index_table(const params::Counted& model);

/// The extents of a tensor as numbers.
Shape extents(const params::TensorSpec& tensor);

} // namespace tfx
