#include "model/checkpoint.hpp"

#include "io/array_file.hpp"
#include "io/error_of.hpp"
#include "io/npz.hpp"
#include "io/safetensors.hpp"
#include "model/checkpoint_format.hpp"
#include "model/counts.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/model_fixture.hpp"
#include "support/model_parts.hpp"
#include "support/small_model.hpp"
#include "support/temporary_folder.hpp"

#include <filesystem>
#include <functional>

using namespace tfx;

namespace {

ModelSpec tiny_spec() {
  ModelSpec spec;
  spec.layers = 1, spec.d_model = 2, spec.d_ff = 3, spec.src_vocab = 4, spec.tgt_vocab = 5;
  spec.heads = 2, spec.norm = {Norm::layer, NormPlacement::post_norm};
  spec.activation = Activation::gelu;
  spec.max_len = 6;
  return spec;
}

/// A checkpoint file taken apart: change it, then write it again.
struct Parts {
  std::map<std::string, std::string> metadata;
  std::vector<NamedArray> tensors;

  explicit Parts(const std::string& path) {
    Safetensors file = read_safetensors(read_file(path), path);
    metadata = file.metadata;
    tensors = file.tensors;
  }
  Tensor& operator[](const std::string& name) {
    for (NamedArray& tensor : tensors)
      if (tensor.name == name) return tensor.array.values;
    throw std::out_of_range(name);
  }
  void rename(const std::string& from, const std::string& to) {
    for (NamedArray& tensor : tensors)
      if (tensor.name == from) tensor.name = to;
  }
  std::string write(const TemporaryFolder& folder) const {
    std::vector<SafetensorsEntry> entries;
    for (const NamedArray& tensor : tensors)
      entries.push_back({tensor.name, &tensor.array.values, DType::f64});
    return folder.write("changed.safetensors", write_safetensors(entries, metadata));
  }
};

template <class Real>
double difference_of(const Transformer<Real>& a, const Transformer<Real>& b) {
  double worst = 0;
  each_parameter([&](const std::string&, const auto& x,
                     const auto& y) { worst = std::max(worst, worst_difference(x, y)); },
                 "", a, b);
  return worst;
}

} // namespace

TEMPLATE_TEST_CASE("a saved model loads as it was, and saves to the same bytes", "[model]", float, double) {
  const TemporaryFolder folder;
  const auto model = small_model<TestType>(3, tiny_spec());
  for (const char* name : {"model.safetensors", "model.npz"}) {
    const std::string path = folder.write(name, ""), again = folder.write(std::string("again-") + name, "");
    save_model(model, path);
    const auto loaded =
        load_model<TestType>(path, {2, Norm::layer, NormPlacement::post_norm, Activation::gelu});
    CHECK(difference_of(loaded, model) == 0);
    CHECK(loaded.spec.max_len == 6);
    save_model(loaded, again);
    CHECK(read_file(again) == read_file(path));
    const DType dtype = sizeof(TestType) == 4 ? DType::f32 : DType::f64;
    const TensorFile file(path);
    for (const TensorFile::Entry& entry : file.entries()) CHECK(entry.dtype == dtype);
  }
}

TEST_CASE("the metadata of a safetensors file say what its tensors do not", "[model]") {
  const TemporaryFolder folder;
  const std::string path = folder.write("model.safetensors", "");
  save_model(small_model<double>(3, tiny_spec()), path);
  const ModelSpec said = load_model<double>(path).spec;
  CHECK(said.heads == 2);
  CHECK(said.norm.rule == Norm::layer);
  CHECK(said.norm.placement == NormPlacement::post_norm);
  CHECK(said.activation == Activation::gelu);
  const ModelSpec given =
      load_model<double>(path, {1, Norm::annotated, NormPlacement::pre_norm, Activation::gelu_tanh}).spec;
  CHECK(given.heads == 1);
  CHECK(given.norm.rule == Norm::annotated);
  CHECK(given.norm.placement == NormPlacement::pre_norm);
  CHECK(given.activation == Activation::gelu_tanh);
}

