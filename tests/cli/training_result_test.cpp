#include "cli/train/result.hpp"

#include "support/catch.hpp"

using namespace tfx;

TEST_CASE("the loss has fallen if the last tenth of the steps is below the first, by their means", "[cli]") {
  const auto check_of = [](const std::vector<double>& losses) {
    Trace trace;
    check_loss(trace, losses);
    return trace.checks;
  };
  std::vector<double> losses(20, 2.0);
  losses[0] = 3, losses[18] = 1, losses[19] = 2.5; // 2.5 at the beginning, 1.75 at the end
  REQUIRE(check_of(losses).size() == 1);
  CHECK(check_of(losses)[0].pass);
  CHECK(check_of(losses)[0].value == 1.75);
  losses[18] = 2.5; // as at the beginning
  CHECK_FALSE(check_of(losses)[0].pass);
  losses.pop_back();
  CHECK(check_of(losses).empty()); // too few to say
}

TEST_CASE("a control run may be right as often as chance is, and three deviations", "[cli]") {
  TrainingConfig config = training_config_for("copy", "tiny");
  const std::unique_ptr<Task> task = make_task(config.task);
  TrainingState state = start_training(config, task->facts());
  const auto check_with = [&](std::size_t right) {
    Trace trace;
    state.accuracies = {Accuracy{0, right, 100}};
    check_control(trace, state, *task);
    return trace.checks.at(0);
  };
  // Of 100 sources of copy each has its own target: p = 1 %, and 3·√(p(1 − p)/100) = 2.98 %.
  CHECK(check_with(3).pass);
  CHECK_FALSE(check_with(4).pass);
}
