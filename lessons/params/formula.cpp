#include "page/layer_formulas.hpp"

namespace tfx::page {

namespace {

// W has a number for each pair of an input and an output, b one for each output.
double linear(double in, double out) {
  return in * out + out;
}

} // namespace

Counts counts(const Widths& m) {
  const double norm = m.d + m.d, attention = 4 * linear(m.d, m.d),
               feed_forward = linear(m.d, m.f) + linear(m.f, m.d);
  Counts c;
  c.encoder_layer = attention + feed_forward + 2 * norm;
  c.decoder_layer = 2 * attention + feed_forward + 3 * norm;
  c.outside = 2 * norm + 2 * m.V * m.d + linear(m.d, m.V);
  c.parameters = m.N * c.encoder_layer + m.N * c.decoder_layer + c.outside;

  // Of a source token and a target token: a weight of a product multiplies once, whatever the token is.
  const double projections = 4 * m.d * m.d, products = 2 * m.d * m.f;
  c.weight_macs = m.N * (3 * projections + 2 * products) + m.d * m.V;
  c.mixing_macs = 3 * m.N * (m.n * m.d + m.n * m.d); // Q·Kᵀ and weights·V: n keys, d numbers of each
  c.macs = c.weight_macs + c.mixing_macs;
  c.flops = 2 * c.macs; // multiply, add

  c.bytes = 4 * c.parameters;               // float32
  c.training_bytes = (1 + 1 + 2) * c.bytes; // weights, gradients, Adam's m and v
  return c;
}

} // namespace tfx::page
