#include "model/transformer.hpp"

#include "core/parallel.hpp"
#include "io/error_of.hpp"
#include "kernels/gemm.hpp"
#include "model/checkpoint.hpp"
#include "model/counts.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/model_fixture.hpp"
#include "support/small_model.hpp"

#include <set>

using namespace tfx;

namespace {

template <class Real>
void check_against_torch(const std::string& name, double bound) {
  INFO(name << (sizeof(Real) == 4 ? " in float" : " in double"));
  const ModelFixture torch(name);
  const auto model = load_model<Real>(torch.weights);
  Recorder<Real> recorder;
  forward(model, {torch.padded("src"), torch.padded("tgt")}, ForwardContext<Real>{&recorder});
  for (const std::string& activation : torch.names) {
    INFO(activation);
    REQUIRE(recorder.tensors.count(activation) == 1);
    REQUIRE(recorder.tensors[activation].size() == 1);
    CHECK(recorder.tensors[activation][0].shape == torch.tensors.at(activation).shape);
    CHECK(relative_difference(recorder.tensors[activation][0], torch.tensors.at(activation)) <= bound);
  }
}

} // namespace

TEST_CASE("every activation equals PyTorch's, with one to six layers, both norms, before and after",
          "[model]") {
  for (const char* name : {"layers-1", "layers-2", "layers-3", "layers-4", "layers-5", "layers-6"}) {
    check_against_torch<double>(name, 1e-11);
    check_against_torch<float>(name, 1e-5);
  }
}

TEST_CASE("torch.nn.Transformer's own weights give its own outputs", "[model]") {
  for (const char* name : {"torch-last", "torch-first"}) {
    check_against_torch<double>(name, 1e-11);
    check_against_torch<float>(name, 1e-5);
  }
}

TEST_CASE(
    "layers of torch.nn.Transformer and what stands around them, in files of their own, are the same model",
    "[model]") {
  const std::string folder = std::string(TFX_SOURCE_DIR) + "/data/reference/apart/";
  const TensorFile layers(folder + "torch-last.layers.safetensors"),
      ends(folder + "torch-last.ends.safetensors");
  const ModelFixture torch("torch-last");
  REQUIRE(holds_layers_alone(layers));
  CHECK_FALSE(holds_layers_alone(TensorFile(torch.weights)));
  GivenStyle style;
  CHECK_THROWS_WITH(spec_of_layers(layers, style, vocabularies_in(ends)),
                    Catch::Matchers::ContainsSubstring("how many heads the model has"));
  style.heads = 2;
  Transformer<double> model(spec_of_layers(layers, style, vocabularies_in(ends)));
  CHECK(model.spec.sizes() == load_model<double>(torch.weights).spec.sizes());
  load_layers(model, layers), load_ends(model, ends);
  Recorder<double> recorder;
  forward(model, {torch.padded("src"), torch.padded("tgt")}, ForwardContext<double>{&recorder});
  for (const std::string& activation : torch.names)
    CHECK(relative_difference(recorder.tensors.at(activation).at(0), torch.tensors.at(activation)) <= 1e-11);
}

TEST_CASE("activations are reported in PyTorch's order, each once", "[model]") {
  const ModelFixture torch("layers-2");
  const auto model = load_model<double>(torch.weights);
  Recorder<double> recorder;
  forward(model, {torch.padded("src"), torch.padded("tgt")}, ForwardContext<double>{&recorder});
  CHECK(std::set<std::string>(recorder.names.begin(), recorder.names.end()).size() == recorder.names.size());
  CHECK(std::set<std::string>(recorder.names.begin(), recorder.names.end()) ==
        std::set<std::string>(torch.names.begin(), torch.names.end()));
}

namespace {

/// log_probs of a model of random shape and style, ragged rows, and the same rows padded.
template <class Real>
void check_padding(std::uint32_t seed) {
  RandomInput random(seed);
  ModelSpec spec = small_spec();
  spec.norm = {random.coin() ? Norm::annotated : Norm::layer,
               random.coin() ? NormPlacement::pre_norm : NormPlacement::post_norm};
  const auto model = small_model<Real>(seed, spec);
  const auto src = random_rows(random, {random.size(1, 9), random.size(1, 9), random.size(1, 9)}, 11),
             tgt = random_rows(random, {random.size(1, 9), random.size(1, 9), random.size(1, 9)}, 13);
  const Batch padded = padded_batch(tgt, 0);
  const arma::Mat<Real> ragged = forward(model, {ragged_batch(src), ragged_batch(tgt)}),
                        filled = forward(model, {padded_batch(src, 0), padded});
  arma::Mat<Real> real_tokens(ragged.n_rows, 0);
  for (std::size_t t = 0; t < padded.ids.size(); ++t)
    if (padded.sequences.valid[t]) real_tokens.insert_cols(real_tokens.n_cols, filled.col(t));
  CHECK(worst_difference(real_tokens, ragged) <= kernel_bound<Real>);
}

} // namespace

