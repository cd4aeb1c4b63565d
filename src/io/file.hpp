#pragma once
// Whole files in and out: read with the size proved first, written so that a crash leaves the old file or the
// new one.

#include <string>
#include <string_view>

namespace tfx {

/// The bytes of a file; "-" is standard input.
/// Throws Error(no_input) where it cannot be opened or is a folder, Error(io) where reading stops half-way,
/// Error(no_memory) where it does not fit in memory.
std::string read_file(const std::string& path);

/// The file that a chain of symbolic links ends at; it need not exist.
std::string target_of(const std::string& path);

/// The name under which a save keeps the file that it replaces: PATH.prev.
std::string predecessor_of(const std::string& path);

/// Whether writing one writes the other: one name, or links to one file, which need not exist yet.
bool same_file(const std::string& one, const std::string& other);

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
