// Small models under the names of GPT-2, nanoGPT, minGPT and Llama, as other programs save them: PyTorch's
// logits and gradients from their files, and the same files written back.

#include "io/error_of.hpp"
#include "io/file.hpp"
#include "io/json_reader.hpp"
#include "io/message.hpp"
#include "io/npz.hpp"
#include "io/safetensors.hpp"
#include "model/checkpoint.hpp"
#include "model/config_style.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/random_input.hpp"

#include "support/temporary_folder.hpp"
#include "train/gradient_descent.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

using namespace tfx;

namespace {

std::string family_path(const std::string& name) {
  return std::string(TFX_SOURCE_DIR) + "/data/reference/families/" + name;
}

GivenStyle config_of(const std::string& name) {
  return style_in_config(family_path(name + ".config.json"));
}

/// What PyTorch says of a family's model.
struct FamilyReference {
  std::map<std::string, Tensor> arrays;

  explicit FamilyReference(const std::string& name) {
    for (NamedArray& one : read_npz(read_file(family_path(name + ".npz")), name))
      arrays.emplace(one.name, std::move(one.array.values));
  }
  TokenIds ids(const std::string& name) const {
    TokenIds all;
    for (const double id : arrays.at(name).data) all.push_back(static_cast<std::uint32_t>(id));
    return all;
  }
  Batch batch() const {
    const TokenIds all = ids("ids");
    const auto half = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    return ragged_batch({TokenIds(all.begin(), half), TokenIds(half, all.end())});
  }
};

template <class Cells>
double worst_cell(const Cells& ours, const std::vector<double>& theirs) {
  REQUIRE(ours.size() == theirs.size());
  double worst = 0;
  for (std::size_t i = 0; i < theirs.size(); ++i)
    worst = std::max(worst,
                     std::abs(static_cast<double>(ours[i]) - theirs[i]) / std::max(1.0, std::abs(theirs[i])));
  return worst;
}

const Batch no_source;

constexpr const char* family_models[] = {"gpt2",  "gpt2-saved", "nanogpt",   "mingpt",
                                         "llama", "llama-bf16", "llama-f16", "llama-inv-freq"};

template <class Real>
arma::Mat<Real> family_logits(const Transformer<Real>& model, const Batch& batch) {
  ModelSaved<Real> saved;
  return logits(model, Inputs(no_source, batch), {}, saved);
}

template <class Real>
void check_gradients(const std::string& name, const Transformer<Real>& model, double bound) {
  const FamilyReference torch(name);
  const Batch batch = torch.batch();
  ModelSaved<Real> saved;
  arma::Mat<Real> out = logits(model, Inputs(no_source, batch), {}, saved);
  const TokenIds labels = torch.ids("labels");
  const Loss loss =
      loss_and_gradient(out, labels, {0, static_cast<std::uint32_t>(-1)}, static_cast<double>(labels.size()));
  CHECK(std::abs(loss.mean() - torch.arrays.at("loss").data[0]) <= bound);
  Transformer<Real> gradient = zeros_like(model);
  backward<Real>({model, gradient}, saved, Inputs(no_source, batch), out, {});

  // Written as a model is, the gradients have the file's own names and orientation.
  const TemporaryFolder folder;
  const std::string path = folder.write("gradient.safetensors", "");
  FileScheme scheme = scheme_in(TensorFile(family_path(name + ".safetensors")));
  scheme.dtype = std::nullopt;
  save_model(gradient, path, {}, scheme);
  const TensorFile written(path);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < written.entries().size(); ++i) {
    const TensorFile::Entry& entry = written.entries()[i];
    INFO(name << ": " << entry.name);
    const Tensor& grads = torch.arrays.at("grads/" + entry.name);
    CHECK(entry.shape == grads.shape);
    constexpr std::size_t rounded = 3000; // larger ones stand there as float32
    CHECK(worst_cell(written.read(i), grads.data) <=
          (grads.size() > rounded ? std::max(bound, 1e-6) : bound));
    ++compared;
  }
  const auto is_gradient = [](const auto& one) { return one.first.starts_with("grads/"); };
  CHECK(compared == static_cast<std::size_t>(std::ranges::count_if(torch.arrays, is_gradient)));
}

} // namespace

