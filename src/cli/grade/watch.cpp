#include "cli/grade/watch.hpp"

#include "cli/terminal_lines.hpp"
#include "core/error.hpp"
#include "words/in_words.hpp"

#include <chrono>
#include <thread>

#include <sys/stat.h>

namespace tfx {

namespace {

// What changes with a save: a new file in the old one's place, its size, its time to the nanosecond.
struct Saved {
  ino_t file = 0;
  off_t size = -1;
  time_t seconds = 0;
  long nanoseconds = 0;

  bool operator==(const Saved&) const = default;
};

std::vector<Saved> look_at(const std::vector<std::string>& files) {
  std::vector<Saved> all;
  for (const std::string& file : files) {
    struct stat seen {};
    Saved& one = all.emplace_back();
    if (stat(file.c_str(), &seen) == 0)
      one = {seen.st_ino, seen.st_size, seen.st_mtim.tv_sec, seen.st_mtim.tv_nsec};
  }
  return all;
}

// What would end a single run is told, and the next save waited for: an editor may be half-way.
std::string told(const std::function<std::string()>& again) {
  try {
    return again();
  } catch (const Error& error) {
    std::string text = in_learners_language(error.message()) + "\n";
    if (!error.hint().empty()) text += in_learners_language(error.hint()) + "\n";
    return text;
  }
}

} // namespace

void watch(const std::vector<std::string>& files, const std::function<std::string()>& again,
           const StopSignals& signals) {
  constexpr std::chrono::milliseconds pause(100);
  const bool is_terminal = shows_screen();
  const std::string home_and_clear = "\x1b[H\x1b[J";
  std::vector<Saved> graded, last;
  std::string shown;
  if (is_terminal) say("\x1b[2J");
  while (!signals.caught()) {
    const std::vector<Saved> now = look_at(files);
    if (now != graded && now == last) { // changed, and still since the last look
      graded = now;
      const std::string screen = told(again);
      if (signals.caught()) break;
      if (is_terminal)
        say(home_and_clear + screen + in_words("grade.watching") + "\n");
      else if (screen != shown)
        say(screen + "\n");
      shown = screen;
    }
    last = now;
    std::this_thread::sleep_for(pause);
  }
}

} // namespace tfx
