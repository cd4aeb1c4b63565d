#include "cli/inspect/contents.hpp"

#include "core/error.hpp"
#include "io/known_programs.hpp"
#include "model/checkpoint.hpp"
#include "model/checkpoint_format.hpp"

#include <cmath>
#include <limits>

namespace tfx {

ArrayStatistics statistics_of(const ArrayFile& file, std::size_t i) {
  ArrayStatistics s;
  s.min = s.max = s.mean = std::numeric_limits<double>::quiet_NaN();
  std::size_t numbers = 0;
  file.each_piece(i, [&](const std::vector<double>& piece) {
    s.cells += piece.size();
    double sum = 0;
    std::size_t of_piece = 0;
    for (const double x : piece) {
      if (std::isnan(x)) {
        ++s.nan;
        continue;
      }
      s.infinite += std::isinf(x);
      s.min = std::fmin(s.min, x), s.max = std::fmax(s.max, x); // of NaN and x, x
      sum += x, ++of_piece;
    }
    if (of_piece == 0) return;
    const double before = numbers == 0 ? 0 : s.mean;
    numbers += of_piece;
    const double share = static_cast<double>(of_piece) / static_cast<double>(numbers);
    s.mean = before * (1 - share) + sum / static_cast<double>(numbers);
  });
  return s;
}

std::optional<FileModel> model_in(const ArrayFile& file) {
  if (!file.named()) return std::nullopt;
  try {
    FileModel model;
    model.heads_known = file.metadata().contains("heads");
    GivenStyle given;
    if (!model.heads_known) given.heads = 1; // unsaid: only the other sizes are asked for
    model.spec = spec_of(*file.named(), annotated_names(*file.named()), given);
    if (model.spec.stacks != Stacks::both) return std::nullopt;
    for (const ArrayFile::Entry& entry : file.entries())
      if (entry.is_read() && !is_of_training(entry.name) && !entry.name.ends_with(".pe"))
        model.parameters += element_count(entry.shape);
    for (const TiedTable& table : tied_tables(*file.named()))
      model.parameters -= element_count(file.entries()[table.again].shape);
    return model;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_data && error.kind() != ErrorKind::usage) throw;
    return std::nullopt; // some other file, or a part of a model
  }
}

} // namespace tfx
