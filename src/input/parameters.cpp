#include "input/parameters.hpp"

#include "core/error.hpp"
#include "io/load.hpp"

namespace tfx {

std::vector<std::string> parameter_names(Stage stage) {
  if (stage == Stage::tokens) return {"token_embedding", "position_embedding"};
  if (stage == Stage::layer) return {"W_1", "b_1", "W_2", "b_2", "gain_1", "shift_1", "gain_2", "shift_2"};
  return {};
}

Parameters::Parameters(const InputOptions& options, const std::vector<std::string>& more, Draws& draws,
                       LessonInput& input)
    : options_(options), draws_(draws), input_(input) {
  if (options.weights) file_ = load_weights(*options.weights, more);
  if (options.weights) note_style(options, file_, input.notes);
}

std::size_t Parameters::rows_of(const std::string& name, std::size_t otherwise) const {
  const auto found = file_.tensors.find(name);
  return found == file_.tensors.end() ? otherwise : found->second.shape[0];
}

std::size_t Parameters::columns_of(const std::string& name, std::size_t otherwise) const {
  const auto found = file_.tensors.find(name);
  return found == file_.tensors.end() ? otherwise : found->second.shape[1];
}

std::size_t Parameters::columns_of(const std::string& name, const std::string& option,
                                   std::optional<std::size_t> asked, std::size_t otherwise) const {
  const std::size_t columns = columns_of(name, asked.value_or(otherwise));
  if (asked && *asked != columns)
    throw usage(option + " " + std::to_string(*asked) + " contradicts " + shown_name(*options_.weights) +
                ", whose " + name + " has " + std::to_string(columns) + " columns");
  return columns;
}

void Parameters::add_from_file(const std::string& name) {
  input_.given.add_input(name, shown_name(*options_.weights), file_.tensors.at(name), {}, Role::parameter);
}

void Parameters::weight(const std::string& name, std::size_t d_in, std::size_t d_out, Width width) {
  if (!has(name)) {
    const Init init = options_.init.value_or(Init::normal);
    input_.given.add_input(name, drawn, draws_.weight(name, d_in, d_out, init), {}, Role::parameter);
    return;
  }
  const Shape& shape = file_.tensors.at(name).shape;
  if (shape[0] != d_in || (width == Width::fixed && shape[1] != d_out))
    throw Error(ErrorKind::bad_data,
                shown_name(*options_.weights) + ": " + name + " has shape " + to_string(shape) +
                    ", the input needs " + to_string(Shape{d_in, d_out}),
                shape[1] == d_in && shape[0] != d_in ? "nn.Linear keeps it transposed: save weight.T"
                                                     : "W is (d_in, d_out), used as X·W");
  add_from_file(name);
}

void Parameters::bias(const std::string& name, const std::string& weight_name) {
  if (!has(name)) return;
  const Tensor& b = file_.tensors.at(name);
  if (b.size() != input_.given[weight_name].shape[1])
    throw Error(ErrorKind::bad_data,
                shown_name(*options_.weights) + ": " + name + " has shape " + to_string(b.shape) + ", " +
                    weight_name + " has shape " + to_string(input_.given[weight_name].shape),
                "b has one number for each column of W");
  add_from_file(name);
}

void Parameters::row(const std::string& name, std::size_t width, double start) {
  if (!has(name)) {
    const std::string line = (start == 0 ? "np.zeros(" : "np.ones(") + std::to_string(width) + ")";
    draws_.note(name + " = " + line);
    input_.given.add_input(name, line, Tensor({width}, std::vector<double>(width, start)), {},
                           Role::parameter);
    return;
  }
  const Tensor& b = file_.tensors.at(name);
  if (b.size() != width)
    throw Error(ErrorKind::bad_data,
                shown_name(*options_.weights) + ": " + name + " has shape " + to_string(b.shape) +
                    ", the input needs " + to_string(Shape{width}),
                "it has one number for each column");
  add_from_file(name);
}

void Parameters::note_ignored() {
  std::vector<std::string> unused = file_.ignored;
  for (const auto& [name, tensor] : file_.tensors)
    if (!input_.given.has(name)) unused.push_back(name); // W_O, where there is one head and no W_O
  if (!unused.empty()) input_.notes.push_back(not_used(*options_.weights, unused));
}

void note_style(const InputOptions& options, const Weights& weights, std::vector<std::string>& notes) {
  if (weights.of_torch_layer && !(options.norm && options.norm_first && options.activation))
    notes.push_back(in_words("note.torch_layer", {{"file", shown_name(*options.weights)}}));
}

std::string not_used(const std::string& path, const std::vector<std::string>& names) {
  return in_words("note.unused", {{"file", shown_name(path)}, {"names", listed(names)}});
}

} // namespace tfx
