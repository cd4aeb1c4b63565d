#include "cli/grade/program.hpp"

#include "cli/grade/supervisor.hpp"
#include "core/error.hpp"
#include "io/open_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tfx {

namespace {

using Clock = std::chrono::steady_clock;

// One channel of the program; it is closed at its end.
void read_some(Descriptor& from, std::string& to, std::size_t room) {
  std::array<char, 16384> piece{};
  const ssize_t count = read(from.number(), piece.data(), piece.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count <= 0)
    from = Descriptor();
  else
    to.append(piece.data(), std::min(room, static_cast<std::size_t>(count)));
}

class Running {
public:
  Running(const ProgramStart& start, const ProgramLimits& limits)
      : limits_(limits), program_(start, out_.write, err_.write) {
    out_.write = Descriptor(), err_.write = Descriptor();
  }

  ProgramEnd wait(const StopSignals& signals) {
    const auto end = Clock::now() + limits_.wait();
    constexpr auto between_looks = std::chrono::milliseconds(100);
    auto next_look = Clock::now() + between_looks;
    bool over = false;
    while (!over) {
      listen();
      over = program_.has_ended();
      if (over) break;
      if (signals.caught())
        over = stop(ProgramEnd::How::interrupted, signals.caught());
      else if (is_flooded())
        over = stop(ProgramEnd::How::flooded, 0);
      else if (Clock::now() >= end)
        over = stop(ProgramEnd::How::waited, 0);
      else if (Clock::now() >= next_look || has_many_new_threads())
        over = uses_too_much(), next_look = Clock::now() + between_looks;
    }
    const Supervised::End last = program_.end();
    const auto patience = Clock::now() + std::chrono::milliseconds(200); // one who got away may hold a pipe
    while ((out_.read.is_open() || err_.read.is_open()) && Clock::now() < patience) listen();
    if (ended_.how == ProgramEnd::How::exited) judge(last);
    return std::move(ended_);
  }

private:
  void judge(const Supervised::End& last) {
    ended_.status = WIFSIGNALED(last.status) ? WTERMSIG(last.status) : WEXITSTATUS(last.status);
    if (WIFSIGNALED(last.status)) ended_.how = ProgramEnd::How::signalled;
    if (is_flooded()) ended_.how = ProgramEnd::How::flooded;
    if (last.not_started) ended_.how = ProgramEnd::How::not_started, ended_.status = last.not_started;
  }

  // A look takes the longer the more there are, and tfx gets the less of the processors: it must not come
  // late.
  bool has_many_new_threads() const { return threads_of_machine() > threads_ + limits_.processes / 2; }

  bool uses_too_much() {
    threads_ = threads_of_machine();
    const TreeUse use = program_.use();
    if (use.processes > limits_.processes) return stop(ProgramEnd::How::too_many, 0);
    if (use.seconds * 1000 >= static_cast<double>(limits_.time.count()))
      return stop(ProgramEnd::How::timed_out, 0);
    return use.resident > limits_.memory && stop(ProgramEnd::How::too_large, 0);
  }

  bool is_flooded() const { return ended_.out.size() + ended_.err.size() >= limits_.printed; }

  bool stop(ProgramEnd::How how, int status) {
    ended_.how = how, ended_.status = status;
    return true;
  }

  void listen() {
    constexpr int milliseconds = 20;
    std::array<pollfd, 3> channels{{{out_.read.number(), POLLIN, 0},
                                    {err_.read.number(), POLLIN, 0},
                                    {program_.news().number(), POLLIN, 0}}};
    if (poll(channels.data(), channels.size(), milliseconds) <= 0) return;
    const auto room = [&] {
      return limits_.printed - std::min(limits_.printed, ended_.out.size() + ended_.err.size());
    };
    if (channels[0].revents) read_some(out_.read, ended_.out, room());
    if (channels[1].revents) read_some(err_.read, ended_.err, room());
  }

  const ProgramLimits& limits_;
  Pipe out_, err_;
  Supervised program_;
  std::size_t threads_ = threads_of_machine(); // at the last look
  ProgramEnd ended_;
};

} // namespace

std::string ProgramEnd::last_line() const {
  const std::size_t end = err.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return {};
  const std::size_t start = err.find_last_of('\n', end);
  return err.substr(start == std::string::npos ? 0 : start + 1,
                    end - (start == std::string::npos ? 0 : start + 1) + 1);
}

std::vector<std::string> words_of_command(const std::string& command) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (const char c : command) {
    if (quote == 0 && (c == ' ' || c == '\t')) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back(), in_word = true;
    if (quote == 0 && (c == '\'' || c == '"'))
      quote = c;
    else if (c == quote && quote != 0)
      quote = 0;
    else
      words.back() += c;
  }
  return words;
}

ProgramEnd run_program(const std::vector<std::string>& command, const Surroundings& surroundings,
                       const ProgramLimits& limits, const StopSignals& signals) {
  const ProgramStart start{command_in(surroundings, command), environment_in(surroundings),
                           surroundings.is_in_scratch ? surroundings.scratch : "", limits.memory,
                           limits.written};
  return Running(start, limits).wait(signals);
}

} // namespace tfx
