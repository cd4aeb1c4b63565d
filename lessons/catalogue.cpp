#include "lessons/catalogue.hpp"

#include "input/logits_input.hpp"
#include "input/model_input.hpp"
#include "input/subword_input.hpp"
#include "lessons/gpt/gpt.hpp"
#include "lessons/induction/induction.hpp"
#include "lessons/lens/lens.hpp"
#include "lessons/trained.hpp"

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
Trace run_whole_model(const LessonInput&);
Trace run_loss(const LessonInput&);
Trace run_train(const LessonInput&);
Trace run_decode(const LessonInput&);
Trace run_cache(const LessonInput&);
Trace run_params(const LessonInput&);
Trace run_bpe(const LessonInput&);
Trace run_rope(const LessonInput&);
Trace run_modern(const LessonInput&);
Trace run_induction(const LessonInput&);
Trace run_lens(const LessonInput&);

LessonInput choice_after_text(const InputOptions&, const InputRules&);
LessonInput sizes_of_decoder(const InputOptions&, const InputRules&);

std::vector<Mistake> qkv_mistakes();
std::vector<Mistake> scores_mistakes();
std::vector<Mistake> softmax_mistakes();
std::vector<Mistake> attention_mistakes();
std::vector<Mistake> masked_mistakes();
std::vector<Mistake> multihead_mistakes();
std::vector<Mistake> cross_mistakes();
std::vector<Mistake> embed_mistakes();
std::vector<Mistake> block_mistakes();
std::vector<Mistake> model_mistakes();
std::vector<Mistake> loss_mistakes();
std::vector<Mistake> training_mistakes();
std::vector<Mistake> decode_mistakes();
std::vector<Mistake> cache_mistakes();
std::vector<Mistake> params_mistakes();
std::vector<Mistake> bpe_mistakes();
std::vector<Mistake> gpt_mistakes();
std::vector<Mistake> rope_mistakes();
std::vector<Mistake> modern_mistakes();
std::vector<Mistake> induction_mistakes();
std::vector<Mistake> lens_mistakes();

namespace {

using Run = Trace (*)(const LessonInput&);
using Page = std::vector<PageSection>;
using Further = std::vector<FurtherPage>;
using Mistakes = std::vector<Mistake> (*)();

// One whose command shows the engine, or tables.
Lesson engine(const std::string& command, OnPage on_page = OnPage::nothing) {
  return {{command}, 0, "lessons/" + command, command, on_page};
}

// The same, where the command computes for seconds.
Lesson long_engine(const std::string& command) {
  Lesson lesson = engine(command);
  lesson.takes_long = true;
  return lesson;
}

// One with a small run on the page beside that.
Lesson aside(InputRules rules, Run run, const std::string& result, Page page, Mistakes mistakes,
             OnPage on_page = OnPage::aside) {
  Lesson lesson = engine(rules.command, on_page);
  static_cast<InputRules&>(lesson) = std::move(rules);
  lesson.run = run, lesson.result = result, lesson.page = std::move(page), lesson.mistakes = mistakes;
  return lesson;
}

// One whose command shows its run on the page.
Lesson on_page(InputRules rules, Run run, const std::string& result, Page page, Mistakes mistakes = nullptr) {
  Lesson lesson = aside(std::move(rules), run, result, std::move(page), mistakes);
  lesson.on_page = OnPage::whole;
  // A trained model has vectors, words, and the weights of an attention.
  if (takes<Input::X, Input::token_ids>(lesson) && !lesson.takes(Input::labels))
    lesson.from_model = trained_input;
  return lesson;
}

// One whose command alone shows the engine; its page is the command with a word behind it.
Lesson with_word(const std::string& word, Lesson lesson) {
  lesson.typed += " " + word;
  return lesson;
}

// One with more than a page.
Lesson with_pages(Further further, Lesson lesson) {
  lesson.further = std::move(further);
  return lesson;
}

// One behind which tfx next offers a command.
Lesson offering(const std::string& command, Lesson lesson) {
  lesson.offer = command;
  return lesson;
}

// One beside the way.
Lesson appendix(Lesson lesson) {
  lesson.number.reset();
  return lesson;
}

// The order here is that of learning, appendices at the end.
std::vector<Lesson> numbered(std::vector<Lesson> list) {
  int number = 0;
  for (Lesson& lesson : list)
    if (lesson.number) lesson.number = number++;
  return list;
}

} // namespace

