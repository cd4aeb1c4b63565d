#include "lessons/model/page.hpp"

#include "core/memory.hpp"
#include "model/transformer.hpp"
#include "steps/attention_steps.hpp"
#include "steps/layer_steps.hpp"
#include "steps/loss_steps.hpp"
#include "trace/gradients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace tfx {

namespace {

using Names = std::vector<std::string>;

class Page {
public:
  explicit Page(ModelPage model) : model_(std::move(model)) {}

  Trace run() {
    const bool decodes = spec_.has_decoder();
    t_.lesson = "model";
    t_.main = decodes ? "log_probs" : "memory";
    t_.purpose = RunFor::values; // hundreds of steps: none is run again for its time or its gradient
    if (spec_.has_encoder()) ids("src", model_.src, model_.src_tokens);
    if (decodes) ids("tgt", model_.tgt, model_.tgt_tokens);
    const std::string memory = spec_.has_encoder() ? stack({"encoder", "src", "memory", false}, {}) : "";
    if (decodes) {
      const std::string x = stack({"decoder", "tgt", "decoder.output", true}, memory);
      if (spec_.tied)
        t_.add("logits", op::matmul_transposed(x, "tgt_embed.0.lut.weight"), Role::result);
      else
        linear("logits", x, "generator.proj");
      t_.add("log_probs", op::log_softmax("logits"), Role::result);
    }
    if (model_.labels) loss();
    if (model_.backward) add_gradients(t_);
    return std::move(t_);
  }

private:
  /// What differs between the two stacks.
  struct Side {
    std::string stack, tokens; ///< "encoder", "src"
    std::string output;
    bool causal;

    std::string angles() const { return stack + ".angles"; } ///< of rotary positions
  };

  /// From the ids to the output. `memory`: what the layers attend to besides, or nothing.
  std::string stack(const Side& side, const std::string& memory) {
    std::string x = embed(side.tokens);
    if (spec_.positions == Positions::rotary) add_angles(side);
    for (std::size_t i = 0; i < spec_.layers; ++i) {
      const bool ends = !spec_.final_norm && i + 1 == spec_.layers;
      x = layer(side.stack + ".layers." + std::to_string(i), x, side, memory, ends ? side.output : "");
    }
    return spec_.final_norm ? norm(side.stack + ".norm", x, side.output) : x;
  }

  void loss() {
    t_.add_input("labels", "--labels", std::move(*model_.labels), {});
    t_.add_input("pad_id", "--pad-id",
                 Tensor({}, {model_.pad < static_cast<double>(model_.spec.tgt_vocab) ? model_.pad : -1}), {});
    add_mean_loss(t_, model_.smoothing, Role::result);
  }

