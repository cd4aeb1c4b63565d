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
  for (const TensorSource& tensor : sources.tensors)
    if (!table.emplace(tensor.name, &tensor).second)
      refuse_file(file.path(),
                  said("two tensors are {name} in the model", {{"name", in_quotes(tensor.name)}}),
                  said("keep the names of one program"));
  return table;
}

/// The shape that the file's tensor needs where ours is a part of it.
Shape in_file(Shape ours, const TensorSource& source, const TensorFile& file) {
  const Shape& whole = file.entries()[source.entry].shape;
  if (whole != source.shape && !ours.empty()) ours[0] *= 3; // queries, keys and values in one
  return ours;
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

/// Refuses the first tensor that is missing, has another shape, or is unknown; by the names of `family`.
void require_equal(const TensorFile& file, const SourceOf& found, const std::vector<NamedShape>& wanted,
                   NameFamily family = NameFamily::annotated) {
  std::set<std::string> known;
  std::string missing, unknown;
  Shape missing_shape;
  for (const NamedShape& tensor : wanted) {
    known.insert(tensor.name);
    const auto source = found.find(tensor.name);
    if (source == found.end()) {
      if (missing.empty()) missing = tensor.name, missing_shape = tensor.shape;
    } else if (source->second->shape != tensor.shape) {
      refuse_file(file.path(),
                  said("tensor {name} is {shape}, the model needs {other}",
                       {{"name", in_quotes(file.entries()[source->second->entry].name)},
                        {"shape", to_string(file.entries()[source->second->entry].shape)},
                        {"other", to_string(in_file(tensor.shape, *source->second, file))}}),
                  said("nn.Linear keeps its weight as (d_out, d_in)"));
    }
  }
  for (const auto& [name, source] : found)
    if (!known.contains(name)) {
      const TensorFile::Entry& entry = file.entries()[source->entry];
      const std::string text = in_quotes(entry.name) + " " + to_string(entry.shape);
      if (unknown.empty() || text < unknown) unknown = text; // the same one every time
    }
  if (!missing.empty()) {
    const std::string theirs = their_name(missing, family);
    std::vector<std::string> taken;
    for (std::size_t i = 0; i < file.entries().size();
         ++i) // there, but of a type that is refused by its name
      if (!file.entries()[i].is_read() && without_wrappers(file.entries()[i].name, taken) == theirs)
        file.read(i);
    if (theirs.find("in_proj_") != std::string::npos) missing_shape[0] *= 3;
    refuse_file(
        file.path(),
        said("tensor {name} is missing", {{"name", in_quotes(theirs) + " " + to_string(missing_shape)}}),
        unknown.empty() ? advice_for(missing)
                        : said("the file has {name}, which the model does not know", {{"name", unknown}}));
  }
  if (!unknown.empty())
    refuse_file(file.path(), said("the model knows no tensor {name}", {{"name", unknown}}),
                said("leave it out, or give the file to the model that it belongs to"));
}

/// Fills the parameters of a layer whose shapes have been compared with the file's.
template <class Layer>
void read_parameters(Layer& layer, const TensorFile& file, const SourceOf& sources,
                     const std::string& prefix = {}) {
  std::vector<double> cells; // of the entry read last: q, k and v may share one
  std::size_t entry = file.entries().size();
  each_parameter(
      [&](const std::string& name, auto& tensor) {
        const auto found = sources.find(name);
        if (found == sources.end()) { // a bias that the file's layers do not have
          tensor.zeros();
          return;
        }
        const TensorSource& source = *found->second;
        if (source.entry != entry) cells = file.read(source.entry), entry = source.entry;
        using Real = std::remove_reference_t<decltype(tensor[0])>;
        for (std::size_t i = 0; i < tensor.n_elem; ++i) {
          const double cell = cells[source.first + i];
          tensor[i] = static_cast<Real>(cell);
          if (std::isfinite(cell) && !std::isfinite(tensor[i]))
            refuse_file(file.path(),
                        said("tensor {name} holds {value}, too large for float32",
                             {{"name", in_quotes(name)}, {"value", fmt::format("{}", cell)}}),
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

/// The buffers of a file, which are computed here and not read: their shapes have to be a model's.
void require_buffers(const TensorFile& file, SourceOf& sources, const ModelSpec& spec) {
  const Shape wanted{1, spec.max_len, spec.d_model};
  for (const char* name : {"src_embed.1.pe", "tgt_embed.1.pe"}) {
    const auto source = sources.find(name);
    if (source == sources.end()) continue;
    if (source->second->shape != wanted)
      refuse_file(file.path(),
                  said("buffer {name} is {shape}, the model needs {other}",
                       {{"name", in_quotes(name)},
                        {"shape", to_string(source->second->shape)},
                        {"other", to_string(wanted)}}),
                  said("it is PositionalEncoding's table of sines and cosines"));
    sources.erase(source);
  }
}

/// A parameter or buffer on its way to a file.
template <class Real>
Tensor cells_of(const arma::Mat<Real>& tensor, Shape shape) {
  return Tensor(std::move(shape), std::vector<double>(tensor.begin(), tensor.end()));
}

/// The parameters and, among them, the buffers that a module has.
template <class Real>
std::vector<CheckpointTensor> state_dict(const Transformer<Real>& model) {
  const ModelSpec& spec = model.spec;
  arma::Mat<Real> pe(spec.d_model, spec.max_len, arma::fill::none);
  sinusoidal_positions(view(pe));
  const Shape pe_shape{1, spec.max_len, spec.d_model};
  std::vector<CheckpointTensor> state;
  for (CheckpointTensor& parameter : named_parameters(model)) {
    const std::string name = parameter.name;
    state.push_back(std::move(parameter));
    if (name == "src_embed.0.lut.weight") state.push_back({"src_embed.1.pe", cells_of(pe, pe_shape)});
    if (name == "tgt_embed.0.lut.weight") state.push_back({"tgt_embed.1.pe", cells_of(pe, pe_shape)});
  }
  return state;
}

} // namespace

template <class Real>
Transformer<Real> load_model(const std::string& path, const GivenStyle& given) {
  return load_model<Real>(TensorFile(path), given);
}

ModelSpec spec_in(const TensorFile& file, const GivenStyle& given) {
  return spec_of(file, annotated_names(file), given);
}

template <class Real>
Transformer<Real> load_model(const TensorFile& file, const GivenStyle& given) {
  const NamedSources named = annotated_names(file);
  const ModelSpec spec = spec_of(file, named, given);
  SourceOf sources = by_name(file, named);
  require_buffers(file, sources, spec);
  std::erase_if(sources, [](const auto& source) { return is_of_training(source.first); });
  std::vector<NamedShape> wanted = parameter_shapes(Transformer<ShapesOnly>(spec));
  leave_biases_out(wanted, named);
  require_equal(file, sources, wanted, named.family);
  Transformer<Real> model(spec);
  read_parameters(model, file, sources);
  return model;
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
  require_equal(file, sources, wanted, named.family);
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
  require_equal(ends, sources, parameters_of(model.spec, false), NameFamily::torch);
  read_parameters(model.src_embed, ends, sources, "src_embed");
  read_parameters(model.tgt_embed, ends, sources, "tgt_embed");
  read_parameters(model.generator, ends, sources, "generator.proj");
}

bool is_of_training(const std::string& name) {
  return name.starts_with("adam.") || name.starts_with("training.");
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
void save_model(const Transformer<Real>& model, const std::string& path, const Metadata& more) {
  const bool npz = path.ends_with(".npz");
  if (!npz && !path.ends_with(".safetensors"))
    throw usage(said("a model is saved as .npz or .safetensors, not as {file}", {{"file", printable(path)}}),
                said("give the file one of these names"));
  constexpr DType dtype = std::is_same_v<Real, float> ? DType::f32 : DType::f64;
  const std::vector<CheckpointTensor> state = state_dict(model);
  if (npz) {
    std::vector<NpzEntry> entries;
    for (const CheckpointTensor& tensor : state) entries.push_back({tensor.name, &tensor.tensor, dtype});
    return write_file_atomically(path, write_npz(entries));
  }
  std::vector<SafetensorsEntry> entries;
  for (const CheckpointTensor& tensor : state) entries.push_back({tensor.name, &tensor.tensor, dtype});
  Metadata metadata = metadata_of(model.spec);
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
template Transformer<float> load_parameters(const TensorFile&, const std::string&, const ModelSpec&);
template Transformer<double> load_parameters(const TensorFile&, const std::string&, const ModelSpec&);
template std::vector<CheckpointTensor> named_parameters(const Transformer<float>&, const std::string&);
template std::vector<CheckpointTensor> named_parameters(const Transformer<double>&, const std::string&);
template void save_model(const Transformer<float>&, const std::string&, const Metadata&);
template void save_model(const Transformer<double>&, const std::string&, const Metadata&);

} // namespace tfx
