#pragma once
// Each tutorial as a path: its blocks in its own order, each with the commands that show it. What a block is,
// and what to look at, stands in src/course/tutorials/{en,zh}.md under TUTORIAL.BLOCK, a line and a
// paragraph; the same of the tutorial itself under its id. The tables of docs/tutorials.md are made from it.

#include "course/progress.hpp"
#include "text/words.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tfx {

struct TutorialBlock {
  std::string id;
  std::string section;               ///< of the tutorial, where it numbers them: "2.1.2"
  std::vector<std::string> commands; ///< without "tfx"; the first shows the block, others add to it
  bool is_page = false;              ///< the point is a whole page: a drawing, a listing, a full table

  /// Of a screen of 80 columns, with what the block is and where the path goes on.
  std::size_t most_rows() const { return is_page ? 60 : 24; }
};

struct TutorialPath {
  std::string id; ///< as --tutorial takes it
  std::vector<TutorialBlock> blocks;
};

const std::vector<TutorialPath>& tutorial_paths();

/// The tutorial of that id, or nullptr.
const TutorialPath* tutorial_path(const std::string& id);

/// A title, and the paragraph below it.
struct BlockWords {
  std::string title, text;
};

/// Of the block, or of the tutorial itself; `words` are those of src/course/tutorials.
BlockWords words_of(const TutorialPath& path, const TutorialBlock& block, const Words& words);
BlockWords words_of(const TutorialPath& path, const Words& words);

/// What stands in the progress for a block: "happy-llm-scores". For the tutorial it is its id.
std::string progress_name(const TutorialPath& path, const TutorialBlock& block);

bool is_seen(const CourseProgress& progress, const TutorialPath& path, const TutorialBlock& block);

/// The position of the first block behind the one seen last that was not seen, else of the first that was
/// not; nothing where all were.
std::optional<std::size_t> next_block(const CourseProgress& progress, const TutorialPath& path);

/// The tutorial that the learner is on: the one begun or gone on with last, unless all of it was seen;
/// nullptr off all of them.
const TutorialPath* path_on(const CourseProgress& progress);

/// Whether there was anything of it to forget.
bool forget(CourseProgress& progress, const TutorialPath& path);

} // namespace tfx
