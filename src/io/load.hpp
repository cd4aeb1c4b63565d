#pragma once
// Arrays from a file of any format that tfx reads, whole, and which format it is, by its first bytes and its
// name.

#include "core/error.hpp"
#include "io/array.hpp"
#include "io/array_file.hpp"
#include "io/csv.hpp"

#include <string>
#include <string_view>
#include <vector>

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

/// The name a file has in messages: "standard input" where the path is "-".
std::string shown_name(const std::string& path);

/// The one array of a .npy, .npz, .safetensors, or .csv, .tsv, .txt file (a matrix). "-" is standard input;
/// there and where the extension says nothing, the first bytes tell the format. Throws Error(bad_data) where
/// the content is wrong, of another format than the extension says, or more than one array stands in the file
/// (the message lists them), Error(no_input) where it cannot be opened.
Array load_array(const std::string& path);

/// A .npz or .safetensors file, whose tensors have names; the content tells the format. Throws
/// Error(bad_data) where the content is wrong or has no names (.npy, text), Error(no_input) where the file
/// cannot be opened.
TensorFile named_tensors(const std::string& path);

/// What stands in a file of any format.
struct Content {
  std::vector<NamedArray> arrays;
  bool named = false; ///< .npz or .safetensors; else there is one array, and its name is empty
  bool text = false;  ///< a text table, which cannot tell a vector from a matrix of one column
};

/// Every array of a .npy, .npz, .safetensors, or .csv, .tsv, .txt file; "-" is standard input. Throws as
/// load_array does.
Content load_content(const std::string& path);

/// The words of a text table and their vectors. Throws Error(bad_data) where the content is wrong or no text,
/// Error(no_input) where the file cannot be opened.
Csv load_labelled(const std::string& path);

} // namespace tfx
