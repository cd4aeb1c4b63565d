// Parts left out of any model on the page, against the engine whose weights of that part are 0.

#include "lessons/model/intervention.hpp"

#include "lessons/model/page.hpp"
#include "support/catch.hpp"
#include "support/model_parts.hpp"
#include "support/small_model.hpp"
#include "trace/checks.hpp"

#include <algorithm>

using namespace tfx;

namespace {

/// Cells of the parameters whose names begin with `prefix` become 0; of a head's share of a width alone where
/// one is named: rows of a weight, which are its inputs, or columns and the bias.
enum class Share { rows, columns };

struct Silenced {
  std::string prefix;
  std::optional<std::size_t> head = {};
  Share share = Share::rows;
};

void silence(Transformer<double>& model, const Silenced& s) {
  const std::size_t width = model.spec.width_of_head(), first = s.head.value_or(0) * width;
  each_parameter(
      [&](const std::string& name, auto& tensor) {
        if (!name.starts_with(s.prefix)) return;
        for (arma::uword i = 0; i < tensor.n_elem; ++i) {
          const std::size_t place =
              s.share == Share::rows || tensor.n_cols == 1 ? i % tensor.n_rows : i / tensor.n_rows;
          if (!s.head || (place >= first && place < first + width)) tensor[i] = 0;
        }
      },
      "", model);
}

/// The engine without the part.
Transformer<double> without(Transformer<double> model, const std::string& part) {
  if (part.ends_with(".pe") || part.ends_with(".angles")) {
    model.spec.positions = Positions::none;
    return model;
  }
  const std::size_t mark = part.find(".head.");
  if (mark != std::string::npos) {
    silence(model, {part.substr(0, mark) + ".linears.3.weight", std::stoul(part.substr(mark + 6))});
    return model;
  }
  for (const char* last :
       {".linears.3", ".w_2", ".self_attn.linears.3", ".src_attn.linears.3", ".feed_forward.w_2"})
    silence(model, {part + last});
  return model;
}

/// The engine whose queries are all 0, so that every score is.
Transformer<double> uniform(Transformer<double> model, const std::string& part) {
  const std::size_t mark = part.find(".head.");
  const std::string place = part.substr(0, mark);
  if (mark != std::string::npos) {
    silence(model, {place + ".linears.0", std::stoul(part.substr(mark + 6)), Share::columns});
    return model;
  }
  silence(model, {place + ".linears.0"}), silence(model, {place + ".q_norm"});
  return model;
}

} // namespace

TEST_CASE("a page without a part is the engine whose weights there are 0, whatever the parts",
          "[lessons][intervention][parts]") {
  std::size_t compared = 0;
  for (std::uint32_t seed = 0; seed < 36; ++seed) {
    RandomInput random(seed);
    constexpr Stacks stacks[] = {Stacks::decoder, Stacks::encoder, Stacks::both};
    const ModelSpec spec = random_parts(random, stacks[seed % 3]);
    const auto model = small_model<double>(seed, spec);
    const Batch src = spec.has_encoder() ? ragged_batch({{1, 2, 1, 0}}) : Batch{},
                tgt = spec.has_decoder() ? ragged_batch({{2, 1, 2, 2, 1}}) : Batch{};
    const Trace page = run_model_page(page_of(model, src, tgt, 1000));
    const auto check = [&](Intervention::Kind kind, const std::string& part,
                           const Transformer<double>& changed) {
      INFO(seed << ": " << part);
      const Tensor ours = log_probs_with(page, {{kind, part}});
      const arma::mat engine = forward(changed, {src, tgt});
      CHECK(relative_difference(ours, Tensor(ours.shape, {engine.begin(), engine.end()})) <= 1e-11);
      ++compared;
    };
    const auto of_one_side = [&](const std::string& part) { // the engine's spec speaks of both
      return spec.stacks == Stacks::both &&
             (part == "memory" || part.ends_with(".pe") || part.ends_with(".angles"));
    };
    for (const std::string& part : parts_to_leave_out(page))
      if (!of_one_side(part)) check(Intervention::Kind::without, part, without(model, part));
    for (const std::string& part : parts_to_make_uniform(page))
      if (!spec.qk_norm || part.find(".head.") == std::string::npos)
        check(Intervention::Kind::uniform, part, uniform(model, part));
  }
  CHECK(compared > 500);
}

TEST_CASE("a decoder alone has its own parts, in its order", "[lessons][intervention]") {
  ModelSpec spec = small_spec();
  spec.stacks = Stacks::decoder, spec.layers = 1, spec.heads = 2;
  const auto parts = [&] {
    const Trace page =
        run_model_page(page_of(small_model<double>(1, spec), {}, ragged_batch({{1, 2}}), 1000));
    return parts_to_leave_out(page);
  };
  const std::vector<std::string> layer{"decoder.layers.0", "decoder.layers.0.self_attn",
                                       "decoder.layers.0.self_attn.head.0",
                                       "decoder.layers.0.self_attn.head.1", "decoder.layers.0.feed_forward"};
  const auto behind = [&](const std::string& first) {
    std::vector<std::string> all{first};
    all.insert(all.end(), layer.begin(), layer.end());
    return all;
  };
  CHECK(parts() == behind("tgt_embed.pe"));
  spec.positions = Positions::rotary;
  CHECK(parts() == behind("decoder.angles"));
  spec.positions = Positions::none;
  CHECK(parts() == layer);
}
