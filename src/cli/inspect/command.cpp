#include "cli/inspect/command.hpp"

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "core/error.hpp"
#include "core/number.hpp"
#include "input/files.hpp"
#include "io/known_programs.hpp"
#include "model/checkpoint.hpp"
#include "model/checkpoint_format.hpp"
#include "render/json.hpp"
#include "render/matrix.hpp"
#include "render/style.hpp"
#include "render/text_layout.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
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

namespace {

class InspectScreen {
public:
  InspectScreen(const Inspected& inspected, const Context& context)
      : inspected_(inspected), file_(inspected.file), style_(context.style()) {}

  std::string list() {
    paragraph(in_words("inspect.head", {{"name", escape_controls(file_.name())},
                                        {"kind", file_.format()},
                                        {"arrays", with_separators(file_.entries().size())},
                                        {"bytes", format_bytes(static_cast<double>(file_.size()))}}));
    out_ += "\n";
    metadata();
    table();
    if (inspected_.model) model();
    if (inspected_.program)
      paragraph(in_words("inspect.program", {{"program", described(*inspected_.program)}}));
    for (const TiedTable& table : inspected_.tied)
      paragraph(in_words("inspect.tied", {{"again", name_of_entry(file_.entries()[table.again])},
                                          {"first", name_of_entry(file_.entries()[table.first])}}));
    return std::move(out_);
  }

  std::string values() {
    table();
    for (const InspectedArray& one : inspected_.arrays) {
      const ArrayFile::Entry& entry = file_.entries()[one.entry];
      if (!entry.is_read()) continue;
      Step step;
      step.name = name_of_entry(entry);
      step.value = file_.read(one.entry);
      step.operation = {};
      step.labels.resize(step.value.rank());
      show(step);
    }
    return std::move(out_);
  }

private:
  void paragraph(const std::string& text) { out_ += wrapped(text, style_); }

  std::string name_of_entry(const ArrayFile::Entry& entry) const {
    return entry.name.empty() ? in_words("diff.the_array") : escape_controls(entry.name);
  }

  /// "not read: F8_E4M3"; of a text or another file in words.
  static std::string not_read(const ArrayFile::Entry& entry) {
    const std::string* words = find_words("inspect.type." + entry.other);
    return in_words("inspect.not_read", {{"type", words ? *words : escape_controls(entry.other)}});
  }

  void metadata() {
    if (file_.metadata().empty()) return;
    for (const auto& [key, value] : file_.metadata()) {
      const std::string line = escape_controls(key + ": " + value);
      out_ += style_.shortened(line, style_.width) + "\n";
    }
    out_ += "\n";
  }

  std::string number(double value) const {
    return std::isnan(value) ? "–" : screen_number(value, style_.precision);
  }

  void table() {
    Table table;
    for (const char* key : {"dtype", "shape", "bytes", "least", "largest", "mean", "nan"})
      table.headings.push_back(in_words(std::string("inspect.column.") + key));
    for (const InspectedArray& one : inspected_.arrays) {
      const ArrayFile::Entry& entry = file_.entries()[one.entry];
      const ArrayStatistics& s = one.statistics;
      if (!entry.is_read()) {
        const std::string shape = entry.shape.empty() ? "" : to_page_string(entry.shape);
        table.rows.push_back(
            {name_of_entry(entry),
             {not_read(entry), shape, format_bytes(static_cast<double>(entry.bytes)), "", "", "", ""},
             0,
             false});
        continue;
      }
      table.rows.push_back({name_of_entry(entry),
                            {tfx::name_of(entry.dtype), to_page_string(entry.shape),
                             format_bytes(static_cast<double>(entry.bytes)), number(s.min), number(s.max),
                             number(s.mean), s.nan ? with_separators(s.nan) : ""},
                            0,
                            false});
    }
    if (table.rows.empty()) return;
    out_ += in_lines(array_table_lines(table, style_));
    out_ += "\n";
  }

  void model() {
    const FileModel& m = *inspected_.model;
    const auto text = [](std::size_t number) { return std::to_string(number); };
    paragraph(in_words(m.heads_known ? "inspect.model" : "inspect.model.no_heads",
                       {{"layers", text(m.spec.layers)},
                        {"d_model", text(m.spec.d_model)},
                        {"d_ff", text(m.spec.d_ff)},
                        {"heads", text(m.spec.heads)},
                        {"src", text(m.spec.src_vocab)},
                        {"tgt", text(m.spec.tgt_vocab)},
                        {"parameters", with_separators(m.parameters)}}));
  }

  /// Its matrices, of a large stack the first ones.
  void show(const Step& step) {
    constexpr std::size_t max_shown = 8;
    out_ += style_.bold(style_.shortened(step.name, style_.width)) + "\n";
    if (step.value.size() == 0) {
      out_ += "\n";
      return;
    }
    if (step.value.rank() == 0) {
      out_ += style_.symbols(screen_number(step.value.data[0], style_.precision)) + "\n\n";
      return;
    }
    const std::size_t count = step.value.rank() < 2 ? 1 : matrix_count(step.value);
    std::vector<TextBlock> blocks;
    for (std::size_t i = 0; i < std::min(count, max_shown); ++i) {
      TextBlock block;
      if (count > 1) block.add(slice_name(step, i));
      block.add(matrix_block(step, i, style_, style_.width));
      blocks.push_back(std::move(block));
    }
    out_ += in_lines(place(blocks, style_.width));
    if (count > max_shown)
      paragraph(in_words("inspect.more", {{"count", with_separators(count - max_shown)}}));
    out_ += "\n";
  }

