// A mistake gives the numbers that NumPy gives a learner who makes it: data/reference/mistakes.npz.

#include "lessons/run.hpp"
#include "support/mistake_reference.hpp"

using namespace tfx;

TEST_CASE("a wrong run's numbers are NumPy's", "[judge][mistakes]") {
  const std::set<std::string> compared =
      compare_with_numpy("mistakes.npz", [](const std::string& run, LessonInput input) {
        input.causal = run == "causal";
        input.pad = run == "padded" ? 2 : run == "cross" ? 1 : 0;
        input.heads = run == "multihead" ? 2 : 1;
        const bool masked = run == "causal" || run == "padded" || run == "blocked";
        return find_lesson(masked ? "masked" : run).run(input);
      });
  for (const Mistake& mistake : mistakes())
    if (is_about_attention(mistake)) {
      INFO(mistake.id);
      CHECK(compared.contains(mistake.id));
    }
}
