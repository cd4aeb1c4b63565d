// What blueprints hold: published totals, the engine's own names and shapes, formulas, ties.

#include "architecture/checkpoint.hpp"
#include "architecture/remarks.hpp"
#include "core/error.hpp"
#include "model/counts.hpp"
#include "model/transformer.hpp"
#include "support/catch.hpp"
#include "support/expression.hpp"
#include "support/random_input.hpp"

#include <algorithm>

using namespace tfx;
using namespace tfx::params;

namespace {

Counted preset_named(const std::string& name) {
  const Preset* preset = find_preset(name);
  REQUIRE(preset);
  return counted(name, preset->shape, preset);
}

ModelShape random_shape(RandomInput& random, Family family) {
  ModelShape s = usual_shape(family);
  s.layers = random.size(1, 3), s.heads = random.size(1, 4), s.d_model = s.heads * random.size(1, 5);
  s.d_ff = random.size(2, 30), s.src_vocab = random.size(2, 50);
  s.tgt_vocab = family == Family::encoder_decoder ? random.size(2, 50) : s.src_vocab;
  s.context = 60, s.batch = random.size(1, 3), s.seq = random.size(1, 9);
  s.tgt_seq = has_two_stacks(family) ? random.size(1, 9) : s.seq;
  return s;
}

/// The same with parts that options and configurations choose.
ModelShape random_parts(RandomInput& random, Family family) {
  constexpr Positions positions[] = {Positions::none, Positions::sinusoidal, Positions::learned,
                                     Positions::rotary};
  ModelShape s = random_shape(random, family);
  if (family == Family::attention_block) return s; // has no choices
  s.kv_heads = random.size(0, 1) ? 1 : 0, s.head_width = random.size(0, 1) ? random.size(1, 9) : 0;
  if (family != Family::t5) s.positions = positions[random.size(0, 3)];
  s.biases = {random.size(0, 1) == 1, random.size(0, 1) == 1, random.size(0, 1) == 1, random.size(0, 1) == 1};
  s.gated = random.size(0, 1), s.embedding_width = random.size(0, 1) ? random.size(1, 9) : 0;
  s.decoder_layers = family == Family::t5 ? random.size(1, 3) : 0;
  return s;
}

constexpr Family texts[] = {Family::attention_block,
                            Family::encoder_decoder,
                            Family::torch_encoder,
                            Family::bert,
                            Family::roberta,
                            Family::gpt2,
                            Family::opt,
                            Family::gpt_neox,
                            Family::llama,
                            Family::phi,
                            Family::t5};

/// The formula as a calculator takes it: its names replaced by the numbers of the shape.
std::string with_numbers(const std::string& formula, const ModelShape& s) {
  const std::uint64_t all_heads = s.heads * s.width_of_head(), key_heads = s.key_heads() * s.width_of_head();
  const std::vector<std::pair<std::string, std::uint64_t>> sizes{
      {"d_kv", key_heads}, {"d_q", all_heads}, {"d_e", s.embedding_width},
      {"d", s.d_model},    {"f", s.d_ff},      {"h", s.heads},
      {"V", s.src_vocab},  {"S", s.src_vocab}, {"T", s.tgt_vocab},
      {"P", s.context},    {"B", s.batch},     {"n", s.seq},
      {"m", s.tgt_seq}};
  std::string text;
  for (std::size_t i = 0; i < formula.size();) {
    const auto size = std::ranges::find_if(
        sizes, [&](const auto& one) { return formula.compare(i, one.first.size(), one.first) == 0; });
    if (formula.compare(i, 2, "²") == 0)
      text += "^2", i += 2;
    else if (formula.compare(i, 2, "³") == 0)
      text += "^3", i += 2;
    else if (size != sizes.end())
      text += std::to_string(size->second), i += size->first.size();
    else
      text += formula[i++];
  }
  return text;
}

} // namespace

TEST_CASE("every preset holds what was published about it", "[architecture]") {
  const std::pair<const char*, std::uint64_t> published[] = {
      {"attention-block", 2'953'216}, {"bert-base", 109'482'240},   {"bert-large", 335'141'888},
      {"gpt2", 124'439'808},          {"gpt2-medium", 354'823'168}, {"gpt2-large", 774'030'080},
      {"gpt2-xl", 1'557'611'200},     {"llama-7b", 6'738'415'616},  {"resnet18", 11'689'512}};
  for (const auto& [name, total] : published) {
    INFO(name);
    CHECK(preset_named(name).sum.parameters.value() == total);
  }
}