  void ids(const std::string& side, const Tensor& tokens, const Names& words) {
    t_.add_input(side, "--" + side, tokens, words.empty() ? Labels{} : Labels{words});
    const std::size_t n = tokens.shape.back();
    if (spec_.positions != Positions::none) {
      Tensor positions(Shape{n});
      std::iota(positions.data.begin(), positions.data.end(), 0.0);
      t_.add_input(side + "_positions", "0 … n − 1", std::move(positions), {});
    }
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

  /// Nothing where the model has none of that name.
  std::string optional_parameter(const std::string& name) {
    return model_.parameters.contains(name) ? parameter(name) : "";
  }

  // Rows of the table, times √d_model, and where the words stand, normalised: as far as the model does it.
  std::string embed(const std::string& side) {
    const std::string name = side + "_embed", table = parameter(name + ".0.lut.weight");
    const bool placed = spec_.positions == Positions::sinusoidal || spec_.positions == Positions::learned,
               normed = spec_.embedding_norm;
    const auto called = [&](const char* part, bool last) { return last ? name : name + part; };
    std::string x = called(".rows", !spec_.scaled_embedding && !placed && !normed);
    t_.add(x, op::gather(table, side), Role::recap);
    if (spec_.scaled_embedding) {
      const std::size_t d = t_[table].shape[1];
      const std::string rows = std::exchange(x, called(".scaled", !placed && !normed));
      t_.add(x, op::multiply_by(rows).with(std::sqrt(static_cast<double>(d)), "√" + std::to_string(d)),
             Role::recap);
    }
    if (placed) {
      const std::string pe = positions(name, side, t_[x].shape.back()), words = x;
      add_residual(t_, x = called(".sum", !normed), words, pe, Role::result);
    }
    return normed ? norm(name + ".norm", x, name) : x;
  }

  // (n, d): computed, or rows of a table that was learned.
  std::string positions(const std::string& name, const std::string& side, std::size_t d) {
    const std::string pe = name + ".pe", places = side + "_positions";
    if (spec_.positions == Positions::learned) {
      t_.add(pe, op::gather(parameter(name + ".1.weight"), places), Role::recap);
      return pe;
    }
    const std::string angles = name + ".angles";
    t_.add(angles, op::angle(places).with(static_cast<double>(d)), Role::recap, "p/10000^(2⌊j/2⌋/d)");
    t_.add(pe, op::sin_cos(angles), Role::recap, "sin, cos(" + angles + ")");
    return pe;
  }

  // x·Wᵀ, or x·Wᵀ + b, as torch.nn.Linear.
  std::string linear(const std::string& name, const std::string& x, const std::string& layer) {
    const std::string W = parameter(layer + ".weight"), b = optional_parameter(layer + ".bias");
    t_.add(name, b.empty() ? op::matmul_transposed(x, W) : op::matmul_transposed(x, W, b), Role::result);
    return name;
  }

  std::string norm(const std::string& layer, const std::string& x, const std::string& name) {
    const std::string gain = optional_parameter(layer + ".a_2"), shift = optional_parameter(layer + ".b_2");
    add_layer_norm(
        t_, {x, gain, shift, name, spec_.norm.rule, spec_.norm.epsilon},
        [&](const std::string& part) { return layer + "." + part; }, Role::result);
    return name;
  }

  // How far each pair of a head turns at each place: the same in all layers.
  void add_angles(const Side& side) {
    const double base = spec_.rotary_base;
    t_.add(side.angles(),
           op::rotary_angle(side.tokens + "_positions")
               .with(base, fmt::format("{}", base))
               .onto({t_[side.tokens + "_positions"].size(), spec_.width_of_head() / 2}),
           Role::recap);
  }

  /// What an attention looks at besides its inputs.
  struct Surroundings {
    std::string keys;   ///< "src": whose padding is not seen
    bool causal;        ///< no later token is seen
    std::string angles; ///< how queries and keys turn; empty: they do not
  };

  // A projection cut into heads, each normalised and turned where the model does it: Q, or K.
  std::string heads(const std::string& place, const std::string& letter, const std::string& projected,
                    std::size_t count, const std::string& angles) {
    HeadsStep step{projected, place + "." + letter, count};
    if (spec_.qk_norm)
      step.norm = [&](const std::string& x, const std::string& output) {
        norm(place + (letter == "Q" ? ".q_norm" : ".k_norm"), x, output);
      };
    step.angles = angles, step.pairs = spec_.pairs;
    add_heads(t_, step);
    return step.name;
  }

  // A head of keys or values for each head of queries.
  std::string shared(const std::string& few) {
    return add_shared_heads(t_, few, spec_.heads / spec_.key_heads());
  }

  // The mask of one attention: who is padding, and for the decoder's own tokens who comes later, or stands
  // too far before.
  std::string mask(const std::string& place, const std::string& scaled, const Surroundings& around) {
    std::vector<std::string> parts;
    if (around.causal) {
      parts.push_back(place + ".causal");
      add_causal_mask(t_, parts[0], scaled, spec_.window);
    }
    if (t_.has(around.keys + "_visible")) parts.push_back(around.keys + "_visible");
    if (parts.empty()) return {};
    const std::string name = place + ".mask";
    t_.add(name, op::both(parts).onto(t_[scaled].shape), Role::result); // repeated to the shape of the scores
    return name;
  }

  std::string attention(const std::string& place, const std::string& x, const std::string& memory,
                        const Surroundings& around) {
    const auto in = [&](const char* part) { return place + "." + part; };
    const std::size_t of_keys = spec_.key_heads();
    const std::string Q =
        heads(place, "Q", linear(in("linears.0"), x, in("linears.0")), spec_.heads, around.angles);
    const std::string K =
        shared(heads(place, "K", linear(in("linears.1"), memory, in("linears.1")), of_keys, around.angles));
    t_.add(
        in("V"),
        op::split_heads(linear(in("linears.2"), memory, in("linears.2"))).with(static_cast<double>(of_keys)),
        Role::result);
    const std::string V = shared(in("V"));
    add_scores(t_, Q, K, Role::result, in(""));
    add_scaled(t_, K, Role::result, in(""));
    std::string of = in("scaled");
    if (const std::string seen = mask(place, of, around); !seen.empty()) {
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
    FeedForwardStep f{x,
                      parameter(in("w_1.weight")),
                      optional_parameter(in("w_1.bias")),
                      parameter(in("w_2.weight")),
                      optional_parameter(in("w_2.bias")),
                      in("output"),
                      spec_.activation,
                      op::matmul_transposed};
    if (spec_.gated) f.W_3 = parameter(in("w_3.weight")), f.b_3 = optional_parameter(in("w_3.bias"));
    // The page's hidden layer before its activation is the engine's w_1; what the engine calls hidden comes
    // after it, and after the gate.
    add_feed_forward(
        t_, f,
        [&](const std::string& part) {
          if (part == "hidden") return in("w_1");
          if (part == "factor") return in("w_3");
          return in(spec_.gated && part == "activated" ? "activated" : "hidden");
        },
        Role::result);
    return in("output");
  }

  /// From the input's name to the output's.
  using Function = std::function<std::string(const std::string&)>;

  // x + f(norm(x)), or norm(x + f(x)). `last`: what its output is called, if not as it is everywhere.
  std::string sublayer(const std::string& place, const std::string& x, const Function& function,
                       const std::string& last) {
    const std::string normed = place + ".norm";
    if (spec_.norm.placement == NormPlacement::pre_norm) {
      const std::string y = function(norm(normed, x, normed)),
                        output = last.empty() ? place + ".output" : last;
      add_residual(t_, output, x, y, Role::result);
      return output;
    }
    const std::string sum = place + ".sum", y = function(x);
    add_residual(t_, sum, x, y, Role::result);
    return norm(normed, sum, last.empty() ? normed : last);
  }

  std::string layer(const std::string& place, std::string x, const Side& side, const std::string& memory,
                    const std::string& last) {
    std::vector<Function> parts{[&](const std::string& in) {
      const std::string angles = spec_.positions == Positions::rotary ? side.angles() : "";
      return attention(place + ".self_attn", in, in, {side.tokens, side.causal, angles});
    }};
    if (!memory.empty())
      parts.emplace_back([&](const std::string& in) {
        return attention(place + ".src_attn", in, memory, {"src", false, ""});
      });
    if (spec_.d_ff > 0)
      parts.emplace_back([&](const std::string& in) { return feed_forward(place + ".feed_forward", in); });
    for (std::size_t j = 0; j < parts.size(); ++j)
      x = sublayer(place + ".sublayer." + std::to_string(j), x, parts[j], j + 1 == parts.size() ? last : "");
    return x;
  }

  ModelPage model_;
  const ModelSpec& spec_ = model_.spec;
  Trace t_;
};

Tensor ids_of(const Batch& batch) {
  const std::size_t rows = batch.sequences.count(), n = batch.sequences.length(0);
  Tensor ids(rows > 1 ? Shape{rows, n} : Shape{n});
  std::copy(batch.ids.begin(), batch.ids.end(), ids.data.begin());
  return ids;
}

} // namespace

template <class Real>
ModelPage page_of(const Transformer<Real>& model, const Batch& src, const Batch& tgt, std::uint32_t pad) {
  require_memory(page_bytes(model.spec, tokens_on_page(src, tgt, pad)), said("the model's page"));
  ModelPage page;
  page.spec = model.spec;
  if (model.spec.has_encoder()) page.src = ids_of(src);
  if (model.spec.has_decoder()) page.tgt = ids_of(tgt);
  page.pad = pad;
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