  const Inspected& inspected_;
  const ArrayFile& file_;
  const Style style_;
  std::string out_;
};

void write_model(JsonWriter& json, const std::optional<FileModel>& model) {
  json.key("model");
  if (!model) return json.null();
  const auto number = [&](const char* key, std::size_t value) { json.key(key), json.value(value); };
  json.begin_object();
  number("layers", model->spec.layers), number("d_model", model->spec.d_model);
  number("d_ff", model->spec.d_ff);
  json.key("heads");
  model->heads_known ? json.value(model->spec.heads) : json.null();
  number("src_vocab", model->spec.src_vocab), number("tgt_vocab", model->spec.tgt_vocab);
  number("parameters", model->parameters);
  json.end_object();
}

void write_array(JsonWriter& json, const ArrayFile& file, const InspectedArray& one, InspectForm form) {
  const ArrayFile::Entry& entry = file.entries()[one.entry];
  const ArrayStatistics& s = one.statistics;
  json.begin_object();
  json.key("name"), json.value(entry.name);
  json.key("dtype"), json.value(entry.type());
  json.key("shape"), json.value(entry.shape);
  json.key("bytes"), json.value(entry.bytes);
  json.key("read"), json.value(entry.is_read());
  if (!entry.is_read()) return json.end_object();
  json.key("min"), json.value(s.min);
  json.key("max"), json.value(s.max);
  json.key("mean"), json.value(s.mean);
  json.key("nan"), json.value(s.nan);
  json.key("infinite"), json.value(s.infinite);
  if (form == InspectForm::values) json.key("data"), json.tensor(file.read(one.entry));
  json.end_object();
}

} // namespace

std::string inspect_screen(const Inspected& inspected, InspectForm form, const Context& context) {
  InspectScreen screen(inspected, context);
  return form == InspectForm::list ? screen.list() : screen.values();
}

std::string inspect_json(const Inspected& inspected, InspectForm form) {
  const ArrayFile& file = inspected.file;
  JsonWriter json;
  begin_command(json, "inspect");
  json.key("file"), json.value(file.name());
  json.key("kind"), json.value(file.format());
  json.key("bytes"), json.value(file.size());
  json.key("metadata"), json.begin_object();
  for (const auto& [key, value] : file.metadata()) json.key(key), json.value(value);
  json.end_object();
  write_model(json, inspected.model);
  json.key("program");
  inspected.program ? json.value(inspected.program->name) : json.null();
  json.key("tied"), json.begin_array();
  for (const TiedTable& table : inspected.tied) {
    json.begin_array();
    for (const std::size_t entry : {table.first, table.again}) json.value(file.entries()[entry].name);
    json.end_array();
  }
  json.end_array();
  json.key("tensors"), json.begin_array();
  for (const InspectedArray& one : inspected.arrays) write_array(json, file, one, form);
  json.end_array();
  json.end_object();
  return json.take();
}

namespace {

struct InspectOptions {
  std::string file;
  std::optional<std::string> name;
  bool json = false;
};

/// The entries that the name means; all without one.
std::vector<std::size_t> chosen(const ArrayFile& file, const InspectOptions& options) {
  std::vector<std::size_t> list;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < file.entries().size(); ++i) {
    const std::string& name = file.entries()[i].name;
    names.push_back(name);
    if (!options.name || matches(*options.name, name)) list.push_back(i);
  }
  if (options.name && list.empty())
    throw usage_error("array", {{"name", *options.name},
                                {"file", file.name()},
                                {"near", suggestion(nearest(*options.name, names))}});
  return list;
}

void run(const InspectOptions& options, Context& context) {
  const ArrayFile file(options.file);
  note_header(options.file, file.header(), context.notes);
  Inspected inspected{file, model_in(file), {}, {}};
  if (!inspected.model) inspected.program = program_of(file.entries());
  if (file.named()) inspected.tied = tied_tables(*file.named());
  for (const std::size_t i : chosen(file, options))
    inspected.arrays.push_back({i, file.entries()[i].is_read() ? statistics_of(file, i) : ArrayStatistics{}});
  const InspectForm form = options.name ? InspectForm::values : InspectForm::list;
  context.out =
      options.json ? inspect_json(inspected, form) + "\n" : inspect_screen(inspected, form, context);
}

} // namespace

Command inspect_command() {
  using O = InspectOptions;
  return command_row<O>("inspect", run, [](CLI::App& command, O& o, Context&) {
    add_file_argument(command, "FILE", o.file, in_words("inspect.file"));
    add_argument(command, "NAME", o.name, in_words("inspect.name"));
    add_options<O>(command, {{"--json", &O::json}}, o);
  });
}

} // namespace tfx
