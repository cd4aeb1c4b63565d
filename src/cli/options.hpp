#pragma once
// The options that lessons share.

#include "cli/context.hpp"
#include "lessons/catalogue.hpp"

namespace tfx {

/// "bpe:FILE": text is cut by the merges of that file.
constexpr std::string_view merges_of = "bpe:";

/// Options that take no part in the mathematics: what to print, and where to save.
struct OutputOptions {
  std::vector<std::string> show;
  bool quiet = false, json = false, no_time = false;
  std::optional<std::string> save;
};

/// What becomes of a report.
struct ShowOptions {
  bool json = false, no_time = false;
  std::optional<std::string> save;
};

const std::vector<Option<GlobalOptions>>& global_options();
const std::vector<Option<OutputOptions>>& output_options();
const std::vector<Option<ShowOptions>>& show_options();
/// The same of a command without tensors, but --no-time.
const std::vector<Option<ShowOptions>>& page_options();
/// --picture, of commands that draw.
const std::vector<Option<GlobalOptions>>& picture_options();

/// Throw Error(usage): heads that do not divide the width; an id that a vocabulary of so many has not.
void require_dividing(std::size_t heads, std::size_t d_model);
void require_known(const char* option, const std::vector<std::uint32_t>& ids, std::size_t vocabulary);

/// The file of --corpus and those that stand behind it. Throws Error(usage) where some stand there without
/// it.
std::vector<std::string> corpus_files(const std::optional<std::string>& first,
                                      const std::vector<std::string>& further);

/// Error(usage): the option has no use for what is typed "train step", or is called "train"; it is for the
/// readers. A trained model has no use for lessons on labels: the hint says what shows its loss and
/// gradients.
Error unread(const std::string& option, const std::string& lesson, const std::vector<std::string>& readers);

/// Throws Error(usage) for an option that the lesson does not read, and names the lessons that it is for.
void refuse_unfit(const Lesson& lesson, const InputOptions& options);

} // namespace tfx
