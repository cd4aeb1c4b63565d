#include "lessons/model/page.hpp"

#include "core/error.hpp"
#include "core/memory.hpp"
#include "model/counts.hpp"
#include "model/transformer.hpp"
#include "steps/attention_steps.hpp"
#include "steps/layer_steps.hpp"
#include "steps/loss_steps.hpp"
#include "trace/gradients.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tfx {

namespace {

/// Cells of the steps of lessons/model/page.cpp, in its order.
class PageSize {
public:
  PageSize(const ModelSpec& spec, const PageTokens& tokens)
      : d_(static_cast<double>(spec.d_model)),
        d_ff_(static_cast<double>(spec.d_ff)),
        heads_(static_cast<double>(spec.heads)),
        per_norm_(spec.norm.rule == Norm::annotated ? 3 : 4),
        t_(tokens) {}

  double ids(double n, bool padded) const { return (padded ? 2 : 1) * t_.batch * n + n; }
  double embed(double n) const { return 3 * t_.batch * n * d_ + 2 * n * d_; }
  double norm(double n) const { return t_.batch * n * (4 * d_ + per_norm_); }

  double attention(double n_q, double n_k, bool causal, bool padded) const {
    const double squares = causal || padded ? 5 : 3; // scores, scaled, weights; the mask, masked
    return t_.batch * (d_ * (5 * n_q + 4 * n_k) + heads_ * squares * n_q * n_k) + (causal ? n_q * n_k : 0);
  }

  double feed_forward(double n) const { return t_.batch * n * (2 * d_ff_ + d_); }
  double around(double n) const { return norm(n) + t_.batch * n * d_; } // a sublayer's norm and its sum

private:
  double d_, d_ff_, heads_, per_norm_;
  PageTokens t_;
};

} // namespace

double page_cells(const ModelSpec& spec, const PageTokens& tokens) {
  const PageSize of(spec, tokens);
  const double src = tokens.src, tgt = tokens.tgt, layers = static_cast<double>(spec.layers),
               vocabulary = static_cast<double>(spec.tgt_vocab);
  const double encoder_layer = of.attention(src, src, false, tokens.src_padded) + of.feed_forward(src) +
                               2 * of.around(src),
               decoder_layer = of.attention(tgt, tgt, true, tokens.tgt_padded) +
                               of.attention(tgt, src, false, tokens.src_padded) + of.feed_forward(tgt) +
                               3 * of.around(tgt);
  return of.ids(src, tokens.src_padded) + of.ids(tgt, tokens.tgt_padded) + of.embed(src) + of.embed(tgt) +
         layers * (encoder_layer + decoder_layer) + of.norm(src) + of.norm(tgt) +
         2 * tokens.batch * tgt * vocabulary;
}

double page_bytes(const ModelSpec& spec, const PageTokens& tokens) {
  const auto parameters = static_cast<double>(count_parameters(Transformer<ShapesOnly>(spec)));
  return sizeof(double) * (parameters + page_cells(spec, tokens));
}

namespace {

using Names = std::vector<std::string>;

class Page {
public:
  explicit Page(ModelPage model) : model_(std::move(model)) {}

  Trace run() {
    t_.lesson = "model";
    t_.main = "log_probs";
    t_.purpose = RunFor::values; // hundreds of steps: none is run again for its time or its gradient
    for (const char* side : {"src", "tgt"}) ids(side, side == std::string("src") ? model_.src : model_.tgt);
    std::string memory = embed("src");
    for (std::size_t i = 0; i < model_.layers; ++i)
      memory = encoder_layer("encoder.layers." + std::to_string(i), memory);
    memory = norm("encoder.norm", memory, "memory");
    std::string x = embed("tgt");
    for (std::size_t i = 0; i < model_.layers; ++i)
      x = decoder_layer("decoder.layers." + std::to_string(i), x, memory);
    x = norm("decoder.norm", x, "decoder.output");
    linear("logits", x, "generator.proj");
    t_.add("log_probs", op::log_softmax("logits"), Role::result);
    if (model_.labels) loss();
    return std::move(t_);
  }

private:
  void loss() {
    t_.add_input("labels", "--labels", std::move(*model_.labels), {});
    t_.add_input("pad_id", "--pad-id", Tensor({}, {model_.pad}), {});
    add_mean_loss(t_, model_.smoothing, Role::result);
    if (model_.backward) add_gradients(t_);
  }

