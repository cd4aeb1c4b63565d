#include "cli/params/report.hpp"

#include "cli/lesson/screen.hpp"
#include "core/number.hpp"
#include "core/shape.hpp"
#include "io/message.hpp"
#include "model/shipped.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tfx {

using namespace params;

namespace {

/// "V = 11", or "S = 100" and "T = 90": a count means nothing without it. None where there are no words.
Names vocabulary_of(const Counted& model) {
  if (!model.shape || model.shape->family == Family::resnet18) return {};
  const ModelShape& s = *model.shape;
  if (s.one_vocabulary()) return {fmt::format("V = {}", s.src_vocab)};
  return {fmt::format("S = {}", s.src_vocab), fmt::format("T = {}", s.tgt_vocab)};
}

/// "d = 512, f = 2048".
Sentence sizes_in_words(const Names& sizes) {
  std::vector<Sentence> items;
  for (const std::string& size : sizes) items.push_back({"size", {{"size", size}}});
  return list_of("size.list", std::move(items));
}

/// "d = 4096", "f = 14336", "d_kv = 8·128": the widths that the formulas name.
Names widths_of(const ModelShape& s) {
  const Sizes sizes(s);
  Names widths{fmt::format("d = {}", s.d_model)};
  if (s.family != Family::attention_block) widths.push_back(fmt::format("f = {}", s.d_ff));
  if (!(sizes.d_q == sizes.d)) widths.push_back(fmt::format("d_q = {}·{}", s.heads, s.width_of_head()));
  if (!(sizes.d_kv == sizes.d_q))
    widths.push_back(fmt::format("d_kv = {}·{}", s.key_heads(), s.width_of_head()));
  if (!(sizes.d_e == sizes.d)) widths.push_back(fmt::format("d_e = {}", s.embedding_width));
  return widths;
}

/// The sizes under the names the formulas use.
void state_sizes(Trace& trace, const Counted& model) {
  trace.facts["name"] = model.name;
  if (!model.shape) {
    trace.facts["file"] = model.name;
    return;
  }
  const ModelShape& s = *model.shape;
  const auto state = [&](const char* name, std::uint64_t value) {
    trace.facts[name] = std::to_string(value);
  };
  if (s.family == Family::resnet18) {
    trace.facts["image"] = std::string("3×224×224");
    trace.facts["images"] = fmt::format("{} × 3×224×224", s.batch);
    return;
  }
  state("h", s.heads);
  if (s.positions == Positions::none)
    trace.facts["placeless"] = model.name;
  else
    state("context", s.context);
  if (s.layers_of_decoder() == s.layers)
    state("N", s.layers);
  else
    state("N_encoder", s.layers), state("N_decoder", s.decoder_layers);
  trace.facts["vocabulary"] = tfx::join(vocabulary_of(model), ", ");
  if (!has_two_stacks(s.family)) {
    state("V", s.src_vocab);
    trace.facts["reads"] = fmt::format("{} × {}", s.batch, s.seq);
    return;
  }
  if (s.family == Family::encoder_decoder && s.one_vocabulary() && s.src_vocab == copy_task_vocabulary)
    state("copy_ids", s.src_vocab);
  trace.facts["reads"] = fmt::format("{} × ({} + {})", s.batch, s.seq, s.tgt_seq);
}

/// The one of these sentences that has its facts.
void say_sizes(Report& report, const Counted& model) {
  std::map<std::string, Sentence> said;
  if (model.shape && model.shape->family != Family::resnet18)
    said.emplace("widths", sizes_in_words(widths_of(*model.shape)));
  if (model.shape && has_two_stacks(model.shape->family))
    said.emplace("vocab", sizes_in_words(vocabulary_of(model)));
  for (const char* key :
       {"sizes.pair", "sizes.depths", "sizes.stack", "sizes.placeless", "sizes.image", "sizes.file"})
    report.parts.emplace_back(Sentence{key, {}, said});
}

/// What shows a matrix in 8 bits: the first of a file, one of a shipped model where a preset has no numbers.
std::optional<std::string> int8_command(const Counted& model) {
  const auto command = [](const std::string& name, const std::string& matrix) {
    return "tfx params " + shell_quoted(name) + " --int8 " + shell_quoted(matrix);
  };
  if (!model.shape) {
    for (const NamedTensor& one : tensors_of(model.root))
      if (one.tensor.shape.size() == 2) return command(model.name, one.name);
    return std::nullopt;
  }
  const std::vector<std::string> shipped = shipped_models();
  if (shipped.empty()) return std::nullopt;
  return command(shipped.front(), "generator.proj.weight");
}

bool has_parts_since_2017(const ModelShape& shape) {
  return shape.gated || shape.positions == Positions::rotary ||
         (shape.kv_heads > 0 && shape.kv_heads < shape.heads);
}

struct ModuleRow {
  std::string name; ///< "encoder.layers.0 … 5"
  std::size_t indent = 0;
  Totals sum;              ///< of one of them
  std::uint64_t times = 1; ///< how many equal ones the row stands for
};

/// By module or by layer. The rows without indent add up to the model.
class ModuleRows {
public:
  explicit ModuleRows(By by) : by_(by) {}

