#include "model/weights.hpp"

#include "model/counts.hpp"
#include "random/numpy_rng.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/small_model.hpp"

using namespace tfx;

namespace {

/// What np.random.seed(seed) and one call a tensor give, in checkpoint order.
std::vector<double> drawn_by_numpy(WeightInit init, std::uint32_t seed) {
  NumpyRandom numpy(seed);
  std::vector<double> all;
  double fan_in = 0;
  for (const auto& [name, shape] : parameter_shapes(Transformer<ShapesOnly>(small_spec()))) {
    Tensor tensor(shape);
    if (shape.size() == 2) {
      const double out = static_cast<double>(shape[0]), in = static_cast<double>(shape[1]);
      fan_in = in;
      if (init == WeightInit::xavier_uniform) {
        tensor = numpy.uniform(-std::sqrt(6 / (in + out)), std::sqrt(6 / (in + out)), shape);
      } else {
        tensor = numpy.randn(shape);
        for (double& cell : tensor.data) cell *= std::sqrt(2 / (init == WeightInit::xavier ? in + out : in));
      }
    } else if (name.ends_with(".bias") && init == WeightInit::xavier_uniform) {
      tensor = numpy.uniform(-1 / std::sqrt(fan_in), 1 / std::sqrt(fan_in), shape);
    } else if (name.ends_with("a_2")) {
      std::fill(tensor.data.begin(), tensor.data.end(), 1);
    }
    all.insert(all.end(), tensor.data.begin(), tensor.data.end());
  }
  return all;
}

} // namespace

TEMPLATE_TEST_CASE("weights are NumPy's draws, tensor by tensor in checkpoint order", "[model]", float,
                   double) {
  for (const WeightInit init : {WeightInit::xavier_uniform, WeightInit::xavier, WeightInit::he}) {
    Transformer<TestType> model(small_spec());
    initialize(model, init, 7);
    const std::vector<double> expected = drawn_by_numpy(init, 7);
    std::size_t i = 0, equal = 0;
    each_parameter(
        [&](const std::string&, const auto& tensor) {
          for (const TestType cell : tensor) equal += cell == static_cast<TestType>(expected[i++]);
        },
        "", model);
    CHECK(i == expected.size());
    CHECK(equal == expected.size());
  }
}
