#include "input/parameters.hpp"

#include "core/error.hpp"
#include "core/tensor.hpp"
#include "input/state_dict.hpp"
#include "io/known_programs.hpp"
#include "io/load.hpp"
#include "io/message.hpp"
#include "text/names.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

namespace {

using Names = std::vector<std::string>;

/// "q_proj.weight (8, 8), …" of these entries, or of all.
std::string held(const TensorFile& file, const std::optional<std::vector<std::size_t>>& some = {}) {
  constexpr std::size_t max_listed = 12;
  const std::size_t count = some ? some->size() : file.entries().size();
  Names names;
  for (std::size_t i = 0; i < std::min(count, max_listed); ++i) {
    const TensorFile::Entry& entry = file.entries()[some ? (*some)[i] : i];
    names.push_back(printable(entry.name) + (entry.is_read() ? " " + to_string(entry.shape) : ""));
  }
  return join(names) + (count > max_listed ? ", …" : "");
}

/// Beyond those of the attention.
Names parameter_names(const InputRules& lesson) {
  Names names;
  const auto add = [&](Input one, const Names& more) {
    if (lesson.takes(one)) names.insert(names.end(), more.begin(), more.end());
  };
  add(Input::token_ids, {"token_embedding", "position_embedding"});
  add(Input::feed_forward, {"W_1", "b_1", "W_2", "b_2"});
  add(Input::norms, {"gain_1", "shift_1", "gain_2", "shift_2"});
  add(Input::todays_block, {"W_1", "b_1", "W_3", "b_3", "W_2", "b_2", "gain_1", "shift_1", "gain_2",
                            "shift_2", "gain_Q", "shift_Q", "gain_K", "shift_K"});
  return names;
}

class WeightsReader {
public:
  WeightsReader(const InputOptions& options, const InputRules& lesson)
      : o_(options),
        lesson_(lesson),
        name_(shown_name(*options.weights)),
        file_(named_tensors(*options.weights)) {
    wanted_ = {"W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V", "b_O"};
    for (const std::string& more : parameter_names(lesson)) wanted_.push_back(more);
    dict_ = state_dict_of(file_, lesson, wanted_);
    // A vocabulary stands where W_O does, and no module's output projection is one.
    if (is_foreign() && lesson.takes(Input::labels)) std::erase(wanted_, "W_O"), std::erase(wanted_, "b_O");
    if (is_foreign() && lesson.takes(Input::token_ids)) wanted_ = parameter_names(lesson);
  }

  Weights read() {
    refuse_other();
    for (const PageTensor& tensor : dict_.tensors) refuse_uncut(tensor);
    if (is_foreign() && !lesson_.takes(Input::token_ids) && !o_.draw_rest) refuse_half();
    for (const PageTensor& tensor : dict_.tensors) add(tensor);
    for (const auto& entries : {dict_.left_over, dict_.unknown})
      for (const std::size_t entry : entries) ignore(entry);
    if (weights_.tensors.empty())
      throw data_error("no_weights", {{"file", name_},
                                      {"names", alternatives(wanted_)},
                                      {"held", held(file_)},
                                      {"known", known_attention_names()}});
    note();
    return std::move(weights_);
  }

private:
  bool is_foreign() const { return dict_.modules.size() == 1; }
  std::string lesson_takes() const {
    return in_words(lesson_.takes(Input::feed_forward) ? "weights.one_layer"
                    : lesson_.takes(Input::token_ids)  ? "weights.tables"
                                                       : "weights.one_attention");
  }

