// What a part of the model does, against PyTorch's runs without it; and what the answer's table makes of it.

#include "lessons/model/intervention.hpp"

#include "cli/model/ablation.hpp"
#include "cli/model/module_costs.hpp"
#include "model/checkpoint.hpp"
#include "model/counts.hpp"
#include "parity/model_page.hpp"
#include "support/catch.hpp"
#include "support/model_fixture.hpp"
#include "support/small_model.hpp"
#include "trace/trace.hpp"

#include <algorithm>
#include <cmath>

using namespace tfx;

namespace {

struct Torch {
  explicit Torch(const std::string& name)
      : fixture(name),
        tgt(fixture.padded("tgt")),
        page(run_model_page(page_of(load_model<double>(fixture.weights), fixture.padded("src"), tgt, 0))) {}

  ModelFixture fixture;
  Batch tgt;
  Trace page;
};

Intervention intervention_of(const std::string& name) {
  const std::size_t blank = name.find(' ');
  return {name.substr(0, blank) == "uniform" ? Intervention::Kind::uniform : Intervention::Kind::without,
          name.substr(blank + 1)};
}

} // namespace

TEST_CASE("a run without a part, or with uniform attention, is PyTorch's", "[cli][intervention]") {
  std::size_t compared = 0;
  for (const char* name : {"layers-2", "layers-5"}) {
    const Torch torch(name);
    const std::string path =
        std::string(TFX_SOURCE_DIR) + "/data/reference/interventions/" + name + ".safetensors";
    for (const NamedArray& array : read_safetensors(read_file(path), path).tensors) {
      INFO(name << ": " << array.name);
      const Tensor ours = log_probs_with(torch.page, {intervention_of(array.name)});
      Tensor theirs = array.array.values;
      if (ours.rank() == 2) theirs.shape.erase(theirs.shape.begin());
      CHECK(relative_difference(ours, theirs) <= 1e-11);
      CHECK(relative_difference(torch.page["log_probs"], theirs) > 1e-3); // it does something
      ++compared;
    }
  }
  CHECK(compared == 30);
}

TEST_CASE("every part can be left out, and nothing else", "[cli][intervention]") {
  const Torch torch("layers-2");
  const std::vector<std::string> parts = parts_to_leave_out(torch.page),
                                 alike = parts_to_make_uniform(torch.page);
  CHECK(parts.size() == 3 + 2 * (1 + 2 + 4) + 2 * (1 + 3 + 8)); // layers, sublayers, heads
  CHECK(alike.size() == 2 * 5 + 2 * 10);
  for (const std::string& part : parts) {
    INFO(part);
    const Tensor changed = log_probs_with(torch.page, {{Intervention::Kind::without, part}});
    CHECK(changed.shape == torch.page["log_probs"].shape);
    CHECK(relative_difference(changed, torch.page["log_probs"]) > 1e-6);
  }
  // All heads of an attention: what is left of it is its bias.
  std::vector<Intervention> heads;
  for (const std::string& part : alike)
    if (part.starts_with("encoder.layers.0.self_attn.head."))
      heads.push_back({Intervention::Kind::without, part});
  REQUIRE(heads.size() == 4);
  const Rerun again(torch.page, {{"encoder.layers.0.self_attn.concat",
                                  [](const Tensor& right) { return Tensor(right.shape); }}});
  CHECK(relative_difference(log_probs_with(torch.page, heads), again["log_probs"]) == 0);
}

TEST_CASE("the answer names the right token, the best other one, and passes over padding",
          "[cli][intervention]") {
  const double ln = std::log(0.1);
  const Tensor log_probs(
      {3, 3}, {std::log(0.7), std::log(0.2), ln, std::log(0.3), std::log(0.6), ln, ln, ln, std::log(0.8)});
  const Batch tgt = padded_batch({{1, 2, 0}}, 0);
  const auto rows = answer_of(log_probs, tgt, {2, 1, 0});
  REQUIRE(rows.size() == 2);
  CHECK((rows[0].read == 1 && rows[0].right == 2 && rows[0].other == 0));
  CHECK(rows[0].p_right == Approx(0.1));
  CHECK(rows[0].p_other == Approx(0.7));
  CHECK_FALSE(rows[0].is_right());
  CHECK(rows[1].is_right());
  CHECK(mean_probability(rows) == Approx(0.35));
  CHECK(right_tokens(log_probs, tgt, {}) == TokenIds{0, 1, 2});
}

TEST_CASE("the ablation's table has a row a sublayer and a column a head", "[cli][intervention]") {
  const Torch torch("layers-2");
  const Experiment table = ablation(torch.page, torch.tgt, {});
  CHECK(table.columns == std::vector<std::string>{"all", "head 0", "head 1", "head 2", "head 3"});
  REQUIRE(table.rows.size() == 10);
  CHECK(table.rows[0] == "encoder.layers.0.self_attn");
  CHECK(std::isnan(table.values.data[5 + 1])); // a feed-forward layer has no heads
  const TokenIds right = right_tokens(torch.page["log_probs"], torch.tgt, {});
  const auto mean = [&](const Tensor& log_probs) {
    return mean_probability(answer_of(log_probs, torch.tgt, right));
  };
  const Tensor without =
      log_probs_with(torch.page, {{Intervention::Kind::without, "decoder.layers.1.src_attn.head.2"}});
  const std::size_t row = static_cast<std::size_t>(
      std::ranges::find(table.rows, "decoder.layers.1.src_attn") - table.rows.begin());
  CHECK(table.values.data[row * 5 + 3] == Approx(mean(torch.page["log_probs"]) - mean(without)));
}

TEST_CASE("the modules hold all parameters and execute all multiply-adds", "[cli]") {
  const Transformer<float> model = small_model<float>(3);
  const Batch src = padded_batch({{1, 2, 3}}, 0), tgt = padded_batch({{4, 5}}, 0);
  std::size_t parameters = 0;
  std::uint64_t macs = 0;
  const std::vector<ModuleCost> costs = module_costs(model, src, tgt);
  for (const ModuleCost& cost : costs) {
    const bool is_inner = cost.name.ends_with("attn") || cost.name.ends_with("feed_forward");
    if (!is_inner) parameters += cost.parameters, macs += cost.macs;
  }
  CHECK(costs.size() == 2 * 3 + 2 * 4 + 5);
  CHECK(parameters == count_parameters(model));
  CHECK(macs == forward_macs(model.spec, src.sequences, tgt.sequences));
  const auto self = std::ranges::find(costs, "encoder.layers.0.self_attn", &ModuleCost::name);
  REQUIRE(self != costs.end());
  CHECK(self->parameters == 4 * (12 * 12 + 12));
  CHECK(self->macs == 4 * 3 * 12 * 12 + 2 * 3 * 3 * 12);
}