namespace {

/// Each choice written in one way: what a file cannot tell apart.
ModelSpec as_read(ModelSpec spec) {
  if (spec.kv_heads == spec.heads) spec.kv_heads = 0;
  if (spec.head_width * spec.heads == spec.d_model) spec.head_width = 0;
  if (spec.norm.epsilon == usual_epsilon(spec.norm.rule)) spec.norm.epsilon.reset();
  if (!spec.has_encoder()) spec.src_vocab = 0;
  if (!spec.has_decoder()) spec.tgt_vocab = 0, spec.tied = false;
  if (!spec.has_decoder() || spec.tied) spec.biases.generator = false;
  if (spec.d_ff == 0) spec.gated = spec.biases.feed_forward = false;
  if (spec.positions != Positions::rotary) spec.pairs = RotaryPairs::halves, spec.rotary_base = 10000;
  return spec;
}

} // namespace

TEST_CASE("the encoder of a file, some of its layers, computes as in the whole model", "[model]") {
  const TemporaryFolder folder;
  for (const Positions positions : {Positions::sinusoidal, Positions::learned}) {
    ModelSpec spec = small_spec();
    spec.layers = 2, spec.positions = positions;
    const auto model = small_model<double>(11, spec);
    const std::string path = folder.path("whole.safetensors");
    save_model(model, path);
    const TensorFile file(path);
    const Batch src = ragged_batch({{1, 2, 3, 2}});
    const auto same = [&](const arma::mat& a, const arma::mat& b) {
      return arma::approx_equal(a, b, "absdiff", 0);
    };
    CHECK_FALSE(load_encoder<double>(file, 2).spec.has_decoder());
    CHECK(same(encode(load_encoder<double>(file, 2), src), encode(model, src)));
    auto first = model; // its first layer, and the last norm behind it
    first.encoder.layers.resize(1), first.spec.layers = 1;
    CHECK(same(encode(load_encoder<double>(file, 1), src), encode(first, src)));
    CHECK(load_encoder<double>(file, 9).spec.layers == 2);
    Parts parts(path); // what is not read is compared too
    std::erase_if(parts.tensors, [](const NamedArray& one) { return one.name == "decoder.norm.a_2"; });
    CHECK_THROWS_AS(load_encoder<double>(TensorFile(parts.write(folder)), 1), Error);
  }
}

TEST_CASE("a model of any parts loads as it was saved", "[model][families]") {
  const TemporaryFolder folder;
  constexpr Stacks all[] = {Stacks::both, Stacks::decoder, Stacks::encoder};
  std::size_t as_npz = 0;
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const ModelSpec spec = random_parts(random, all[seed % 3]);
    const auto model = small_model<double>(seed, spec);
    const std::string path = folder.write("parts.safetensors", ""), npz = folder.write("parts.npz", "");
    save_model(model, path);
    const auto loaded = load_model<double>(path);
    CHECK(loaded.spec == as_read(spec));
    CHECK(difference_of(loaded, model) == 0);
    CHECK(TensorFile(path).metadata() == metadata_of(loaded.spec));
    // An npz has no metadata: it holds what the names and the caller say, or it is not written.
    try {
      save_model(model, npz);
      ++as_npz;
      const auto arrays =
          load_model<double>(npz, {spec.heads, spec.norm.rule, spec.norm.placement, spec.activation});
      CHECK(arrays.spec == as_read(spec));
      CHECK(difference_of(arrays, model) == 0);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::usage);
      CHECK(error.message().in_english().find("an .npz cannot say that") != std::string::npos);
    }
  }
  CHECK(as_npz > 1);
}

TEST_CASE("a plain model's file says what it has always said", "[model]") {
  CHECK(metadata_of(tiny_spec()) == Metadata{{"format", "pt"},
                                             {"heads", "2"},
                                             {"norm", "standard"},
                                             {"placement", "last"},
                                             {"activation", "gelu"}});
}

