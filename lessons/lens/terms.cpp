#include "lessons/lens/lens.hpp"

#include "steps/layer_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tfx {

namespace {

using Names = std::vector<std::string>;

/// What writes into the stream, or a norm that all before it goes through.
struct Link {
  std::string vectors; ///< a step of rows of d_model numbers; empty: a norm
  std::vector<TermSource> sources;
  std::string norm;

  bool is_norm() const { return vectors.empty(); }
};

/// What goes back through a norm stands behind its name, but for the last one; the page has its own "gained".
std::string place_of_norm(const std::string& norm) {
  return norm == "decoder.norm" ? "" : norm + ".back.";
}

/// The sublayers of a decoder's layer, in order.
Names sublayers_of(const ModelSpec& spec, std::size_t layer) {
  const std::string place = fmt::format("decoder.layers.{}.", layer);
  Names all{place + "self_attn"};
  if (spec.has_encoder()) all.push_back(place + "src_attn");
  if (spec.d_ff > 0) all.push_back(place + "feed_forward");
  return all;
}

class LensTerms {
public:
  LensTerms(Trace& t, const ModelSpec& spec, const AskedLogit& asked) : t_(t), spec_(spec), asked_(asked) {}

  LogitTerms add() {
    give("place", "--place", {static_cast<double>(asked_.place)});
    give("first", "0", {0}); // the only row of what is a vector
    give("token", "--token", {static_cast<double>(asked_.token)});
    if (asked_.against) give("against", "--against", {static_cast<double>(*asked_.against)});
    collect();
    stack_parts();
    const std::string W = spec_.tied ? "tgt_embed.0.lut.weight" : "generator.proj.weight";
    t_.add("asked", op::gather(W, "token"), Role::result);
    const std::string bias = bias_of("token");
    LogitTerms terms;
    read("", "asked", bias);
    if (asked_.against) {
      const std::string other_bias = bias_of("against");
      t_.add("asked_against", op::gather(W, "against"), Role::result);
      t_.add("difference.asked", op::subtract("asked", "asked_against"), Role::result);
      if (!bias.empty()) t_.add("difference.bias", op::subtract(bias, other_bias), Role::result);
      read("difference.", "difference.asked", bias.empty() ? "" : "difference.bias");
    }
    terms.sources = std::move(sources_);
    for (const Link& link : links_) terms.norms_held += link.is_norm();
    return terms;
  }

private:
  /// Where the lesson's input has it not.
  void give(const std::string& name, const std::string& source, std::vector<double> ids) {
    if (t_.has(name)) return;
    const Shape shape{ids.size()};
    t_.add_input(name, source, Tensor(shape, std::move(ids)), {});
  }

  /// Row `place` of a step, (1, width).
  std::string here(const std::string& step) {
    const std::string name = step + ".here";
    if (!t_.has(name)) t_.add(name, op::gather(step, "place"), Role::recap);
    return name;
  }

  /// A vector as the only row of a matrix.
  std::string as_row(const std::string& vector) {
    const std::string name = vector + ".row";
    if (!t_.has(name)) t_.add(name, op::gather(vector, "first"), Role::recap);
    return name;
  }

  /// What a norm has, as a row: its gain, its shift, or the divisor of the place, which is held.
  std::string given_to(const std::string& norm, const char* part, const std::string& of, const char* row) {
    const std::string name = place_of_norm(norm) + part;
    if (!t_.has(name)) t_.add(name, op::gather(of, row), Role::recap);
    return name;
  }

  void write(const std::string& vectors, TermSource source) { links_.push_back({vectors, {source}, {}}); }

  void collect() {
    const std::string embed = "tgt_embed";
    const bool placed = spec_.positions == Positions::sinusoidal || spec_.positions == Positions::learned;
    const std::string written = !spec_.embedding_norm    ? embed
                                : placed                 ? embed + ".sum"
                                : spec_.scaled_embedding ? embed + ".scaled"
                                                         : embed + ".rows";
    const Names inputs = placed ? t_.step_named(written).operation.inputs : Names{written};
    write(here(inputs[0]), {embed, embed});
    if (placed) write(here(inputs[1]), {embed + ".pe", embed + ".pe"});
    if (spec_.embedding_norm) links_.push_back({{}, {}, embed + ".norm"});
    for (std::size_t i = 0; i < spec_.layers; ++i) {
      const Names parts = sublayers_of(spec_, i);
      for (std::size_t j = 0; j < parts.size(); ++j) {
        parts[j].ends_with("attn") ? attention(parts[j]) : feed_forward(parts[j]);
        if (spec_.norm.placement == NormPlacement::post_norm)
          links_.push_back({{}, {}, fmt::format("decoder.layers.{}.sublayer.{}.norm", i, j)});
      }
    }
    if (spec_.final_norm) links_.push_back({{}, {}, "decoder.norm"});
  }

