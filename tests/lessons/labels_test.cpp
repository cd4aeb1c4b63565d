// The loss of one's own logits is PyTorch's: every label counts, but for those that are ignored.

#include "io/npy.hpp"
#include "lessons/run.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

using namespace tfx;

namespace {

using LabelNumbers = std::vector<std::int64_t>;

LessonRun loss_of(const TemporaryFolder& folder, const Tensor& logits, const LabelNumbers& labels,
                  std::optional<double> smoothing, std::optional<std::size_t> pad = {}) {
  InputOptions options;
  options.logits = folder.write("logits.npy", write_npy(logits));
  options.labels = {labels};
  options.smoothing = smoothing, options.pad_id = pad, options.grad = true;
  return run_lesson(find_lesson("loss"), options);
}

Tensor matrix_of(const nlohmann::json& rows) {
  Tensor logits({rows.size(), rows[0].size()});
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows[i].size(); ++j) logits.at({i, j}) = rows[i][j];
  return logits;
}

double said_number(const Trace& trace, const std::string& name) {
  return std::get<double>(trace.facts.at(name));
}

} // namespace

TEST_CASE("the loss of own logits equals F.cross_entropy, labels ignored and smoothed", "[loss][labels]") {
  const TemporaryFolder folder;
  std::ifstream file(std::string(TFX_SOURCE_DIR) + "/data/reference/labels.json");
  std::size_t cases = 0;
  for (const auto& one : nlohmann::json::parse(file)) {
    const auto ignored = one["ignored"].get<std::int64_t>();
    const double smoothing = one["smoothing"], expected = one["loss"];
    const LabelNumbers labels = one["labels"].get<LabelNumbers>();
    INFO(one.dump());
    const Trace trace = loss_of(folder, matrix_of(one["logits"]), labels, smoothing,
                                ignored < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(ignored)))
                            .trace;
    const double loss = smoothing == 0 ? trace["loss"].data[0] : said_number(trace, "torch_loss");
    CHECK(loss == Approx(expected).epsilon(1e-12));
    for (const Check& check : trace.checks) { // central differences of the gradients among them
      INFO(check.id);
      CHECK(check.pass);
    }
    const auto asked = labels.size() - static_cast<std::size_t>(std::ranges::count(labels, ignored));
    CHECK(said_number(trace, "tokens") == static_cast<double>(asked));
    CHECK(trace.facts.contains("ignored_torch") == (std::ranges::count(labels, -100) > 0));
    CHECK(trace.facts.contains("ignored_nanogpt") == (std::ranges::count(labels, -1) > 0));
    ++cases;
  }
  CHECK(cases == 40);
}

TEST_CASE("label 0 is a word of own logits, and shares the smoothing", "[loss][labels]") {
  const TemporaryFolder folder;
  const Tensor logits({2, 4}, {0, 0, 0, 0, 0, 0, 0, 0}); // every log-probability is −ln 4
  const Trace plain = loss_of(folder, logits, {0, 3}, {}).trace;
  CHECK(plain["loss"].data[0] == Approx(std::log(4.0)).epsilon(1e-14));
  CHECK(said_number(plain, "tokens") == 2);
  const Trace smoothed = loss_of(folder, logits, {0, 3}, 0.3).trace;
  CHECK(smoothed["target"].data[0] == Approx(0.7));
  CHECK(smoothed["target"].data[4] == Approx(0.1)); // ε/(V − 1): no column is the padding's
  CHECK(loss_of(folder, logits, {0, 3}, 0.3, 1).trace["target"].data[2] == Approx(0.15)); // ε/(V − 2)
  CHECK(said_number(loss_of(folder, logits, {0, 3}, {}, 0).trace, "tokens") == 1);        // as asked
}

TEST_CASE("-100 and -1 together are both ignored; nothing else is below 0", "[loss][labels]") {
  const TemporaryFolder folder;
  const Tensor logits({3, 3}, {1, 2, 3, 3, 2, 1, 0, 0, 1});
  const Trace trace = loss_of(folder, logits, {-1, 2, -100}, {}).trace;
  CHECK(said_number(trace, "tokens") == 1);
  CHECK(said_number(trace, "ignored_torch") == 1);
  CHECK(said_number(trace, "ignored_nanogpt") == 1);
  CHECK_THROWS_AS(loss_of(folder, logits, {-100, -100, -1}, {}), Error);
  CHECK_THROWS_AS(loss_of(folder, logits, {0, 1, 3}, {}), Error);
}