TEST_CASE("a file of another family gives PyTorch's logits", "[model][families]") {
  for (const std::string name : family_models) {
    INFO(name);
    const FamilyReference torch(name);
    const GivenStyle config = config_of(name);
    const std::string path = family_path(name + ".safetensors");
    const auto model = load_model<double>(path, config);
    CHECK(model.spec.stacks == Stacks::decoder);
    CHECK(worst_cell(family_logits(model, torch.batch()), torch.arrays.at("logits").data) <= 1e-11);
    const auto floats = load_model<float>(path, config);
    CHECK(worst_cell(family_logits(floats, torch.batch()), torch.arrays.at("logits").data) <= 2e-5);
  }
}

TEST_CASE("a file of another family gives PyTorch's gradients, under its own names", "[model][families]") {
  for (const std::string name : {"gpt2", "llama"}) {
    const std::string path = family_path(name + ".safetensors");
    check_gradients(name, load_model<double>(path, config_of(name)), 1e-9);
    check_gradients(name, load_model<float>(path, config_of(name)), 2e-4);
  }
}

TEST_CASE("the names of a family say what its models are; heads are said", "[model][families]") {
  GivenStyle heads;
  heads.heads = 4;
  const ModelSpec gpt2 = spec_in(TensorFile(family_path("gpt2.safetensors")), heads);
  CHECK(gpt2.norm == NormStyle{Norm::layer, NormPlacement::pre_norm, std::nullopt, true, true});
  CHECK(gpt2.activation == Activation::gelu_tanh);
  CHECK(gpt2.positions == Positions::learned);
  CHECK(gpt2.max_len == 32);
  CHECK(!gpt2.scaled_embedding);
  CHECK(gpt2.tied);
  CHECK(gpt2.biases == Biases{true, true, true, false});
  CHECK((gpt2.layers == 2 && gpt2.d_model == 48 && gpt2.d_ff == 192 && gpt2.tgt_vocab == 96));
  CHECK((gpt2.src_vocab == 0 && gpt2.kv_heads == 0 && gpt2.head_width == 0));

  const ModelSpec llama = spec_in(TensorFile(family_path("llama.safetensors")), heads);
  CHECK(llama.norm == NormStyle{Norm::rms, NormPlacement::pre_norm, 1e-6, true, false});
  CHECK(llama.activation == Activation::silu);
  CHECK((llama.gated && llama.positions == Positions::rotary && llama.pairs == RotaryPairs::halves));
  CHECK(llama.rotary_base == 10000);
  CHECK((llama.kv_heads == 2 && llama.d_ff == 128 && !llama.tied && !llama.scaled_embedding));
  CHECK(llama.biases == Biases{false, false, false, false});

  heads.heads = 2;
  const ModelSpec nanogpt = spec_in(TensorFile(family_path("nanogpt.safetensors")), heads);
  CHECK((nanogpt.tied && !nanogpt.norm.shift && nanogpt.activation == Activation::gelu_tanh));
  CHECK(!spec_in(TensorFile(family_path("mingpt.safetensors")), heads).tied);
  CHECK(spec_in(TensorFile(family_path("llama-f16.safetensors")), heads).tied);
  check_error(ErrorKind::usage, "how many heads",
              [] { spec_in(TensorFile(family_path("llama.safetensors"))); });
  heads.heads = 5;
  check_error(ErrorKind::bad_data, "\"model.layers.0.self_attn.q_proj.weight\" (48, 48) does not fit 5 heads",
              [&] { spec_in(TensorFile(family_path("llama.safetensors")), heads); });
}

TEST_CASE("a config.json says what its model's tensors do not", "[model][families]") {
  const ModelSpec nanogpt = spec_in(TensorFile(family_path("nanogpt.safetensors")), config_of("nanogpt"));
  CHECK(nanogpt.activation == Activation::gelu);
  const ModelSpec bf16 = spec_in(TensorFile(family_path("llama-bf16.safetensors")), config_of("llama-bf16"));
  CHECK(bf16.rotary_base == 500000);
  CHECK(bf16.norm.kernel_rule().epsilon == 1e-5);
  CHECK(bf16.kv_heads == 1);
  CHECK(bf16.max_len == 8);
}