  // Each head's mixture at the place times its columns of W_O, (h, 1, d): what it alone adds.
  void attention(const std::string& place) {
    const std::string W = place + ".linears.3.weight", b = place + ".linears.3.bias",
                      cut = place + ".W_O_heads", mixed = place + ".heads_mixed", wrote = place + ".written",
                      rows = place + ".heads_here";
    const Shape& heads = t_[place + ".heads"].shape;
    const std::size_t h = heads[heads.size() - 3];
    const auto into_heads = [&](const std::string& x) {
      return op::split_heads(x).with(static_cast<double>(h), std::to_string(h));
    };
    if (!t_.has("every_head")) {
      std::vector<double> ids;
      for (std::size_t k = 0; k < h; ++k) ids.push_back(static_cast<double>(k));
      give("every_head", "0 … h − 1", std::move(ids));
    }
    t_.add(mixed, into_heads(here(place + ".concat")), Role::recap);
    t_.add(cut, into_heads(W), Role::recap);
    t_.add(wrote, op::matmul_transposed(mixed, cut), Role::recap);
    t_.add(rows, op::gather(wrote, "every_head"), Role::recap);
    Link link{rows, {}, {}};
    for (std::size_t k = 0; k < h; ++k)
      link.sources.push_back({fmt::format("{}.head.{}", place, k), place, k});
    links_.push_back(std::move(link));
    if (t_.has(b)) write(as_row(b), {b, place, {}, true});
  }

  void feed_forward(const std::string& place) {
    const std::string hidden = here(place + ".hidden"), b = place + ".w_2.bias", wrote = place + ".written";
    t_.add(wrote, op::matmul_transposed(hidden, place + ".w_2.weight"), Role::recap);
    write(wrote, {place, place});
    if (t_.has(b)) write(as_row(b), {b, place, {}, true});
  }

  // What goes through the same norms is one matrix.
  void stack_parts() {
    std::vector<std::pair<Names, Names>> stacks(1);
    for (const Link& link : links_) {
      if (link.is_norm()) {
        if (!stacks.back().first.empty()) stacks.emplace_back();
        continue;
      }
      stacks.back().first.push_back(link.vectors);
      for (const TermSource& source : link.sources) stacks.back().second.push_back(source.name);
    }
    if (stacks.back().first.empty()) stacks.pop_back();
    for (std::size_t k = 0; k < stacks.size(); ++k) {
      parts_.push_back(stacks.size() == 1 ? "" : "." + std::to_string(k + 1));
      t_.add("parts" + parts_.back(), op::stacked(stacks[k].first), Role::result);
      t_.relabel(0, stacks[k].second);
    }
  }

  // The generator's bias of a token, (1, 1): cut into as many heads as there are tokens, each is a row.
  std::string bias_of(const std::string& token) {
    if (spec_.tied || !t_.has("generator.proj.bias")) return {};
    const std::string row = "generator.proj.bias.row", column = "generator.proj.bias.column",
                      name = token == "token" ? "bias" : "bias_against";
    // Cutting it is no head's work, and nobody can get it wrong: as what the model has computed.
    if (!t_.has(row)) t_.add(row, op::gather("generator.proj.bias", "first"), Role::before);
    const std::size_t V = t_[row].shape.back();
    if (!t_.has(column))
      t_.add(column, op::split_heads(row).with(static_cast<double>(V), std::to_string(V)), Role::recap);
    t_.add(name, op::gather(column, token), Role::result);
    return name;
  }

  // Back through a norm whose divisor is held: w·(γ ⊙ (x − mean)/divisor) = x·((γ ⊙ w − mean)/divisor).
  std::string through(const std::string& prefix, const std::string& norm, const std::string& direction) {
    const auto called = [&](const char* part) { return prefix + place_of_norm(norm) + part; };
    std::string w = direction;
    if (t_.has(norm + ".a_2")) {
      const std::string gain = given_to(norm, "gain", norm + ".a_2", "first");
      t_.add(called("gained"), op::multiply(std::exchange(w, called("gained")), gain), Role::result);
    }
    if (spec_.norm.rule != Norm::rms) {
      t_.add(called("gained_mean"), op::row_mean(w), Role::result);
      const std::string gained = std::exchange(w, called("centred"));
      t_.add(w, op::subtract(gained, called("gained_mean")), Role::result);
    }
    t_.add(called("direction"), op::divide(w, given_to(norm, "divisor", norm + ".divisor", "place")),
           Role::result);
    return called("direction");
  }

