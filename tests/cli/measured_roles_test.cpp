// What heads do, measured over pairs: a head is left out as the page leaves it out.

#include "cli/model/ablation.hpp"

#include "lessons/model/intervention.hpp"
#include "model/checkpoint.hpp"
#include "model/shipped.hpp"
#include "parity/model_page.hpp"
#include "support/catch.hpp"
#include "trace/checks.hpp"
#include "train/task.hpp"

using namespace tfx;

TEST_CASE("a head left out in the engine is the page's intervention", "[cli][roles]") {
  const auto model = load_model<double>(shipped_model("numbers-zh"));
  const Example one = make_task("numbers-zh")->held_out(1).front();
  const TokenIds read(one.tgt.begin(), one.tgt.end() - 1), right(one.tgt.begin() + 1, one.tgt.end());
  const Batch src = ragged_batch({one.src}), tgt = ragged_batch({read});
  const Trace page = run_model_page(page_of(model, src, tgt, 1000));
  for (const char* part : {"encoder.layers.0.self_attn.head.3", "decoder.layers.1.self_attn.head.0",
                           "decoder.layers.0.src_attn.head.2"}) {
    INFO(part);
    const Tensor theirs = log_probs_with(page, {{Intervention::Kind::without, part}});
    const arma::mat ours = forward(without_head(model, part), {src, tgt});
    double furthest = 0, sum = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
      for (std::size_t j = 0; j < ours.n_rows; ++j)
        furthest = std::max(furthest, std::abs(ours(j, i) - theirs.data[i * ours.n_rows + j]));
      sum += theirs.data[i * ours.n_rows + right[i]];
    }
    CHECK(furthest < 1e-10);
    CHECK(relative_difference(theirs, page["log_probs"]) > 1e-4); // it does something
    RolePair pair{one.src, read, std::vector<std::string>(one.src.size(), "x"),
                  std::vector<std::string>(read.size(), "y")};
    CHECK(said_right(without_head(model, part), {pair}, {right}).log_probability ==
          Approx(sum / static_cast<double>(right.size())));
  }
}