TEMPLATE_TEST_CASE("padding changes nothing for the tokens that are none", "[model]", float, double) {
  for (std::uint32_t seed = 0; seed < 10; ++seed) check_padding<TestType>(seed);
}

TEMPLATE_TEST_CASE("one thread and two give the same", "[model]", float, double) {
  for (std::uint32_t seed = 0; seed < 3; ++seed) {
    RandomInput random(seed);
    ModelSpec spec = small_spec();
    spec.d_model = 48, spec.d_ff = 96; // long enough for threads
    const auto model = small_model<TestType>(seed, spec);
    const Batch src = ragged_batch(random_rows(random, {30, 7, 40, 1}, 11)),
                tgt = ragged_batch(random_rows(random, {12, 40, 3, 9}, 13));
    const TrainingMode training{seed, 5, 0.1};
    for (const TrainingMode* mode : {static_cast<const TrainingMode*>(nullptr), &training}) {
      const ForwardContext<TestType> context{nullptr, mode};
      const auto alone = forward(model, {src, tgt}, context);
      CHECK(worst_difference(forward(model, {src, tgt}, context), alone) == 0);
      const ThreadCount two(2);
      const auto together = forward(model, {src, tgt}, context);
      CHECK(worst_difference(together, alone) <= kernel_bound<TestType>);
      CHECK(worst_difference(forward(model, {src, tgt}, context), together) == 0);
    }
  }
}

TEST_CASE("a later token of the target moves no earlier output; each token of the source moves all",
          "[model]") {
  for (const NormPlacement placement : {NormPlacement::pre_norm, NormPlacement::post_norm}) {
    RandomInput random(9);
    ModelSpec spec = small_spec();
    spec.norm.placement = placement;
    const auto model = small_model<double>(9, spec);
    const auto src = random_rows(random, {6}, 11), tgt = random_rows(random, {7}, 13);
    const arma::mat before = forward(model, {ragged_batch(src), ragged_batch(tgt)});
    for (std::size_t t = 0; t < 7; ++t) {
      auto changed = tgt;
      changed[0][t] = changed[0][t] % 12 + 1;
      const arma::mat after = forward(model, {ragged_batch(src), ragged_batch(changed)});
      for (std::size_t i = 0; i < 7; ++i)
        CHECK((worst_difference(after.col(i).eval(), before.col(i).eval()) > 1e-9) == (i >= t));
    }
    for (std::size_t t = 0; t < 6; ++t) {
      auto changed = src;
      changed[0][t] = changed[0][t] % 10 + 1;
      const arma::mat after = forward(model, {ragged_batch(changed), ragged_batch(tgt)});
      for (std::size_t i = 0; i < 7; ++i)
        CHECK(worst_difference(after.col(i).eval(), before.col(i).eval()) > 1e-9);
    }
  }
}

TEST_CASE("the columns are log-probabilities, and nothing is drawn in prediction", "[model]") {
  RandomInput random(2);
  const auto model = small_model<double>(2);
  const Batch src = ragged_batch(random_rows(random, {4}, 11)),
              tgt = ragged_batch(random_rows(random, {5}, 13));
  const arma::mat log_probs = forward(model, {src, tgt});
  for (std::size_t t = 0; t < 5; ++t) CHECK(arma::accu(arma::exp(log_probs.col(t))) == Approx(1));
  const TrainingMode off{1, 1, 0}, on{1, 1, 0.1};
  CHECK(worst_difference(forward(model, {src, tgt}, ForwardContext<double>{nullptr, &off}), log_probs) == 0);
  CHECK(worst_difference(forward(model, {src, tgt}, ForwardContext<double>{nullptr, &on}), log_probs) > 0.01);
}

