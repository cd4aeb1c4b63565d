#include "support/command_line.hpp"

#include "cli/app.hpp"
#include "core/parallel.hpp"
#include "words/in_words.hpp"

#include <cstdio>
#include <exception>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tfx {

namespace {

/// While it lives, what goes into the channel is kept; a channel of nothing has nothing to read.
class Redirected {
public:
  Redirected(int channel, int target) : channel_(channel), target_(target), before_(dup(channel)) {
    if (target_ < 0 || before_ < 0 || dup2(target_, channel_) < 0) throw std::runtime_error("no channel");
  }
  ~Redirected() {
    dup2(before_, channel_);
    close(before_), close(target_);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

  std::string text() const {
    std::string all(static_cast<std::size_t>(lseek(target_, 0, SEEK_END)), '\0');
    if (pread(target_, all.data(), all.size(), 0) != static_cast<ssize_t>(all.size()))
      throw std::runtime_error("cannot read what was printed");
    return all;
  }

private:
  int channel_, target_, before_;
};

} // namespace

Ran run_command_line(std::vector<std::string> arguments) {
  std::fflush(stdout), std::fflush(stderr);
  const Language language_before = language();
  const std::size_t threads_before = threads();
  const std::terminate_handler terminate_before = std::get_terminate();
  const Redirected in(STDIN_FILENO, open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Redirected out(STDOUT_FILENO, memfd_create("out", MFD_CLOEXEC));
  const Redirected err(STDERR_FILENO, memfd_create("err", MFD_CLOEXEC));
  std::string name = "tfx";
  std::vector<char*> words{name.data()};
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  Ran ran;
  ran.status = run_app(static_cast<int>(arguments.size() + 1), words.data());
  std::fflush(stderr);
  ran.out = out.text(), ran.err = err.text();
  std::set_terminate(terminate_before);
  set_threads(threads_before);
  set_language(language_before);
  return ran;
}

std::vector<std::string> words_of(const std::string& typed) {
  std::istringstream text(typed);
  return {std::istream_iterator<std::string>(text), {}};
}

} // namespace tfx