  void below(const Module& parent, const std::string& prefix, std::size_t indent, std::uint64_t times) {
    own_tensors(parent, prefix, indent, times);
    for (std::size_t i = 0; i < parent.children.size();) {
      const Module& child = parent.children[i];
      const std::string name = join(prefix, child.name);
      if (child.kind == ModuleKind::group && indent == 0) {
        below(child, name, indent, times);
        ++i;
        continue;
      }
      const std::size_t alike = folded(parent, i);
      const std::string last = parent.children[i + alike - 1].name;
      rows_.push_back({alike > 1 ? name + " … " + last.substr(last.rfind('.') + 1) : name, indent,
                       totals(child), times * alike});
      if (child.kind == ModuleKind::layer && by_ == By::module && indent == 0) below(child, "", 2, alike);
      i += alike;
    }
  }

  std::vector<ModuleRow> take() { return std::move(rows_); }

private:
  void own_tensors(const Module& module, const std::string& prefix, std::size_t indent, std::uint64_t times) {
    for (const TensorSpec& tensor : module.tensors)
      rows_.push_back(
          {join(prefix, tensor.name), indent, totals(Module{"", ModuleKind::unit, {tensor}}), times});
  }

  /// How many layers from child i on are equal; 1 where layers are not folded.
  std::size_t folded(const Module& parent, std::size_t i) const {
    const Module& first = parent.children[i];
    std::size_t alike = 1;
    if (first.kind != ModuleKind::layer || by_ != By::module) return alike;
    while (i + alike < parent.children.size() && equal_but_for_name(first, parent.children[i + alike]))
      ++alike;
    return alike;
  }

