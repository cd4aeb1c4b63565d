#pragma once
// Weights and biases of the learner's own run: from --weights where the file has them, else drawn or as they
// begin in PyTorch. A file is read under the page's own names whatever it has, and a module under another
// program's names whole, or not at all.

#include "core/tensor.hpp"
#include "input/draws.hpp"
#include "input/options.hpp"

#include <map>
#include <string>
#include <vector>

namespace tfx {

struct Weights {
  std::map<std::string, Tensor> tensors;    ///< W_… and tables (2-D), b_…, gain_… and shift_… (1-D)
  std::map<std::string, std::string> names; ///< in the file, of those that are called otherwise there
  std::vector<std::string> ignored;         ///< names in the file of what is not read
  std::vector<std::string> notes;           ///< what the learner should know of the names

  bool is_module() const { return !names.empty(); }
  /// "W_Q", or "W_Q (q_proj.weight)".
  std::string shown(const std::string& name) const;
};

/// The file of --weights. Throws Error(bad_data) where it has no tensor that the lesson reads, where a
/// tensor's shape makes none, and, without --draw-rest, where only a part of a module could be read.
Weights load_weights(const InputOptions& options, const InputRules& lesson);

enum class Width { fixed, any };

class Parameters {
public:
  /// Draws from `draws` and adds to `input`, which outlive it. Throws as load_weights does.
  Parameters(const InputOptions& options, const InputRules& lesson, Draws& draws, LessonInput& input);

  bool has(const std::string& name) const { return file_.tensors.count(name) > 0; }
  std::size_t rows_of(const std::string& name, std::size_t otherwise) const;
  std::size_t columns_of(const std::string& name, std::size_t otherwise) const;
  /// The file's, else what the option asks for, if it does. Throws Error(usage) where the file has others.
  std::size_t columns_of(const std::string& name, const std::string& option, std::optional<std::size_t> asked,
                         std::size_t otherwise) const;

  /// W (d_in, d_out); with Width::any, a file's may have any number of columns.
  void weight(const std::string& name, std::size_t d_in, std::size_t d_out, Width width = Width::fixed);
  /// b of as many numbers as `weight_name` has columns, where the file has it.
  void bias(const std::string& name, const std::string& weight_name);
  /// A row of `width` numbers: the file's, or all of them `start` (0 or 1).
  void row(const std::string& name, std::size_t width, double start);

  /// Notes what the file has and nobody asked for.
  void note_ignored();

private:
  void add_from_file(const std::string& name);
  [[noreturn]] void refuse_shape(const std::string& name, const Shape& needed, const Message& hint) const;

  const InputOptions& options_;
  Draws& draws_;
  LessonInput& input_;
  Weights file_;
};

/// "weights.npz: not used here: W_X".
std::string not_used(const std::string& path, const std::vector<std::string>& names);

} // namespace tfx
