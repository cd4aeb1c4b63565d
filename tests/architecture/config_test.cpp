// Published models by their config.json: totals to the published digit, names, what a missing field means,
// refusals.

#include "architecture/config_file.hpp"
#include "architecture/configs.hpp"
#include "core/error.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>

using namespace tfx;
using namespace tfx::params;

namespace {

ConfigFile config_in(const std::string& text) {
  return read_config(read_json(text, "x.json"), "x.json");
}

std::uint64_t parameters_of(const ConfigFile& config) {
  return totals(blueprint(config.shape)).parameters.value();
}

/// The fields of a small Llama, and more.
std::string small_llama(const std::string& more = "", const std::string& type = "llama") {
  return "{\"model_type\":\"" + type +
         "\",\"hidden_size\":8,\"num_hidden_layers\":1,\"intermediate_size\":5,\"vocab_size\":7" +
         (more.empty() ? "" : "," + more) + "}";
}

std::string taken(const ConfigFile& config) {
  std::string all;
  for (const TakenDefault& one : config.defaults) all += one.field + "=" + one.value + " ";
  return all;
}

/// Every tensor as "name (rows, columns)", in the order of the blueprint; a tied one as "name = table".
std::vector<std::string> written_names(const ModelShape& shape) {
  std::vector<std::string> all;
  for (const NamedTensor& one : tensors_of(blueprint(shape))) {
    std::string text = one.name;
    if (!one.tensor.tied_to.empty()) {
      all.push_back(text + " = " + one.tensor.tied_to);
      continue;
    }
    for (const Figure& extent : one.tensor.shape) text += " " + std::to_string(extent.value());
    all.push_back(text);
  }
  return all;
}

} // namespace