TEST_CASE("dropout falls on the embedded tokens of both sides, each by its own stream", "[model]") {
  RandomInput random(4);
  const auto model = small_model<double>(4);
  const Batch src = ragged_batch(random_rows(random, {6}, 11)),
              tgt = ragged_batch(random_rows(random, {6}, 13));
  const TrainingMode training{1, 1, 0.5};
  Recorder<double> trained, still;
  forward(model, {src, tgt}, ForwardContext<double>{&trained, &training});
  forward(model, {src, tgt}, ForwardContext<double>{&still});
  for (const std::string name : {"src_embed", "tgt_embed"}) {
    const Tensor& tensor = still.tensors.at(name)[0];
    arma::mat expected(tensor.data.data(), 12, 6);
    drop(ForwardContext<double>{nullptr, &training, name}, expected);
    const arma::mat found(trained.tensors.at(name)[0].data.data(), 12, 6);
    CHECK(worst_difference(found, expected) == 0);
    CHECK(arma::any(arma::vectorise(found) == 0));
  }
}

TEST_CASE("executed multiply-adds are those of the closed form", "[model]") {
  RandomInput random(3);
  for (int again = 0; again < 5; ++again) {
    ModelSpec spec = small_spec();
    spec.layers = random.size(1, 4), spec.d_ff = random.size(1, 30);
    const std::size_t N = spec.layers, d = spec.d_model, ff = spec.d_ff, V = spec.tgt_vocab;
    const Transformer<float> model(spec);
    const std::size_t batch = random.size(1, 4), s = random.size(1, 9), t = random.size(1, 9);
    reset_executed_macs();
    forward(model, {ragged_batch(random_rows(random, std::vector<std::size_t>(batch, s), 11)),
                    ragged_batch(random_rows(random, std::vector<std::size_t>(batch, t), 13))});
    const std::size_t encoder = s * (4 * d * d + 2 * d * ff) + 2 * s * s * d,
                      decoder = t * (6 * d * d + 2 * d * ff) + s * 2 * d * d + 2 * t * t * d + 2 * t * s * d;
    CHECK(executed_macs() == batch * (N * (encoder + decoder) + t * d * V));
  }
}

TEST_CASE("make_model(N=6, d_model=512) has 44,140,544 parameters beside embeddings and generator",
          "[model]") {
  ModelSpec spec;
  spec.src_vocab = spec.tgt_vocab = 10000;
  const Transformer<ShapesOnly> model(spec);
  CHECK(count_parameters(model.encoder) + count_parameters(model.decoder) == 44'140'544);
  CHECK(count_parameters(model) == 44'140'544 + 2 * 10000 * 512 + 10000 * 512 + 10000);
}

TEST_CASE("what makes no model or no batch is refused", "[model]") {
  const auto refused = [](const std::string& part, auto change) {
    ModelSpec spec = small_spec();
    change(spec);
    check_error(ErrorKind::bad_data, part, [&] { Transformer<float> model(spec); });
  };
  refused("layers 0", [](ModelSpec& c) { c.layers = 0; });
  refused("d_model 0", [](ModelSpec& c) { c.d_model = 0; });
  refused("source vocabulary 0", [](ModelSpec& c) { c.src_vocab = 0; });
  refused("target vocabulary 0", [](ModelSpec& c) { c.tgt_vocab = 0; });
  refused("max_len 0", [](ModelSpec& c) { c.max_len = 0; });
  refused("heads 0", [](ModelSpec& c) { c.heads = 0; });
  refused("5 heads do not divide d_model 12", [](ModelSpec& c) { c.heads = 5; });
  ModelSpec huge = small_spec();
  huge.d_ff = std::size_t{1} << 40;
  check_error(ErrorKind::no_memory, "the model needs about", [&] { Transformer<float> model(huge); });

  check_error(ErrorKind::bad_data, "the batch has no sequence", [] { ragged_batch({}); });
  check_error(ErrorKind::bad_data, "sequence 1 has no token", [] { padded_batch({{1}, {}}, 0); });
  const auto model = small_model<float>(1);
  const Batch fits = ragged_batch({{1, 2}}), longer = ragged_batch({{1}, TokenIds(41, 1)});
  check_error(ErrorKind::bad_data, "a sequence has 41 tokens, the model takes 40",
              [&] { encode(model, longer); });
  check_error(ErrorKind::bad_data, "the id 11, the vocabulary has 11",
              [&] { encode(model, ragged_batch({{11}})); });
  check_error(ErrorKind::bad_data, "2 sequences attend to 1", [&] {
    forward(model, {fits, ragged_batch({{1}, {2}})});
  });
}
