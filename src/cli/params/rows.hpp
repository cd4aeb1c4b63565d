#pragma once
// A counted model as rows of a table: by module, equal layers folded; by layer; or by tensor.

#include "architecture/remarks.hpp"

namespace tfx {

enum class By { module, layer, tensor };

struct ModuleRow {
  std::string name; ///< "encoder.layers.0 … 5"
  std::size_t indent = 0;
  params::Totals sum;      ///< of one of them
  std::uint64_t times = 1; ///< how many equal ones the row stands for
};

/// By module or by layer. The rows without indent add up to the model.
std::vector<ModuleRow> module_rows(const params::Module& root, By by);

/// The formula of so many equal ones: "6·(4·d² + 4·d)"; empty where no size with a name is in it.
std::string formula_of(const params::Figure& figure, std::uint64_t times);

} // namespace tfx