TEST_CASE("what was read under another family's names is written back under them", "[model][families]") {
  const TemporaryFolder folder;
  for (const std::string name : family_models) {
    INFO(name);
    const std::string path = family_path(name + ".safetensors"),
                      again = folder.write("again.safetensors", "");
    const TensorFile file(path);
    const auto model = load_model<float>(file, config_of(name));
    save_model(model, again, {}, scheme_in(file));
    const TensorFile written(again);
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < written.entries().size(); ++i) places[written.entries()[i].name] = i;
    for (std::size_t i = 0; i < file.entries().size(); ++i) {
      const TensorFile::Entry& entry = file.entries()[i];
      INFO(entry.name);
      if (entry.name.ends_with(".attn.bias") || entry.name.ends_with("inv_freq")) continue; // not written
      REQUIRE(places.contains(entry.name));
      const std::size_t place = places[entry.name];
      CHECK(written.entries()[place].dtype == entry.dtype);
      CHECK(written.entries()[place].shape == entry.shape);
      CHECK(written.read(place) == file.read(i));
      places.erase(entry.name);
    }
    CHECK(places.empty());
    CHECK(load_model<float>(again).spec == model.spec); // its metadata say the rest
  }
}

TEST_CASE("a model under another family's names goes through an npz where its names say all",
          "[model][families]") {
  const TemporaryFolder folder;
  const std::string npz = folder.write("model.npz", "");
  const TensorFile file(family_path("gpt2.safetensors"));
  GivenStyle heads;
  heads.heads = 4;
  const auto model = load_model<float>(file, heads);
  save_model(model, npz, {}, scheme_in(file));
  CHECK(load_model<float>(npz, heads).spec == model.spec);
  check_error(ErrorKind::usage, "an .npz cannot say that positions is learned",
              [&] { save_model(model, npz); });
}

namespace {

/// A family's file taken apart.
struct FamilyParts {
  std::vector<NamedArray> tensors;

  explicit FamilyParts(const std::string& name) {
    const std::string path = family_path(name + ".safetensors");
    tensors = read_safetensors(read_file(path), path).tensors;
  }
  NamedArray& at(const std::string& name) {
    for (NamedArray& one : tensors)
      if (one.name == name) return one;
    throw std::out_of_range(name);
  }
  std::string write(const TemporaryFolder& folder) const {
    std::vector<SafetensorsEntry> entries;
    for (const NamedArray& one : tensors) entries.push_back({one.name, &one.array.values, DType::f32});
    return folder.write("changed.safetensors", write_safetensors(entries));
  }
};

} // namespace

