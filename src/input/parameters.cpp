#include "input/parameters.hpp"

#include "core/error.hpp"
#include "io/load.hpp"
#include "io/message.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

Parameters::Parameters(const InputOptions& options, Stage stage, Draws& draws, LessonInput& input)
    : options_(options), draws_(draws), input_(input) {
  if (!options.weights) return;
  file_ = load_weights(options, stage);
  input.notes.insert(input.notes.end(), file_.notes.begin(), file_.notes.end());
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
    throw usage(said("{option} {value} contradicts {file}, whose {name} has {columns} columns",
                     {{"option", option},
                      {"value", *asked},
                      {"file", FileName(shown_name(*options_.weights))},
                      {"name", name},
                      {"columns", columns}}));
  return columns;
}

void Parameters::add_from_file(const std::string& name) {
  input_.given.add_input(name, shown_name(*options_.weights), file_.tensors.at(name), {}, Role::parameter);
}

void Parameters::refuse_shape(const std::string& name, const Shape& needed, const Message& hint) const {
  refuse_file(shown_name(*options_.weights),
              said("{name} has shape {shape}, the input needs {other}",
                   {{"name", file_.shown(name)},
                    {"shape", to_string(file_.tensors.at(name).shape)},
                    {"other", to_string(needed)}}),
              hint);
}

void Parameters::weight(const std::string& name, std::size_t d_in, std::size_t d_out, Width width) {
  if (!has(name)) {
    const Init init = options_.init.value_or(Init::normal);
    input_.given.add_input(name, drawn, draws_.weight(name, d_in, d_out, init), {}, Role::parameter);
    return;
  }
  const Shape& shape = file_.tensors.at(name).shape;
  if (shape[0] != d_in || (width == Width::fixed && shape[1] != d_out))
    refuse_shape(name, {d_in, d_out},
                 shape[1] == d_in && shape[0] != d_in && !file_.is_module()
                     ? said("nn.Linear keeps it transposed: save weight.T")
                     : said("W is (d_in, d_out), used as X·W"));
  add_from_file(name);
}

void Parameters::bias(const std::string& name, const std::string& weight_name) {
  if (!has(name)) return;
  const Tensor& b = file_.tensors.at(name);
  if (b.size() != input_.given[weight_name].shape[1])
    refuse_file(shown_name(*options_.weights),
                unequal_shapes(file_.shown(name), b.shape, weight_name, input_.given[weight_name].shape),
                said("b has one number for each column of W"));
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
  if (b.size() != width) refuse_shape(name, {width}, said("it has one number for each column"));
  add_from_file(name);
}

void Parameters::note_ignored() {
  std::vector<std::string> unused = file_.ignored;
  for (const auto& [name, tensor] : file_.tensors)
    if (!input_.given.has(name)) { // W_O, where there is one head and no W_O
      const auto theirs = file_.names.find(name);
      unused.push_back(theirs == file_.names.end() ? name : theirs->second);
    }
  if (!unused.empty()) input_.notes.push_back(not_used(*options_.weights, unused));
}

std::string not_used(const std::string& path, const std::vector<std::string>& names) {
  std::vector<std::string> once; // q, k and v may stand in one
  for (const std::string& name : names)
    if (!std::ranges::count(once, name)) once.push_back(name);
  return in_words("note.unused", {{"file", shown_name(path)}, {"names", listed(once)}});
}

} // namespace tfx