  /// The terms of one logit, or of one difference, from the last link to the first.
  void read(const std::string& prefix, std::string direction, const std::string& bias) {
    Names pieces;
    std::vector<TermSource> sources;
    const auto add_piece = [&](const std::string& name, std::vector<TermSource> from) {
      pieces.push_back(name);
      sources.insert(sources.end(), from.rbegin(), from.rend()); // turned round as a whole below
    };
    if (!bias.empty()) add_piece(bias, {{"generator.proj.bias", "generator.proj.bias"}});
    std::size_t stack = parts_.size();
    std::vector<TermSource> pending;
    const auto close = [&] {
      if (pending.empty()) return;
      const std::string& which = parts_[--stack];
      const std::string name = prefix + "read" + which;
      t_.add(name, op::matmul_transposed("parts" + which, direction), Role::result);
      std::ranges::reverse(pending);
      add_piece(name, std::exchange(pending, {}));
    };
    for (auto link = links_.rbegin(); link != links_.rend(); ++link) {
      if (!link->is_norm()) {
        pending.insert(pending.end(), link->sources.rbegin(), link->sources.rend());
        continue;
      }
      close();
      if (const std::string shift = link->norm + ".b_2"; t_.has(shift)) {
        const std::string name = prefix + place_of_norm(link->norm) + "shift_term";
        t_.add(name, op::matmul_transposed(given_to(link->norm, "shift", shift, "first"), direction),
               Role::result);
        add_piece(name, {{shift, shift}});
      }
      direction = through(prefix, link->norm, direction);
    }
    close();
    std::ranges::reverse(pieces), std::ranges::reverse(sources);
    t_.add(prefix + "terms", op::stacked(pieces), Role::result);
    Names names;
    for (const TermSource& source : sources) names.push_back(source.name);
    t_.relabel(0, names);
    t_.add(prefix + "logit", op::sum_over(prefix + "terms").with(1, "1").onto({1, 1}), Role::result);
    sources_ = std::move(sources);
  }

  Trace& t_;
  const ModelSpec& spec_;
  const AskedLogit asked_;
  std::vector<Link> links_; ///< from the embedding on
  Names parts_;             ///< "" of the only stack, or ".1", ".2" …
  std::vector<TermSource> sources_;
};

} // namespace

std::size_t asked_number(const Trace& t, const char* name) {
  return static_cast<std::size_t>(t[name].data[0]);
}

LogitTerms add_logit_terms(Trace& page, const ModelSpec& spec, const AskedLogit& asked) {
  return LensTerms(page, spec, asked).add();
}

void add_logit_lens(Trace& t, const ModelSpec& spec) {
  Names states{"tgt_embed"}, names{"tgt_embed"};
  for (std::size_t i = 0; i < spec.layers; ++i) {
    const Names parts = sublayers_of(spec, i);
    for (std::size_t j = 0; j < parts.size(); ++j) {
      const bool ends = !spec.final_norm && i + 1 == spec.layers && j + 1 == parts.size();
      const char* own = spec.norm.placement == NormPlacement::pre_norm ? "output" : "norm";
      states.push_back(ends ? "decoder.output" : fmt::format("decoder.layers.{}.sublayer.{}.{}", i, j, own));
      names.push_back(parts[j]);
    }
  }
  for (std::string& state : states) {
    const std::string row = state + ".here";
    if (!t.has(row)) t.add(row, op::gather(state, "place"), Role::recap);
    state = row;
  }
  t.add("stream", op::stacked(states), Role::result);
  t.relabel(0, names);
  std::string x = "stream";
  if (spec.final_norm) {
    const auto optional = [&](const std::string& name) { return t.has(name) ? name : std::string(); };
    add_layer_norm(
        t, {x, optional("gain"), optional("shift"), "lens.normed", spec.norm.rule, spec.norm.epsilon},
        [](const std::string& part) { return "lens." + part; }, Role::result);
    x = "lens.normed";
  }
  if (spec.tied)
    t.add("lens.logits", op::matmul_transposed(x, "tgt_embed.0.lut.weight"), Role::result);
  else if (t.has("generator.proj.bias"))
    t.add("lens.logits", op::matmul_transposed(x, "generator.proj.weight", "generator.proj.bias"),
          Role::result);
  else
    t.add("lens.logits", op::matmul_transposed(x, "generator.proj.weight"), Role::result);
  t.add("lens", op::softmax("lens.logits"), Role::result);
}

} // namespace tfx
