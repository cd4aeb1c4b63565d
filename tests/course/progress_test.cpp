#include "course/progress.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"

#include <random>
#include <set>

namespace tfx {

namespace {

std::string refusal(const std::string& bytes) {
  try {
    CourseProgress::parse(bytes);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::bad_data);
    return error.what();
  }
  return "accepted";
}

} // namespace

TEST_CASE("the progress is a line a lesson, and reads back as it was written", "[course][progress]") {
  CourseProgress progress;
  CHECK(progress.record("scores", Mark::seen));
  CHECK(progress.record("softmax", Mark::seen));
  CHECK(progress.record("scores", Mark::done));
  CHECK_FALSE(progress.record("scores", Mark::seen)); // neither forgets what was done nor moves
  const std::string text = progress.text("what you did\nin the course");
  CHECK(text == "tfx progress 1\n# what you did\n# in the course\nsoftmax seen\nscores done\n");
  CHECK(CourseProgress::parse(text).entries() == progress.entries());
  CHECK(CourseProgress::parse("tfx progress 1").entries().empty());
}

TEST_CASE("a progress edited by hand or on another system is read", "[course][progress]") {
  const auto progress = CourseProgress::parse(
      "\xEF\xBB\xBFtfx progress 1\r\n\r\n  scores\t done \r\n# mine\nerrata2 seen\nscores seen");
  REQUIRE(progress.entries().size() == 2);
  CHECK(progress.mark("scores") == Mark::done); // the better mark, the last place
  CHECK(progress.entries().back().lesson == "scores");
  CHECK(progress.mark("errata2") == Mark::seen); // of a newer tfx: kept
  CHECK(progress.text("") == "tfx progress 1\nerrata2 seen\nscores done\n");
}

TEST_CASE("what is no progress is refused with its line", "[course][progress]") {
  CHECK(refusal("") == "line 1 of the progress should be \"tfx progress 1\"");
  CHECK(refusal("tfx progress 2\nscores done\n").starts_with("line 1 "));
  CHECK(refusal("tfx progress 1\nscores done\nsoftmax\n").starts_with("line 3 "));
  CHECK(refusal("tfx progress 1\nscores done yes\n").starts_with("line 2 "));
  CHECK(refusal("tfx progress 1\nScores done\n").starts_with("line 2 "));
  CHECK(refusal("tfx progress 1\nsc\x1b[2Jores done\n").starts_with("line 2 "));
  CHECK(refusal("tfx progress 1\n" + std::string(33, 'a') + " done\n").starts_with("line 2 "));
  CHECK(refusal("tfx progress 1\n" + std::string(CourseProgress::max_bytes, '\n')) ==
        "the progress is too long to be one");
  std::string many = "tfx progress 1\n";
  for (int i = 0; i < 1001; ++i) many += "a" + std::to_string(i) + " seen\n";
  CHECK(refusal(many).starts_with("line 1002 "));
}

TEST_CASE("damaged bytes are refused or read, and what is read writes itself again", "[course][progress]") {
  const std::string sound = "tfx progress 1\n# note\nscores done\nsoftmax seen\n";
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = sound;
    for (int k = 0; k < 3; ++k) bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
    bytes.resize(random() % (bytes.size() + 1));
    try {
      const auto progress = CourseProgress::parse(bytes);
      CHECK(CourseProgress::parse(progress.text("")).entries() == progress.entries());
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::bad_data);
    }
  }
}

TEST_CASE("a progress of the former order of lessons is read: their commands are its keys",
          "[course][progress]") {
  std::string former = "tfx progress 1\n"; // as it stood when 10 was embed, 18 bench and 20 bpe
  for (const char* lesson :
       {"lookup", "words", "qkv", "scores", "softmax", "attention", "sdpa", "masked", "multihead", "cross"})
    former += std::string(lesson) + " done\n";
  auto progress = CourseProgress::parse(former);
  CHECK(last_lesson(progress)->command == "cross");
  CHECK(next_page(progress).lesson->command == "block"); // the next behind it, as ever
  for (const char* lesson :
       {"embed", "block", "model", "loss", "train", "decode", "cache", "params", "bench", "errata"})
    former += std::string(lesson) + " done\n";
  progress = CourseProgress::parse(former);
  CHECK(next_page(progress).lesson->command == "bpe"); // what was left out
  const std::set<std::string> later{"bpe", "gpt", "rope", "modern", "induction", "lens"};
  for (const Lesson& lesson : lessons())
    CHECK((progress.mark(lesson.command) == Mark::done) != later.contains(lesson.command));
}

TEST_CASE("the way leads over every page of a lesson before the next", "[course][progress]") {
  CourseProgress progress;
  for (const Lesson& lesson : lessons()) {
    std::string page;
    do {
      const NextPage next = next_page(progress);
      REQUIRE(next.lesson == &lesson);
      CHECK(next.page == page);
      progress.record(mark_of_page(lesson, page), Mark::seen);
      CHECK(CourseProgress::parse(progress.text("")).entries() ==
            progress.entries()); // their names are names
      page = page_after(lesson, page);
    } while (!page.empty());
  }
  CHECK(next_page(progress).lesson == nullptr);
}

TEST_CASE("the course goes on behind the last lesson, and comes back to what was left out",
          "[course][progress]") {
  CourseProgress progress;
  CHECK(last_lesson(progress) == nullptr);
  CHECK(next_page(progress).lesson->command == lessons().front().command);
  progress.record("scores", Mark::seen); // one may start anywhere
  CHECK(last_lesson(progress)->command == "scores");
  CHECK(next_page(progress).lesson->command == "softmax");
  progress.record("unknown", Mark::seen);
  CHECK(last_lesson(progress)->command == "scores");
  progress.record(lessons().back().command, Mark::seen);
  CHECK(next_page(progress).lesson->command == "lookup");
  for (const Lesson& lesson : lessons()) progress.record(lesson.command, Mark::seen);
  CHECK(next_page(progress).lesson == nullptr); // whatever questions are open: the way does not begin again
}

} // namespace tfx
