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

TEST_CASE("a training's report has its measurements as they were, and where the time went", "[cli]") {
  TrainingConfig config = training_config_for("copy", "tiny");
  const std::unique_ptr<Task> task = make_task(config.task);
  TrainingState state = start_training(config, task->facts());
  state.step = 4, state.losses = {4, 3, 2, 1};
  state.accuracies = {{2, 1, 8}, {4, 3, 8}};
  state.accuracies[0].loss = 2.5, state.accuracies[1].loss = 1.5, state.accuracies[1].chrf = 40;
  TrainingResult result{state, {}, {}, {}, {{"encoder.norm", 0.25, 0.5}, {"Adam", 0.25, 0}}};
  result.trace.measured = Cost{3, 10, 20, Timing{}};
  Screen frame;
  frame.is_lesson = false; // its title needs no words of the course
  const std::string json = render_json(training_report(frame, result), Words());
  for (const char* shown :
       {R"("losses": [4.0,3.0,2.0,1.0])", R"({"step":2,"right":1,"of":8,"loss":2.5,"chrf":null})",
        R"({"step":4,"right":3,"of":8,"loss":1.5,"chrf":40.0})",
        R"("step_seconds": {"encoder.norm":{"backward":0.5,"forward":0.25},"Adam":)", R"("checks": [])"}) {
    INFO(json << "\nlacks: " << shown);
    CHECK(json.find(shown) != std::string::npos);
  }
  const Words words =
      Words::parse("## ui.accuracy\nmeasured\n## ui.moment\nstep {step}\n## curve\nthe curve\n"
                   "## times\nwhere\n");
  const std::string page = render_screen(training_report(frame, result), words, Style());
  // The mean of steps 1 and 2, then of 3 and 4; shares of a second.
  for (const char* shown :
       {"the curve\n", "step 2         3.5000         2.5000  12.5 %\n",
        "step 4         1.5000         1.5000  37.5 %\n", "encoder.norm  250.0 ms  500.0 ms      75.0 %\n",
        "Adam          250.0 ms                25.0 %\n"}) {
    INFO(page << "\nlacks: " << shown);
    CHECK(page.find(shown) != std::string::npos);
  }
  frame.quiet = true;
  const std::string quiet = render_screen(training_report(frame, result), words, Style());
  for (const char* watched : {"the curve", "measured", "where"})
    CHECK(quiet.find(watched) == std::string::npos);
}