TEST_CASE("a tensor that does not fit is refused by both names and both shapes", "[model][families]") {
  const TemporaryFolder folder;
  check_error(ErrorKind::bad_data,
              "tensor \"h.0.mlp.c_fc.weight\" = \"decoder.layers.0.feed_forward.w_1.weight\" is (32, 8), "
              "the model needs (8, 32)",
              [] { load_model<float>(family_path("gpt2-mixed.safetensors"), config_of("gpt2-mixed")); });
  const auto refused = [&](const std::string& name, const std::string& what,
                           const std::function<void(FamilyParts&)>& change) {
    FamilyParts parts(name);
    change(parts);
    const std::string path = parts.write(folder);
    INFO(what);
    check_error(ErrorKind::bad_data, path + ": " + what, [&] { load_model<float>(path, config_of(name)); });
  };
  const auto rename = [](const std::string& from, const std::string& to) {
    return [=](FamilyParts& parts) { parts.at(from).name = to; };
  };
  const auto reshape = [](const std::string& name, const Shape& shape) {
    return [=](FamilyParts& parts) { parts.at(name).array.values.shape = shape; };
  };
  refused("gpt2-saved",
          "tensor \"transformer.h.0.ln_2.bias\" = \"decoder.layers.0.sublayer.1.norm.b_2\" (8,) is missing",
          rename("transformer.h.0.ln_2.bias", "transformer.h.0.ln_2.shift"));
  refused("gpt2-saved",
          "tensor \"transformer.h.0.attn.c_attn.bias\" = "
          "\"decoder.layers.0.self_attn.linears.0.bias\" (24,) is missing",
          rename("transformer.h.0.attn.c_attn.bias", "transformer.h.0.attn.bias_of_c"));
  refused("gpt2-saved", "tensor \"transformer.wte.weight\" = \"tgt_embed.0.lut.weight\" is missing",
          rename("transformer.wte.weight", "transformer.wte.table"));
  refused("gpt2-saved", "the model knows no tensor \"transformer.h.0.attn.dense.weight\" (2,)",
          [](FamilyParts& parts) {
            parts.tensors.push_back({"transformer.h.0.attn.dense.weight", {DType::f32, Tensor(Shape{2})}});
          });
  refused("gpt2-saved", "the model knows no tensor \"decoder.norm.weight\" (8,)", [](FamilyParts& parts) {
    parts.tensors.push_back({"decoder.norm.weight", {DType::f32, Tensor(Shape{8})}});
  });
  refused("gpt2-saved", "tensor \"transformer.h.0.attn.c_attn.weight\" (4, 4, 12) cannot be cut in three",
          reshape("transformer.h.0.attn.c_attn.weight", {4, 4, 12}));
  refused("gpt2-saved",
          "tensor \"transformer.ln_f.weight\" = \"decoder.norm.a_2\" is (2, 4), the model needs (8,)",
          reshape("transformer.ln_f.weight", {2, 4}));
  refused("mingpt", "buffer \"transformer.h.0.attn.bias\" is (1, 1, 4, 16), the model needs (1, 1, 8, 8)",
          reshape("transformer.h.0.attn.bias", {1, 1, 4, 16}));
  refused("llama",
          "tensor \"model.layers.1.mlp.up_proj.weight\" = \"decoder.layers.1.feed_forward.w_3.weight\" "
          "(128, 48) is missing",
          rename("model.layers.1.mlp.up_proj.weight", "model.layers.1.mlp.up.weight"));
  refused("llama",
          "tensor \"model.layers.1.mlp.down_proj.weight\" = \"decoder.layers.1.feed_forward.w_2.weight\" is "
          "(128, 48), the model needs (48, 128)",
          reshape("model.layers.1.mlp.down_proj.weight", {128, 48}));
}

TEST_CASE("a generator with a bias is not tied, though its matrix is the table again", "[model][families]") {
  const TemporaryFolder folder;
  FamilyParts parts("gpt2-saved");
  const NamedArray& table = parts.at("transformer.wte.weight");
  const std::size_t vocabulary = table.array.values.shape[0];
  std::erase_if(parts.tensors, [](const NamedArray& one) { return one.name == "lm_head.weight"; });
  parts.tensors.push_back({"lm_head.weight", parts.at("transformer.wte.weight").array});
  parts.tensors.push_back({"lm_head.bias", {DType::f32, Tensor(Shape{vocabulary})}});
  GivenStyle heads;
  heads.heads = 2;
  const ModelSpec spec = load_model<float>(parts.write(folder), heads).spec;
  CHECK(!spec.tied);
  CHECK(spec.biases.generator);
}

TEST_CASE("what a published model always has is not taken for a choice where the file lacks it",
          "[model][families]") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& name, const std::string& part, const std::string& what) {
    FamilyParts parts(name);
    std::erase_if(parts.tensors,
                  [&](const NamedArray& one) { return one.name.find(part) != std::string::npos; });
    const std::string path = parts.write(folder);
    INFO(part);
    check_error(ErrorKind::bad_data, path + ": " + what, [&] { load_model<float>(path, config_of(name)); });
  };
  refused("llama", "model.norm.", "tensor \"model.norm.weight\" = \"decoder.norm.a_2\" (48,) is missing");
  refused("llama", "norm.weight", "tensor \"model.layers.0.input_layernorm.weight\" = ");
  refused("llama", "0.self_attn.q_proj",
          "tensor \"model.layers.0.self_attn.q_proj.weight\" = "
          "\"decoder.layers.0.self_attn.linears.0.weight\" is missing");
  refused("llama", "embed_tokens", "tensor \"model.embed_tokens.weight\" = ");
  refused("llama", "gate_proj",
          printable(family_path("llama.config.json")) +
              " is of Llama, whose models have tensors named \"mlp.gate_proj\", and the file has none");
  refused("gpt2", "wpe", "tensor \"wpe.weight\" = \"tgt_embed.1.weight\" is missing");
  refused("gpt2", "ln_f", "tensor \"ln_f.weight\" = \"decoder.norm.a_2\" (48,) is missing");
  FamilyParts bare("llama"); // without a config.json it is a model whose norms have no gains
  std::erase_if(bare.tensors, [](const NamedArray& one) { return one.name.ends_with("norm.weight"); });
  GivenStyle heads;
  heads.heads = 4;
  CHECK(!load_model<float>(bare.write(folder), heads).spec.norm.gain);
}