const std::vector<Lesson>& lessons() {
  using enum Input;
  using enum MaskRule;
  static const std::vector<Lesson> all = numbered({
      on_page({"lookup", {X, QKV, W_QKV}, "happy-llm:1", {4, 4}}, run_lookup, "output",
              {{"", {"Q", "K", "given_weights", "given_output", "scores", "hard_output", "weights"}}}),
      on_page({"words", {X}, "fun-transformer:1", {4, 6}}, run_words, "dots",
              {{"", {"X", "norms", "cosines", "distances"}}, {"neighbours", {"neighbours"}}}),
      on_page({"qkv", {X, X_QKV, W_QKV}, "fun-transformer:1"}, run_qkv, "Q,K,V", {{"", {"Q", "K", "V"}}},
              qkv_mistakes),
      on_page({"scores", {X, QKV, W_QKV}, "fun-transformer:1", {2, 3}}, run_scores, "scores", {},
              scores_mistakes),
      on_page({"softmax", {X, QKV, W_QKV}, "fun-transformer:1", {7, 5}, asked}, run_softmax, "weights",
              {{"", {"scaled", "row_max", "shifted", "exponentials", "row_sum", "entropy"}}},
              softmax_mistakes),
      on_page({"attention", {X, QKV, W_QKV}, "fun-transformer:1", {4, 4}, asked}, run_attention, "output", {},
              attention_mistakes),
      on_page({"sdpa", {X, QKV, W_QKV}, "scaled-dot-product:1", {4, 4}, asked}, run_sdpa, "output", {}),
      with_word("step", on_page({.command = "bpe", .inputs = {subwords}, .own_input = text_to_cut}, run_bpe,
                                "tokens", {{"result", {"tokens"}}, {"learned", {"learned"}}}, bpe_mistakes)),
      on_page({"embed", {token_ids}, "annotated:2"}, run_embed, "X",
              {{"", {"token_vectors", "angles", "position_vectors", "dropped"}}}, embed_mistakes),
      on_page({"masked", {X, QKV, W_QKV}, "happy-llm:2", {5, 5}, causal}, run_masked, "weights",
              {{"", {"masked"}}}, masked_mistakes),
      on_page({"multihead", {X, X_QKV, W_QKV, heads}, "happy-llm:2", {4, 4}, tutorial}, run_multihead,
              "output", {{"split", {"Q_heads"}}, {"", {"dropped"}}}, multihead_mistakes),
      on_page({"cross", {X, memory, W_QKV}, "happy-llm:3", {3, 10}, asked}, run_cross, "weights", {},
              cross_mistakes),
      on_page({"block", {X, W_QKV, heads, feed_forward, norms}, "annotated:3", {3, 8}, asked}, run_block,
              "output", {{"norm", {"norm_1"}}, {"", {"dropped", "dropped_1", "dropped_hidden"}}},
              block_mistakes),
      with_pages({{"encoder", {"look.3"}, {}}, {"decoder", {"look.4"}, {}}, {"parts", {"look.5"}, {}}},
                 aside({.command = "model", .inputs = {sentences}, .own_input = drawn_model}, run_whole_model,
                       "log_probs", {}, model_mistakes, OnPage::model)),
      with_pages(
          {{"back",
            {"look.3", "look.4"},
            {{"target", {"target"}}, {"back", {"dlogits"}}, {"wrong_gradients", {"wrong_gradients"}}}},
           {"weights", {"look.2"}, {{"", {"gradients"}}, {"attention", {"dmasked"}}, {"learned", {"dW_Q"}}}},
           {"smoothing", {"look.5", "look.6"}, {{"", {"smoothing"}}}}},
          on_page({"loss", {X, W_QKV, labels, logits}, "happy-llm:4", {4, 4}, causal}, run_loss, "dlogits",
                  {{"result", {"loss"}}, {"forward", {"logits", "probs"}}}, loss_mistakes)),
      offering("train",
               with_pages(
                   {{"adam",
                     {"look.3"},
                     {{"moments", {"m_W_Q", "v_W_Q"}},
                      {"corrected", {"m_hat_W_Q", "v_hat_W_Q"}},
                      {"update", {"direction_W_Q", "decay_W_Q", "descent_W_Q", "update_W_Q"}}}},
                    {"rate", {"look.9"}, {{"optimizers", {"optimizers"}}, {"schedule", {"schedule"}}}}},
                   with_word("step",
                             on_page({"train", {X, W_QKV, labels, optimizer}, "happy-llm:4", {8, 4}, causal},
                                     run_train, "W_Q_after",
                                     {{"result", {"loss", "loss_after"}},
                                      {"gradient", {"dW_Q"}},
                                      {"after", {"W_Q", "W_Q_after"}}},
                                     training_mistakes)))),
      offering("decode --model en-zh --text 'click the red cell'",
               with_word("step", on_page({.command = "decode",
                                          .inputs = {logits, sampling},
                                          .own_input = choice_input,
                                          .from_model = choice_after_text},
                                         run_decode, "probs_p", {{"result", {"probs_p", "taken"}}},
                                         decode_mistakes))),
      with_word("step", on_page({"cache", {X, W_QKV, cache}, "happy-llm:2"}, run_cache, "output",
                                {{"result", {"output"}}, {"cache_sizes", {"cache_sizes"}}}, cache_mistakes)),
      with_word("count",
                on_page({.command = "params",
                         .inputs = {sizes},
                         .tutorial = "annotated:4",
                         .own_input = given_sizes,
                         .from_model = sizes_of_decoder},
                        run_params, "total", {{"result", {"matrices"}}, {"", {"sums", "repeats", "total"}}},
                        params_mistakes)),
      on_page({.command = "gpt", .inputs = {begun}, .own_input = text_begun, .from_model = text_begun},
              run_gpt, "log_probs", {{"result", {"answers"}}, {"families", {"families"}}}, gpt_mistakes),
      with_pages({{"waves",
                   {"look.3"},
                   {{"", {"angles"}},
                    {"wavelengths", {"wavelengths"}},
                    {"distances", {"distances"}},
                    {"beyond", {"beyond"}}}},
                  {"pairs",
                   {"look.4", "look.5", "look.6", "look.7"},
                   {{"", {"Q", "Q_turned"}}, {"kinds", {"kinds"}}}}},
                 on_page({"rope", {X, W_QKV, rotary}, "happy-llm:2", {1, 5}}, run_rope, "scores",
                         {{"moved", {"moved"}}}, rope_mistakes)),
      with_pages({{"depth", {"look.5"}, {{"gradients_by_depth", {"gradients_by_depth"}}}},
                  {"models", {"look.6"}, {{"kept", {"kept"}}, {"published", {"published"}}}},
                  {"flash", {"look.7"}, {{"tiles", {"tiles"}}, {"memory", {"memory"}}}}},
                 on_page({.command = "modern",
                          .inputs = {X, W_QKV, rotary, todays_block},
                          .squares = {8, 8},
                          .text = "the cat sat on it",
                          .reference = "touvron:1"},
                         run_modern, "output", {{"switches", {"switches"}}}, modern_mistakes)),
      with_pages({{"growth", {"look.4", "look.9"}, {{"growth", {"growth"}}, {"heads", {"heads"}}}},
                  {"copies", {"look.5", "look.10"}, {{"copies", {"copies"}}}},
                  {"matches", {"look.6", "look.10"}, {{"matches", {"matches"}}}},
                  {"trap", {"look.7", "look.8"}, {{"periods", {"periods"}}}}},
                 on_page({.command = "induction",
                          .inputs = {repeated},
                          .own_input = repeated_text,
                          .from_model = repeated_text},
                         run_induction, "log_probs", {{"result", {"score"}}}, induction_mistakes)),
      with_pages(
          {{"sum", {"look.4", "look.5", "look.8"}, {{"logit", {"logit_table"}}}},
           {"change",
            {"look.6", "look.7"},
            {{"asked", {"asked_changes"}}, {"changes", {"changes"}}, {"heads", {"head_changes"}}}}},
          on_page(
              {.command = "lens", .inputs = {answer}, .own_input = answer_asked, .from_model = answer_asked},
              run_lens, "terms", {{"result", {"difference_table"}}}, lens_mistakes)),
      appendix(engine("errata")),
      offering("bench ladder --quick", appendix(long_engine("bench"))),
  });
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

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = [] {
    std::vector<Mistake> list;
    for (const Lesson& lesson : lessons())
      for (Mistake& mistake : lesson.mistakes ? lesson.mistakes() : std::vector<Mistake>()) {
        mistake.folder = lesson.folder;
        list.push_back(std::move(mistake));
      }
    return list;
  }();
  return all;
}

