#pragma once
// How much processor time and memory the control groups of a process allow. A container that is given 1.5
// processors still sees all of them, and with a thread on each is stopped for a part of every period; one
// that takes more memory than its group has is killed.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tfx {

/// The text of a file, or nothing where it cannot be read. Tests give files of their own.
using FileReader = std::function<std::optional<std::string>(const std::string& path)>;

/// Reads the files of this system.
std::optional<std::string> text_of_file(const std::string& path);

/// The processors that "cpu.max" of version 2 allows: "150000 100000" → 1.5, "max 100000" → nothing.
std::optional<double> quota_in(std::string_view cpu_max);

/// The fewest processors that one of this process's groups, or of those above them, allows, version 1 or 2;
/// nothing: no limit.
std::optional<double> processor_quota(const FileReader& read);

/// The bytes that the process may still take by the same groups: the smallest limit − used, where cached
/// files count as free; nothing: no limit.
std::optional<double> memory_left(const FileReader& read);

} // namespace tfx