TEST_CASE("configurations of published models give the published totals", "[architecture][config]") {
  const std::pair<const char*, std::uint64_t> published[] = {{"gpt2", 124'439'808},
                                                             {"gpt2-medium", 354'823'168},
                                                             {"gpt2-large", 774'030'080},
                                                             {"gpt2-xl", 1'557'611'200},
                                                             {"distilgpt2", 81'912'576},
                                                             {"opt-125m", 125'239'296},
                                                             {"opt-350m", 331'196'416},
                                                             {"opt-1.3b", 1'315'758'080},
                                                             {"opt-6.7b", 6'658'473'984},
                                                             {"pythia-70m", 70'426'624},
                                                             {"pythia-160m", 162'322'944},
                                                             {"pythia-6.9b", 6'857'302'016},
                                                             {"gpt-neox-20b", 20'554'567'680},
                                                             {"llama-7b", 6'738'415'616},
                                                             {"llama-2-13b", 13'015'864'320},
                                                             {"llama-2-70b", 68'976'648'192},
                                                             {"llama-3-8b", 8'030'261'248},
                                                             {"llama-3.2-1b", 1'235'814'400},
                                                             {"llama-3.2-3b", 3'212'749'824},
                                                             {"tinyllama-1.1b", 1'100'048'384},
                                                             {"mistral-7b", 7'241'732'096},
                                                             {"mistral-nemo-12b", 12'247'782'400},
                                                             {"qwen2-0.5b", 494'032'768},
                                                             {"qwen2-1.5b", 1'543'714'304},
                                                             {"qwen2-7b", 7'615'616'512},
                                                             {"gemma-2b", 2'506'172'416},
                                                             {"gemma-7b", 8'537'680'896},
                                                             {"phi-1_5", 1'418'270'720},
                                                             {"phi-2", 2'779'683'840},
                                                             {"bert-base-uncased", 109'482'240},
                                                             {"bert-base-cased", 108'310'272},
                                                             {"bert-large-uncased", 335'141'888},
                                                             {"roberta-base", 124'645'632},
                                                             {"roberta-large", 355'359'744},
                                                             {"t5-small", 60'506'624},
                                                             {"t5-base", 222'903'552},
                                                             {"t5-large", 737'668'096},
                                                             {"t5-3b", 2'851'598'336},
                                                             {"flan-t5-small", 76'961'152},
                                                             {"flan-t5-base", 247'577'856}};
  std::set<std::string> tested;
  for (const auto& [name, total] : published) {
    INFO(name);
    CHECK(parameters_of(config_of_file(name)) == total);
    tested.insert(config_path(name));
  }
  for (const auto& file : std::filesystem::directory_iterator(TFX_SOURCE_DIR "/tests/architecture/configs"))
    CHECK(tested.contains(file.path().string())); // none lies there unread
}

TEST_CASE("a missing field has the default of its class, and the answer lists it", "[architecture][config]") {
  CHECK(taken(config_of_file("llama-7b")) ==
        "max_position_embeddings=2048 num_key_value_heads=32 head_dim=128 "
        "attention_bias=false mlp_bias=false ");
  CHECK(config_of_file("gpt2").defaults.size() == 2);
  CHECK(taken(config_of_file("gpt2-medium")) == "n_inner=4096 tie_word_embeddings=true "); // n_inner is null
  const std::string heads = "\"num_attention_heads\":4";
  CHECK(taken(config_in(small_llama(heads))) ==
        "max_position_embeddings=2048 num_key_value_heads=4 head_dim=2 hidden_act=silu attention_bias=false "
        "mlp_bias=false tie_word_embeddings=false ");
  // Each class has its own: Mistral 8 heads of keys, or all of them where the file says null; Gemma 16, 256
  // wide.
  const ConfigFile mistral = config_in(
      R"({"model_type":"mistral","hidden_size":64,"num_hidden_layers":1,"intermediate_size":5,"vocab_size":7,"num_attention_heads":16})");
  CHECK(mistral.shape.key_heads() == 8);
  CHECK(mistral.shape.window == 4096);
  const ConfigFile null_heads = config_in(
      R"({"model_type":"mistral","hidden_size":64,"num_hidden_layers":1,"intermediate_size":5,"vocab_size":7,"num_attention_heads":16,"num_key_value_heads":null,"sliding_window":null})");
  CHECK(null_heads.shape.key_heads() == 16);
  CHECK(null_heads.shape.window == 0);
  const ConfigFile gemma = config_in(
      R"({"model_type":"gemma","hidden_size":64,"num_hidden_layers":1,"intermediate_size":5,"vocab_size":7,"num_attention_heads":16})");
  CHECK(gemma.shape.key_heads() == 16);
  CHECK(gemma.shape.width_of_head() == 256);
  CHECK(gemma.shape.tied);
}

TEST_CASE("what a field says is read: biases, ties, gates, norms", "[architecture][config]") {
  const auto llama = [](const std::string& more) {
    return parameters_of(
        config_in(small_llama("\"num_attention_heads\":4" + (more.empty() ? "" : "," + more))));
  };
  // By hand: V·d twice, 4·d² + 3·d·f + 2·d a layer, d.
  const std::uint64_t plain = 2 * 7 * 8 + 4 * 64 + 3 * 40 + 16 + 8;
  CHECK(llama("") == plain);
  CHECK(llama("\"tie_word_embeddings\":true") == plain - 7 * 8);
  CHECK(llama("\"attention_bias\":true") == plain + 4 * 8);
  CHECK(llama("\"mlp_bias\":true") == plain + 2 * 5 + 8);
  CHECK(llama("\"num_key_value_heads\":2") == plain - 2 * 8 * 4);
  CHECK(llama("\"head_dim\":3") == plain + 4 * 8 * 4); // four heads of 3: 12 wide instead of 8

  const auto t5 = [](const std::string& more) {
    return parameters_of(config_in(
        R"({"model_type":"t5","d_model":8,"num_layers":2,"d_ff":5,"vocab_size":7,"num_heads":2,"d_kv":3)" +
        more + "}"));
  };
  // An attention has 4·8·6, a feed-forward 2·40, a norm 8; an encoder layer 1 + 1, a decoder layer 2 + 1.
  const std::uint64_t attention = 192, dense = 80, norm = 8, biases = 2 * 32 * 2;
  const std::uint64_t encoder = attention + dense + 2 * norm, decoder = 2 * attention + dense + 3 * norm;
  CHECK(t5("") == 7 * 8 + 2 * encoder + 2 * decoder + 2 * norm + biases);
  CHECK(t5(R"(,"num_decoder_layers":1)") == t5("") - decoder);
  CHECK(t5(R"(,"feed_forward_proj":"gated-gelu")") == t5("") + 4 * 40);
  CHECK(t5(R"(,"feed_forward_proj":"gated-silu")") == t5("") + 4 * 40);
  CHECK(t5(R"(,"tie_word_embeddings":false)") == t5("") + 7 * 8);

  const auto opt = [](const std::string& more) {
    return parameters_of(config_in(
        R"({"model_type":"opt","hidden_size":8,"num_hidden_layers":2,"ffn_dim":5,"vocab_size":7,"num_attention_heads":2,"max_position_embeddings":6)" +
        more + "}"));
  };
  CHECK(opt("") == 7 * 8 + (6 + 2) * 8 + 2 * (4 * 72 + 16 + 45 + 48 + 16) + 16);
  CHECK(opt(R"(,"word_embed_proj_dim":3)") == opt("") - 7 * 5 + 2 * 3 * 8);
  CHECK(opt(R"(,"do_layer_norm_before":false)") == opt("") - 16);
  CHECK(opt(R"(,"_remove_final_layer_norm":true)") == opt("") - 16);
  CHECK(opt(R"(,"enable_bias":false)") == opt("") - 2 * (4 * 8 + 5 + 8));
  CHECK(opt(R"(,"layer_norm_elementwise_affine":false)") == opt("") - 5 * 16);

  const std::string phi = "\"num_attention_heads\":4";
  CHECK(parameters_of(config_in(small_llama(phi + ",\"qk_layernorm\":true", "phi"))) ==
        parameters_of(config_in(small_llama(phi, "phi"))) + 2 * 2 * 2);
  CHECK(parameters_of(config_in(small_llama(phi + ",\"attention_bias\":false", "gpt_neox"))) ==
        parameters_of(config_in(small_llama(phi, "gpt_neox"))) - 4 * 8);
}

TEST_CASE("tensors have the names and shapes of the published classes", "[architecture][config]") {
  using Names = std::vector<std::string>;
  const std::string heads = "\"num_attention_heads\":4";
  CHECK(written_names(config_in(small_llama(heads + ",\"num_key_value_heads\":2", "qwen2")).shape) ==
        Names{"model.embed_tokens.weight 7 8", "model.layers.0.self_attn.q_proj.weight 8 8",
              "model.layers.0.self_attn.q_proj.bias 8", "model.layers.0.self_attn.k_proj.weight 4 8",
              "model.layers.0.self_attn.k_proj.bias 4", "model.layers.0.self_attn.v_proj.weight 4 8",
              "model.layers.0.self_attn.v_proj.bias 4", "model.layers.0.self_attn.o_proj.weight 8 8",
              "model.layers.0.mlp.gate_proj.weight 5 8", "model.layers.0.mlp.up_proj.weight 5 8",
              "model.layers.0.mlp.down_proj.weight 8 5", "model.layers.0.input_layernorm.weight 8",
              "model.layers.0.post_attention_layernorm.weight 8", "model.norm.weight 8",
              "lm_head.weight 7 8"});
  CHECK(written_names(config_in(small_llama(heads, "gpt_neox")).shape) ==
        Names{"gpt_neox.embed_in.weight 7 8", "gpt_neox.layers.0.input_layernorm.weight 8",
              "gpt_neox.layers.0.input_layernorm.bias 8",
              "gpt_neox.layers.0.post_attention_layernorm.weight 8",
              "gpt_neox.layers.0.post_attention_layernorm.bias 8",
              "gpt_neox.layers.0.attention.query_key_value.weight 24 8",
              "gpt_neox.layers.0.attention.query_key_value.bias 24",
              "gpt_neox.layers.0.attention.dense.weight 8 8", "gpt_neox.layers.0.attention.dense.bias 8",
              "gpt_neox.layers.0.mlp.dense_h_to_4h.weight 5 8", "gpt_neox.layers.0.mlp.dense_h_to_4h.bias 5",
              "gpt_neox.layers.0.mlp.dense_4h_to_h.weight 8 5", "gpt_neox.layers.0.mlp.dense_4h_to_h.bias 8",
              "gpt_neox.final_layer_norm.weight 8", "gpt_neox.final_layer_norm.bias 8",
              "embed_out.weight 7 8"});
  CHECK(written_names(config_in(small_llama(heads, "phi")).shape) ==
        Names{"model.embed_tokens.weight 7 8", "model.layers.0.self_attn.q_proj.weight 8 8",
              "model.layers.0.self_attn.q_proj.bias 8", "model.layers.0.self_attn.k_proj.weight 8 8",
              "model.layers.0.self_attn.k_proj.bias 8", "model.layers.0.self_attn.v_proj.weight 8 8",
              "model.layers.0.self_attn.v_proj.bias 8", "model.layers.0.self_attn.dense.weight 8 8",
              "model.layers.0.self_attn.dense.bias 8", "model.layers.0.mlp.fc1.weight 5 8",
              "model.layers.0.mlp.fc1.bias 5", "model.layers.0.mlp.fc2.weight 8 5",
              "model.layers.0.mlp.fc2.bias 8", "model.layers.0.input_layernorm.weight 8",
              "model.layers.0.input_layernorm.bias 8", "model.final_layernorm.weight 8",
              "model.final_layernorm.bias 8", "lm_head.weight 7 8", "lm_head.bias 7"});
  CHECK(
      written_names(
          config_in(
              R"({"model_type":"opt","hidden_size":8,"num_hidden_layers":1,"ffn_dim":5,"vocab_size":7,"num_attention_heads":2,"max_position_embeddings":6,"word_embed_proj_dim":3})")
              .shape) == Names{"model.decoder.embed_tokens.weight 7 3",
                               "model.decoder.embed_positions.weight 8 8",
                               "model.decoder.project_out.weight 3 8",
                               "model.decoder.project_in.weight 8 3",
                               "model.decoder.final_layer_norm.weight 8",
                               "model.decoder.final_layer_norm.bias 8",
                               "model.decoder.layers.0.self_attn.q_proj.weight 8 8",
                               "model.decoder.layers.0.self_attn.q_proj.bias 8",
                               "model.decoder.layers.0.self_attn.k_proj.weight 8 8",
                               "model.decoder.layers.0.self_attn.k_proj.bias 8",
                               "model.decoder.layers.0.self_attn.v_proj.weight 8 8",
                               "model.decoder.layers.0.self_attn.v_proj.bias 8",
                               "model.decoder.layers.0.self_attn.out_proj.weight 8 8",
                               "model.decoder.layers.0.self_attn.out_proj.bias 8",
                               "model.decoder.layers.0.self_attn_layer_norm.weight 8",
                               "model.decoder.layers.0.self_attn_layer_norm.bias 8",
                               "model.decoder.layers.0.fc1.weight 5 8",
                               "model.decoder.layers.0.fc1.bias 5",
                               "model.decoder.layers.0.fc2.weight 8 5",
                               "model.decoder.layers.0.fc2.bias 8",
                               "model.decoder.layers.0.final_layer_norm.weight 8",
                               "model.decoder.layers.0.final_layer_norm.bias 8",
                               "lm_head.weight = model.decoder.embed_tokens.weight"});
  CHECK(
      written_names(
          config_in(
              R"({"model_type":"t5","d_model":8,"num_layers":1,"d_ff":5,"vocab_size":7,"num_heads":2,"d_kv":3,"feed_forward_proj":"gated-gelu"})")
              .shape) == Names{"shared.weight 7 8",
                               "encoder.embed_tokens.weight = shared.weight",
                               "encoder.block.0.layer.0.SelfAttention.q.weight 6 8",
                               "encoder.block.0.layer.0.SelfAttention.k.weight 6 8",
                               "encoder.block.0.layer.0.SelfAttention.v.weight 6 8",
                               "encoder.block.0.layer.0.SelfAttention.o.weight 8 6",
                               "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight 32 2",
                               "encoder.block.0.layer.0.layer_norm.weight 8",
                               "encoder.block.0.layer.1.DenseReluDense.wi_0.weight 5 8",
                               "encoder.block.0.layer.1.DenseReluDense.wi_1.weight 5 8",
                               "encoder.block.0.layer.1.DenseReluDense.wo.weight 8 5",
                               "encoder.block.0.layer.1.layer_norm.weight 8",
                               "encoder.final_layer_norm.weight 8",
                               "decoder.embed_tokens.weight = shared.weight",
                               "decoder.block.0.layer.0.SelfAttention.q.weight 6 8",
                               "decoder.block.0.layer.0.SelfAttention.k.weight 6 8",
                               "decoder.block.0.layer.0.SelfAttention.v.weight 6 8",
                               "decoder.block.0.layer.0.SelfAttention.o.weight 8 6",
                               "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight 32 2",
                               "decoder.block.0.layer.0.layer_norm.weight 8",
                               "decoder.block.0.layer.1.EncDecAttention.q.weight 6 8",
                               "decoder.block.0.layer.1.EncDecAttention.k.weight 6 8",
                               "decoder.block.0.layer.1.EncDecAttention.v.weight 6 8",
                               "decoder.block.0.layer.1.EncDecAttention.o.weight 8 6",
                               "decoder.block.0.layer.1.layer_norm.weight 8",
                               "decoder.block.0.layer.2.DenseReluDense.wi_0.weight 5 8",
                               "decoder.block.0.layer.2.DenseReluDense.wi_1.weight 5 8",
                               "decoder.block.0.layer.2.DenseReluDense.wo.weight 8 5",
                               "decoder.block.0.layer.2.layer_norm.weight 8",
                               "decoder.final_layer_norm.weight 8",
                               "lm_head.weight = shared.weight"});
  const Names roberta = written_names(config_of_file("roberta-base").shape);
  CHECK(std::ranges::count(roberta, "roberta.embeddings.position_embeddings.weight 514 768") == 1);
  CHECK(std::ranges::count(roberta, "roberta.embeddings.token_type_embeddings.weight 1 768") == 1);
}

TEST_CASE("a cache keeps the keys and values of each layer, those of a group once",
          "[architecture][config]") {
  const auto cache = [](const std::string& name) { return kv_cache(config_of_file(name).shape); };
  // Llama-3-8B: 32 layers, 8 heads of 128, keys and values; 128 KiB a token in 2 bytes, 1 GiB for 8,192.
  REQUIRE(cache("llama-3-8b"));
  CHECK(cache("llama-3-8b")->each.value() * 2 == 128 * 1024);
  CHECK(cache("llama-3-8b")->each.formula() == "2·N·d_kv");
  CHECK(cache("llama-3-8b")->all.value() * 2 == std::uint64_t{1} << 30);
  CHECK(cache("llama-3-8b")->without_groups.value() * 2 == std::uint64_t{4} << 30);
  CHECK(cache("llama-7b")->each.value() * 2 == 512 * 1024);
  CHECK(cache("llama-7b")->each.formula() == "2·N·d");
  CHECK(cache("gemma-2b")->each.value() == 2 * 18 * 256);
  CHECK(cache("mistral-7b")->tokens.value() == 4096);            // the window
  CHECK(cache("mistral-nemo-12b")->tokens.value() == 1'024'000); // has none
  CHECK(cache("t5-3b")->each.value() == 2 * 24 * 32 * 128);      // wider than the model
  CHECK(cache("t5-3b")->tokens.value() == 256);
  CHECK_FALSE(cache("bert-base-uncased"));
  CHECK_FALSE(cache("roberta-base"));
}

TEST_CASE("every matrix multiplies each token once, but for the tables", "[architecture][config]") {
  for (const auto& file : std::filesystem::directory_iterator(TFX_SOURCE_DIR "/tests/architecture/configs")) {
    const std::string name = file.path().stem().string();
    ModelShape shape = config_of_file(name).shape;
    if (has_two_stacks(shape.family)) continue; // keys of the second attention are the source's
    shape.seq = shape.tgt_seq = 3;
    INFO(name);
    const Module root = blueprint(shape);
    std::uint64_t weights = 0;
    for (const NamedTensor& one : tensors_of(root)) {
      if (one.tensor.shape.size() != 2) continue;
      const bool is_table = one.name.find("embed") != std::string::npos || one.name.starts_with("w");
      const bool is_head = one.name.starts_with("lm_head") || one.name.starts_with("embed_out");
      const bool is_pooler = one.name.find("pooler") != std::string::npos; // of one token
      const std::uint64_t cells = one.tensor.shape[0].value() * one.tensor.shape[1].value();
      weights += is_pooler ? cells : is_table && !is_head ? 0 : 3 * cells;
    }
    CHECK(macs_of(root, LayerOperationKind::linear).value() == weights);
  }
}

TEST_CASE("what is no configuration of these families is refused by name", "[architecture][config]") {
  const std::string heads = "\"num_attention_heads\":4";
  const std::pair<std::string, std::string> cases[] = {
      {"[]", "the file is no JSON object"},
      {"{}", "the file has no model_type"},
      {R"({"model_type":3})", "model_type is 3; it must be a text"},
      {R"({"model_type":"gemma2"})", "does not count the model_type \"gemma2\""},
      {R"({"model_type":"phi3"})", "does not count the model_type \"phi3\""},
      {R"({"model_type":"mamba"})", "does not count the model_type \"mamba\""},
      {R"({"model_type":"Llama"})", "does not count the model_type \"Llama\""},
      {R"({"model_type":"llava","text_config":{"model_type":"llama"}})", "text_config is {…}"},
      {R"({"model_type":"gpt2","add_cross_attention":true})", "add_cross_attention is true"},
      {R"({"model_type":"gpt2","pruned_heads":{"0":[1]}})", "pruned_heads is {…}"},
      {small_llama(), "num_attention_heads is missing"},
      {R"({"model_type":"llama"})", "num_hidden_layers is missing"},
      {R"({"model_type":"gpt2","n_layer":1,"n_embd":8,"n_head":2,"vocab_size":7})", "n_positions is missing"},
      {small_llama("\"num_attention_heads\":null"), "num_attention_heads is null; it must be a whole number"},
      {small_llama("\"num_attention_heads\":0"), "num_attention_heads is 0; it must be"},
      {small_llama("\"num_attention_heads\":-4"), "num_attention_heads is -4; it must be"},
      {small_llama("\"num_attention_heads\":4.0"), "num_attention_heads is 4.0; it must be"},
      {small_llama("\"num_attention_heads\":4e0"), "num_attention_heads is 4e0; it must be"},
      {small_llama("\"num_attention_heads\":true"), "num_attention_heads is true; it must be"},
      {small_llama("\"num_attention_heads\":[4]"), "num_attention_heads is […]; it must be"},
      {small_llama("\"num_attention_heads\":\"4\""), "num_attention_heads is \"4\"; it must be"},
      {small_llama("\"num_attention_heads\":1000000001"), "from 1 to 1000000000"},
      {small_llama("\"num_attention_heads\":18446744073709551616"),
       "num_attention_heads is 18446744073709551616"},
      {small_llama("\"num_attention_heads\":1e300"), "num_attention_heads is 1e300"},
      {small_llama("\"num_attention_heads\":3"), "3 heads do not divide a width of 8"},
      {small_llama("\"num_attention_heads\":16"), "16 heads do not divide a width of 8"},
      {small_llama(heads + ",\"num_key_value_heads\":3"), "4 heads cannot share 3 heads"},
      {small_llama(heads + ",\"num_key_value_heads\":8"), "4 heads cannot share 8 heads"},
      {small_llama(heads + ",\"attention_bias\":1"), "attention_bias is 1; it must be true or false"},
      {small_llama(heads + ",\"tie_word_embeddings\":null"), "tie_word_embeddings is null"},
      {small_llama(heads + ",\"hidden_act\":\"mish\""), "hidden_act is \"mish\"; it must be one of relu"},
      {small_llama(heads + ",\"rotary_pct\":2", "gpt_neox"), "rotary_pct is 2; it must be a number above 0"},
      {small_llama(heads + ",\"max_position_embeddings\":2", "roberta"), "a whole number from 3 on"},
      {small_llama(heads + ",\"max_position_embeddings\":9,\"position_embedding_type\":\"relative_key\"",
                   "bert"),
       "position_embedding_type is \"relative_key\""},
      {R"({"model_type":"t5","d_model":8,"num_layers":1,"d_ff":5,"vocab_size":7,"num_heads":2,"num_decoder_layers":2000})",
       "num_decoder_layers is 2000"},
      {R"({"model_type":"t5","d_model":8,"num_layers":1001,"d_ff":5,"vocab_size":7,"num_heads":2})",
       "num_layers is 1001; it must be a whole number from 1 to 1000"},
      {R"({"model_type":"t5","d_model":8,"num_layers":1,"d_ff":5,"vocab_size":7,"num_heads":2,"feed_forward_proj":"gated-gelu-x"})",
       "feed_forward_proj is \"gelu-x\""}};
  for (const auto& [text, part] : cases) {
    INFO(text);
    std::string message = "nothing was thrown";
    try {
      config_in(text);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::bad_data);
      message = error.what();
    }
    INFO(message);
    CHECK(message.find("x.json: ") == 0);
    CHECK(message.find(part) != std::string::npos);
  }
}

TEST_CASE("sizes whose product no number holds are refused, not wrapped", "[architecture][config]") {
  const ConfigFile huge = config_in(
      R"({"model_type":"llama","hidden_size":1000000000,"num_hidden_layers":1000,"intermediate_size":1000000000,"vocab_size":1000000000,"num_attention_heads":1000000000,"head_dim":1000000000})");
  CHECK_THROWS_AS(parameters_of(huge), Error);
}

TEST_CASE("another class than the counted one is named", "[architecture][config]") {
  CHECK(config_of_file("bert-base-uncased").other_class == "BertForMaskedLM");
  CHECK(config_of_file("bert-base-uncased").counted_as == "BertModel");
  CHECK(config_of_file("llama-3-8b").other_class.empty());
  CHECK(config_in(small_llama("\"num_attention_heads\":4")).other_class.empty()); // none is named
  CHECK(
      config_in(small_llama("\"num_attention_heads\":4,\"quantization_config\":{\"bits\":4}")).is_quantized);
}