const Mistake* find_mistake(const std::string& id) {
  const auto found = std::ranges::find(mistakes(), id, &Mistake::id);
  return found == mistakes().end() ? nullptr : &*found;
}

bool offers(const Lesson& lesson, std::string_view command) {
  if (command == "break" || command == "check" || command == "inputs") return lesson.run;
  const bool of_model = command == "explain" || command == "code" || command == "quiz";
  if (of_model && lesson.on_page == OnPage::model) return true;
  return lesson.on_page == OnPage::whole;
}

const Lesson* lesson_named(std::string_view command) {
  const auto found = std::ranges::find(lessons(), command, &Lesson::command);
  return found == lessons().end() ? nullptr : &*found;
}

std::string number_of(const Lesson& lesson) {
  return lesson.number ? std::to_string(*lesson.number) : "";
}

std::string typed_of(const Lesson& lesson, const std::string& page) {
  return page.empty() ? lesson.typed : lesson.typed + " " + page;
}

std::string page_after(const Lesson& lesson, const std::string& page) {
  const auto shown = std::ranges::find(lesson.further, page, &FurtherPage::name);
  const auto next = page.empty() ? lesson.further.begin() : shown + 1;
  return next == lesson.further.end() ? "" : next->name;
}

const Lesson* lesson_after(const std::string& command) {
  const Lesson* lesson = lesson_named(command);
  return lesson && lesson != &lessons().back() ? lesson + 1 : nullptr;
}

} // namespace tfx