TEST_CASE("the parts of attention-block are the tutorial's", "[architecture]") {
  const Module root = preset_named("attention-block").root;
  CHECK(totals(root.children[0]).parameters.value() == 2'560'000);
  CHECK(totals(root.children[1]).parameters.value() == 131'072);
  CHECK(totals(root.children[2].children[0]).parameters.value() == 196'608);
  CHECK(totals(root.children[2].children[2]).parameters.value() == 65'536);
}

TEST_CASE("the paper's models are within 4 % of its rounded table", "[architecture]") {
  CHECK(preset_named("transformer-base").sum.parameters.estimate() == Approx(65e6).epsilon(0.04));
  CHECK(preset_named("transformer-big").sum.parameters.estimate() == Approx(213e6).epsilon(0.04));
}

TEST_CASE("thop's count of resnet18 comes out: 1.82 G, of which 1.81 G are multiply-adds", "[architecture]") {
  const Totals sum = preset_named("resnet18").sum;
  CHECK(sum.macs.value() == 1'814'073'344);
  // 4 for each of the 2,483,712 cells of its BatchNorms, 50 for each of the 512 averages
  CHECK(sum.hook.value() == 1'814'073'344 + 4 * 2'483'712 + 50 * 512);
  CHECK(sum.buffers.value() == 9'620); // 2 × 4,800 channels and 20 counters
}

TEST_CASE("the annotated blueprint has the engine's names, shapes and order, and its multiply-adds",
          "[architecture]") {
  RandomInput random(1);
  for (int i = 0; i < 50; ++i) {
    const ModelShape s = random_shape(random, Family::encoder_decoder);
    ModelSpec spec;
    spec.layers = s.layers, spec.d_model = s.d_model, spec.d_ff = s.d_ff, spec.heads = s.heads;
    spec.src_vocab = s.src_vocab, spec.tgt_vocab = s.tgt_vocab;
    const auto engine = parameter_shapes(Transformer<ShapesOnly>(spec));
    const Module root = encoder_decoder(s);
    std::size_t at = 0;
    for (const NamedTensor& one : tensors_of(root)) {
      if (one.tensor.kind == TensorKind::buffer) continue;
      REQUIRE(at < engine.size());
      CHECK(one.name == engine[at].name);
      CHECK(elements(one.tensor).value() == element_count(engine[at].shape));
      REQUIRE(one.tensor.shape.size() == engine[at].shape.size());
      for (std::size_t axis = 0; axis < engine[at].shape.size(); ++axis)
        CHECK(one.tensor.shape[axis].value() == engine[at].shape[axis]);
      ++at;
    }
    CHECK(at == engine.size());
    Sequences src, tgt;
    for (std::uint64_t b = 0; b < s.batch; ++b) src.append(s.seq), tgt.append(s.tgt_seq);
    CHECK(totals(root).macs.value() == forward_macs(spec, src, tgt));
  }
}

TEST_CASE("a formula with its sizes put in is the count, for random shapes of every family",
          "[architecture]") {
  RandomInput random(2);
  for (int i = 0; i < 40; ++i)
    for (const Family family : texts) {
      const ModelShape s = random_parts(random, family);
      const Totals sum = totals(blueprint(s));
      for (const Figure* figure : {&sum.parameters, &sum.buffers, &sum.macs, &sum.cells}) {
        INFO(figure->formula());
        CHECK(calculate(with_numbers(figure->formula(), s)) == static_cast<double>(figure->value()));
      }
    }
}

TEST_CASE("multiply-adds of an attention are those of its loops", "[architecture]") {
  RandomInput random(3);
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t B = random.size(1, 3), h = random.size(1, 3), n = random.size(1, 6),
                        m = random.size(1, 6), d_k = random.size(1, 4);
    std::uint64_t loops = 0;
    for (std::uint64_t cell = 0; cell < B * h * n * m; ++cell)
      for (std::uint64_t k = 0; k < d_k; ++k) loops += 2; // one for Q·Kᵀ, one for weights·V
    Figure macs;
    for (const params::LayerOperation& one : attention_products({B, h, n, m, h * d_k})) macs += one.macs;
    CHECK(macs.value() == loops);
  }
}

TEST_CASE("modules hold what their tensors and children hold, and hooks see no more than there is",
          "[architecture]") {
  RandomInput random(4);
  for (const Family family : texts) {
    const Module root = blueprint(random_shape(random, family));
    std::uint64_t sum = 0;
    for (const NamedTensor& one : tensors_of(root))
      if (one.tensor.kind == TensorKind::parameter) sum += elements(one.tensor).value();
    CHECK(totals(root).parameters.value() == sum);
    CHECK(totals(root).seen.value() < totals(root).macs.value());
  }
}

TEST_CASE("parts that options choose are counted by hand", "[architecture]") {
  const auto parameters = [](const ModelShape& shape) { return totals(blueprint(shape)).parameters.value(); };
  const std::uint64_t d = 768, f = 3072, V = 50257, P = 1024;
  ModelShape s = find_preset("gpt2")->shape;
  s.kv_heads = 4; // 4 of 64 numbers: d_kv = 256, for keys and for values, with their biases
  CHECK(parameters(s) == 124'439'808 - 12 * 2 * (d + 1) * (d - 256));
  s.positions = Positions::rotary, s.gated = true, s.biases = {false, false, false, false};
  CHECK(parameters(s) == V * d + 12 * (2 * d * 256 + 2 * d * d + 3 * d * f + 4 * d) + 2 * d);
  s.positions = Positions::sinusoidal; // numbers of the table that nobody learns
  CHECK(parameters(s) == V * d + 12 * (2 * d * 256 + 2 * d * d + 3 * d * f + 4 * d) + 2 * d);
  CHECK(totals(blueprint(s)).buffers.value() == 12 * P * P + P * d);

  s = find_preset("annotated")->shape;
  const std::uint64_t plain = parameters(s);
  s.positions = Positions::learned;
  CHECK(parameters(s) == plain + 2 * 5000 * 512);
  CHECK(totals(blueprint(s)).buffers.value() == 0);
  s.gated = true;
  CHECK(parameters(s) == plain + 2 * 5000 * 512 + 12 * (512 * 2048 + 2048));
}

TEST_CASE("rotary positions turn the numbers of queries and keys that they are given", "[architecture]") {
  ModelShape s = find_preset("llama-7b")->shape;
  s.layers = 1, s.seq = 5;
  const auto other = [](const ModelShape& shape) { return totals(blueprint(shape)).other.value(); };
  ModelShape none = s;
  none.positions = Positions::none;
  CHECK(other(s) - other(none) == 3 * 5 * (4096 + 4096));
  s.rotated = 32; // of the 128 numbers of each of 32 heads
  CHECK(other(s) - other(none) == 3 * 5 * 2 * 32 * 32);
  s.kv_heads = none.kv_heads = 8;
  CHECK(other(s) - other(none) == 3 * 5 * (32 + 8) * 32);
}

TEST_CASE("tied tensors are counted once", "[architecture]") {
  ModelShape s = find_preset("annotated")->shape;
  const std::uint64_t apart = totals(encoder_decoder(s)).parameters.value();
  s.tied = true;
  CHECK(apart - totals(encoder_decoder(s)).parameters.value() == 2 * s.src_vocab * s.d_model);
}

TEST_CASE("attention overtakes at n = 2·d + f in a layer of BERT, one token later it has", "[architecture]") {
  CHECK(attention_overtakes(preset_named("bert-base")) == 2 * 768 + 3072 + 1);
}

TEST_CASE("a count beyond 63 bits is refused with its estimate", "[architecture]") {
  const Figure large = Figure("a", 4'000'000'000) * Figure("b", 4'000'000'000);
  std::string message;
  try {
    large.value();
  } catch (const Error& error) {
    message = error.what();
    CHECK(error.kind() == ErrorKind::no_memory);
  }
  CHECK(message.find("1.6e+19") != std::string::npos);
}

TEST_CASE("a checkpoint's names make a tree with its layers in numerical order", "[architecture]") {
  std::vector<FileTensor> tensors;
  for (const char* i : {"0", "1", "10", "2"}) {
    tensors.push_back({"encoder.layers." + std::string(i) + ".norm.weight", {4}});
    tensors.push_back({"encoder.layers." + std::string(i) + ".bn.running_mean", {4}});
  }
  tensors.push_back({"0.weight", {2, 3}});
  const Module root = tree_of(tensors);
  CHECK(totals(root).parameters.value() == 4 * 4 + 6);
  CHECK(totals(root).buffers.value() == 4 * 4);
  REQUIRE(root.children.size() == 2);
  REQUIRE(root.children[0].children.size() == 4);
  CHECK(root.children[0].children[3].name == "layers.10");
  CHECK(tensors_of(root)[0].name == "encoder.layers.0.norm.weight");
}
