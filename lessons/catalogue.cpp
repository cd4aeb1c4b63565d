#include "lessons/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tfx {

Trace run_lookup(const LessonInput&);
Trace run_words(const LessonInput&);
Trace run_qkv(const LessonInput&);
Trace run_scores(const LessonInput&);
Trace run_softmax(const LessonInput&);
Trace run_attention(const LessonInput&);
Trace run_sdpa(const LessonInput&);
Trace run_masked(const LessonInput&);
Trace run_multihead(const LessonInput&);
Trace run_cross(const LessonInput&);
Trace run_embed(const LessonInput&);
Trace run_block(const LessonInput&);
Trace run_loss(const LessonInput&);
Trace run_decode(const LessonInput&);
Trace run_cache(const LessonInput&);

namespace {

using Run = Trace (*)(const LessonInput&);
using Names = std::vector<std::string>;

// One whose command shows the engine, or tables.
Lesson engine(int number, const std::string& command, OnPage on_page = OnPage::nothing) {
  return {{command}, number, fmt::format("lessons/{:02}_{}", number, command), on_page};
}

// One with a small run on the page beside that.
Lesson aside(int number, InputRules rules, Run run, const std::string& result, Names own) {
  Lesson lesson = engine(number, rules.command, OnPage::aside);
  static_cast<InputRules&>(lesson) = std::move(rules);
  lesson.run = run, lesson.result = result, lesson.own = std::move(own);
  return lesson;
}

// One whose command shows its run on the page.
Lesson on_page(int number, InputRules rules, Run run, const std::string& result, Names own) {
  Lesson lesson = aside(number, std::move(rules), run, result, std::move(own));
  lesson.on_page = OnPage::whole;
  return lesson;
}

} // namespace

const std::vector<Lesson>& lessons() {
  using enum Stage;
  using enum MaskRule;
  static const std::vector<Lesson> all = {
      on_page(0, {"lookup", attention, "happy-llm:1"}, run_lookup, "output",
              {"given_output", "scores", "hard", "hard_output", "weights", "output"}),
      on_page(1, {"words", vectors, "fun-transformer:1"}, run_words, "dots",
              {"norms", "dots", "cosines", "distances"}),
      on_page(2, {"qkv", projections, "fun-transformer:1"}, run_qkv, "Q,K,V", {"Q", "K", "V"}),
      on_page(3, {"scores", attention, "fun-transformer:1"}, run_scores, "scores", {"scores"}),
      on_page(4, {"softmax", attention, "fun-transformer:1", asked}, run_softmax, "weights",
              {"scaled", "row_max", "shifted", "exponentials", "row_sum", "weights", "entropy"}),
      on_page(5, {"attention", attention, "fun-transformer:1", asked}, run_attention, "output", {"output"}),
      on_page(6, {"sdpa", attention, "scaled-dot-product:1", asked}, run_sdpa, "output",
              {"scores", "scaled", "weights", "output"}),
      on_page(7, {"masked", attention, "happy-llm:2", causal}, run_masked, "weights",
              {"scores", "scaled", "mask", "masked", "weights", "output"}),
      on_page(8, {"multihead", heads, "happy-llm:2", tutorial}, run_multihead, "output",
              {"Q", "K", "V", "Q_heads", "K_heads", "V_heads", "scores", "scaled", "mask", "masked",
               "weights", "heads", "concat", "output"}),
      on_page(9, {"cross", memory, "happy-llm:3", asked}, run_cross, "weights",
              {"Q", "K", "V", "scores", "scaled", "weights", "output"}),
      on_page(10, {"embed", tokens, "annotated:2"}, run_embed, "X",
              {"one_hot", "product", "token_vectors", "embedded", "angles", "position_vectors", "X"}),
      on_page(11, {"block", layer, "annotated:3", asked}, run_block, "output",
              {"mean_1", "centred_1", "std_1", "divisor_1", "normalized_1", "gained_1", "norm_1",
               "residual_1", "mean_2", "centred_2", "std_2", "divisor_2", "normalized_2", "gained_2",
               "norm_2", "hidden", "activated", "feed_forward", "output"}),
      engine(12, "model", OnPage::model),
      on_page(13, {"loss", loss, "happy-llm:4", causal}, run_loss, "dlogits",
              {"logits", "log_probs", "probs", "target", "loss"}),
      engine(14, "train"),
      aside(15, {"decode", targets}, run_decode, "score", {"sum", "penalty", "score", "chosen"}),
      aside(16, {"cache", decoding, "happy-llm:2"}, run_cache, "output",
            {"angles", "position_vectors", "inputs", "queries", "keys", "values", "kept_keys", "kept_values",
             "query", "scores", "scaled", "masked", "weights", "step_outputs", "output"}),
      engine(17, "params"),
      engine(18, "bench"),
      engine(19, "errata"),
  };
  return all;
}

const std::vector<std::reference_wrapper<const Lesson>>& page_lessons() {
  static const std::vector<std::reference_wrapper<const Lesson>> all = [] {
    std::vector<std::reference_wrapper<const Lesson>> list;
    for (const Lesson& lesson : lessons())
      if (lesson.on_page == OnPage::whole) list.push_back(lesson);
    return list;
  }();
  return all;
}

bool offers(const Lesson& lesson, std::string_view command) {
  if (command == "break" || command == "check") return lesson.run;
  if (command == "explain" && lesson.on_page == OnPage::model) return true;
  return lesson.on_page == OnPage::whole;
}

const Lesson* lesson_named(std::string_view command) {
  const auto found = std::ranges::find(lessons(), command, &Lesson::command);
  return found == lessons().end() ? nullptr : &*found;
}

std::string command_after(const std::string& command) {
  const Lesson* lesson = lesson_named(command);
  return lesson && lesson != &lessons().back() ? (lesson + 1)->command : std::string();
}

} // namespace tfx
