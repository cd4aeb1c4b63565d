#include "cli/course/progress_file.hpp"

#include "cli/environment.hpp"
#include "words/in_words.hpp"

#include <filesystem>
#include <system_error>

namespace tfx {

namespace {

namespace fs = std::filesystem;

std::string word(const std::string& key, const std::map<std::string, std::string>& values = {}) {
  const Words words = course_words();
  return fill_in(*words.find(key), [&](const std::string& name) { return std::optional(values.at(name)); })
      .value();
}

std::string progress_path() {
  const std::string folder = state_folder();
  return folder.empty() ? folder : folder + "/progress";
}

// Moves what is no progress out of the way, under a name that is free. A link fails where something has the
// name.
std::string keep_aside(const std::string& path) {
  constexpr int max_names = 1000;
  for (int i = 1; i <= max_names; ++i) {
    const std::string aside = path + ".broken" + (i > 1 ? "." + std::to_string(i) : "");
    std::error_code error;
    if (fs::exists(fs::symlink_status(aside, error))) continue;
    fs::create_hard_link(path, aside, error);
    if (error == std::errc::file_exists) continue;
    if (error) // a folder, or a file system without links
      fs::rename(path, aside, error);
    else
      fs::remove(path, error);
    if (error)
      throw Error(ErrorKind::cannot_write,
                  said("cannot rename {file}: {why}", {{"file", path}, {"why", why_not(error.value())}}));
    return aside;
  }
  throw Error(ErrorKind::cannot_write, said("there are too many files beside {file}", {{"file", path}}));
}

} // namespace

std::optional<FileLock> lock_progress() {
  constexpr std::chrono::seconds patience{2};
  const std::string path = progress_path();
  if (path.empty()) return std::nullopt;
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  try {
    return FileLock(path, patience);
  } catch (const Error&) {
    return std::nullopt;
  }
}

ProgressFile read_progress() {
  ProgressFile file;
  file.path = progress_path();
  if (file.path.empty()) return file;
  std::error_code error;
  const fs::file_status status = fs::status(file.path, error);
  if (status.type() == fs::file_type::not_found || (error && !fs::exists(status))) return file;
  try {
    // A pipe would be waited for, and a device might have no end.
    if (!fs::is_regular_file(status)) throw Error(ErrorKind::bad_data, said("it is not a plain file"));
    if (fs::file_size(file.path, error) > CourseProgress::max_bytes)
      throw Error(ErrorKind::bad_data, said("it is too long"));
    file.progress = CourseProgress::parse(read_file(file.path));
  } catch (const Error& unreadable) {
    file.broken = unreadable.message();
  }
  return file;
}

void note_broken_progress(Context& context) {
  const ProgressFile file = read_progress();
  if (file.broken)
    context.notes.push_back(
        word("progress.broken", {{"file", file.path}, {"why", in_learners_language(*file.broken)}}));
}

void write_progress(const ProgressFile& file, Context& context, Previous previous) {
  if (file.path.empty())
    throw Error(ErrorKind::cannot_write, Message::given(word("progress.no_folder")),
                Message::given(word("progress.no_folder.hint")));
  std::error_code error;
  fs::create_directories(fs::path(file.path).parent_path(), error); // the write says what is wrong
  if (file.broken) {
    const std::string aside = keep_aside(file.path);
    context.notes.push_back(
        word("progress.kept_aside",
             {{"file", file.path}, {"why", in_learners_language(*file.broken)}, {"aside", aside}}));
  }
  write_file_atomically(file.path, file.progress.text(word("progress.comment")), previous);
}

void record_progress(const std::string& lesson, Mark mark, Context& context) {
  ProgressFile file = read_progress();
  if (file.path.empty() || !file.progress.record(lesson, mark)) return;
  const auto lock = lock_progress();
  file = read_progress(); // what was there before the lock may have grown
  if (!file.progress.record(lesson, mark)) return;
  try {
    write_progress(file, context);
  } catch (const Error& error) {
    context.notes.push_back(word("progress.not_written", {{"why", in_learners_language(error.message())}}));
  }
}

} // namespace tfx
