// `tfx inspect`: what is in a file of arrays.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/inspect/contents.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "core/number.hpp"
#include "input/files.hpp"
#include "io/known_programs.hpp"
#include "render/matrix.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

/// Entries of the file, with their numbers.
struct InspectedArray {
  std::size_t number;
  const ArrayFile::Entry& entry;
  ArrayStatistics statistics;
};
using Arrays = std::vector<InspectedArray>;
using FileInMemory = std::shared_ptr<const ArrayFile>;

/// Of the one array of a file without names, words.
std::string called(const ArrayFile::Entry& entry) {
  return entry.name.empty() ? in_words("diff.the_array") : entry.name;
}

Cell number_or_none(double value) {
  return std::isnan(value) ? Cell(None{}) : value;
}

void add_file(Report& report, const ArrayFile& file) {
  report.add("file", file.name());
  report.add("kind", std::string(file.format()));
  report.add("bytes", Bytes{static_cast<double>(file.size())});
  report.add("metadata", Values(file.metadata().begin(), file.metadata().end()));
}

/// A line each, as long as the page is wide.
void add_metadata(Report& report, const std::map<std::string, std::string>& metadata) {
  if (metadata.empty()) return;
  report.add(Drawing{[metadata](const Style& style, Language) {
    std::vector<std::string> lines;
    for (const auto& [key, value] : metadata)
      lines.push_back(style.shortened(escape_controls(key + ": " + value), style.width));
    return lines;
  }});
}

/// "not read: F8_E4M3"; of a text or another file in words.
Sentence not_read(const std::string& other) {
  Sentence sentence{"not_read", {{"type", other}}};
  if (other == "text" || other == "file") sentence.said["type"] = {"type." + other};
  return sentence;
}

void add_page_table(Report& report, const Arrays& arrays) {
  ReportTable table;
  table.columns = table.shown = {"name", "dtype", "shape", "bytes", "least", "largest", "mean", "nan"};
  table.of_arrays = true;
  for (const auto& [number, entry, s] : arrays) {
    std::vector<Cell> row{called(entry)};
    const Bytes bytes{static_cast<double>(entry.bytes)};
    if (entry.is_read())
      row.insert(row.end(), {entry.type(), entry.shape, bytes, number_or_none(s.min), number_or_none(s.max),
                             number_or_none(s.mean), s.nan ? Cell(Count{s.nan}) : ""});
    else
      row.insert(row.end(), {not_read(entry.other), entry.shape.empty() ? Cell("") : entry.shape, bytes, "",
                             "", "", ""});
    table.rows.push_back(std::move(row));
  }
  if (!arrays.empty()) report.add(std::move(table));
}

void add_model(Report& report, const std::optional<FileModel>& model) {
  if (!model) return report.add("model", None{});
  const ModelSpec& spec = model->spec;
  report.add("model.layers", Count{spec.layers}), report.add("model.d_model", Count{spec.d_model});
  report.add("model.d_ff", Count{spec.d_ff});
  report.add("model.heads", model->heads_known ? Cell(Count{spec.heads}) : None{});
  report.add("model.src_vocab", Count{spec.src_vocab}), report.add("model.tgt_vocab", Count{spec.tgt_vocab});
  report.add("model.parameters", Count{model->parameters});
}

/// Its sizes stand as one types them.
void say_model(Report& report, const std::optional<FileModel>& model,
               const std::optional<KnownProgram>& program) {
  if (model) {
    const ModelSpec& spec = model->spec;
    const auto size = [](std::size_t number) { return std::to_string(number); };
    report.say(model->heads_known ? "model" : "model.no_heads", {{"model.layers", size(spec.layers)},
                                                                 {"model.d_model", size(spec.d_model)},
                                                                 {"model.d_ff", size(spec.d_ff)},
                                                                 {"model.heads", size(spec.heads)},
                                                                 {"model.src_vocab", size(spec.src_vocab)},
                                                                 {"model.tgt_vocab", size(spec.tgt_vocab)}});
  }
  if (program) report.say("program", {{"program", described(*program)}});
}

void add_tied(Report& report, const ArrayFile& file, bool is_said) {
  ReportTable table{"tied", {"first", "again"}, {}};
  const std::vector<TiedTable> tied = file.named() ? tied_tables(*file.named()) : std::vector<TiedTable>{};
  for (const auto& [first, again] : tied) {
    const std::string &one = file.entries()[first].name, &other = file.entries()[again].name;
    table.rows.push_back({one, other});
    if (is_said) report.say("tied", {{"first", one}, {"again", other}});
  }
  report.add(std::move(table));
}

