// Every parameter's gradient through the whole model: central differences, and PyTorch's autograd.

#include "core/error.hpp"
#include "io/error_of.hpp"
#include "io/file.hpp"
#include "io/safetensors.hpp"
#include "model/checkpoint.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/model_fixture.hpp"
#include "support/model_parts.hpp"
#include "support/slopes.hpp"
#include "support/small_model.hpp"
#include "train/gradient_descent.hpp"

using namespace tfx;

namespace {

/// A training batch of rows of random lengths; labels are random, some of them padding where asked.
TrainingBatch random_batch(RandomInput& random, const ModelSpec& spec, bool pad_labels) {
  std::vector<std::size_t> of_src, of_tgt;
  for (std::size_t s = random.size(1, 3); s > 0; --s)
    of_src.push_back(random.size(1, 6)), of_tgt.push_back(random.size(1, 5));
  TrainingBatch batch;
  const auto src = random_rows(random, of_src, spec.src_vocab),
             tgt = random_rows(random, of_tgt, spec.tgt_vocab);
  const bool padded = random.coin();
  if (spec.has_encoder()) batch.src = padded ? padded_batch(src, 0) : ragged_batch(src);
  batch.tgt = padded ? padded_batch(tgt, 0) : ragged_batch(tgt);
  batch.labels.resize(batch.tgt.ids.size());
  for (auto& label : batch.labels) label = static_cast<std::uint32_t>(random.size(1, spec.tgt_vocab - 1));
  if (pad_labels && batch.labels.size() > 1) batch.labels.back() = 0;
  return batch;
}

ModelSpec random_spec(RandomInput& random) {
  ModelSpec spec = small_spec();
  spec.layers = random.size(1, 2), spec.d_model = 6, spec.d_ff = random.size(1, 7);
  spec.src_vocab = random.size(3, 6), spec.tgt_vocab = random.size(3, 6);
  spec.heads = random.size(1, 3);
  spec.norm.rule = random.coin() ? Norm::annotated : Norm::layer;
  spec.norm.placement = random.coin() ? NormPlacement::pre_norm : NormPlacement::post_norm;
  constexpr Activation activations[] = {Activation::relu, Activation::gelu, Activation::gelu_tanh};
  spec.activation = activations[random.size(0, 2)];
  return spec;
}

double loss_of(const Transformer<double>& model, const TrainingBatch& batch, const Smoothing& smoothing,
               const ForwardContext<double>& context) {
  ModelSaved<double> saved;
  arma::mat x = logits(model, batch.inputs(), context, saved);
  return loss_and_gradient(x, batch.labels, smoothing, 1).sum;
}

} // namespace

TEST_CASE("every gradient of the model is the slope of its loss, whatever its parts",
          "[train][gradient][parts]") {
  for (std::uint32_t seed = 0; seed < 48; ++seed) {
    RandomInput random(seed);
    const ModelSpec spec = seed < 12       ? random_spec(random)
                           : seed % 3 == 0 ? random_parts(random, Stacks::both)
                                           : random_parts(random, Stacks::decoder);
    Transformer<double> model = small_model<double>(seed, spec), gradient = zeros_like(model);
    const TrainingBatch batch = random_batch(random, spec, random.coin());
    const Smoothing smoothing{seed % 2 ? 0.1 : 0.0, 0};
    const TrainingMode training{seed, 7, 0.3};
    const ForwardContext<double> context{nullptr, seed % 3 ? &training : nullptr};
    add_gradient<double>({model, gradient}, batch, smoothing, 1, context);
    double worst = 0;
    std::string where;
    each_parameter(
        [&](const std::string& name, auto& tensor, const auto& d) {
          const double difference =
              worst_slope(tensor, d, [&] { return loss_of(model, batch, smoothing, context); });
          if (difference > worst) worst = difference, where = name;
        },
        "", model, gradient);
    INFO("seed " << seed << ": " << where);
    CHECK(worst <= slope_bound);
  }
}

namespace {

/// A file that tools/reference/make_training.py made.
class TrainingFixture {
public:
  explicit TrainingFixture(const std::string& name) {
    const std::string path =
        std::string(TFX_SOURCE_DIR) + "/data/reference/training/" + name + ".safetensors";
    const Safetensors file = read_safetensors(read_file(path), path);
    metadata = file.metadata;
    for (const NamedArray& array : file.tensors) tensors.emplace(array.name, array.array.values);
  }

  /// Rows of tensor `name`, or of its matrix `i`.
  std::vector<TokenIds> rows(const std::string& name, std::size_t i = 0) const {
    const arma::mat M = matrix(tensors.at(name), i);
    std::vector<TokenIds> rows(M.n_rows);
    for (arma::uword r = 0; r < M.n_rows; ++r)
      for (arma::uword c = 0; c < M.n_cols; ++c) rows[r].push_back(static_cast<std::uint32_t>(M(r, c)));
    return rows;
  }

