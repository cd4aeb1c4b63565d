// Wrong formulas as rows: each can be read, and none is a name that no run has.

#include "judge/variant.hpp"

#include "ops/formula.hpp"
#include "support/catch.hpp"
#include "support/mistake_inputs.hpp"

namespace tfx {

TEST_CASE("every row of a wrong formula can be read, and stands at a step of some lesson",
          "[judge][mistakes]") {
  for (const Mistake& mistake : mistakes()) {
    CHECK(mistake.formulas.empty() == (mistake.by != nullptr));
    for (const WrongFormula& row : mistake.formulas) {
      INFO(mistake.id << ": " << row.formula);
      CHECK_NOTHROW(Formula(row.formula));
    }
  }
  std::vector<WrongFormula> rows = variant_rows();
  rows.insert(rows.end(), changes_behind().begin(), changes_behind().end());
  CHECK(rows.size() > 150);
  std::vector<bool> stands(rows.size());
  for (const Lesson& lesson : lessons())
    for (std::uint32_t seed = 0; lesson.run && seed < 8; ++seed) {
      InputOptions options = random_options(lesson, seed);
      constexpr Activation by_seed[] = {Activation::relu, Activation::gelu, Activation::gelu_tanh};
      if (lesson.command == "block") options.activation = by_seed[seed % 3];
      if (lesson.command == "block" && seed == 0) options.norm = Norm::layer;
      if (lesson.command == "modern") options.window = 2;
      if (lesson.command == "masked") options.causal = true, options.pad = 1;
      std::optional<Trace> run;
      try {
        run = lesson.run(resolve_input(options, lesson));
      } catch (const Error&) {
        continue;
      }
      for (std::size_t r = 0; r < rows.size(); ++r)
        for (const Step& step : run->steps) {
          if (stands[r]) break;
          std::vector<Alternative> found;
          add_rows({rows[r]}, *run, step, found);
          if (!found.empty()) stands[r] = true;
        }
    }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].at == "X@add of embedded") continue; // of a batch of sentences, which an exercise alone has
    INFO(rows[r].at << " | " << rows[r].formula);
    CHECK(stands[r]);
  }
}

} // namespace tfx
