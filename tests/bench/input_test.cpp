#include "bench/case.hpp"

#include "bench/attention_case.hpp"
#include "bench/model_case.hpp"
#include "core/error.hpp"
#include "io/npz.hpp"
#include "model/checkpoint.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <map>

using namespace tfx;
using namespace tfx::bench;

namespace {

using Arrays = std::map<std::string, Tensor>;

std::string saved(const TemporaryFolder& folder, const Arrays& arrays) {
  std::vector<NpzEntry> entries;
  for (const auto& [name, tensor] : arrays) entries.push_back({name, &tensor, DType::f32});
  return folder.write("input.npz", write_npz(entries));
}

/// In C order, as NumPy would have it: x @ w with w (d_in, d_out).
Tensor rows_of(const arma::fmat& matrix) {
  Tensor tensor(Shape{matrix.n_rows, matrix.n_cols});
  for (std::size_t i = 0; i < matrix.n_rows; ++i)
    for (std::size_t j = 0; j < matrix.n_cols; ++j) tensor.at({i, j}) = matrix(i, j);
  return tensor;
}

Tensor ids_of(const Batch& batch) {
  const std::size_t rows = batch.sequences.count();
  return {Shape{rows, batch.ids.size() / rows}, std::vector<double>(batch.ids.begin(), batch.ids.end())};
}

Arrays arrays_of(const AttentionModel& model) {
  const auto& linears = model.attention.linears;
  return {{"te", rows_of(model.tokens.t())},  {"pe", rows_of(model.positions.t())},
          {"wq", rows_of(linears[0].weight)}, {"wk", rows_of(linears[1].weight)},
          {"wv", rows_of(linears[2].weight)}, {"wo", rows_of(linears[3].weight)},
          {"ids", ids_of(model.batch)}};
}

std::string refusal(const WorkPreset& preset, const std::string& path) {
  try {
    load_case(preset, path, 1);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::bad_data);
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("attention computes with the file's weights and ids", "[bench][input]") {
  const TemporaryFolder folder;
  const AttentionShape shape{2, 5, 8, 2, 7, Mask::causal};
  const AttentionModel model = drawn_attention(shape, 9);
  const WorkPreset preset{"mine", What::attention, shape};
  const arma::fmat loaded = load_case(preset, saved(folder, arrays_of(model)), 1).run();
  CHECK(arma::abs(loaded - forward(model)).max() == 0);

  Arrays lacking = arrays_of(model);
  lacking.erase("wv");
  CHECK(refusal(preset, saved(folder, lacking)).find("wv") != std::string::npos);
  Arrays narrow = arrays_of(model);
  narrow["wk"] = Tensor(Shape{8, 4});
  CHECK(refusal(preset, saved(folder, narrow)).find("wk has shape 8×4, not 8×8") != std::string::npos);
  for (const double id : {7.0, -1.0, 2.5}) {
    Arrays strange = arrays_of(model);
    strange["ids"].data[3] = id;
    CHECK(refusal(preset, saved(folder, strange)).find("ids holds") != std::string::npos);
  }
}

TEST_CASE("a model computes with the file's weights and ids, and so does decoding", "[bench][input]") {
  const TemporaryFolder folder;
  TransformerShape shape;
  shape.spec.layers = 1, shape.spec.d_model = 8, shape.spec.d_ff = 12, shape.spec.heads = 2;
  shape.spec.src_vocab = shape.spec.tgt_vocab = 9;
  shape.batch = 2, shape.src = 5, shape.tgt = 4;
  const ModelInput input = drawn_model(shape, What::model, 9);
  Arrays arrays{{"src", ids_of(input.src)}, {"tgt", ids_of(input.tgt)}};
  for (CheckpointTensor& one : named_parameters(input.model)) arrays[one.name] = std::move(one.tensor);
  const std::string path = saved(folder, arrays);
  for (const What what : {What::model, What::decode}) {
    const Case expected = what == What::model ? model_case(shape, input) : decode_case(shape, input);
    const Case loaded = load_case({"mine", what, shape}, path, 1);
    CHECK(arma::abs(loaded.run() - expected.run()).max() == 0);
    CHECK(loaded.compare().holds());
  }
  arrays.erase("decoder.layers.0.src_attn.linears.2.bias");
  CHECK(refusal({"mine", What::model, shape}, saved(folder, arrays)).find("src_attn.linears.2.bias") !=
        std::string::npos);
}

TEST_CASE("a decoder alone computes with the file's weights and ids, and writes after its prompt",
          "[bench][input]") {
  const TemporaryFolder folder;
  TransformerShape shape = std::get<TransformerShape>(find_preset("G")->shape);
  shape.spec.layers = 1, shape.spec.d_model = 8, shape.spec.d_ff = 12, shape.spec.heads = 2;
  shape.spec.tgt_vocab = 9, shape.spec.max_len = 12;
  shape.batch = 2, shape.prompt = 5, shape.tgt = 4;
  for (const What what : {What::model, What::decode}) {
    const ModelInput input = drawn_model(shape, what, 9);
    CHECK(input.tgt.sequences.length(0) == (what == What::decode ? 5 : 4));
    Arrays arrays{{"tgt", ids_of(input.tgt)}};
    each_parameter(
        [&](const std::string& name, const auto& tensor) {
          arrays[name] = {torch_shape(tensor), std::vector<double>(tensor.begin(), tensor.end())};
        },
        "", input.model);
    const Case expected = what == What::model ? model_case(shape, input) : decode_case(shape, input);
    const Case loaded = load_case({"mine", what, shape}, saved(folder, arrays), 1);
    CHECK(arma::abs(loaded.run() - expected.run()).max() == 0);
    CHECK(loaded.compare().holds());
  }
}
