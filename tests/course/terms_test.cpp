#include "course/terms.hpp"

#include "core/resource.hpp"
#include "input/tutorials.hpp"
#include "support/catch.hpp"

#include <set>

namespace tfx {

namespace {

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

std::vector<std::string> found(const std::string& name) {
  std::vector<std::string> ids;
  for (const FieldTerm* term : Glossary().find(name)) ids.push_back(term->id);
  return ids;
}

} // namespace

TEST_CASE("a term stands, in both languages, among the words of the lesson that teaches it",
          "[course][terms]") {
  const Glossary glossary;
  for (const FieldTerm& term : terms()) {
    if (term.lesson.empty()) continue; // a tutorial's word
    const Lesson* lesson = lesson_named(term.lesson);
    CAPTURE(term.id, term.lesson);
    REQUIRE(lesson);
    for (const auto& [language, file] :
         {std::pair{Language::en, "/en.md"}, std::pair{Language::zh, "/zh.md"}}) {
      CAPTURE(file);
      const std::string words = in_small_letters(resource(lesson->folder + file));
      const auto is_there = [&](const std::string& name) {
        return words.find(in_small_letters(name)) != std::string::npos;
      };
      CHECK(std::ranges::any_of(glossary.entry(term, language).names, is_there));
    }
  }
}

TEST_CASE("terms stand in the order of the lessons, each once, with a meaning of a sentence",
          "[course][terms]") {
  const Glossary glossary;
  std::set<std::string> ids, names;
  const Lesson* last = nullptr;
  for (const FieldTerm& term : terms()) {
    CAPTURE(term.id);
    CHECK(ids.insert(term.id).second);
    if (!term.lesson.empty()) CHECK(lesson_named(term.lesson) >= last);
    last = lesson_named(term.lesson);
    for (const Language language : {Language::en, Language::zh}) {
      const Glossary::Entry& entry = glossary.entry(term, language);
      CHECK(names.insert((language == Language::en ? "en " : "zh ") + entry.names.front()).second);
      CHECK(entry.meaning.ends_with(language == Language::en ? "." : "。"));
      CHECK(entry.meaning.find('\n') == std::string::npos);
    }
  }
  CHECK(words_alone("src/course/terms").sections().size() == ids.size()); // no words without a row
}

TEST_CASE("what a tutorial says is said of one that there is", "[course][terms]") {
  for (const FieldTerm& term : terms())
    for (const TutorialWords& one : term.elsewhere) {
      CAPTURE(term.id, one.tutorial);
      CHECK(std::ranges::count(runs(), one.tutorial, &Run::id) > 0);
      CHECK_FALSE(one.words.empty());
    }
}

TEST_CASE("a term is found by either language, by what a tutorial calls it, and by its beginning",
          "[course][terms]") {
  using Ids = std::vector<std::string>;
  CHECK(found("softmax") == Ids{"softmax"});
  CHECK(found("自注意力") == Ids{"self_attention"});
  CHECK(found("键值") == Ids{"key"});
  CHECK(found("真值") == Ids{"value"});
  CHECK(found("KEY") == Ids{"key"});
  CHECK(found("kv-CACHE") == Ids{"kv_cache"});
  CHECK(found("self attention") == Ids{"self_attention"});
  CHECK(found("logits") == Ids{"logits"});
  CHECK(found("tokens") == Ids{"token"});
  CHECK(found("back") == Ids{"backpropagation"});
  CHECK(found("残差") == Ids{"residual", "residual_stream"});
  CHECK(found("rule") == Ids{"chain_rule"});
  CHECK(found("scores") == Ids{"weight", "score"}); // before and after the softmax
  CHECK(found("梯度消失") == Ids{"vanishing_gradient"});
  CHECK(found("Transformer") == Ids{"transformer"});
  CHECK(found("采样") == Ids{"dropout", "sampling"});
  CHECK(found("<BOS>") == Ids{"special_token"});
  CHECK(found("<s>").empty()); // not all that begin with s
  CHECK(found("[PAD]") == Ids{"padding"});
  CHECK(found("seed") == Ids{"seed"});
  CHECK(found("随机种子") == Ids{"seed"});
  CHECK(Glossary().find("argmax").front()->lesson == "lookup"); // whose page is the first that prints it
  CHECK(found("").empty());
  CHECK(found("nothing of the kind").empty());
}

TEST_CASE("a name that is no term suggests one", "[course][terms]") {
  const Glossary glossary;
  CHECK(glossary.near("sofmax") == "softmax");
  CHECK(glossary.near("多头注意") == "多头注意力");
  CHECK_FALSE(glossary.near("zebra"));
}

} // namespace tfx