TEST_CASE("a part of a model in a type that is not read is refused by it, not left out",
          "[model][families]") {
  const TemporaryFolder folder;
  for (const char* name : {"model.norm.weight", "model.layers.1.self_attn.v_proj.weight", "lm_head.weight"}) {
    INFO(name);
    const std::string whole = family_path("llama.safetensors");
    const std::vector<NamedArray> tensors = read_safetensors(read_file(whole), whole).tensors;
    std::vector<SafetensorsEntry> entries;
    for (const NamedArray& one : tensors)
      entries.push_back({one.name, &one.array.values, one.name == name ? DType::f64 : DType::f32});
    std::string bytes = write_safetensors(entries);
    bytes.replace(bytes.find("\"F64\""), 5, "\"C64\""); // as many bytes
    const std::string path = folder.write("changed.safetensors", bytes);
    check_error(ErrorKind::bad_data, name, [&] { load_model<float>(path, config_of("llama")); });
    check_error(ErrorKind::bad_data, "C64", [&] { load_model<float>(path, config_of("llama")); });
  }
}

TEST_CASE("a config.json that says otherwise than the tensors is refused with both values",
          "[model][families]") {
  const auto refused = [](const std::string& name, const std::string& from, const std::string& to,
                          const std::string& what) {
    const std::string path = family_path(name + ".config.json");
    std::string text = read_file(path);
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    INFO(to);
    check_error(ErrorKind::bad_data, what, [&] {
      load_model<float>(family_path(name + ".safetensors"),
                        style_in_config(read_json(text, "config.json"), "config.json"));
    });
  };
  refused("gpt2", "\"n_embd\": 48", "\"n_embd\": 64", "config.json gives n_embd as 64, the tensors show 48");
  refused("gpt2", "\"n_positions\": 32", "\"n_positions\": 64",
          "config.json gives n_positions as 64, the tensors show 32");
  refused("gpt2", "\"tie_word_embeddings\": true", "\"tie_word_embeddings\": false",
          "config.json gives tie_word_embeddings as false, the tensors show true");
  refused("mingpt", "\"tie_word_embeddings\": false", "\"tie_word_embeddings\": true",
          "config.json gives tie_word_embeddings as true, the tensors show false");
  std::string untied = read_file(family_path("nanogpt.config.json")); // its lm_head is the table again
  const std::string tie = "\"tie_word_embeddings\": true";
  untied.replace(untied.find(tie), tie.size(), "\"tie_word_embeddings\": false");
  CHECK(load_model<float>(family_path("nanogpt.safetensors"),
                          style_in_config(read_json(untied, "config.json"), "config.json"))
            .spec.tied);
  refused("llama", "\"num_key_value_heads\": 2", "\"num_key_value_heads\": 4",
          "config.json gives num_key_value_heads as 4, the tensors show 2");
  refused("llama", "\"vocab_size\": 96", "\"vocab_size\": 97",
          "config.json gives vocab_size as 97, the tensors show 96");
  refused("llama", "\"attention_bias\": false", "\"attention_bias\": true",
          "config.json gives attention_bias as true, the tensors show false");
  FamilyParts parts("llama"); // Q, K and V have a bias here, W_O none: the key speaks of both
  for (std::size_t i = 0, count = parts.tensors.size(); i < count; ++i)
    for (const std::string part : {"q_proj", "k_proj", "v_proj"})
      if (const std::string name = parts.tensors[i].name; name.ends_with(part + ".weight"))
        parts.tensors.push_back({name.substr(0, name.size() - 6) + "bias",
                                 {DType::f32, Tensor(Shape{parts.tensors[i].array.values.shape[0]})}});
  const TemporaryFolder folder;
  const std::string mixed = parts.write(folder);
  for (const char* flag : {"true", "false"}) {
    std::string text = read_file(family_path("llama.config.json"));
    const std::string key = "\"attention_bias\": ";
    text.replace(text.find(key), key.size() + 5, key + flag);
    check_error(
        ErrorKind::bad_data,
        std::string("config.json gives attention_bias as ") + flag +
            ", the tensors show q_proj true, o_proj false",
        [&] { load_model<float>(mixed, style_in_config(read_json(text, "config.json"), "config.json")); });
  }
  refused("gpt2", "\"model_type\": \"gpt2\"", "\"model_type\": \"llama\"",
          "its names are those of GPT-2, and config.json is of Llama");
}

