// Shapes: what a learner checks first, and what most mistakes get right.

#include "judge/attention_properties.hpp"

namespace tfx {

namespace {

std::size_t rows(const Shape& shape) {
  return shape[shape.size() - 2];
}

// X n×d, W d×m: n×m.
bool projections_fit(const Trace& t) {
  for (const std::string letter : {"Q", "K", "V"})
    if (const Step* step = t.find(letter); step && step->operation.is(op::matmul)) {
      const Shape& X = t[step->operation.inputs[0]].shape;
      if (rows(step->value.shape) != rows(X) || step->value.shape.back() != t["W_" + letter].shape.back())
        return false;
    }
  return true;
}

// (…, n, h·d) in h parts: (…, h, n, d).
bool heads_fit(const Trace& t) {
  for (const std::string letter : {"Q", "K", "V"})
    if (t.has(letter + "_heads")) {
      const Shape &whole = t[letter].shape, &split = t[letter + "_heads"].shape;
      if (split.size() != whole.size() + 1 || rows(split) != rows(whole) ||
          split.back() * split[split.size() - 3] != whole.back())
        return false;
    }
  if (!t.has("concat")) return true;
  const Shape& concat = t["concat"].shape;
  return concat.size() == t["heads"].shape.size() - 1 && rows(concat) == rows(t["Q"].shape) &&
         concat.back() == t["V"].shape.back();
}

// A row a query, a column a key.
bool weights_fit(const Trace& t, const std::string& Q, const std::string& K) {
  for (const char* name : {"scores", "scaled", "masked", "weights"})
    if (t.has(name)) {
      const Shape& shape = t[name].shape;
      if (shape.size() < 2 || rows(shape) != rows(t[Q].shape) || shape.back() != rows(t[K].shape))
        return false;
    }
  return true;
}

// Rows from the queries, width from the values.
bool output_fits(const Trace& t, const std::string& Q, const std::string& V) {
  const std::string output = t.has("heads") ? "heads" : "output";
  if (!t.has(output) || !t.has(V)) return true;
  return rows(t[output].shape) == rows(t[Q].shape) && t[output].shape.back() == t[V].shape.back();
}

std::optional<Measured> shapes(const Lesson&, const LessonInput& input, const Computation& compute) {
  const Trace t = compute(input);
  if (!t.has("Q") || !t.has("K")) return {};
  const std::string Q = per_head(t, "Q"), K = per_head(t, "K"), V = per_head(t, "V");
  const bool fit = projections_fit(t) && heads_fit(t) && weights_fit(t, Q, K) && output_fits(t, Q, V);
  return Measured{fit, fit ? 0.0 : 1.0};
}

} // namespace

std::vector<Property> shape_properties() {
  return {{"shapes", shapes}};
}

} // namespace tfx
