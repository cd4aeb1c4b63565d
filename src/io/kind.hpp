#pragma once
// What a file's first bytes say it is.

#include <string>
#include <string_view>

namespace tfx {

enum class FileKind { npy, zip, safetensors, text };

/// npy starts with \x93NUMPY, a zip archive (npz, but a spreadsheet too) with PK; the upper half of a
/// safetensors file's header size is zero, and no text holds NUL. What is none of these is taken as text.
FileKind kind_of_content(std::string_view bytes);

/// The kind by the name of the file, else by its content. Refuses with Error(bad_data) a file whose content
/// is plainly of another kind than its name says: its reader would speak of bytes that are right.
FileKind kind_of(const std::string& path, std::string_view bytes);

/// "a .npy file", "a zip archive, as .npz and .xlsx files are", …
const char* describe(FileKind kind);

} // namespace tfx
