#pragma once
// The format of a file, by its first bytes and its name.

#include "core/message.hpp"

#include <string>
#include <string_view>

namespace tfx {

enum class FileFormat { npy, zip, safetensors, text };

/// npy starts with \x93NUMPY, a zip archive (npz, but a spreadsheet too) with PK; the upper half of a
/// safetensors file's header size is zero, and no text holds NUL. What is none of these is taken as text.
FileFormat format_of_content(std::string_view bytes);

/// The format by the name of the file, else by its content. Throws Error(bad_data) where the content is
/// plainly of another format than the name says: that format's reader would complain of bytes that are right.
FileFormat format_of(const std::string& path, std::string_view bytes);

/// "a .npy file", "a zip archive, as .npz and .xlsx files are", …
Message describe(FileFormat format);

} // namespace tfx
