#include "input/model_input.hpp"

#include "core/architecture.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "random/numpy_rng.hpp"

#include <cmath>

namespace tfx {

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

LessonInput drawn_model(const InputOptions& o) {
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
  input.norm = o.norm.value_or(page::NormRule::annotated), input.norm_first = o.norm_first.value_or(true);
  input.given.add_input("src", "--src", Tensor({6}, {1, 2, 3, 4, 0, 0}), {});
  input.given.add_input("tgt", "--tgt", Tensor({6}, {5, 4, 3, 2, 1, 0}), {});
  DrawnModel(input, seed_of(o), d, d_ff).draw();
  return input;
}

} // namespace tfx
