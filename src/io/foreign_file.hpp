#pragma once
// Files of other programs that learners have and tfx does not read: what such a file is, known by its
// content, and how it becomes one that tfx reads.

#include "io/message.hpp"

#include <string>
#include <string_view>

namespace tfx {

/// Throws Error(bad_data) with what it is, and how it is converted, where the bytes are a file of torch.save
/// (.pt, .pth), a pickle, a tokenizer.json, text in UTF-16, or compressed by gzip, HDF5 or GGUF.
void refuse_foreign(const FileName& file, std::string_view bytes);

/// The bytes of a file of text. Throws as read_file and refuse_foreign do; that it is UTF-8 its reader says.
std::string read_text(const std::string& path);

} // namespace tfx