TEST_CASE("a config.json of a model that is not computed here is refused by what it is",
          "[model][families]") {
  const auto refused = [](const std::string& members, const std::string& what) {
    INFO(members);
    check_error(ErrorKind::bad_data, what,
                [&] { style_in_config(read_json("{" + members + "}", "config.json"), "config.json"); });
  };
  const std::string llama = "\"model_type\":\"llama\",", qwen = "\"model_type\":\"qwen2\",",
                    gpt2 = "\"model_type\":\"gpt2\",";
  refused("\"model_type\":\"gemma\"", "tfx does not compute the model_type \"gemma\"");
  refused("\"model_type\":\"opt\"", "tfx does not compute the model_type \"opt\"");
  refused("\"hidden_size\":8", "the file has no model_type");
  refused(llama + "\"rope_scaling\":{\"rope_type\":\"llama3\",\"factor\":8.0}",
          "rope_scaling is \"llama3\": tfx");
  refused(llama + "\"rope_scaling\":{\"type\":\"linear\",\"factor\":2.0}", "rope_scaling is \"linear\": tfx");
  refused(llama + "\"rope_parameters\":{\"rope_type\":\"yarn\"}", "rope_parameters is \"yarn\": tfx");
  refused(llama + "\"partial_rotary_factor\":0.5", "partial_rotary_factor is 0.5: tfx");
  refused(llama + "\"hidden_act\":\"mish\"", "hidden_act is \"mish\"; it must be one of relu");
  refused(llama + "\"final_logit_softcapping\":30.0", "final_logit_softcapping is 30.0: tfx");
  refused(llama + "\"alibi\":true", "alibi is true: tfx");
  refused(llama + "\"use_parallel_residual\":true", "use_parallel_residual is true: tfx");
  refused(llama + "\"quantization_config\":{\"bits\":4}", "quantization_config is {…}: tfx");
  refused(llama + "\"rms_norm_eps\":0", "rms_norm_eps is 0; it must be a number above 0");
  refused(llama + "\"rope_theta\":\"x\"", "rope_theta is \"x\"; it must be a number above 0");
  refused(qwen + "\"use_sliding_window\":true,\"num_hidden_layers\":4,\"max_window_layers\":2",
          "max_window_layers is 2: tfx");
  refused(qwen + "\"layer_types\":[\"full_attention\",\"sliding_attention\"]", "layer_types is […]: tfx");
  refused(llama + "\"rope_parameters\":{\"rope_theta\":1e39}",
          "rope_theta is 1e39; it must be a number above 0, at most 1e+30");
  refused(llama + "\"rope_parameters\":{\"partial_rotary_factor\":0.5}", "partial_rotary_factor is 0.5: tfx");
  refused(llama + "\"rope_parameters\":{\"attention_factor\":0.5}", "attention_factor is 0.5: tfx");
  refused(llama + "\"rope_parameters\":{\"a\x7f\\u001b[2J\":1}", "a\\x7f\\x1b[2J is 1: tfx");
  refused(qwen + "\"layer_types\":[\"chunked_attention\",\"full_attention\"]",
          "layer_types is […]; it must be a list of full_attention, sliding_attention");
  refused(qwen + "\"layer_types\":[]", "layer_types is […]; it must be a list");
  refused(qwen + "\"layer_types\":\"full_attention\"",
          "layer_types is \"full_attention\"; it must be a list");
  refused(qwen + "\"use_sliding_window\":true,\"max_window_layers\":\"all\"",
          "max_window_layers is \"all\"; it must be a whole number from 0 on");
  refused(gpt2 + "\"scale_attn_weights\":false", "scale_attn_weights is false: tfx");
  refused(gpt2 + "\"scale_attn_by_inverse_layer_idx\":true", "scale_attn_by_inverse_layer_idx is true: tfx");
  refused(gpt2 + "\"n_head\":0", "n_head is 0; it must be a whole number");

  const auto style = [](const std::string& members) {
    return style_in_config(read_json("{" + members + "}", "config.json"), "config.json");
  };
  CHECK(style("\"model_type\":\"mistral\"").window == 4096);
  CHECK(style("\"model_type\":\"mistral\",\"sliding_window\":null").window == 0);
  CHECK(style(qwen + "\"sliding_window\":32").window == 0);
  CHECK(style(qwen + "\"use_sliding_window\":true,\"num_hidden_layers\":4,\"max_window_layers\":0,"
                     "\"sliding_window\":32")
            .window == 32);
  CHECK(style(qwen + "\"use_sliding_window\":true,\"num_hidden_layers\":4,\"sliding_window\":32").window ==
        0);
  CHECK(style(qwen + "\"use_sliding_window\":true,\"sliding_window\":32,"
                     "\"layer_types\":[\"sliding_attention\",\"sliding_attention\"]")
            .window == 32);
  CHECK(style("\"model_type\":\"mistral\",\"layer_types\":[\"full_attention\"]").window == 0);
  CHECK(style(llama + "\"rope_parameters\":{\"rope_type\":\"default\",\"partial_rotary_factor\":1.0}")
            .rotary_base == 10000);
  CHECK(style(llama + "\"rope_parameters\":{\"rope_type\":\"default\",\"rope_theta\":5e5}").rotary_base ==
        5e5);
  CHECK(style("\"model_type\":\"llama\"").epsilon == 1e-6);
  CHECK(style("\"model_type\":\"llama\"").rotary_base == 10000);
  CHECK(style("\"model_type\":\"llama\"").max_len == 2048);
  CHECK(style("\"model_type\":\"gpt2\"").activation == Activation::gelu_tanh);
}