TEST_CASE("what no metadata say follows from the names", "[model]") {
  const TemporaryFolder folder;
  const auto style_of = [&](const std::string& fixture) {
    Parts parts(ModelFixture(fixture).weights);
    parts.metadata.clear();
    return load_model<double>(parts.write(folder), {2}).spec;
  };
  CHECK(style_of("layers-4").norm.rule == Norm::annotated);
  CHECK(style_of("layers-4").norm.placement == NormPlacement::pre_norm);
  CHECK(style_of("torch-first").norm.rule == Norm::layer);
  CHECK(style_of("torch-first").norm.placement == NormPlacement::post_norm);
  CHECK(style_of("torch-first").activation == Activation::relu);
}

TEST_CASE("a state_dict saved as npz is the model that it is as safetensors", "[model]") {
  const std::string folder = ModelFixture::folder();
  const auto tensors = load_model<double>(folder + "layers-1.weights.safetensors");
  const auto arrays = load_model<double>(folder + "layers-1.weights.npz", {4});
  CHECK(difference_of(arrays, tensors) == 0);
  CHECK(arrays.spec.max_len == 8);
  CHECK(arrays.spec.norm.placement == NormPlacement::pre_norm);
  check_error(ErrorKind::usage, "how many heads",
              [&] { load_model<double>(folder + "layers-1.weights.npz"); });
}

TEST_CASE("each tensor that is missing, has another shape or is unknown is named", "[model]") {
  const TemporaryFolder folder;
  const std::string path = folder.write("model.safetensors", "");
  save_model(small_model<double>(3, tiny_spec()), path);
  const Parts whole(path);
  const auto refused = [&](const std::string& part, const std::function<void(Parts&)>& change) {
    Parts parts = whole;
    change(parts);
    const std::string changed = parts.write(folder);
    return check_error(ErrorKind::bad_data, changed + ": " + part, [&] { load_model<float>(changed); });
  };
  for (const NamedShape& parameter : parameter_shapes(Transformer<ShapesOnly>(tiny_spec()))) {
    INFO(parameter.name);
    if (parameter.name == "generator.proj.bias") continue; // without it the generator has none
    const std::string quoted = "\"" + parameter.name + "\"";
    const bool sizes_the_model = parameter.name == "encoder.layers.0.feed_forward.w_1.weight" ||
                                 parameter.name.ends_with("lut.weight");
    const auto remove = [&](Parts& parts) {
      std::erase_if(parts.tensors, [&](const NamedArray& tensor) { return tensor.name == parameter.name; });
    };
    const auto rename = [&](Parts& parts) { parts.rename(parameter.name, parameter.name + "x"); };
    refused("tensor " + quoted +
                (sizes_the_model ? " is missing" : " " + to_string(parameter.shape) + " is missing"),
            remove);
    const Error error = refused("tensor " + quoted, rename);
    if (!sizes_the_model)
      CHECK(error.hint().in_english() == "the file has \"" + parameter.name + "x\" " +
                                             to_string(parameter.shape) + ", which the model does not know");
    Shape longer = parameter.shape;
    longer.push_back(1);
    const std::string wanted =
        sizes_the_model ? "must have 2 axes" : "the model needs " + to_string(parameter.shape);
    refused("tensor " + quoted + " is " + to_string(longer) + (sizes_the_model ? "; it " : ", ") + wanted,
            [&](Parts& parts) { parts[parameter.name].shape = longer; });
  }
  refused("the model knows no tensor \"more\" (2, 3)", [](Parts& parts) {
    parts.tensors.push_back({"more", {DType::f64, Tensor(Shape{2, 3})}});
  });
  refused("buffer \"tgt_embed.1.pe\" is (1, 2, 6), the model needs (1, 6, 2)", [](Parts& parts) {
    parts["tgt_embed.1.pe"].shape = {1, 2, 6};
  });
  refused("tensor \"src_embed.1.pe\" is (12,); it must have 3 axes",
          [](Parts& parts) { parts["src_embed.1.pe"].shape = {12}; });
  refused("tensor \"decoder.norm.a_2\" holds 1e+300, too large for float32",
          [](Parts& parts) { parts["decoder.norm.a_2"].data[1] = 1e300; });
  for (const double bad : {std::nan(""), HUGE_VAL})
    refused("tensor \"decoder.norm.a_2\" is not finite",
            [&](Parts& parts) { parts["decoder.norm.a_2"].data[1] = bad; });
  refused("the metadata give norm as \"batch\"", [](Parts& parts) { parts.metadata["norm"] = "batch"; });
  refused("the metadata give heads as \"2x\"", [](Parts& parts) { parts.metadata["heads"] = "2x"; });
  refused("the metadata give epsilon as \"0\"", [](Parts& parts) { parts.metadata["epsilon"] = "0"; });
  refused("the metadata give epsilon as \"nan\"", [](Parts& parts) { parts.metadata["epsilon"] = "nan"; });
  refused("the metadata give window as \"-1\"", [](Parts& parts) { parts.metadata["window"] = "-1"; });
  refused("the metadata give positions as \"alibi\"",
          [](Parts& parts) { parts.metadata["positions"] = "alibi"; });
  refused("the metadata give scaled_embedding as \"no\"",
          [](Parts& parts) { parts.metadata["scaled_embedding"] = "no"; });
  refused("the metadata give heads as \"0\"", [](Parts& parts) { parts.metadata["heads"] = "0"; });
  refused("tensors \"encoder.norm.a_2\" and \"transformer.encoder.norm.weight\" are both "
          "\"encoder.norm.a_2\" in the model",
          [](Parts& parts) {
            parts.tensors.push_back({"transformer.encoder.norm.weight", {DType::f64, Tensor(Shape{2})}});
          });
}

