#include "bench/case.hpp"

#include "bench/attention_case.hpp"
#include "bench/model_case.hpp"
#include "io/file.hpp"
#include "io/message.hpp"
#include "io/npz.hpp"

#include <cmath>
#include <limits>

namespace tfx::bench {

double relative_difference(const arma::mat& a, const arma::mat& b) {
  if (a.n_rows != b.n_rows || a.n_cols != b.n_cols) return std::numeric_limits<double>::infinity();
  double worst = 0, largest = 0;
  for (arma::uword i = 0; i < a.n_elem; ++i) {
    const double difference = std::abs(a[i] - b[i]);
    if (!(difference <= worst)) worst = difference; // NaN stays
    if (std::isnan(worst)) return worst;
    largest = std::max(largest, std::abs(b[i]));
  }
  return worst == 0 ? 0 : worst / largest;
}

namespace {

/// The arrays of a file, each of the shape that is asked for.
class Arrays {
public:
  explicit Arrays(const std::string& path) : path_(path), bytes_(read_file(path)), reader_(bytes_, path) {}

  Tensor read(const std::string& name, const Shape& shape) const {
    Tensor tensor = reader_.read(name).values;
    if (tensor.shape != shape)
      refuse_file(
          path_,
          said("{name} has shape {shape}, not {other}",
               {{"name", name}, {"shape", to_page_string(tensor.shape)}, {"other", to_page_string(shape)}}),
          said("the shapes are those of the preset"));
    return tensor;
  }

  /// Numbers whose bytes lie as the engine has them.
  template <class Numbers>
  void fill(Numbers& to, const std::string& name, const Shape& shape) const {
    const Tensor from = read(name, shape);
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<float>(from.data[i]);
  }

  TokenIds ids(const std::string& name, const Shape& shape, std::size_t vocab) const {
    TokenIds ids;
    for (const double id : read(name, shape).data) {
      if (!(id >= 0 && id < static_cast<double>(vocab)) || id != std::floor(id))
        refuse_file(path_, said("{name} holds {id}", {{"name", name}, {"id", std::to_string(id)}}),
                    said("ids are whole numbers below {count}", {{"count", vocab}}));
      ids.push_back(static_cast<std::uint32_t>(id));
    }
    return ids;
  }

private:
  std::string path_, bytes_;
  NpzReader reader_;
};

AttentionModel load_attention(const Arrays& arrays, const AttentionShape& shape) {
  AttentionModel model(shape);
  arrays.fill(model.tokens, "te", {shape.vocab, shape.d_model});
  arrays.fill(model.positions, "pe", {shape.seq, shape.d_model});
  const char* const names[] = {"wq", "wk", "wv", "wo"};
  for (std::size_t i = 0; i < 4; ++i) {
    arma::fmat& weight = model.attention.linears[i].weight;
    arrays.fill(weight, names[i], {shape.d_model, shape.d_model});
    arma::inplace_trans(weight); // a file's rows are d_in, the engine's too, but its columns lie in one piece
  }
  model.batch.ids = arrays.ids("ids", {shape.batch, shape.seq}, shape.vocab);
  return model;
}

Batch load_batch(const Arrays& arrays, const std::string& name, const Shape& shape, std::size_t vocab) {
  Batch batch;
  batch.ids = arrays.ids(name, shape, vocab);
  for (std::size_t s = 0; s < shape[0]; ++s) batch.sequences.append(shape[1]);
  return batch;
}

ModelInput load_input(const Arrays& arrays, What what, const TransformerShape& shape) {
  ModelInput input{Transformer<float>(shape.spec), {}, {}};
  each_parameter(
      [&](const std::string& name, auto& tensor) { arrays.fill(tensor, name, torch_shape(tensor)); }, "",
      input.model);
  const bool reads_source = shape.spec.has_encoder(), decodes = what == What::decode;
  if (reads_source) input.src = load_batch(arrays, "src", {shape.batch, shape.src}, shape.spec.src_vocab);
  if (!decodes || !reads_source)
    input.tgt =
        load_batch(arrays, "tgt", {shape.batch, decodes ? shape.prompt : shape.tgt}, shape.spec.tgt_vocab);
  return input;
}

} // namespace

Case make_case(const WorkPreset& preset, std::uint32_t seed) {
  if (preset.what == What::attention)
    return attention_case(drawn_attention(std::get<AttentionShape>(preset.shape), seed));
  const auto& shape = std::get<TransformerShape>(preset.shape);
  switch (preset.what) {
  case What::train: return train_case(shape, seed);
  case What::decode: return decode_case(shape, drawn_model(shape, preset.what, seed));
  default: return model_case(shape, drawn_model(shape, preset.what, seed));
  }
}

Case load_case(const WorkPreset& preset, const std::string& path, std::uint32_t seed) {
  if (preset.what == What::train) return make_case(preset, seed);
  const Arrays arrays(path);
  if (preset.what == What::attention)
    return attention_case(load_attention(arrays, std::get<AttentionShape>(preset.shape)));
  const auto& shape = std::get<TransformerShape>(preset.shape);
  ModelInput input = load_input(arrays, preset.what, shape);
  return preset.what == What::decode ? decode_case(shape, std::move(input))
                                     : model_case(shape, std::move(input));
}

} // namespace tfx::bench