  /// A whole model, or several modules.
  void refuse_other() const {
    const auto program = program_of(file_.entries());
    const bool has_own = std::ranges::any_of(dict_.tensors, [&](const PageTensor& tensor) {
      return file_.entries()[tensor.entry].name == tensor.name;
    });
    const std::map<std::string, std::string> values{{"file", name_},
                                                    {"takes", lesson_takes()},
                                                    {"program", program ? described(*program) : ""},
                                                    {"count", std::to_string(dict_.modules.size())},
                                                    {"names", listed(shortened(dict_.modules))},
                                                    {"first", one_in_python()},
                                                    {"known", known_attention_names()}};
    if (program && program->kind == ProgramKind::model && !has_own) throw data_error("whole_model", values);
    if (dict_.modules.size() < 2) return;
    const bool no_layer = lesson_.takes(Input::feed_forward) && !has_encoder_layer();
    throw data_error(no_layer  ? "no_encoder_layer"
                     : program ? "several_modules_of"
                               : "several_modules",
                     values);
  }

  /// A decoder's layer has two attention modules.
  bool has_encoder_layer() const {
    const auto layer_of = [](const std::string& module) { return module.substr(0, module.rfind('.') + 1); };
    return std::ranges::any_of(dict_.modules, [&](const std::string& module) {
      return is_in_encoder_layer(module) &&
             std::ranges::count(dict_.modules, layer_of(module), layer_of) == 1;
    });
  }

  /// "layers[0].self_attn": one of several modules as Python names it; for a layer the first one whose
  /// attention is an encoder's.
  std::string one_in_python() const {
    if (dict_.modules.empty()) return "";
    const auto rank = [](const std::string& name) {
      return int{name.find("decoder") != std::string::npos} + int{!is_in_encoder_layer(name)};
    };
    std::string one = *std::ranges::min_element(dict_.modules, {}, rank);
    if (lesson_.takes(Input::feed_forward)) one.resize(std::min(one.rfind('.'), one.size()));
    std::string python;
    for (std::size_t begin = 0; begin < one.size();) {
      const std::size_t end = std::min(one.find('.', begin), one.size());
      const std::string part = one.substr(begin, end - begin);
      const bool is_number = part.find_first_not_of("0123456789") == part.npos;
      python += is_number ? "[" + part + "]" : (python.empty() ? "" : ".") + part;
      begin = end + 1;
    }
    return printable(python);
  }

  static Names shortened(Names names) {
    constexpr std::size_t max_listed = 4;
    for (std::string& name : names) name = name.empty() ? "(…)" : printable(name);
    if (names.size() > max_listed) names.resize(max_listed), names.emplace_back("…");
    return names;
  }

  void refuse_uncut(const PageTensor& tensor) const {
    if (!tensor.third) return;
    const TensorFile::Entry& entry = file_.entries()[tensor.entry];
    if (entry.shape.size() == (tensor.transposed ? 2 : 1) && entry.shape[0] % 3 == 0) return;
    refuse_file(name_,
                said("{name} has shape {shape}: Q, K and V stand in it below one another, "
                     "a third of the rows each",
                     {{"name", printable(entry.name)}, {"shape", to_string(entry.shape)}}),
                said("the weight is (3·d_model, d_model), the bias (3·d_model,)"));
  }

  void refuse_half() const {
    const std::map<std::string, std::string> values{{"file", name_},
                                                    {"takes", lesson_takes()},
                                                    {"held", held(file_)},
                                                    {"missing", listed(printed(dict_.missing))},
                                                    {"left_over", held(file_, dict_.left_over)},
                                                    {"known", known_attention_names()}};
    for (const std::size_t entry : dict_.left_over)
      if (!file_.entries()[entry].is_read()) file_.read(entry); // refused by its type
    if (!dict_.missing.empty()) throw data_error("half_module", values);
    if (!dict_.left_over.empty()) throw data_error("left_over", values);
  }

  static Names printed(Names names) {
    for (std::string& name : names) name = printable(name);
    return names;
  }

  /// `kind` is the first letter of the page's name: W, b, or of a table or a gain.
  [[noreturn]] void refuse_rank(const std::string& name, const Shape& shape, std::size_t rank,
                                char kind) const {
    const std::initializer_list<Named> values{{"name", name}, {"shape", to_string(shape)}, {"rank", rank}};
    refuse_file(name_,
                rank == 1 ? said("{name} has shape {shape}; it takes {rank} axis", values)
                          : said("{name} has shape {shape}; it takes {rank} axes", values),
                kind == 'b'   ? said("b is (d_out,)")
                : rank == 1   ? said("it has one number for each column")
                : kind == 'W' ? said("W is (d_in, d_out), used as X·W")
                              : said("a table has one row for each word or position"));
  }

