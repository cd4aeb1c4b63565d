#pragma once
// The screens and the JSON of `tfx params`: rows of a table of counts, alone or side by side; in JSON every
// count is an exact integer, beside the tree of modules and, with --int8, the row in 8 bits.

#include "architecture/remarks.hpp"
#include "cli/params/int8.hpp"
#include "render/style.hpp"
#include "render/terminal.hpp"
#include "text/words.hpp"

namespace tfx {

std::string params_json(const std::vector<params::Counted>& models, params::Precision precision,
                        const std::optional<HeldMatrix>& held, const std::string& matrix);

// A counted model as rows of a table: by module, equal layers folded; by layer; or by tensor.

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

struct ParamsScreen {
  Screen frame;
  By by = By::module;
  params::Precision precision = params::Precision::f32;
  std::string precision_name;     ///< "f32"
  std::optional<HeldMatrix> int8; ///< of a file: how 8 bits hold one of its matrices
};

/// One model in full.
std::string render_params(const params::Counted& model, const Trace& trace, const ParamsScreen& screen,
                          const Words& words, const Style& style);

/// An index alone: how many tensors each module has; by tensor, in which file each stands.
std::string render_index(const params::Counted& model, const Trace& trace, const ParamsScreen& screen,
                         const Words& words, const Style& style);
std::string index_json(const params::Counted& model);

/// Several, a line each.
std::string render_comparison(const std::vector<params::Counted>& models, const Trace& trace,
                              const ParamsScreen& screen, const Words& words, const Style& style);

} // namespace tfx
