#pragma once
// The learner's progress in the file system: $XDG_STATE_HOME/tfx/progress, else ~/.local/state/tfx/progress.
// Nothing here is needed to learn: where it cannot be read or written, everything else goes on.

#include "cli/context.hpp"
#include "core/error.hpp"
#include "course/progress.hpp"
#include "io/file.hpp"
#include "io/open_file.hpp"

#include <optional>
#include <string>

namespace tfx {

struct ProgressFile {
  std::string path; ///< empty where the environment names no place
  CourseProgress progress;
  std::optional<Message> broken = {}; ///< why it could not be read; it is there, whatever it is
};

/// Between reading and writing nobody else's mark is lost: terminals study side by side. Where nothing can be
/// locked, or another one holds it for long, nothing is; the write says what is wrong.
std::optional<FileLock> lock_progress();

/// Never throws for what stands there.
ProgressFile read_progress();

/// Says so where there is a file that is none of progress.
void note_broken_progress(Context& context);

/// Writes it. What could not be read is renamed first to progress.broken, .broken.2, …: nothing is
/// overwritten. Throws Error(cannot_write) or Error(io).
void write_progress(const ProgressFile& file, Context& context, Previous previous = Previous::dropped);

/// Marks what the learner has just studied at the terminal. Nothing waits for it and nothing fails with it:
/// where it cannot be written, that is a note.
void record_progress(const std::string& lesson, Mark mark, Context& context);

} // namespace tfx