  void ignore(std::size_t entry) { weights_.ignored.push_back(printable(file_.entries()[entry].name)); }

  void add(const PageTensor& tensor) {
    if (!std::ranges::count(wanted_, tensor.name)) return ignore(tensor.entry);
    const TensorFile::Entry& entry = file_.entries()[tensor.entry];
    const std::string shown =
        entry.name == tensor.name ? tensor.name : tensor.name + " (" + printable(entry.name) + ")";
    if (weights_.tensors.contains(tensor.name))
      throw data_error("two_tensors", {{"file", name_},
                                       {"name", tensor.name},
                                       {"one", weights_.shown(tensor.name)},
                                       {"other", printable(entry.name)}});
    Tensor values{entry.shape, {}};
    if (element_count(entry.shape) == 0)
      refuse_file(name_, said("the array is empty: shape {shape}", {{"shape", to_string(entry.shape)}}),
                  said("give at least one row and column"));
    const std::size_t rank = tensor.name[0] == 'W' || tensor.name.ends_with("_embedding") ? 2 : 1;
    if (entry.shape.size() != rank) refuse_rank(shown, entry.shape, rank, tensor.name[0]);
    values.data = file_.read(tensor.entry);
    if (tensor.third) values = third_of(values, *tensor.third);
    if (tensor.transposed) values = transposed(values);
    if (entry.name != tensor.name) weights_.names[tensor.name] = entry.name;
    weights_.tensors.emplace(tensor.name, std::move(values));
  }

  static Tensor third_of(const Tensor& all, std::size_t i) {
    Shape shape = all.shape;
    shape[0] /= 3;
    const auto count = static_cast<std::ptrdiff_t>(element_count(shape));
    const auto begin = all.data.begin() + static_cast<std::ptrdiff_t>(i) * count;
    return Tensor(shape, {begin, begin + count});
  }

  void note() {
    const auto say = [&](const std::string& key, const std::string& value) {
      weights_.notes.push_back(in_words("note." + key, {{"file", name_}, {"name", value}}));
    };
    if (!weights_.is_module()) return;
    if (!dict_.taken_off.empty()) say("taken_off", listed(dict_.taken_off));
    if (!dict_.read_from.empty()) say("read_from", printable(dict_.read_from));
    if (dict_.of_torch_layer && lesson_.takes(Input::feed_forward) &&
        !(o_.norm && o_.norm_first && o_.activation))
      say("torch_layer", "");
    if (!dict_.program.name.empty() && lesson_.takes(Input::feed_forward) &&
        !(o_.norm && o_.norm_first && o_.epsilon))
      weights_.notes.push_back(
          in_words("note.program_layer", {{"file", name_},
                                          {"program", std::string(dict_.program.name)},
                                          {"options", std::string(dict_.program.options)}}));
    if (dict_.is_rotary) say("rotary", "");
  }

  const InputOptions& o_;
  const InputRules& lesson_;
  std::string name_;
  TensorFile file_;
  Names wanted_;
  StateDict dict_;
  Weights weights_;
};

} // namespace

std::string Weights::shown(const std::string& name) const {
  const auto found = names.find(name);
  return found == names.end() ? name : name + " (" + printable(found->second) + ")";
}

Weights load_weights(const InputOptions& options, const InputRules& lesson) {
  return WeightsReader(options, lesson).read();
}

Parameters::Parameters(const InputOptions& options, const InputRules& lesson, Draws& draws,
                       LessonInput& input)
    : options_(options), draws_(draws), input_(input) {
  if (!options.weights) return;
  file_ = load_weights(options, lesson);
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
