#include "render/html/document.hpp"

#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "core/base64.hpp"
#include "core/sha256.hpp"
#include "lessons/run.hpp"
#include "render/html/section.hpp"
#include "support/catch.hpp"
#include "support/lesson_cases.hpp"
#include "support/markup.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <set>

using namespace tfx;

namespace {

std::string document_of(const Lesson& lesson, const InputOptions& options,
                        const std::string& language = "en") {
  const LessonRun run = run_lesson(lesson, options);
  const Html section =
      lesson_section(run.trace, screen_of(lesson, options, run.trace), both_words(lesson.folder), Style());
  return html_document({{"Title", "题目"}, section, language, "tfx"}, both_words());
}

std::string tags_below(const Node& node) {
  std::string tags;
  for (const Node& child : node.children)
    if (!child.tag.empty()) tags += child.tag + "(" + tags_below(child) + ")";
  return tags;
}

bool in_language(const Node& node, const std::string& language) {
  const auto found = node.attributes.find("lang");
  return found != node.attributes.end() && found->second == language;
}

/// Every English part is followed at once by the same in Chinese, made of the same elements.
void require_pairs(const Node& node) {
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const Node& child = node.children[i];
    if (in_language(child, "en") && child.tag != "html") {
      REQUIRE(i + 1 < node.children.size());
      const Node& other = node.children[i + 1];
      INFO(text_of(child) << " | " << text_of(other));
      REQUIRE(in_language(other, "zh"));
      CHECK(other.tag == child.tag);
      CHECK(tags_below(other) == tags_below(child));
      CHECK(text_of(other).empty() == text_of(child).empty());
    }
    if (in_language(child, "zh")) {
      REQUIRE(i > 0);
      REQUIRE(in_language(node.children[i - 1], "en"));
    }
    require_pairs(child);
  }
}

std::set<std::string> texts(const Node& document, const std::string& tag) {
  std::set<std::string> found;
  for (const Node* node : all_tagged(document, tag)) found.insert(text_of(*node));
  return found;
}

} // namespace

TEST_CASE("the document of every lesson is well-formed, has every tensor, and both languages alike",
          "[render][html]") {
  for (const Lesson& lesson : page_lessons()) {
    INFO(lesson.command);
    for (const bool grad : {false, true}) {
      InputOptions options;
      options.grad = grad;
      if (first_unfit(input_options(), options, InputRules(lesson))) continue; // decoding has no gradients
      const Node document = parse_markup(document_of(lesson, options));
      require_pairs(document);
      const std::set<std::string> headings = texts(document, "h3");
      const Trace trace = run_lesson(lesson, options).trace;
      for (const Step& step : trace.steps) {
        INFO(step.name);
        if (step.role == Role::before) continue; // of the model, on the way to the lesson
        CHECK(headings.count(step.name) == (trace.inner.contains(step.name) ? 0 : 1));
      }
    }
  }
}

TEST_CASE("a document loads nothing and runs nothing but its own two blocks", "[render][html]") {
  const Node document = parse_markup(document_of(find_lesson("scores"), {}));
  for (const Node* node : all_of(document, [](const Node&) { return true; }))
    for (const auto& [name, value] : node->attributes) {
      INFO(node->tag << " " << name << " " << value);
      CHECK_FALSE(name.starts_with("on"));
      CHECK(name != "style");
      CHECK(name != "src");
      if (name == "href") CHECK(value.starts_with("#"));
    }
  const auto styles = all_tagged(document, "style"), scripts = all_tagged(document, "script");
  REQUIRE(styles.size() == 1);
  REQUIRE(scripts.size() == 2); // the cells as data, and the script
  CHECK(scripts[0]->attributes.at("type") == "application/json");
  const auto metas =
      all_of(document, [](const Node& node) { return node.attributes.count("http-equiv") > 0; });
  REQUIRE(metas.size() == 1);
  CHECK(metas[0]->attributes.at("content") ==
        "default-src 'none'; style-src 'sha256-" + base64(sha256(text_of(*styles[0]))) +
            "'; script-src 'sha256-" + base64(sha256(text_of(*scripts[1]))) +
            "'; base-uri 'none'; form-action 'none'");
}

TEST_CASE("a document begins in the language of its run", "[render][html]") {
  for (const std::string language : {"en", "zh"}) {
    const Node document = parse_markup(document_of(find_lesson("words"), {}, language));
    CHECK(all_tagged(document, "html").at(0)->attributes.at("lang") == language);
    CHECK(texts(document, "title") == std::set<std::string>{language == "en" ? "Title" : "题目"});
    for (const Node* radio : all_tagged(document, "input"))
      CHECK(radio->attributes.count("checked") == (radio->attributes.at("value") == language ? 1 : 0));
  }
}

TEST_CASE("hostile words are text wherever they stand", "[render][html]") {
  InputOptions options;
  options.text = "</script><script>alert(1)</script> \"x\"onload='y' \x1b[31m \u202etxt &lt; <!-- --> ]]>";
  for (const Lesson& lesson : page_lessons()) {
    if (takes<Input::memory, Input::token_ids, Input::sampling, Input::sizes>(lesson)) continue;
    if (takes<Input::begun, Input::answer>(lesson)) continue; // they read what their model knows
    INFO(lesson.command);
    InputOptions own = options;
    if (lesson.takes(Input::repeated))
      own.text = "</script><script>alert(1)</script> \x1b[31m \u202etxt <!-- -->";
    const std::string markup = document_of(lesson, own);
    CHECK(markup.find("<script>alert") == std::string::npos);
    CHECK(markup.find("<!--") == std::string::npos);
    CHECK(markup.find('\x1b') == std::string::npos);
    CHECK(markup.find("\u202e") == std::string::npos);
    const Node document = parse_markup(markup);
    CHECK(all_tagged(document, "script").size() == 2);
    if (lesson.command == "bpe") continue; // its pieces are no words
    const std::set<std::string> headers = texts(document, "th");
    CHECK(headers.contains("</script>")); // a mark in brackets is one token
  }
}

TEST_CASE("documents keep their size", "[render][html]") {
  for (const Lesson& lesson : page_lessons()) {
    INFO(lesson.command);
    // Each cell has its arithmetic: train's 150 tensors are small, gpt has a model of 16 columns and 27
    // tokens, lens rows of 128 columns, induction two pictures of 26 × 26 squares.
    const std::size_t max_bytes = lesson.takes(Input::begun)                      ? 1'200'000
                                  : takes<Input::answer, Input::repeated>(lesson) ? 600'000
                                                                                  : 400'000;
    CHECK(document_of(lesson, {}).size() < max_bytes);
  }
}
