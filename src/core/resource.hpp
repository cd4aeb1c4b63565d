#pragma once
// Files embedded in the executable: words of the lessons, inputs of the tutorials, references, lesson
// sources.

#include <string_view>
#include <vector>

namespace tfx {

/// The content of an embedded file, by its path in the repository ("lessons/scores/en.md").
/// Throws Error(internal) where there is none.
std::string_view resource(std::string_view path);

/// Whether a file of that path is embedded.
bool has_resource(std::string_view path);

/// The paths of the embedded files that begin with `folder`, sorted.
std::vector<std::string_view> resources_in(std::string_view folder);

} // namespace tfx