  By by_;
  std::vector<ModuleRow> rows_;
};

std::vector<ModuleRow> module_rows(const Module& root, By by) {
  ModuleRows rows(by);
  rows.below(root, "", 0, 1);
  return rows.take();
}

/// The formula of so many equal ones: "6·(4·d² + 4·d)"; empty where no size with a name is in it.
std::string formula_of(const Figure& figure, std::uint64_t times) {
  if (!figure.is_symbolic()) return "";
  const std::string one = figure.formula();
  if (one.find(" + ") == std::string::npos) return (figure * times).formula();
  return times == 1 ? one : std::to_string(times) + "·(" + one + ")";
}

const std::string nothing;

/// A page leaves a count of 0 out.
Cell held_count(const Figure& figure) {
  return figure.value() ? Cell(Count{figure.value()}) : nothing;
}

Cell share(double part, double whole) {
  return part > 0 && whole > 0 ? Cell(Share{part / whole}) : nothing;
}

/// What a module's own numbers are where it has no parameters.
Sentence in_buffers(const Figure& figure) {
  return {"in_buffers", {{"count", with_separators(figure.value())}}};
}

void add_row(ReportTable& table, const ModuleRow& row, std::vector<Cell> cells) {
  if (row.indent) table.indents[table.rows.size()] = row.indent;
  cells.insert(cells.begin(), row.name);
  table.rows.push_back(std::move(cells));
}

ReportTable held_table(const Counted& model, By by) {
  ReportTable table{.name = "", .columns = {"name", "parameters", "share", "formula"}, .shown = {}};
  const double all = model.sum.parameters.estimate();
  for (const ModuleRow& row : module_rows(model.root, by)) {
    const Figure held = row.sum.parameters * row.times, buffers = row.sum.buffers * row.times;
    if (held.value() == 0 && buffers.value() == 0 && row.sum.tied == 0) continue;
    Cell formula = formula_of(row.sum.parameters, row.times);
    if (held.value() == 0) formula = row.sum.tied ? Sentence{"tied"} : in_buffers(buffers);
    add_row(table, row, {held_count(held), share(held.estimate(), all), formula});
  }
  table.total = {Sentence{"column.total"}, Count{model.sum.parameters.value()}, nothing,
                 formula_of(model.sum.parameters, 1)};
  return table;
}

ReportTable tensor_table(const Counted& model) {
  ReportTable table{.name = "", .columns = {"name", "shape", "parameters", "share", "note"}, .shown = {}};
  const double all = model.sum.parameters.estimate();
  for (const NamedTensor& one : tensors_of(model.root)) {
    const Figure numbers = elements(one.tensor);
    std::vector<Cell> cells{one.name, extents(one.tensor), nothing, nothing, nothing};
    if (one.tensor.kind == TensorKind::buffer)
      cells[4] = in_buffers(numbers);
    else if (!one.tensor.tied_to.empty())
      cells[4] = "= " + one.tensor.tied_to;
    else
      cells[2] = Count{numbers.value()}, cells[3] = share(numbers.estimate(), all);
    table.rows.push_back(std::move(cells));
  }
  table.total = {Sentence{"column.total"}, nothing, Count{model.sum.parameters.value()}, nothing, nothing};
  return table;
}

ReportTable work_table(const Counted& model, By by, std::uint64_t bytes) {
  ReportTable table{
      .name = "", .columns = {"name", "macs", "flops", "hook", "missed", "cells", "formula"}, .shown = {}};
  const auto cells = [&](const Totals& sum, std::uint64_t times) {
    const double n = static_cast<double>(times), macs = sum.macs.estimate();
    return std::vector<Cell>{short_count(n * macs),
                             short_count(n * sum.flops().estimate()),
                             short_count(n * sum.hook.estimate()),
                             share(macs - sum.seen.estimate(), macs),
                             Bytes{n * sum.cells.estimate() * static_cast<double>(bytes)},
                             formula_of(sum.macs, times)};
  };
  for (const ModuleRow& row : module_rows(model.root, by))
    if (row.sum.cells.value()) add_row(table, row, cells(row.sum, row.times));
  table.total = cells(model.sum, 1);
  table.total.insert(table.total.begin(), Sentence{"column.total"});
  return table;
}

/// A page has all columns; the last one may be text.
ReportTable on_page(ReportTable table) {
  table.shown = table.columns, table.of_text = true;
  return table;
}

Report begun(Precision precision) {
  Report report{frame_of("params"), {}};
  report.trace.facts["dtype"] = word_of(precisions(), precision);
  report.next = {report.frame.next};
  return report;
}

/// What is said below the tables: memory, looks, the cost, where to go on.
void add_footer(Report& report, const Counted& model) {
  report.looks = {"token",  "pair", "overtakes", "overtaken", "missed", "conv1d",
                  "hooked", "tied", "buffers",   "rounded",   "file"};
  report.add(Row{"memory", Sentence{"bytes"}}), report.add(Row{"", Sentence{"activations"}});
  if (model.shape) {
    Cost cost;
    cost.parameters = model.sum.parameters.value();
    cost.macs = model.sum.macs.value(), cost.flops = model.sum.flops().value(), cost.timing.reset();
    report.trace.measured = cost, report.has_cost = true;
  }
  report.next.push_back("params gpt2 gpt2-xl bert-base");
  report.onward = {{"next.count"}, {"next.int8"}};
  if (model.shape && has_parts_since_2017(*model.shape)) report.onward.push_back({"next.modern"});
}

} // namespace

