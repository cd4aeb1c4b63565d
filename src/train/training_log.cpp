#include "train/training_log.hpp"

#include "core/error.hpp"
#include "io/file.hpp"
#include "io/message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>

#include <fcntl.h>

namespace tfx {

namespace {

constexpr const char *heading =
                         "step,loss,learning_rate,gradient_norm,tokens,right,of,held_out_loss,bleu,chrf\n",
                     *older_heading = "step,loss,learning_rate,gradient_norm,tokens,right,of,held_out_loss\n";
constexpr std::ptrdiff_t columns = 10, older_columns = 8;

/// The heading and the rows of the steps 1 … made.
std::string kept_rows(const std::string& path, std::uint64_t made) {
  std::string kept = heading;
  std::error_code error;
  if (made == 0 || !std::filesystem::is_regular_file(path, error)) return kept;
  const std::string text = read_file(path);
  const bool is_older = text.starts_with(older_heading);
  if (!text.empty() && !is_older && !text.starts_with(heading) &&
      !std::string_view(heading).starts_with(text))
    refuse_file(path, said("its first line is not that of a training's log"),
                said("give --log another name"));
  for (std::size_t at = std::string_view(is_older ? older_heading : heading).size(); at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos) break; // half a row: its step was not saved
    std::uint64_t step = 0;
    const auto [stop, failed] = std::from_chars(text.data() + at, text.data() + end, step);
    const auto commas = std::count(text.data() + at, text.data() + end, ',');
    if (failed == std::errc{} && *stop == ',' && commas == (is_older ? older_columns : columns) - 1 &&
        step >= 1 && step <= made)
      kept += text.substr(at, end - at) + (is_older ? ",,\n" : "\n");
    at = end + 1;
  }
  return kept;
}

Message not_written(const std::string& path, int error) {
  return said("cannot write {file}: {why}", {{"file", printable(path)}, {"why", why_not(error)}});
}

} // namespace

TrainingLog::TrainingLog(std::string path, std::uint64_t made) : path_(std::move(path)) {
  write_file_atomically(path_, kept_rows(path_, made));
  file_ = open_file(path_, O_WRONLY | O_APPEND);
  if (!file_.is_open()) throw Error(ErrorKind::cannot_write, not_written(path_, errno));
}

void TrainingLog::add(std::uint64_t step, const StepReport& report, const std::optional<Accuracy>& accuracy) {
  const auto cell = [](const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; };
  const std::string row =
      fmt::format("{},{},{},{},{},", step, report.loss, report.learning_rate, report.gradient_norm,
                  report.tokens) +
      (accuracy ? fmt::format("{},{},{},{},{}\n", accuracy->right, accuracy->of, cell(accuracy->loss),
                              cell(accuracy->bleu), cell(accuracy->chrf))
                : std::string(",,,,\n"));
  if (const int error = file_.write(row)) throw Error(ErrorKind::io, not_written(path_, error));
}

} // namespace tfx