  std::map<std::string, std::string> metadata;
  std::map<std::string, Tensor> tensors;
};

template <class Real>
double worst_gradient(const Transformer<Real>& gradient, const TrainingFixture& torch) {
  double worst = 0;
  each_parameter(
      [&](const std::string& name, const auto& d) {
        const Tensor own(torch_shape(d), std::vector<double>(d.begin(), d.end()));
        worst = std::max(worst, relative_difference(own, torch.tensors.at("d." + name)));
      },
      "", gradient);
  return worst;
}

template <class Real>
void compare_with_torch(const std::string& model_name, const std::string& gradients) {
  INFO(gradients);
  const ModelFixture of_model(model_name);
  const TrainingFixture torch(gradients);
  const auto model = load_model<Real>(of_model.weights);
  const Smoothing smoothing{torch.metadata.at("smoothing") == "0.0" ? 0.0 : 0.1, 0};
  const double bound = sizeof(Real) == 4 ? 1e-4 : 1e-9;
  const auto src = of_model.rows("src"), tgt = of_model.rows("tgt"), labels = torch.rows("labels");
  const TrainingBatch padded{padded_batch(src, 0), padded_batch(tgt, 0), flat(labels)},
      ragged{ragged_batch(without_padding(src, 0)), ragged_batch(without_padding(tgt, 0)),
             flat(without_padding(labels, 0))};
  for (const TrainingBatch& batch : {padded, ragged}) {
    Transformer<Real> gradient = zeros_like(model);
    const auto tokens = static_cast<double>(count_tokens(batch.labels, 0));
    const Loss loss = add_gradient<Real>({model, gradient}, batch, smoothing, tokens);
    CHECK(std::abs(loss.mean() - torch.tensors.at("loss").data[0]) <= bound);
    CHECK(worst_gradient(gradient, torch) <= bound);
  }
}

} // namespace

TEMPLATE_TEST_CASE("loss and every gradient equal PyTorch's, padded and ragged", "[train][gradient]", float,
                   double) {
  for (const char* n : {"1", "2", "3", "4", "5", "6"})
    compare_with_torch<TestType>(std::string("layers-") + n, std::string("gradients-") + n);
  compare_with_torch<TestType>("layers-1", "gradients-1-plain");
  compare_with_torch<TestType>("layers-4", "gradients-4-plain");
}

TEST_CASE("20 steps of Adam and of AdamW follow PyTorch's", "[train]") {
  for (const std::string name : {"adam", "adamw"}) {
    const TrainingFixture torch(name);
    auto model = load_model<float>(ModelFixture("layers-1").weights);
    AdamMoments<float> moments{zeros_like(model), zeros_like(model)};
    AdamRule rule;
    if (name == "adamw") rule.decay = 0.1;
    const double longest = name == "adamw" ? 1 : 0;
    for (std::size_t step = 0; step < 20; ++step) {
      const TrainingBatch batch{ragged_batch(without_padding(torch.rows("src", step), 0)),
                                ragged_batch(without_padding(torch.rows("tgt", step), 0)),
                                flat(without_padding(torch.rows("labels", step), 0))};
      Transformer<float> gradient = zeros_like(model);
      const Loss loss =
          add_gradient<float>({model, gradient}, batch, {0.1, 0}, static_cast<double>(batch.labels.size()));
      INFO(name << " step " << step);
      CHECK(std::abs(loss.mean() - torch.tensors.at("loss").data[step]) <= 1e-4);
      adam(model, moments, gradient,
           {rule, torch.tensors.at("rate").data[step], step + 1,
            clipping_factor(gradient_norm(gradient), longest)});
    }
  }
}

TEST_CASE("gradients of parts of a batch add up to those of the whole", "[train]") {
  RandomInput random(3);
  const auto model = small_model<double>(3);
  const auto src = random_rows(random, {3, 5, 2, 4}, 11), tgt = random_rows(random, {2, 4, 3, 1}, 13),
             labels = random_rows(random, {2, 4, 3, 1}, 13);
  const auto part = [&](std::size_t first, std::size_t last) {
    const auto cut = [&](const std::vector<TokenIds>& rows) {
      return std::vector<TokenIds>(rows.begin() + first, rows.begin() + last);
    };
    return TrainingBatch{ragged_batch(cut(src)), ragged_batch(cut(tgt)), flat(cut(labels))};
  };
  Transformer<double> whole = zeros_like(model), added = zeros_like(model);
  add_gradient<double>({model, whole}, part(0, 4), {0.1, 0}, 10);
  add_gradient<double>({model, added}, part(0, 1), {0.1, 0}, 10);
  add_gradient<double>({model, added}, part(1, 4), {0.1, 0}, 10);
  each_parameter(
      [](const std::string& name, const auto& a, const auto& b) {
        INFO(name);
        CHECK(worst_difference(a, b) <= 1e-12);
      },
      "", whole, added);
}

TEST_CASE("gradients are the same on one thread and on two", "[train]") {
  RandomInput random(4);
  const auto model = small_model<double>(4);
  const TrainingBatch batch = random_batch(random, small_spec(), true);
  const TrainingMode training{1, 2, 0.3};
  Transformer<double> one = zeros_like(model), two = zeros_like(model);
  add_gradient<double>({model, one}, batch, {0.1, 0}, 1, {nullptr, &training});
  {
    const ThreadCount threads(2);
    add_gradient<double>({model, two}, batch, {0.1, 0}, 1, {nullptr, &training});
  }
  each_parameter(
      [](const std::string&, const auto& a, const auto& b) { CHECK(worst_difference(a, b) <= 1e-12); }, "",
      one, two);
}

TEST_CASE("labels, smoothing and vocabulary that do not fit are refused", "[train]") {
  const arma::mat two(2, 1, arma::fill::zeros), five(5, 2, arma::fill::zeros);
  const auto refused = [](ErrorKind kind, const std::string& words, arma::mat x, const TokenIds& labels,
                          double epsilon) {
    check_error(kind, words, [&] { loss_and_gradient(x, labels, {epsilon, 0}, 1); });
  };
  refused(ErrorKind::bad_data, "1 labels for 2 tokens", five, {1}, 0.1);
  refused(ErrorKind::bad_data, "label 1 is the id 5, the vocabulary has 5", five, {1, 5}, 0.1);
  refused(ErrorKind::usage, "not in [0, 1)", five, {1, 2}, 1.0);
  refused(ErrorKind::usage, "not in [0, 1)", five, {1, 2}, std::nan(""));
  refused(ErrorKind::bad_data, "a vocabulary of 2 has no token to give the smoothing to", two, {1}, 0.1);
}
