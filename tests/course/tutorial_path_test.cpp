#include "course/tutorial_path.hpp"

#include "input/tutorials.hpp"
#include "lessons/errata/erratum.hpp"
#include "support/catch.hpp"
#include "words/in_words.hpp"

#include <set>

namespace tfx {

TEST_CASE("there is a path through every tutorial, and every block has its words", "[course][tutorials]") {
  std::vector<std::string> ids;
  for (const TutorialPath& path : tutorial_paths()) ids.push_back(path.id);
  std::vector<std::string> wanted = errata::tutorials();
  wanted.emplace_back("microgpt"); // which has none
  CHECK(ids == wanted);
  for (const Run& run : runs()) CHECK(tutorial_path(run.id) != nullptr);
  CHECK(tutorial_path("nothing") == nullptr);
  for (const Language language : {Language::en, Language::zh}) {
    const Words words = words_alone("src/course/tutorials", language);
    std::size_t sections = 0;
    for (const TutorialPath& path : tutorial_paths()) {
      CHECK_FALSE(words_of(path, words).text.empty());
      ++sections;
      for (const TutorialBlock& block : path.blocks) {
        CAPTURE(path.id, block.id);
        const BlockWords own = words_of(path, block, words);
        CHECK_FALSE(own.title.empty());
        CHECK_FALSE(own.text.empty());
        CHECK_FALSE(block.commands.empty());
        ++sections;
      }
    }
    CHECK(words.sections().size() == sections); // no words without a row
  }
}

TEST_CASE("a block's words call a command beside the first by its letter, and there is one",
          "[course][tutorials]") {
  for (const Language language : {Language::en, Language::zh}) {
    const Words words = words_alone("src/course/tutorials", language);
    for (const TutorialPath& path : tutorial_paths())
      for (const TutorialBlock& block : path.blocks) {
        CAPTURE(path.id, block.id);
        const std::string text = words_of(path, block, words).text;
        for (const char* counted : {"command", "命令"}) CHECK(text.find(counted) == std::string::npos);
        for (const char letter : {'a', 'b', 'c', 'd', 'e'}) {
          const auto at = text.find(std::string{letter, ')'});
          const bool is_said = at != std::string::npos && (at == 0 || text[at - 1] == ' ');
          if (is_said) CHECK(static_cast<std::size_t>(letter - 'a') + 1 < block.commands.size());
        }
      }
  }
}

TEST_CASE("a block's name is one that the progress takes, and no other's", "[course][tutorials]") {
  std::set<std::string> names;
  for (const Lesson& lesson : lessons()) names.insert(lesson.command);
  for (const TutorialPath& path : tutorial_paths()) {
    CHECK(names.insert(path.id).second);
    for (const TutorialBlock& block : path.blocks) {
      const std::string name = progress_name(path, block);
      CAPTURE(name);
      CHECK(names.insert(name).second);
      CHECK_NOTHROW(CourseProgress::parse("tfx progress 1\n" + name + " seen\n"));
    }
  }
}

TEST_CASE("a path goes on behind the block seen last, then with those left out", "[course][tutorials]") {
  const TutorialPath& path = *tutorial_path("scaled-dot-product");
  CourseProgress progress;
  CHECK(path_on(progress) == nullptr);
  CHECK(next_block(progress, path) == 0u);
  const auto see = [&](std::size_t block) {
    progress.record(progress_name(path, path.blocks[block]), Mark::seen);
  };
  see(1);
  CHECK(path_on(progress) == &path);
  CHECK(next_block(progress, path) == 2u);
  progress.record("scores", Mark::seen); // a lesson beside it changes nothing
  CHECK(path_on(progress) == &path);
  see(2), see(3);
  CHECK(next_block(progress, path) == 0u);
  progress.record("happy-llm", Mark::seen);
  CHECK(path_on(progress) == tutorial_path("happy-llm"));
  see(0);
  CHECK_FALSE(next_block(progress, path));
  CHECK(path_on(progress) == nullptr); // the one gone on with last is at its end
  CHECK(forget(progress, path));
  CHECK_FALSE(forget(progress, path));
  CHECK(progress.mark("scores") == Mark::seen);
  CHECK(path_on(progress) == tutorial_path("happy-llm"));
}

} // namespace tfx
