#include "course/progress.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <optional>

namespace tfx {

namespace {

constexpr std::string_view heading = "tfx progress 1";
constexpr std::size_t longest_name = 32, max_lessons = 1000;

bool is_name(std::string_view text) {
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !text.empty() && text.size() <= longest_name && std::ranges::all_of(text, allowed);
}

std::optional<Mark> mark_named(std::string_view text) {
  if (text == "seen") return Mark::seen;
  if (text == "done") return Mark::done;
  return std::nullopt;
}

std::string_view trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

[[noreturn]] void fail(const Message& what) {
  throw Error(ErrorKind::bad_data, what);
}

} // namespace

CourseProgress CourseProgress::parse(std::string_view bytes) {
  if (bytes.size() > max_bytes) fail(said("the progress is too long to be one"));
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  CourseProgress progress;
  std::size_t number = 0;
  for (std::size_t start = 0; start < bytes.size() || number == 0;) {
    const std::size_t end = std::min(bytes.find('\n', start), bytes.size());
    const std::string_view line = trimmed(bytes.substr(start, end - start));
    start = end + 1;
    if (++number == 1) {
      if (line != heading)
        fail(said("line {line} of the progress should be \"{text}\"",
                  {{"line", 1}, {"text", std::string(heading)}}));
      continue;
    }
    if (line.empty() || line.front() == '#') continue;
    const std::size_t space = std::min(line.find_first_of(" \t"), line.size());
    const std::optional<Mark> mark = mark_named(trimmed(line.substr(space)));
    if (!is_name(line.substr(0, space)) || !mark)
      fail(said("line {line} of the progress should be a lesson and \"seen\" or \"done\"",
                {{"line", number}}));
    progress.record(std::string(line.substr(0, space)), *mark);
    if (progress.entries_.size() > max_lessons)
      fail(said("line {line} of the progress is one lesson too many", {{"line", number}}));
  }
  return progress;
}

std::string CourseProgress::text(std::string_view comment) const {
  std::string text = std::string(heading) + "\n";
  for (std::size_t start = 0; start < comment.size();) {
    const std::size_t end = std::min(comment.find('\n', start), comment.size());
    text += "# " + std::string(comment.substr(start, end - start)) + "\n";
    start = end + 1;
  }
  for (const Entry& entry : entries_)
    text += entry.lesson + (entry.mark == Mark::done ? " done\n" : " seen\n");
  return text;
}

Mark CourseProgress::mark(const std::string& lesson) const {
  const auto found = std::ranges::find(entries_, lesson, &Entry::lesson);
  return found == entries_.end() ? Mark::none : found->mark;
}

bool CourseProgress::record(const std::string& lesson, Mark mark) {
  const Entry entry{lesson, std::max(mark, this->mark(lesson))};
  if (entry.mark == Mark::none || (!entries_.empty() && entries_.back() == entry)) return false;
  forget(lesson);
  entries_.push_back(entry);
  return true;
}

bool CourseProgress::forget(const std::string& lesson) {
  return std::erase_if(entries_, [&](const Entry& entry) { return entry.lesson == lesson; }) > 0;
}

bool has_questions(const Lesson& lesson) {
  return offers(lesson, "quiz");
}

bool is_complete(const CourseProgress& progress, const Lesson& lesson) {
  return progress.mark(lesson.command) >= (has_questions(lesson) ? Mark::done : Mark::seen);
}

const Lesson* last_lesson(const CourseProgress& progress) {
  const auto& entries = progress.entries();
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry)
    if (const Lesson* lesson = lesson_named(entry->lesson)) return lesson;
  return nullptr;
}

std::string mark_of_page(const Lesson& lesson, const std::string& page) {
  return page.empty() ? lesson.command : lesson.command + "-" + page;
}

NextPage next_page(const CourseProgress& progress) {
  const std::vector<Lesson>& all = lessons();
  const auto unseen = [&](const Lesson& lesson) { return progress.mark(lesson.command) == Mark::none; };
  const Lesson* last = last_lesson(progress);
  if (last)
    for (const FurtherPage& page : last->further)
      if (progress.mark(mark_of_page(*last, page.name)) == Mark::none) return {last, page.name};
  const auto behind = last ? all.begin() + (last - all.data()) + 1 : all.begin();
  auto found = std::find_if(behind, all.end(), unseen);
  if (found == all.end()) found = std::ranges::find_if(all, unseen);
  return {found == all.end() ? nullptr : &*found};
}

} // namespace tfx
