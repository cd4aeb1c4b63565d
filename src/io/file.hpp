#pragma once
// Whole files in and out: read with the size proved first, written so that a crash leaves the old file or the
// new one.

#include <string>
#include <string_view>

namespace tfx {

/// The bytes of a file or of what comes through a pipe; "-" is standard input, /dev/stdin too.
/// Throws Error(no_input) where it cannot be opened, is a folder or a device (a terminal is read as standard
/// input only, and /dev/null is empty), Error(io) where reading stops half-way,
/// Error(no_memory) where it does not fit in memory.
std::string read_file(const std::string& path);

/// Called with the path that was given where nothing has come from a pipe or a terminal for a second.
using SayWaiting = void (*)(const std::string& path);
/// Decided once, before the first file is read. Without it nothing is said.
void say_waiting_with(SayWaiting say);

/// The file that a chain of symbolic links ends at; it need not exist.
std::string target_of(const std::string& path);

/// The name under which a save keeps the file that it replaces: PATH.prev.
std::string predecessor_of(const std::string& path);

/// Whether writing one writes the other: one name, or links to one file, which need not exist yet.
bool same_file(const std::string& one, const std::string& other);

/// Whether a save writes into what is there, as into devices and pipes, and does not replace it.
bool is_written_directly(const std::string& path);

/// Throws what write_file_atomically would throw before it writes, and leaves nothing: for what is saved
/// hours later.
void require_writable(const std::string& path);

/// Whether the file that is replaced stays, as PATH.prev.
enum class Previous { dropped, kept };

/// Replace the file at `path` by `bytes`: a temporary file in the same folder, synced, then renamed. A
/// symbolic link stays and its target is replaced; an existing file keeps its mode, a new one follows the
/// umask. With Previous::kept, PATH.prev becomes a second name of the old file first: at every moment there
/// is a whole file, old or new, under `path`. Devices and pipes (/dev/stdout, a FIFO) are written directly.
/// Throws Error(cannot_write) where the file cannot be created and Error(io) where writing fails; the old
/// file is then untouched and the temporary file is gone.
void write_file_atomically(const std::string& path, std::string_view bytes,
                           Previous previous = Previous::dropped);

} // namespace tfx