TEST_CASE("pages that compute by The Annotated Transformer's formulas refuse every other part", "[model]") {
  const TensorFile file("model.safetensors", write_safetensors({}));
  ModelSpec plain = tiny_spec();
  CHECK_NOTHROW(require_annotated_parts(file, plain));
  const std::function<void(ModelSpec&)> taken[] = {
      [](ModelSpec& m) { m.norm.rule = Norm::layer; },
      [](ModelSpec& m) { m.norm.placement = NormPlacement::post_norm; },
      [](ModelSpec& m) { m.norm.epsilon = usual_epsilon(m.norm.rule); },
      [](ModelSpec& m) { m.activation = Activation::gelu_tanh; },
      [](ModelSpec& m) { m.layers = 3, m.d_ff = 7, m.src_vocab = 9, m.max_len = 11; },
      [](ModelSpec& m) {
        m.pairs = RotaryPairs::neighbours, m.rotary_base = 7;
      }}; // of no use without rotary ones
  for (const auto& change : taken) {
    ModelSpec spec = plain;
    change(spec);
    CHECK_NOTHROW(require_annotated_parts(file, spec));
  }
  const std::pair<const char*, std::function<void(ModelSpec&)>> others[] = {
      {"norm = rms", [](ModelSpec& m) { m.norm.rule = Norm::rms; }},
      {"epsilon = 0.001", [](ModelSpec& m) { m.norm.epsilon = 1e-3; }},
      {"norm without a_2", [](ModelSpec& m) { m.norm.gain = false; }},
      {"norm without b_2", [](ModelSpec& m) { m.norm.shift = false; }},
      {"positions = none", [](ModelSpec& m) { m.positions = Positions::none; }},
      {"positions = learned", [](ModelSpec& m) { m.positions = Positions::learned; }},
      {"positions = rotary", [](ModelSpec& m) { m.positions = Positions::rotary; }},
      {"scaled_embedding = false", [](ModelSpec& m) { m.scaled_embedding = false; }},
      {"embedding_norm = true", [](ModelSpec& m) { m.embedding_norm = true; }},
      {"final_norm = false", [](ModelSpec& m) { m.final_norm = false; }},
      {"tied = true", [](ModelSpec& m) { m.tied = true; }},
      {"gated = true", [](ModelSpec& m) { m.gated = true; }},
      {"d_ff = 0", [](ModelSpec& m) { m.d_ff = 0; }},
      {"kv_heads = 1", [](ModelSpec& m) { m.kv_heads = 1; }},
      {"head_width = 3", [](ModelSpec& m) { m.head_width = 3; }},
      {"qk_norm = true", [](ModelSpec& m) { m.qk_norm = true; }},
      {"window = 2", [](ModelSpec& m) { m.window = 2; }},
      {"bias = false", [](ModelSpec& m) { m.biases.queries = false; }},
      {"bias = false", [](ModelSpec& m) { m.biases.output = false; }},
      {"bias = false", [](ModelSpec& m) { m.biases.feed_forward = false; }},
      {"bias = false", [](ModelSpec& m) { m.biases.generator = false; }}};
  for (const auto& [part, change] : others) {
    ModelSpec spec = plain;
    change(spec);
    check_error(ErrorKind::bad_data, std::string("the model has others: ") + part,
                [&, &spec = spec] { require_annotated_parts(file, spec); });
  }
}