namespace {

/// One change of a file: a name, a shape, a tensor less or twice, a word of the metadata.
void change_file(RandomInput& random, FamilyParts& parts, Metadata& metadata) {
  NamedArray& one = parts.tensors[random.size(0, parts.tensors.size() - 1)];
  Shape& shape = one.array.values.shape;
  const char* const keys[] = {"heads",  "norm",    "activation",       "epsilon", "positions", "rotary_base",
                              "window", "max_len", "scaled_embedding", "qk_norm", "final_norm"};
  const char* const words[] = {"0", "1",   "3",      "999999999", "18446744073709551615", "1e300", "-1",
                               "",  "rms", "rotary", "none",      "sinusoidal",           "true",  "false"};
  switch (random.size(0, 6)) {
  case 0: std::swap(one.name, parts.tensors[random.size(0, parts.tensors.size() - 1)].name); break;
  case 1: std::ranges::reverse(shape); break;
  case 2: shape = {element_count(shape)}; break;
  case 3: shape = {1, element_count(shape)}; break;
  case 4: one.name.replace(one.name.find('.'), 1, random.coin() ? ".99999999." : ".self_attn."); break;
  case 5: parts.tensors.erase(parts.tensors.begin() + (&one - parts.tensors.data())); break;
  default: metadata[keys[random.size(0, 10)]] = words[random.size(0, 13)];
  }
}

} // namespace

TEST_CASE("a changed file of another family is read or refused", "[model][families]") {
  std::size_t read = 0, refused = 0;
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const std::string name = family_models[1 + seed % 3 + 4 * (seed % 2)];
    FamilyParts parts(name);
    Metadata metadata;
    for (std::size_t i = random.size(1, 3); i > 0; --i) change_file(random, parts, metadata);
    std::vector<SafetensorsEntry> entries;
    std::set<std::string> names;
    for (const NamedArray& one : parts.tensors)
      if (names.insert(one.name).second) entries.push_back({one.name, &one.array.values, DType::f32});
    const TensorFile file("changed.safetensors", write_safetensors(entries, metadata));
    GivenStyle given = config_of(name);
    if (random.coin()) given.heads.reset();
    try {
      const auto model = load_model<float>(file, given);
      family_logits(model, ragged_batch({{0, 1}}));
      ++read;
    } catch (const Error& error) {
      const ErrorKind kind = error.kind();
      CHECK((kind == ErrorKind::bad_data || kind == ErrorKind::usage));
      ++refused;
    }
  }
  CHECK((read > 20 && refused > 500));
}
