#include "input/sizes_input.hpp"

#include "core/architecture.hpp"
#include "core/error.hpp"

namespace tfx {

namespace {

constexpr std::size_t usual_vocabulary = 11, usual_length = 128;

} // namespace

LessonInput given_sizes(const InputOptions& o) {
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

} // namespace tfx
