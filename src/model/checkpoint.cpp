#include "model/checkpoint.hpp"

#include "core/error.hpp"
#include "io/file.hpp"
#include "io/known_programs.hpp"
#include "io/message.hpp"
#include "io/npz.hpp"
#include "io/safetensors.hpp"
#include "kernels/positional.hpp"
#include "model/checkpoint_format.hpp"
#include "model/counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

namespace tfx {

namespace {

using SourceOf = std::unordered_map<std::string, const TensorSource*>;

SourceOf by_name(const TensorFile& file, const NamedSources& sources) {
  SourceOf table;
  for (const TensorSource& tensor : sources.tensors) {
    const auto [first, is_new] = table.emplace(tensor.name, &tensor);
    if (is_new) continue;
    const auto theirs = [&](const TensorSource& one) { return in_quotes(file.entries()[one.entry].name); };
    refuse_file(
        file.path(),
        said("tensors {one} and {other} are both {name} in the model",
             {{"one", theirs(*first->second)}, {"other", theirs(tensor)}, {"name", in_quotes(tensor.name)}}),
        said("keep the names of one program"));
  }
  return table;
}

/// A file without biases is read as if they were 0.
void leave_biases_out(std::vector<NamedShape>& wanted, const NamedSources& named) {
  if (!named.are_without_biases()) return;
  std::erase_if(wanted, [](const NamedShape& one) { return is_of_layers(one.name) && is_bias(one.name); });
}

/// Why a file of torch.nn's has no final norm.
Message advice_for(const std::string& missing) {
  return missing.starts_with("encoder.norm.") || missing.starts_with("decoder.norm.")
             ? said("this stack ends without a norm, and tfx computes one: "
                    "make it with norm=nn.LayerNorm(d_model)")
             : said("save the whole state_dict");
}

/// What to do about another shape.
Message advice_for_shape(const FileScheme& scheme) {
  if (scheme.family != NameFamily::gpt2) return said("nn.Linear keeps its weight as (d_out, d_in)");
  return scheme.conv1d
             ? said(
                   "c_attn is (d_model, 3·d_model): then every matrix of the file is Conv1D's, (d_in, d_out)")
             : said("c_attn is (3·d_model, d_model): then every matrix of the file is nn.Linear's, "
                    "(d_out, d_in)");
}

/// Refuses a tensor that is missing; by its own reason where the file has it in a type that is not read.
[[noreturn]] void refuse_missing(const TensorFile& file, const NamedShape& missing, const FileScheme& scheme,
                                 const std::string& unknown) {
  const TheirTensor theirs = their_tensor(missing.name, scheme);
  std::vector<std::string> taken;
  for (std::size_t i = 0; i < file.entries().size(); ++i)
    if (!file.entries()[i].is_read() &&
        without_wrappers(file.entries()[i].name, taken) == without_wrappers(theirs.name, taken))
      file.read(i);
  refuse_file(file.path(),
              said("tensor {name} is missing", {{"name", both_names(missing.name, scheme) + " " +
                                                             to_string(their_shape(missing.shape, theirs))}}),
              unknown.empty()
                  ? advice_for(missing.name)
                  : said("the file has {name}, which the model does not know", {{"name", unknown}}));
}

/// Refuses the first tensor that is missing, has another shape, or is unknown; by the names of `scheme`.
void require_equal(const TensorFile& file, const SourceOf& found, const std::vector<NamedShape>& wanted,
                   const FileScheme& scheme = {}) {
  std::set<std::string> known;
  const NamedShape* missing = nullptr;
  for (const NamedShape& tensor : wanted) {
    known.insert(tensor.name);
    const auto source = found.find(tensor.name);
    if (source == found.end()) {
      if (!missing) missing = &tensor;
    } else if (source->second->shape != tensor.shape) {
      const TensorFile::Entry& entry = file.entries()[source->second->entry];
      const bool is_theirs = is_published(scheme.family);
      refuse_file(file.path(),
                  said("tensor {name} is {shape}, the model needs {other}",
                       {{"name", is_theirs ? both_names(tensor.name, scheme) : in_quotes(entry.name)},
                        {"shape", to_string(entry.shape)},
                        {"other", to_string(their_shape(tensor.shape, their_tensor(tensor.name, scheme)))}}),
                  advice_for_shape(scheme));
    }
  }
  std::string unknown;
  for (const auto& [name, source] : found)
    if (!known.contains(name)) {
      const TensorFile::Entry& entry = file.entries()[source->entry];
      const std::string text = in_quotes(entry.name) + " " + to_string(entry.shape);
      if (unknown.empty() || text < unknown) unknown = text; // the same one every time
    }
  if (missing) refuse_missing(file, *missing, scheme, unknown);
  if (!unknown.empty())
    refuse_file(file.path(), said("the model knows no tensor {name}", {{"name", unknown}}),
                said("leave it out, or give the file to the model that it belongs to"));
}

/// Fills the parameters of a layer whose shapes have been compared with the file's.
template <class Layer>
void read_parameters(Layer& layer, const TensorFile& file, const SourceOf& sources,
                     const std::string& prefix = {}) {
  struct LastRead {
    std::size_t entry;
    std::vector<double> cells;
  };
  LastRead matrix{file.entries().size(), {}}, vector = matrix; // q, k and v may share one
  each_parameter(
      [&](const std::string& name, auto& tensor) {
        const auto found = sources.find(name);
        if (found == sources.end()) { // a bias that the file's layers do not have
          tensor.zeros();
          return;
        }
        const TensorSource& source = *found->second;
        LastRead& last = source.shape.size() > 1 ? matrix : vector;
        if (last.entry != source.entry) last = {source.entry, file.read(source.entry)};
        const std::vector<double>& cells = last.cells;
        using Real = std::remove_reference_t<decltype(tensor[0])>;
        for (std::size_t i = 0; i < tensor.n_elem; ++i) {
          const double cell = cells[source.place(i)];
          if (!std::isfinite(cell))
            refuse_file(
                file.path(),
                said("tensor {name} is not finite", {{"name", in_quotes(file.entries()[source.entry].name)}}),
                said("its training diverged, or the file was damaged; a weight is a finite number"));
          tensor[i] = static_cast<Real>(cell);
          if (std::isfinite(cell) && !std::isfinite(tensor[i]))
            refuse_file(file.path(),
                        said("tensor {name} holds {value}, too large for float32",
                             {{"name", in_quotes(file.entries()[source.entry].name)},
                              {"value", fmt::format("{}", cell)}}),
                        said("compute in double: --dtype f64"));
        }
      },
      prefix, layer);
}

/// Of a model's parameters those of its layers, or those around them.
std::vector<NamedShape> parameters_of(const ModelSpec& spec, bool layers) {
  std::vector<NamedShape> wanted = parameter_shapes(Transformer<ShapesOnly>(spec));
  std::erase_if(wanted, [&](const NamedShape& tensor) { return is_of_layers(tensor.name) != layers; });
  return wanted;
}

[[noreturn]] void refuse_buffer(const TensorFile& file, const std::string& name, const Shape& shape,
                                const Shape& wanted, const Message& hint) {
  refuse_file(file.path(),
              said("buffer {name} is {shape}, the model needs {other}",
                   {{"name", in_quotes(name)}, {"shape", to_string(shape)}, {"other", to_string(wanted)}}),
              hint);
}

/// The buffers of a file, which are computed here and not read: their shapes have to be a model's.
void require_buffers(const TensorFile& file, const NamedSources& named, SourceOf& sources,
                     const ModelSpec& spec) {
  const Shape wanted{1, spec.max_len, spec.d_model}, mask{1, 1, spec.max_len, spec.max_len};
  for (const char* name : {"src_embed.1.pe", "tgt_embed.1.pe"}) {
    const auto source = sources.find(name);
    if (source == sources.end()) continue;
    if (source->second->shape != wanted)
      refuse_buffer(file, name, source->second->shape, wanted,
                    said("it is PositionalEncoding's table of sines and cosines"));
    sources.erase(source);
  }
  for (const std::size_t entry : named.masks)
    if (file.entries()[entry].shape != mask)
      refuse_buffer(file, file.entries()[entry].name, file.entries()[entry].shape, mask,
                    said("it is the causal mask, as long as the table of positions"));
}

/// A parameter or buffer on its way to a file.
template <class Real>
Tensor cells_of(const arma::Mat<Real>& tensor, Shape shape) {
  return Tensor(std::move(shape), std::vector<double>(tensor.begin(), tensor.end()));
}

/// Where a parameter's cells go in another program's tensor, of which it may be a part.
void copy_cells(const CheckpointTensor& ours, const TheirTensor& theirs, Tensor& whole) {
  const std::size_t rows = ours.tensor.shape[0], size = ours.tensor.size(), columns = size / rows;
  for (std::size_t i = 0; i < size; ++i)
    whole.data[theirs.transposed ? i % columns * rows * theirs.parts + theirs.part * rows + i / columns
                                 : theirs.part * size + i] = ours.tensor.data[i];
}

/// Every parameter under the names of `scheme`.
template <class Real>
std::vector<CheckpointTensor> parameters_as(const Transformer<Real>& model, const FileScheme& scheme) {
  std::vector<CheckpointTensor> state;
  std::unordered_map<std::string, std::size_t> places;
  for (CheckpointTensor& ours : named_parameters(model)) {
    const TheirTensor theirs = their_tensor(ours.name, scheme);
    const Shape shape = their_shape(ours.tensor.shape, theirs);
    const auto [place, is_new] = places.emplace(theirs.name, state.size());
    if (!has_place(ours.name, scheme) || (!is_new && state[place->second].tensor.shape != shape))
      throw usage(
          said("{program} has no place for {name} {shape}", {{"program", name_of_program(scheme.family)},
                                                             {"name", in_quotes(ours.name)},
                                                             {"shape", to_string(ours.tensor.shape)}}),
          said("save the model under the names of The Annotated Transformer"));
    if (is_new) state.push_back({theirs.name, Tensor(shape)});
    copy_cells(ours, theirs, state[place->second].tensor);
  }
  return state;
}

/// The parameters and, among them, the buffers that a module has.
template <class Real>
std::vector<CheckpointTensor> state_dict(const Transformer<Real>& model, const FileScheme& scheme) {
  const ModelSpec& spec = model.spec;
  std::vector<CheckpointTensor> state;
  const bool computed = spec.positions == Positions::sinusoidal && !is_published(scheme.family);
  arma::Mat<Real> pe;
  if (computed) pe = unset<Real>(spec.d_model, spec.max_len), sinusoidal_positions(view(pe));
  const auto name_of = [&](const char* ours) { return their_tensor(ours, scheme).name; };
  for (CheckpointTensor& parameter : parameters_as(model, scheme)) {
    const std::string name = parameter.name;
    state.push_back(std::move(parameter));
    if (!computed) continue;
    for (const std::string side : {"src_embed.", "tgt_embed."})
      if (name == name_of((side + "0.lut.weight").c_str()))
        state.push_back({scheme.prefix + side + "1.pe", cells_of(pe, {1, spec.max_len, spec.d_model})});
  }
  if (spec.tied && scheme.head)
    state.push_back(
        {name_of("generator.proj.weight"), cells_of(model.tgt_embed.lut, torch_shape(model.tgt_embed.lut))});
  return state;
}

/// As the scheme says, where such numbers are written in such a file.
DType dtype_of(const FileScheme& scheme, DType computed, bool npz) {
  switch (scheme.dtype.value_or(computed)) {
  case DType::f16: return DType::f16;
  case DType::bf16: return npz ? DType::f32 : DType::bf16;
  case DType::f32: return DType::f32;
  case DType::f64: return DType::f64;
  default: return computed;
  }
}

} // namespace

template <class Real>
Transformer<Real> load_model(const std::string& path, const GivenStyle& given) {
  return load_model<Real>(TensorFile(path), given);
}

ModelSpec spec_in(const TensorFile& file, const GivenStyle& given) {
  return spec_of(file, annotated_names(file), given);
}

FileScheme scheme_in(const TensorFile& file) {
  return annotated_names(file).scheme;
}

namespace {

/// The file's model, every tensor of it compared; read is what `cut` leaves of its shape.
template <class Real>
Transformer<Real> load_part(const TensorFile& file, const GivenStyle& given, const auto& cut) {
  const NamedSources named = annotated_names(file);
  ModelSpec spec = spec_of(file, named, given);
  SourceOf sources = by_name(file, named);
  require_buffers(file, named, sources, spec);
  std::vector<NamedShape> wanted = parameter_shapes(Transformer<ShapesOnly>(spec));
  leave_biases_out(wanted, named);
  require_equal(file, sources, wanted, named.scheme);
  cut(spec);
  Transformer<Real> model(spec);
  read_parameters(model, file, sources);
  return model;
}

} // namespace

template <class Real>
Transformer<Real> load_model(const TensorFile& file, const GivenStyle& given) {
  return load_part<Real>(file, given, [](ModelSpec&) {});
}

template <class Real>
Transformer<Real> load_encoder(const TensorFile& file, std::size_t layers, const GivenStyle& given) {
  return load_part<Real>(file, given, [&](ModelSpec& spec) {
    spec.stacks = Stacks::encoder, spec.layers = std::min(layers, spec.layers), spec.tgt_vocab = 0;
  });
}

bool holds_layers_alone(const TensorFile& file) {
  return annotated_names(file).are_layers_alone();
}

ModelSpec spec_of_layers(const TensorFile& file, const GivenStyle& given, const Vocabularies& vocabularies) {
  return spec_of(file, annotated_names(file), given, vocabularies);
}

template <class Real>
void load_layers(Transformer<Real>& model, const TensorFile& file) {
  const NamedSources named = annotated_names(file);
  const SourceOf sources = by_name(file, named);
  std::vector<NamedShape> wanted = parameters_of(model.spec, true);
  leave_biases_out(wanted, named);
  require_equal(file, sources, wanted, named.scheme);
  read_parameters(model.encoder, file, sources, "encoder");
  read_parameters(model.decoder, file, sources, "decoder");
}

Vocabularies vocabularies_in(const TensorFile& ends) {
  return vocabularies_of(ends, annotated_ends(ends));
}

template <class Real>
void load_ends(Transformer<Real>& model, const TensorFile& ends) {
  const NamedSources named = annotated_ends(ends);
  const SourceOf sources = by_name(ends, named);
  require_equal(ends, sources, parameters_of(model.spec, false), {NameFamily::torch});
  read_parameters(model.src_embed, ends, sources, "src_embed");
  read_parameters(model.tgt_embed, ends, sources, "tgt_embed");
  read_parameters(model.generator, ends, sources, "generator.proj");
}

template <class Real>
Transformer<Real> load_parameters(const TensorFile& file, const std::string& prefix, const ModelSpec& spec) {
  const std::size_t length = prefix.size();
  std::vector<TensorSource> tensors;
  for (std::size_t i = 0; i < file.entries().size(); ++i)
    if (const TensorFile::Entry& entry = file.entries()[i]; entry.name.starts_with(prefix) && entry.is_read())
      tensors.push_back({entry.name.substr(length), entry.shape, i});
  SourceOf sources;
  for (const TensorSource& tensor : tensors) sources.emplace(tensor.name, &tensor);
  require_equal(file, sources, parameter_shapes(Transformer<ShapesOnly>(spec)));
  Transformer<Real> parameters(spec);
  read_parameters(parameters, file, sources);
  return parameters;
}

template <class Real>
std::vector<CheckpointTensor> named_parameters(const Transformer<Real>& model, const std::string& prefix) {
  std::vector<CheckpointTensor> tensors;
  each_parameter(
      [&](const std::string& name, const auto& tensor) {
        tensors.push_back({prefix + name, cells_of<Real>(tensor, torch_shape(tensor))});
      },
      "", model);
  return tensors;
}

template <class Real>
MultiHeadAttention<Real> load_attention(const std::string& path) {
  const TensorFile file(path);
  const NamedSources named = annotated_names(file);
  const SourceOf sources = by_name(file, named);
  const auto query = sources.find("linears.0.weight");
  if (query == sources.end() || query->second->shape.size() != 2)
    refuse_file(path,
                said("there is no projection of the queries (in_proj_weight, q_linear.weight or wq.weight)"),
                said("give the state_dict of one attention module"));
  const std::size_t d_model = query->second->shape[1];
  const LinearBias bias = sources.contains("linears.0.bias") ? LinearBias::yes : LinearBias::no;
  require_equal(file, sources, parameter_shapes(MultiHeadAttention<ShapesOnly>(d_model, bias)));
  MultiHeadAttention<Real> layer(d_model, bias);
  read_parameters(layer, file, sources);
  return layer;
}

template <class Real>
void save_model(const Transformer<Real>& model, const std::string& path, const Metadata& more,
                const FileScheme& scheme) {
  const bool npz = path.ends_with(".npz");
  if (!npz && !path.ends_with(".safetensors"))
    throw usage(said("a model is saved as .npz or .safetensors, not as {file}", {{"file", printable(path)}}),
                said("give the file one of these names"));
  if (npz) require_no_metadata_needed(model.spec, scheme, path);
  const DType dtype = dtype_of(scheme, std::is_same_v<Real, float> ? DType::f32 : DType::f64, npz);
  const std::vector<CheckpointTensor> state = state_dict(model, scheme);
  if (npz) {
    std::vector<NpzEntry> entries;
    for (const CheckpointTensor& tensor : state) entries.push_back({tensor.name, &tensor.tensor, dtype});
    return write_file_atomically(path, write_npz(entries));
  }
  std::vector<SafetensorsEntry> entries;
  for (const CheckpointTensor& tensor : state) entries.push_back({tensor.name, &tensor.tensor, dtype});
  Metadata metadata = metadata_of(model.spec, scheme);
  metadata.insert(more.begin(), more.end());
  write_file_atomically(path, write_safetensors(entries, metadata));
}

template void load_layers(Transformer<float>&, const TensorFile&);
template void load_layers(Transformer<double>&, const TensorFile&);
template void load_ends(Transformer<float>&, const TensorFile&);
template void load_ends(Transformer<double>&, const TensorFile&);
template Transformer<float> load_model(const std::string&, const GivenStyle&);
template Transformer<double> load_model(const std::string&, const GivenStyle&);
template MultiHeadAttention<float> load_attention(const std::string&);
template MultiHeadAttention<double> load_attention(const std::string&);
template Transformer<float> load_model(const TensorFile&, const GivenStyle&);
template Transformer<double> load_model(const TensorFile&, const GivenStyle&);
template Transformer<float> load_encoder(const TensorFile&, std::size_t, const GivenStyle&);
template Transformer<double> load_encoder(const TensorFile&, std::size_t, const GivenStyle&);
template Transformer<float> load_parameters(const TensorFile&, const std::string&, const ModelSpec&);
template Transformer<double> load_parameters(const TensorFile&, const std::string&, const ModelSpec&);
template std::vector<CheckpointTensor> named_parameters(const Transformer<float>&, const std::string&);
template std::vector<CheckpointTensor> named_parameters(const Transformer<double>&, const std::string&);
template void save_model(const Transformer<float>&, const std::string&, const Metadata&, const FileScheme&);
template void save_model(const Transformer<double>&, const std::string&, const Metadata&, const FileScheme&);

} // namespace tfx
