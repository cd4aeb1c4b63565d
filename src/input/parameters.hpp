#pragma once
// Weights and biases of the learner's own run: from --weights where the file has them, else drawn or as they
// begin in PyTorch.

#include "input/draws.hpp"
#include "input/weights.hpp"

namespace tfx {

enum class Width { fixed, any };

class Parameters {
public:
  /// Draws from `draws` and adds to `input`, which outlive it. Throws as load_weights does.
  Parameters(const InputOptions& options, Stage stage, Draws& draws, LessonInput& input);

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
