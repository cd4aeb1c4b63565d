#pragma once
// What a learner has done in the course, as one small text file that can be read, edited and copied:
//   tfx progress 1
//   # a comment
//   scores done
//   softmax seen
// A line a lesson, the one they were at last at the end. Where a lesson stands twice (two files put
// together), it has its best mark and its last place. Names that this tfx does not know stay: a newer one
// wrote them.

#include "lessons/catalogue.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tfx {

enum class Mark {
  none,
  seen, ///< its screen was shown
  done  ///< its questions were answered
};

class CourseProgress {
public:
  static constexpr std::size_t max_bytes = 1 << 16;

  struct Entry {
    std::string lesson;
    Mark mark;

    bool operator==(const Entry&) const = default;
  };

  /// Throws Error(bad_data), naming the line, where the bytes are no such file.
  static CourseProgress parse(std::string_view bytes);

  /// The file; every line of `comment` becomes one of its comments.
  std::string text(std::string_view comment) const;

  /// In the order in which the learner was there last.
  const std::vector<Entry>& entries() const { return entries_; }
  Mark mark(const std::string& lesson) const;

  /// The learner was there: the better of the two marks, and the last place. Whether that changed anything.
  bool record(const std::string& lesson, Mark mark);

  /// Whether there was anything to forget.
  bool forget(const std::string& lesson);

private:
  std::vector<Entry> entries_;
};

/// Whether the lesson asks anything: one without questions is done once it was seen.
bool has_questions(const Lesson& lesson);

/// Done, or seen where there is nothing more to do.
bool is_complete(const CourseProgress& progress, const Lesson& lesson);

/// The lesson where the learner was last; nullptr before the first.
const Lesson* last_lesson(const CourseProgress& progress);

/// The name of a page's mark: "loss", "loss-back".
std::string mark_of_page(const Lesson& lesson, const std::string& page);

/// Where to go on: the page of the last lesson that was not seen; else the first lesson behind it that was
/// not, else the first anywhere.
struct NextPage {
  const Lesson* lesson = nullptr; ///< where all were seen
  std::string page = {};          ///< empty: its first
};
NextPage next_page(const CourseProgress& progress);

} // namespace tfx