Report count_report(const Counted& model, const CountRequest& request) {
  Report report = begun(request.precision);
  Trace& trace = report.trace;
  state_sizes(trace, model);
  remark(trace, model, request.precision);
  if (const auto command = int8_command(model); command && !request.int8)
    trace.facts["int8_command"] = *command;
  report.add("total", Count{model.sum.parameters.value()});
  report.add(models_table({model}, request.precision));
  say_sizes(report, model);
  report.say("copy_task");
  report.say_in_one({"config.defaults", "config.class", "config.bare", "config.quantized"});
  if (request.int8) add_held(report, *request.int8, request.digits);
  report.add(on_page(request.by == By::tensor ? tensor_table(model) : held_table(model, request.by)));
  report.say_in_one({"kv", "kv.stacks", "kv.groups", "kv.window"});
  report.say_in_one({"index.exact", "index.more", "index.plain", "index.missing", "index.besides"});
  if (model.shape) {
    report.say("pass"), report.say("pass.image");
    if (request.by != By::tensor)
      report.add(on_page(work_table(model, request.by, bytes_of(request.precision))));
    report.say("convention");
  }
  add_footer(report, model);
  report.status = status_of(trace);
  return report;
}

Report comparison_report(const std::vector<Counted>& models, const CountRequest& request) {
  Report report = begun(request.precision);
  const double bytes = static_cast<double>(bytes_of(request.precision));
  ReportTable table{
      .name = "",
      .columns = {"name", "parameters", "macs", "flops", "hook", "missed", "weights", "training", "cells"},
      .shown = {}};
  table.shown = table.columns;
  std::vector<Sentence> vocabularies;
  for (const Counted& model : models) {
    Trace trace;
    remark(trace, model, request.precision);
    report.status = std::max(report.status, status_of(trace));
    if (const Names sizes = vocabulary_of(model); !sizes.empty())
      vocabularies.push_back({"vocabulary", {{"model", model.name}}, {{"sizes", sizes_in_words(sizes)}}});
    const Totals& sum = model.sum;
    const double held = sum.parameters.estimate() * bytes, macs = sum.macs.estimate();
    const auto work = [&](const Cell& cell) { return model.shape ? cell : Cell("?"); };
    table.rows.push_back({model.name, Count{sum.parameters.value()}, work(short_count(macs)),
                          work(short_count(sum.flops().estimate())), work(short_count(sum.hook.estimate())),
                          work(share(macs - sum.seen.estimate(), macs)), Bytes{held}, Bytes{4 * held},
                          work(Bytes{sum.cells.estimate() * bytes})});
  }
  report.add(models_table(models, request.precision));
  report.add(std::move(table));
  if (!vocabularies.empty())
    report.parts.emplace_back(Sentence{
        "vocabularies", {}, {{"vocabularies", list_of("vocabulary.list", std::move(vocabularies))}}});
  report.say("side_by_side"), report.say("convention");
  report.next.push_back("params " + shell_quoted(models.front().name));
  return report;
}

Report index_report(const Counted& model, By by) {
  const WeightIndex& index = *model.index;
  Report report{frame_of("params"), {}};
  report.trace.facts["index"] = printable(index.path);
  report.trace.facts["index_tensors"] = with_separators(index.tensors.size());
  report.trace.facts["index_files"] = with_separators(index.files);
  if (index.bytes) report.trace.facts["index_bytes"] = with_separators(*index.bytes);
  report.add("total", None());
  report.add(index_table(model));
  report.say_in_one({"index.names", "index.bytes"});
  ReportTable table{.name = "", .columns = {"name", by == By::tensor ? "file" : "tensors"}, .shown = {}};
  if (by == By::tensor)
    for (const WeightIndex::Tensor& one : index.tensors) table.rows.push_back({one.name, one.file});
  else
    for (const ModuleRow& row : module_rows(model.root, by))
      add_row(table, row, {Count{row.sum.tensors * row.times}});
  report.add(on_page(std::move(table)));
  report.next = {report.frame.next, "params config.json"};
  return report;
}

} // namespace tfx
