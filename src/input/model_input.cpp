#include "input/model_input.hpp"

#include "core/architecture.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "random/numpy_rng.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

/// Of each tensor that dropout acts on: its mask's name, and its shape.
std::vector<std::pair<std::string, Shape>> dropped_in(const LessonInput& input) {
  const Trace& given = input.given;
  if (given.has("token_ids") && given.has("token_embedding")) {
    Shape shape = given["token_ids"].shape;
    shape.push_back(given["token_embedding"].shape.back());
    return {{"keep", shape}};
  }
  Shape shape = given[given.has("X_Q") ? "X_Q" : "X"].shape;
  if (input.dropout_at == DropoutAt::sublayers) return {{"keep_1", shape}, {"keep_2", shape}};
  if (input.dropout_at == DropoutAt::hidden) {
    shape.back() = given["W_1"].shape.back();
    return {{"keep", shape}};
  }
  const Shape& keys = given[given.has("X_K") ? "X_K" : "X"].shape;
  shape.back() = keys[keys.size() - 2];
  shape.insert(shape.end() - 2, input.heads);
  return {{"keep", shape}};
}

} // namespace

void draw_dropout(const InputOptions& o, LessonInput& input) {
  if (o.dropout_at && !o.dropout)
    throw usage(said("{option} needs {other}", {{"option", "--dropout-at"}, {"other", "--dropout"}}),
                said("how many of them become 0: --dropout 0.1"));
  input.dropout = o.dropout.value_or(0), input.dropout_at = o.dropout_at.value_or(input.dropout_at);
  if (input.dropout == 0) return;
  Draws draws(seed_of(o));
  for (const auto& [name, shape] : dropped_in(input)) {
    double cells = 4.0 * sizeof(double);
    for (const std::size_t extent : shape) cells *= static_cast<double>(extent);
    require_memory(cells, said("the mask of dropout"));
    input.given.add_input(name, drawn, draws.keep(name, input.dropout, shape), {});
  }
  std::ranges::copy(draws.lines(), std::back_inserter(input.given.numpy));
}

namespace {

constexpr std::size_t usual_vocabulary = 11, usual_length = 128;

} // namespace

LessonInput given_sizes(const InputOptions& o, const InputRules&) {
  const Architecture usual, sizes = resized(usual, {o.layers, o.d_model, o.d_ff, o.heads});
  if (sizes.d_model % sizes.heads != 0)
    throw usage(said("--heads {heads} does not divide --d-model {d_model}",
                     {{"heads", sizes.heads}, {"d_model", sizes.d_model}}),
                said("every head gets d_model / heads columns"));
  LessonInput input;
  const auto give = [&](const char* name, const char* option, std::size_t number) {
    input.given.add_input(name, option, Tensor({}, {static_cast<double>(number)}), {});
  };
  give("d_model", "--d-model", sizes.d_model), give("d_ff", "--d-ff", sizes.d_ff);
  give("h", "--heads", sizes.heads), give("N", "--layers", sizes.layers);
  give("vocab", "--vocab", o.vocab.value_or(usual_vocabulary)),
      give("n", "--seq", o.seq.value_or(usual_length));
  const bool own = sizes != usual || o.vocab || o.seq;
  if (!own) input.reference = input.given.tutorial = "annotated:4";
  return input;
}

namespace {

constexpr std::size_t layers = 2, vocabulary = 11;

class DrawnModel {
public:
  DrawnModel(LessonInput& input, std::uint32_t seed, std::size_t d, std::size_t d_ff)
      : input_(input), numbers_(seed), d_(d), d_ff_(d_ff) {}

  void draw() {
    stack("encoder", {"self_attn"});
    stack("decoder", {"self_attn", "src_attn"});
    for (const char* side : {"src_embed", "tgt_embed"}) weight(std::string(side) + ".0.lut", vocabulary, d_);
    linear("generator.proj", vocabulary, d_);
  }

private:
  void add(const std::string& name, Tensor value) {
    input_.given.add_input(name, drawn, std::move(value), {}, Role::parameter);
  }

  void weight(const std::string& name, std::size_t out, std::size_t in) {
    const double bound = std::sqrt(6 / static_cast<double>(in + out));
    add(name + ".weight", numbers_.uniform(-bound, bound, {out, in}));
  }

  void linear(const std::string& name, std::size_t out, std::size_t in) {
    weight(name, out, in);
    const double bound = 1 / std::sqrt(static_cast<double>(in));
    add(name + ".bias", numbers_.uniform(-bound, bound, {out}));
  }

  void norm(const std::string& name) {
    add(name + ".a_2", Tensor({d_}, std::vector<double>(d_, 1)));
    add(name + ".b_2", Tensor({d_}));
  }

  void stack(const std::string& name, const std::vector<std::string>& attentions) {
    for (std::size_t i = 0; i < layers; ++i) {
      const std::string layer = name + ".layers." + std::to_string(i);
      for (const std::string& attention : attentions)
        for (const char* part : {".linears.0", ".linears.1", ".linears.2", ".linears.3"})
          linear(layer + "." + attention + part, d_, d_);
      linear(layer + ".feed_forward.w_1", d_ff_, d_), linear(layer + ".feed_forward.w_2", d_, d_ff_);
      for (std::size_t j = 0; j <= attentions.size(); ++j)
        norm(layer + ".sublayer." + std::to_string(j) + ".norm");
    }
    norm(name + ".norm");
  }

  LessonInput& input_;
  NumpyRandom numbers_;
  std::size_t d_, d_ff_;
};

} // namespace

LessonInput drawn_model(const InputOptions& o, const InputRules&) {
  LessonInput input;
  const std::size_t d = o.d_model.value_or(8);
  input.heads = o.heads.value_or(2);
  if (d % input.heads != 0)
    throw usage(
        said("--heads {heads} does not divide --d-model {d_model}", {{"heads", input.heads}, {"d_model", d}}),
        said("every head gets d_model / heads columns"));
  const std::size_t d_ff = o.d_ff.value_or(usual_d_ff(d));
  require_memory(sizeof(double) * 3 * 10.0 * layers * static_cast<double>(d) * static_cast<double>(d + d_ff),
                 said("a model of this size"));
  input.norm = o.norm.value_or(Norm::annotated), input.norm_first = o.norm_first.value_or(true);
  input.given.add_input("src", "--src", Tensor({6}, {1, 2, 3, 4, 0, 0}), {});
  input.given.add_input("tgt", "--tgt", Tensor({6}, {5, 4, 3, 2, 1, 0}), {});
  DrawnModel(input, seed_of(o), d, d_ff).draw();
  return input;
}

} // namespace tfx