  void ids(const std::string& side, const Tensor& tokens) {
    const Names& words = side == "src" ? model_.src_tokens : model_.tgt_tokens;
    t_.add_input(side, "--" + side, tokens, words.empty() ? Labels{} : Labels{words});
    const std::size_t n = tokens.shape.back();
    Tensor positions(Shape{n});
    std::iota(positions.data.begin(), positions.data.end(), 0.0);
    t_.add_input(side + "_positions", "0 … n − 1", std::move(positions), {});
    if (std::find(tokens.data.begin(), tokens.data.end(), model_.pad) == tokens.data.end()) return;
    Shape shape = tokens.shape; // a row for all queries, and one for all heads
    shape.insert(shape.end() - 1, tokens.rank() > 1 ? 2 : 1, 1);
    Tensor visible(shape);
    for (std::size_t i = 0; i < tokens.size(); ++i) visible.data[i] = tokens.data[i] != model_.pad;
    t_.add_input(side + "_visible", side + " ≠ pad", std::move(visible), {});
  }

  // Each is asked for once, and handed over: a large model is not held twice.
  const std::string& parameter(const std::string& name) {
    t_.add_input(name, "state_dict", std::move(model_.parameters.extract(name).mapped()), {},
                 Role::parameter);
    return t_.steps.back().name;
  }

  // Rows of the table times √d_model, and where the words stand.
  std::string embed(const std::string& side) {
    const std::string name = side + "_embed", table = parameter(name + ".0.lut.weight");
    const std::size_t d = t_[table].shape[1];
    const std::string root = "√" + std::to_string(d), rows = name + ".rows", scaled = name + ".scaled";
    t_.add(rows, op::gather(table, side), Role::recap);
    t_.add(scaled, op::multiply_by(rows).with(std::sqrt(static_cast<double>(d)), root), Role::recap);
    const std::string angles = name + ".angles", pe = name + ".pe", positions = side + "_positions";
    t_.add(angles, op::angle(positions).with(static_cast<double>(d)), Role::recap, "p/10000^(2⌊j/2⌋/d)");
    t_.add(pe, op::sin_cos(angles), Role::recap, "sin, cos(" + angles + ")");
    add_residual(t_, name, scaled, pe, Role::result);
    return name;
  }

  // x·Wᵀ + b as torch.nn.Linear.
  std::string linear(const std::string& name, const std::string& x, const std::string& layer) {
    const std::string W = parameter(layer + ".weight"), b = parameter(layer + ".bias");
    t_.add(name, op::matmul_transposed(x, W, b), Role::result);
    return name;
  }

  std::string norm(const std::string& layer, const std::string& x, const std::string& name) {
    add_layer_norm(
        t_, {x, parameter(layer + ".a_2"), parameter(layer + ".b_2"), name, model_.norm},
        [&](const std::string& part) { return layer + "." + part; }, Role::result);
    return name;
  }

  std::string heads(const std::string& name, const std::string& of) {
    t_.add(name, op::split_heads(of).with(static_cast<double>(model_.heads)), Role::result);
    return name;
  }

  // The mask of one attention: who is padding, and for the decoder's own tokens who comes later.
  std::string mask(const std::string& place, const std::string& scaled, const std::string& side,
                   bool causal) {
    std::vector<std::string> parts;
    if (causal) {
      parts.push_back(place + ".causal");
      t_.add(parts[0], op::causal_mask(scaled), Role::result);
    }
    if (t_.has(side + "_visible")) parts.push_back(side + "_visible");
    if (parts.empty()) return {};
    const std::string name = place + ".mask";
    t_.add(name, op::both(parts).onto(t_[scaled].shape), Role::result); // repeated to the shape of the scores
    return name;
  }

  std::string attention(const std::string& place, const std::string& x, const std::string& memory,
                        const std::string& side, bool causal) {
    const auto in = [&](const char* part) { return place + "." + part; };
    const std::string Q = heads(in("Q"), linear(in("linears.0"), x, in("linears.0")));
    const std::string K = heads(in("K"), linear(in("linears.1"), memory, in("linears.1")));
    const std::string V = heads(in("V"), linear(in("linears.2"), memory, in("linears.2")));
    add_scores(t_, Q, K, Role::result, in(""));
    add_scaled(t_, K, Role::result, in(""));
    std::string of = in("scaled");
    if (const std::string seen = mask(place, of, side, causal); !seen.empty()) {
      add_mask_fill(t_, seen, Role::result, in(""));
      of = in("masked");
    }
    add_weights(t_, of, Role::result, 0, in(""));
    add_output(t_, in("heads"), in("weights"), V, Role::result);
    t_.add(in("concat"), op::merge_heads(in("heads")), Role::result);
    return linear(in("output"), in("concat"), in("linears.3"));
  }