TEST_CASE("layers that are not there cost no memory", "[model]") {
  const TemporaryFolder folder;
  const std::string path = folder.write("model.safetensors", "");
  save_model(small_model<double>(3, tiny_spec()), path);
  for (const char* layer : {"1", "40", "99999999", "18446744073709551615", "99999999999999999999999"}) {
    Parts parts(path);
    parts.rename("encoder.layers.0.self_attn.linears.0.bias",
                 std::string("encoder.layers.") + layer + ".self_attn.linears.0.bias");
    const std::string changed = parts.write(folder);
    check_error(ErrorKind::bad_data, "tensor \"encoder.layers.0.self_attn.linears.0.bias\" (2,) is missing",
                [&] { load_model<double>(changed); });
  }
}

TEST_CASE("no part of a checkpoint is taken for the whole", "[model]") {
  const TemporaryFolder folder;
  for (const char* name : {"model.safetensors", "model.npz"}) {
    const std::string path = folder.write(name, "");
    save_model(small_model<float>(3, tiny_spec()), path);
    const std::size_t whole = read_file(path).size();
    std::size_t refusals = 0;
    for (std::size_t size = whole; size-- > 0;) {
      std::filesystem::resize_file(path, size); // shorter by a byte: writing anew would wait for the disk
      refusals += error_of([&] { load_model<float>(path, {2}); }).kind() == ErrorKind::bad_data;
    }
    CHECK(refusals == whole);
  }
}

TEST_CASE("attention modules load under the names of the tutorials and of PyTorch", "[model]") {
  const TemporaryFolder folder;
  RandomInput random(1);
  MultiHeadAttention<double> layer(4, LinearBias::no);
  for (auto& linear : layer.linears) linear.weight = random.matrix(4, 4);
  const auto write = [&](const std::vector<std::string>& names) {
    std::vector<Tensor> tensors;
    for (const auto& linear : layer.linears)
      tensors.emplace_back(Shape{4, 4}, std::vector<double>(linear.weight.begin(), linear.weight.end()));
    std::vector<NpzEntry> entries;
    for (std::size_t i = 0; i < names.size(); ++i) entries.push_back({names[i] + ".weight", &tensors[i]});
    return folder.write("attention.npz", write_npz(entries));
  };
  for (const std::vector<std::string>& names : {std::vector<std::string>{"wq", "wk", "wv", "wo"},
                                                {"q_linear", "k_linear", "v_linear", "out"},
                                                {"linears.0", "linears.1", "linears.2", "linears.3"}}) {
    const auto loaded = load_attention<double>(write(names));
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(worst_difference(loaded.linears[i].weight, layer.linears[i].weight) == 0);
      CHECK(loaded.linears[i].bias.is_empty());
    }
  }
  check_error(ErrorKind::bad_data, "tensor \"linears.3.weight\" (4, 4) is missing", [&] {
    load_attention<double>(write({"wq", "wk", "wv"}));
  });
  check_error(ErrorKind::bad_data, "no projection of the queries",
              [&] { load_attention<double>(write({"x"})); });
  const Tensor uneven(Shape{8, 4});
  const std::string path = folder.write("uneven.npz", write_npz({{"in_proj_weight", &uneven}}));
  check_error(ErrorKind::bad_data, "tensor \"in_proj_weight\" (8, 4) cannot be cut in three",
              [&] { load_attention<double>(path); });
}

TEST_CASE("a model is saved under a known extension only", "[model]") {
  const TemporaryFolder folder;
  check_error(ErrorKind::usage, "not as",
              [&] { save_model(small_model<float>(1), folder.write("model.pt", "")); });
}
