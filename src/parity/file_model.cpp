#include "parity/file_model.hpp"

#include "core/error.hpp"
#include "io/known_programs.hpp"
#include "model/checkpoint.hpp"
#include "model/checkpoint_style.hpp"
#include "model/foreign_names.hpp"

namespace tfx {

std::optional<FileModel> model_in(const ArrayFile& file) {
  if (!file.named()) return std::nullopt;
  try {
    FileModel model;
    model.heads_known = file.metadata().contains("heads");
    GivenStyle given;
    if (!model.heads_known) given.heads = 1; // unsaid: only the other sizes are asked for
    model.config = config_of(*file.named(), annotated_names(*file.named()), given);
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
