#pragma once
// Arrays from a file of any format that tfx reads.

#include "io/array.hpp"
#include "io/csv.hpp"
#include "io/tensor_file.hpp"

#include <string>
#include <vector>

namespace tfx {

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
