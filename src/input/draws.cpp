#include "input/draws.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tfx {

namespace {

std::string extents(const Shape& shape) {
  std::string text;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    text += (axis ? ", " : "") + std::to_string(shape[axis]);
  return text;
}

Tensor times(Tensor tensor, double factor) {
  for (double& value : tensor.data) value *= factor;
  return tensor;
}

Tensor to_float32(Tensor tensor, float factor) {
  for (double& value : tensor.data) value = static_cast<float>(value) * factor;
  return tensor;
}

} // namespace

Draws::Draws(std::uint32_t seed) : random_(seed) {
  lines_.push_back(fmt::format("np.random.seed({})", seed));
}

void Draws::line(const std::string& name, const std::string& call) {
  lines_.push_back(name + " = " + call);
}

Tensor Draws::randn(const std::string& name, const Shape& shape) {
  line(name, fmt::format("np.random.randn({})", extents(shape)));
  return random_.randn(shape);
}

Tensor Draws::rand(const std::string& name, const Shape& shape) {
  line(name, fmt::format("np.random.rand({})", extents(shape)));
  return random_.rand(shape);
}

Tensor Draws::keep(const std::string& name, double rate, const Shape& shape) {
  line(name, fmt::format("np.random.rand({}) >= {}", extents(shape), rate));
  Tensor tensor = random_.rand(shape);
  for (double& value : tensor.data) value = value >= rate ? 1 : 0;
  return tensor;
}

Tensor Draws::randint(const std::string& name, std::int64_t high, const Shape& shape) {
  line(name, fmt::format("np.random.randint({}, size={})", high, to_string(shape)));
  return random_.randint(0, high, shape);
}

Tensor Draws::uniform(const std::string& name, double bound, const std::string& text, const Shape& shape) {
  line(name, fmt::format("np.random.uniform(-{0}, {0}, {1})", text, to_string(shape)));
  return random_.uniform(-bound, bound, shape);
}

Tensor Draws::randn_float32(const std::string& name, const Shape& shape) {
  line(name, fmt::format("np.random.randn({}).astype(np.float32)", extents(shape)));
  return to_float32(random_.randn(shape), 1.0F);
}

Tensor Draws::randn_float32(const std::string& name, const Shape& shape, double factor,
                            const std::string& text) {
  line(name, fmt::format("np.random.randn({}).astype(np.float32) * np.float32({})", extents(shape), text));
  return to_float32(random_.randn(shape), static_cast<float>(factor));
}

Tensor Draws::vectors(const std::string& name, const Shape& shape, Init init) {
  return init == Init::randint ? randint(name, 3, shape) : randn(name, shape);
}

Tensor Draws::weight(const std::string& name, std::size_t d_in, std::size_t d_out, Init init) {
  const Shape shape{d_in, d_out};
  const auto in = static_cast<double>(d_in), out = static_cast<double>(d_out);
  switch (init) {
  case Init::randint: return randint(name, 3, shape);
  case Init::normal: return randn(name, shape);
  case Init::xavier_uniform:
    return uniform(name, std::sqrt(6 / (in + out)), fmt::format("np.sqrt(6 / ({} + {}))", d_in, d_out),
                   shape);
  case Init::xavier: {
    line(name, fmt::format("np.random.randn({0}, {1}) * np.sqrt(2 / ({0} + {1}))", d_in, d_out));
    return times(random_.randn(shape), std::sqrt(2 / (in + out)));
  }
  case Init::he: break;
  }
  line(name, fmt::format("np.random.randn({0}, {1}) * np.sqrt(2 / {0})", d_in, d_out));
  return times(random_.randn(shape), std::sqrt(2 / in));
}

} // namespace tfx
