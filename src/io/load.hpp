#pragma once
// Arrays from a file of any kind that tfx reads.

#include "io/array.hpp"

#include <string>
#include <vector>

namespace tfx {

/// The one array of a .npy, .npz, .safetensors, or .csv, .tsv, .txt file (a matrix). "-" is standard input;
/// there and where the extension says nothing, the first bytes tell the kind. Throws Error(bad_data) where
/// the content is wrong or more than one array stands in the file (the message lists them), Error(no_input)
/// where it cannot be opened.
Array load_array(const std::string& path);

/// Every array of a .npz or .safetensors file, with its name; the content tells the kind. Throws
/// Error(bad_data) where the content is wrong or has no names (.npy, text), Error(no_input) where the file
/// cannot be opened.
std::vector<NamedArray> load_arrays(const std::string& path);

} // namespace tfx
