#include "model/weights.hpp"

#include "model/counts.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/small_model.hpp"

using namespace tfx;

TEST_CASE("only the weights that a decoded token reads are rounded", "[model]") {
  const Transformer<float> model = small_model<float>(1);
  for (const WeightType type : {WeightType::bf16, WeightType::int8}) {
    Transformer<float> rounded = model;
    narrow(rounded, type);
    std::size_t changed = 0;
    each_parameter(
        [&](const std::string& name, const auto& is, const auto& was) {
          const bool same = arma::all(arma::vectorise(is == was));
          const bool read = (name.starts_with("decoder.layers") || name.starts_with("generator")) &&
                            name.ends_with("weight") && !name.ends_with("src_attn.linears.1.weight") &&
                            !name.ends_with("src_attn.linears.2.weight");
          INFO(name);
          CHECK(same != read);
          changed += !same;
        },
        "", std::as_const(rounded), model);
    CHECK(changed == model.spec.layers * 8 + 1);
  }
}

TEST_CASE("a token reads so many bytes of weights", "[model]") {
  Transformer<float> model = small_model<float>(2);
  const ModelSpec& c = model.spec;
  const std::uint64_t numbers = c.layers * (6 * c.d_model * c.d_model + 2 * c.d_model * c.d_ff) +
                                c.d_model * c.tgt_vocab,
                      rows = c.layers * (7 * c.d_model + c.d_ff) + c.tgt_vocab;
  CHECK(weight_bytes_of_a_token(model) == 4 * numbers);
  narrow(model, WeightType::f32);
  CHECK(weight_bytes_of_a_token(model) == 4 * numbers);
  narrow(model, WeightType::bf16);
  CHECK(weight_bytes_of_a_token(model) == 2 * numbers);
  narrow(model, WeightType::int8);
  CHECK(weight_bytes_of_a_token(model) == numbers + 4 * rows);
}