/// The matrices of an array, of a large stack the first ones.
std::vector<std::string> matrices_of(const Step& step, const Style& style) {
  constexpr std::size_t max_shown = 8;
  if (step.value.size() == 0) return {};
  if (step.value.rank() == 0) return {style.symbols(screen_number(step.value.data[0], style.precision))};
  const std::size_t count = step.value.rank() < 2 ? 1 : matrix_count(step.value);
  std::vector<TextBlock> blocks;
  for (std::size_t i = 0; i < std::min(count, max_shown); ++i) {
    TextBlock block;
    if (count > 1) block.add(slice_name(step, i));
    block.add(matrix_block(step, i, style, style.width));
    blocks.push_back(std::move(block));
  }
  std::vector<std::string> lines = place(blocks, style.width);
  if (count > max_shown)
    lines.push_back(style.symbols(in_words("inspect.more", {{"count", with_separators(count - max_shown)}})));
  return lines;
}

/// Reads the array where it is drawn: no two are in memory at once.
void add_values(Report& report, const FileInMemory& file, const InspectedArray& one) {
  report.add(Drawing{[file, number = one.number, name = called(one.entry)](const Style& style, Language) {
    Step step;
    step.name = escape_controls(name);
    step.value = file->read(number);
    step.operation = {};
    step.labels.resize(step.value.rank());
    std::vector<std::string> lines = matrices_of(step, style);
    lines.insert(lines.begin(), style.bold(style.shortened(step.name, style.width)));
    return lines;
  }});
}

ReportTable tensor_table(const FileInMemory& file, const Arrays& arrays, bool with_values) {
  ReportTable table{
      "tensors", {"name", "dtype", "shape", "bytes", "read", "min", "max", "mean", "nan", "infinite"}, {}};
  if (with_values) table.columns.push_back("data");
  for (const auto& [number, entry, s] : arrays) {
    std::vector<Cell> row{entry.name, entry.type(), entry.shape, Count{entry.bytes}, entry.is_read()};
    if (entry.is_read()) {
      row.insert(row.end(), {s.min, s.max, s.mean, Count{s.nan}, Count{s.infinite}});
      if (with_values) row.push_back(TensorOf{[file, number = number] { return file->read(number); }});
    }
    row.resize(table.columns.size(), None{});
    table.rows.push_back(std::move(row));
  }
  return table;
}

struct InspectOptions {
  std::string file;
  std::optional<std::string> name;
  ShowOptions show;
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

Report run(const InspectOptions& options, Context& context) {
  const FileInMemory file = std::make_shared<const ArrayFile>(options.file);
  note_header(options.file, file->header(), context.notes);
  Arrays arrays;
  for (const std::size_t i : chosen(*file, options)) {
    const ArrayFile::Entry& entry = file->entries()[i];
    arrays.push_back({i, entry, entry.is_read() ? statistics_of(*file, i) : ArrayStatistics{}});
  }
  const std::optional<FileModel> model = model_in(*file);
  const std::optional<KnownProgram> program = model ? std::nullopt : program_of(file->entries());

  Report report{frame_of_command("inspect"), {}};
  report.frame.options = " " + shell_quoted(options.file);
  if (options.name) report.frame.options += " " + shell_quoted(*options.name);
  report.title = Title::none;
  add_file(report, *file);
  if (!options.name) {
    report.say("head", {{"arrays", with_separators(file->entries().size())}});
    add_metadata(report, file->metadata());
  }
  add_page_table(report, arrays);
  if (options.name)
    for (const InspectedArray& one : arrays)
      if (one.entry.is_read()) add_values(report, file, one);
  add_model(report, model);
  report.add("program", program ? Cell(program->name) : None{});
  if (!options.name) say_model(report, model, program);
  add_tied(report, *file, !options.name);
  report.add(tensor_table(file, arrays, options.name.has_value()));
  return report;
}

} // namespace

Command inspect_command() {
  using O = InspectOptions;
  return report_row<O, run>("inspect", [](CLI::App& command, O& o, Context&) {
    add_file_argument(command, "FILE", o.file, in_words("inspect.file"));
    add_argument(command, "NAME", o.name, in_words("inspect.name"));
    add_options(command, page_options(), o.show);
  });
}

} // namespace tfx