  std::string feed_forward(const std::string& place, const std::string& x) {
    const auto in = [&](const std::string& part) { return place + "." + part; };
    // The page's hidden layer before its activation is the engine's w_1; what the engine calls hidden comes
    // after it.
    add_feed_forward(
        t_,
        {x, parameter(in("w_1.weight")), parameter(in("w_1.bias")), parameter(in("w_2.weight")),
         parameter(in("w_2.bias")), in("output"), model_.activation, op::matmul_transposed},
        [&](const std::string& part) { return in(part == "hidden" ? "w_1" : "hidden"); }, Role::result);
    return in("output");
  }

  // x + f(norm(x)), or norm(x + f(x)).
  template <class Function>
  std::string sublayer(const std::string& place, const std::string& x, const Function& function) {
    const std::string output = place + ".output", normed = place + ".norm";
    if (model_.norm_first) {
      const std::string y = function(norm(normed, x, normed));
      add_residual(t_, output, x, y, Role::result);
      return output;
    }
    const std::string sum = place + ".sum", y = function(x);
    add_residual(t_, sum, x, y, Role::result);
    norm(normed, sum, normed);
    return normed;
  }

  std::string encoder_layer(const std::string& place, const std::string& x) {
    const std::string y = sublayer(place + ".sublayer.0", x, [&](const std::string& in) {
      return attention(place + ".self_attn", in, in, "src", false);
    });
    return sublayer(place + ".sublayer.1", y,
                    [&](const std::string& in) { return feed_forward(place + ".feed_forward", in); });
  }

  std::string decoder_layer(const std::string& place, const std::string& x, const std::string& memory) {
    const std::string y = sublayer(place + ".sublayer.0", x, [&](const std::string& in) {
      return attention(place + ".self_attn", in, in, "tgt", true);
    });
    const std::string z = sublayer(place + ".sublayer.1", y, [&](const std::string& in) {
      return attention(place + ".src_attn", in, memory, "src", false);
    });
    return sublayer(place + ".sublayer.2", z,
                    [&](const std::string& in) { return feed_forward(place + ".feed_forward", in); });
  }

  ModelPage model_;
  Trace t_;
};

Tensor ids_of(const Batch& batch) {
  const std::size_t rows = batch.sequences.count(), n = batch.sequences.length(0);
  Tensor ids(rows > 1 ? Shape{rows, n} : Shape{n});
  std::copy(batch.ids.begin(), batch.ids.end(), ids.data.begin());
  return ids;
}

} // namespace

bool is_on_page(Activation activation) {
  return activation != Activation::gelu_tanh && activation != Activation::squared_relu;
}

PageTokens tokens_on_page(const Batch& src, const Batch& tgt, std::uint32_t pad) {
  const auto is_padded = [&](const Batch& batch) { return std::ranges::count(batch.ids, pad) > 0; };
  return {static_cast<double>(src.sequences.longest()), static_cast<double>(tgt.sequences.longest()),
          static_cast<double>(src.sequences.count()), is_padded(src), is_padded(tgt)};
}

template <class Real>
ModelPage page_of(const Transformer<Real>& model, const Batch& src, const Batch& tgt, std::uint32_t pad) {
  const LayerSpec& style = model.spec;
  if (!is_on_page(style.activation))
    throw usage(said("the page's feed-forward layer has no {activation}, this model has",
                     {{"activation", word_of(activation_words(), style.activation)}}),
                said("tfx model prints its activations"));
  require_memory(page_bytes(model.spec, tokens_on_page(src, tgt, pad)), said("the model's page"));
  ModelPage page;
  page.activation = style.activation;
  page.src = ids_of(src), page.tgt = ids_of(tgt);
  page.pad = pad;
  page.layers = model.spec.layers, page.heads = style.heads;
  page.norm = style.norm.rule;
  page.norm_first = style.norm.placement == NormPlacement::pre_norm;
  each_parameter(
      [&](const std::string& name, const auto& tensor) {
        page.parameters.emplace(
            name, Tensor(torch_shape(tensor), std::vector<double>(tensor.begin(), tensor.end())));
      },
      "", model);
  return page;
}

Trace run_model_page(ModelPage model) {
  return Page(std::move(model)).run();
}

template ModelPage page_of(const Transformer<float>&, const Batch&, const Batch&, std::uint32_t);
template ModelPage page_of(const Transformer<double>&, const Batch&, const Batch&, std::uint32_t);

} // namespace tfx
