#include "render/layer_formulas.hpp"

#include <fmt/format.h>

namespace tfx {

namespace {

class Formulas {
public:
  Formulas(const Trace& trace, std::string layer, bool norm_first)
      : trace_(trace), layer_(std::move(layer)), norm_first_(norm_first) {}

  std::vector<std::string> attention(const std::string& part, bool masked, bool of_memory) const {
    const Step* weights = trace_.find(layer_ + "." + part + ".weights");
    const std::size_t rank = weights ? weights->value.rank() : 0;
    const std::size_t heads = weights ? weights->value.shape[rank - 3] : 0;
    const Step* output = trace_.find(layer_ + "." + part + ".output");
    const std::size_t d_k = output && heads ? output->value.shape.back() / heads : 0;
    const std::string scaled = fmt::format("Q·Kᵀ/√{}", d_k);
    const std::string joined =
        heads > 1 ? fmt::format("[head 0{} head {}]", heads > 2 ? " …" : ",", heads - 1) : "head 0";
    const std::string of = norm_first_ ? "norm(x)" : "x";
    const std::string projected =
        of_memory ? "Q = " + of + "·W_Q + b_Q; K, V = memory·W + b" : "Q, K, V = " + of + "·W + b";
    const std::string soft = masked ? "softmax(mask(" + scaled + "))·V" : "softmax(" + scaled + ")·V";
    return {"x ← " + added(joined + "·W_O + b_O") + shape(part + ".output"),
            "head = " + soft + ",  " + projected};
  }

  std::vector<std::string> feed_forward() const {
    const std::string of = norm_first_ ? "norm(x)" : "x";
    return {"x ← " + added(activation() + "(" + of + "·W_1 + b_1)·W_2 + b_2") + shape("sublayer.0.output") +
            " →" + shape("feed_forward.hidden") + " →" + shape("feed_forward.output")};
  }

private:
  /// "relu", "gelu": as the engine's step or the page's says it.
  std::string activation() const {
    const auto named = trace_.facts.find("activation");
    return named == trace_.facts.end() ? "relu" : std::get<std::string>(named->second);
  }

  std::string added(const std::string& term) const {
    return norm_first_ ? "x + " + term : "norm(x + " + term + ")";
  }

  std::string shape(const std::string& name) const {
    const Step* step = trace_.find(layer_ + "." + name);
    return step ? " " + to_page_string(step->value.shape) : "";
  }

  const Trace& trace_;
  std::string layer_;
  bool norm_first_;
};

} // namespace

LayerFormulas formulas_of(const Trace& trace, const std::string& layer, bool norm_first) {
  const Formulas formulas(trace, layer, norm_first);
  const bool is_decoder = layer.starts_with("decoder");
  return {formulas.attention("self_attn", is_decoder, false),
          is_decoder ? formulas.attention("src_attn", false, true) : std::vector<std::string>{},
          formulas.feed_forward()};
}

} // namespace tfx
