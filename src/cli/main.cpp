#include "cli/app.hpp"
#include "cli/terminal_lines.hpp"
#include "io/file.hpp"
#include "io/message.hpp"
#include "words/in_words.hpp"

#include <cstdio>

namespace {

void say_waiting(const std::string& path) {
  const std::string words = path == "-" ? tfx::in_words("note.waiting.input")
                                        : tfx::in_words("note.waiting", {{"file", tfx::printable(path)}});
  std::fprintf(stderr, "%stfx: %s\n", tfx::has_progress_line() ? "\r\033[K" : "", words.c_str());
}

} // namespace

int main(int argc, char** argv) {
  tfx::say_waiting_with(say_waiting);
  return tfx::run_app(argc, argv);
}
