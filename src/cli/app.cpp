#include "cli/app.hpp"

#include "cli/add_option.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/course/progress_file.hpp"
#include "cli/environment.hpp"
#include "cli/terminal_lines.hpp"
#include "cli/version.hpp"
#include "core/blas.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/resource.hpp"
#include "text/utf8.hpp"
#include "words/in_words.hpp"

#include <CLI/CLI.hpp>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tfx {

namespace {

// Everything at once; a reader that has gone away (EPIPE) is no error of ours, a full disk is.
int write_out(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = write(STDOUT_FILENO, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EPIPE) return 0;
    if (wrote < 0) {
      end_progress();
      const Message refusal = said("cannot write to standard output: {why}", {{"why", why_not(errno)}});
      std::fprintf(stderr, "tfx: %s\n", in_learners_language(refusal).c_str());
      return static_cast<int>(ErrorKind::io);
    }
    done += static_cast<std::size_t>(wrote);
  }
  return 0;
}

bool is_file(int channel) {
  struct stat status {};
  return fstat(channel, &status) == 0 && S_ISREG(status.st_mode);
}

} // namespace

void Context::write_long(std::string_view text) {
  constexpr std::size_t whole = std::size_t{4} << 20; // up to here all of the output or none
  out += text;
  if (out.size() < whole) return;
  if (!is_file(STDOUT_FILENO)) end_progress(); // it would stand in what a terminal, or a pager, shows
  if (write_out(out) != 0) std::_Exit(static_cast<int>(ErrorKind::io));
  out.clear();
}

void write_notes(Context& context) {
  end_progress();
  for (const std::string& note : context.notes)
    std::fprintf(stderr, "tfx: %s\n", escape_controls(note).c_str());
  context.notes.clear();
}

namespace {

// Started with a channel closed, the next file opened would take its number, and what is meant for the
// terminal would go into it. /dev/null the wrong way round keeps the place, and refuses what a closed channel
// refuses.
void keep_channels() {
  for (const int channel : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(channel, F_GETFD) < 0 && errno == EBADF)
      open("/dev/null",
           channel == STDIN_FILENO ? O_WRONLY : O_RDONLY); // the lowest number that is free: this
}

int report(const Error& error) {
  // A message repeats what the learner gave: names, options, cells.
  const auto shown = [](const Message& message) { return escape_controls(in_learners_language(message)); };
  std::fprintf(stderr, "tfx: %s\n", shown(error.message()).c_str());
  if (!error.hint().empty()) std::fprintf(stderr, "     %s\n", shown(error.hint()).c_str());
  return static_cast<int>(error.kind());
}

// A screen that a learner sees at the terminal counts as seen. What a script reads does not, nor does --json.
void study(CLI::App& command, Context& context) {
  const CLI::Option* json = find_option(command, "--json");
  const std::string name = command.get_name();
  const Lesson* lesson = lesson_named(name.substr(0, name.find(' '))); // "train step"
  if (lesson && !(json && json->count() > 0)) record_progress(lesson->command, Mark::seen, context);
}

} // namespace

namespace {

int run(const std::vector<std::string>& arguments) {
  set_language(wanted_language(arguments));
  Context context;
  CLI::App app("", "tfx");
  add_commands(app, context);
  ArgumentWalk walk(app, context);
  for (const std::string& argument : arguments) {
    walk.take(argument);
    if (walk.wants_version()) return write_out(std::string("tfx ") + version + "\n");
  }
  CLI::App& command = walk.command();
  if (walk.wants_help()) return write_out(command.help(&command == &app ? "" : "tfx"));
  walk.finish();
  set_blas_threads(1); // the engine's threads are our own
  set_threads(context.global.threads.value_or(processors()));
  if (&command != &app) {
    const ProgressLine progress(command.get_name(), context.style());
    context.commands.at(command.get_name()).run(context);
  } else {
    note_broken_progress(context);
    context.out = front_door(context);
  }
  write_notes(context);
  const bool is_paged = !context.global.no_pager && show_paged(context.out);
  const int written = is_paged ? 0 : write_out(context.out);
  if (shows_screen()) study(command, context), write_notes(context);
  return written != 0 ? written : context.status;
}

/// Of the exception that is being handled. Little memory is reported without taking any.
int report_exception() {
  try {
    throw;
  } catch (const Error& error) {
    return report(error);
  } catch (const std::bad_alloc&) {
    std::fputs(language() == Language::zh
                   ? "tfx: 内存不够\n     把尺寸改小\n"
                   : "tfx: there is not enough memory for this\n     use smaller sizes\n",
               stderr);
    return static_cast<int>(ErrorKind::no_memory);
  } catch (const std::exception& error) {
    return report(Error(ErrorKind::internal,
                        said("internal error: {what}", {{"what", std::string(error.what())}}),
                        said("this is a defect of tfx; please report it")));
  }
}

} // namespace

int run_app(int argc, char** argv) {
  // A file grown to its limit (ulimit -f) is then an error of the write like a full disk, with a message, and
  // the temporary file is removed.
  std::signal(SIGXFSZ, SIG_IGN);
  // A library's noexcept function may run out of memory.
  std::set_terminate([] {
    if (!std::current_exception()) std::abort();
    std::_Exit(report_exception());
  });
  keep_channels();
  try {
    return run(std::vector<std::string>(argv + (argc > 0), argv + argc));
  } catch (...) {
    return report_exception();
  }
}

} // namespace tfx
