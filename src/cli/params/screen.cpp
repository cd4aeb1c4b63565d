#include "cli/params/screen.hpp"

#include "cli/params/int8.hpp"
#include "core/number.hpp"
#include "core/shape.hpp"
#include "render/footer.hpp"
#include "render/paper.hpp"
#include "render/style.hpp"
#include "render/text_layout.hpp"
#include "text/utf8.hpp"
#include "words/in_words.hpp"

#include <fmt/format.h>

#include <initializer_list>

namespace tfx {

using namespace params;

namespace {

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
      add(alike > 1 ? name + " … " + last.substr(last.rfind('.') + 1) : name, indent, totals(child),
          times * alike);
      if (child.kind == ModuleKind::layer && by_ == By::module && indent == 0) below(child, "", 2, alike);
      i += alike;
    }
  }

  std::vector<ModuleRow> take() { return std::move(rows_); }

private:
  void add(const std::string& name, std::size_t indent, const Totals& sum, std::uint64_t times) {
    rows_.push_back({escape_controls(name), indent, sum, times});
  }

  void own_tensors(const Module& module, const std::string& prefix, std::size_t indent, std::uint64_t times) {
    for (const TensorSpec& tensor : module.tensors)
      add(join(prefix, tensor.name), indent, totals(Module{"", ModuleKind::unit, {tensor}}), times);
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

} // namespace

std::vector<ModuleRow> module_rows(const Module& root, By by) {
  ModuleRows rows(by);
  rows.below(root, "", 0, 1);
  return rows.take();
}

std::string formula_of(const Figure& figure, std::uint64_t times) {
  if (!figure.is_symbolic()) return "";
  const std::string one = figure.formula();
  if (one.find(" + ") == std::string::npos) return (figure * times).formula();
  return times == 1 ? one : std::to_string(times) + "·(" + one + ")";
}

namespace {

std::string share(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : "";
}

std::string exact(const Figure& figure) {
  return with_separators(figure.value());
}

class ParamsTables {
public:
  ParamsTables(const Paper& paper, const Counted& model, std::uint64_t bytes)
      : paper_(paper), model_(model), bytes_(static_cast<double>(bytes)) {}

  Table held(By by) const {
    Table table{{column("parameters"), column("share"), column("formula")}, {}, Table::Last::text};
    for (const ModuleRow& row : module_rows(model_.root, by)) {
      const Figure p = row.sum.parameters * row.times, b = row.sum.buffers * row.times;
      if (p.value() == 0 && b.value() == 0 && row.sum.tied == 0) continue;
      std::string formula = formula_of(row.sum.parameters, row.times);
      if (p.value() == 0) formula = row.sum.tied ? column("tied") : exact(b) + " " + column("buffers");
      table.rows.push_back(
          {row.name, {p.value() ? exact(p) : "", p.value() ? of_all(p) : "", formula}, row.indent, false});
    }
    const std::string formula = formula_of(model_.sum.parameters, 1);
    table.rows.push_back({column("total"), {exact(model_.sum.parameters), "", formula}, 0, true});
    return table;
  }

  Table tensors() const {
    Table table{
        {column("shape"), column("parameters"), column("share"), column("note")}, {}, Table::Last::text};
    for (const NamedTensor& one : tensors_of(model_.root)) {
      Shape shape;
      for (const Figure& extent : one.tensor.shape) shape.push_back(extent.value());
      const bool buffer = one.tensor.kind == TensorKind::buffer, tied = !one.tensor.tied_to.empty();
      const Figure count = elements(one.tensor);
      const std::string note = buffer ? exact(count) + " " + column("buffers")
                               : tied ? "= " + one.tensor.tied_to
                                      : "";
      const bool own = !buffer && !tied;
      table.rows.push_back({escape_controls(one.name),
                            {to_page_string(shape), own ? exact(count) : "", own ? of_all(count) : "", note},
                            0,
                            false});
    }
    table.rows.push_back({column("total"), {"", exact(model_.sum.parameters), "", ""}, 0, true});
    return table;
  }

  Table done(By by) const {
    Table table{{column("macs"), column("flops"), column("hook"), column("missed"), column("cells"),
                 column("formula")},
                {},
                Table::Last::text};
    for (const ModuleRow& row : module_rows(model_.root, by)) {
      if (row.sum.cells.value() == 0) continue;
      table.rows.push_back(work(row.name, row.sum, row.times));
      table.rows.back().indent = row.indent;
    }
    table.rows.push_back(work(column("total"), model_.sum, 1));
    table.rows.back().strong = true;
    return table;
  }

private:
  TableRow work(const std::string& name, const Totals& sum, std::uint64_t times) const {
    const double n = static_cast<double>(times), macs = sum.macs.estimate(),
                 missed = macs - sum.seen.estimate();
    return {name,
            {short_count(n * macs), short_count(n * sum.flops().estimate()),
             short_count(n * sum.hook.estimate()), missed > 0 ? share(missed, macs) : "",
             format_bytes(n * sum.cells.estimate() * bytes_), formula_of(sum.macs, times)},
            0,
            false};
  }

  std::string of_all(const Figure& part) const {
    return share(part.estimate(), model_.sum.parameters.estimate());
  }
  std::string column(const std::string& key) const { return paper_.word("column." + key).value_or(key); }

  const Paper& paper_;
  const Counted& model_;
  double bytes_;
};

void write(Paper& paper, const Table& table) {
  for (const std::string& line : table_lines(table, paper.style())) paper.line(line);
  paper.line();
}

void write_remarks(Paper& paper) {
  std::string name = paper.ui("look");
  for (const char* key : {"token", "pair", "overtakes", "overtaken", "missed", "conv1d", "hooked", "tied",
                          "buffers", "rounded", "file"})
    if (const auto text = paper.word(std::string("look.") + key)) paper.row(name, *text), name.clear();
}

/// The sentences that this run has, in one paragraph.
std::optional<std::string> in_one(const Paper& paper, std::initializer_list<const char*> keys) {
  std::string text;
  for (const char* key : keys)
    if (const auto sentence = paper.word(key)) {
      const bool spaced = !text.empty() && language() == Language::en;
      text += (spaced ? " " : "") + *sentence;
    }
  return text.empty() ? std::nullopt : std::optional(text);
}

bool has_parts_since_2017(const params::ModelShape& shape) {
  return shape.gated || shape.positions == Positions::rotary ||
         (shape.kv_heads > 0 && shape.kv_heads < shape.heads);
}

std::string next_line(const ParamsScreen& screen) {
  return screen.frame.next.empty() ? "" : "tfx " + screen.frame.next + "    ";
}

} // namespace

std::string render_params(const Counted& model, const Trace& trace, const ParamsScreen& screen,
                          const Words& words, const Style& style) {
  Paper paper(trace, words, style);
  write_title(paper, screen.frame);
  for (const char* key : {"sizes.pair", "sizes.depths", "sizes.stack", "sizes.placeless", "sizes.image",
                          "sizes.file", "copy_task"})
    paper.paragraph(paper.word(key));
  paper.paragraph(in_one(paper, {"config.defaults", "config.class", "config.bare", "config.quantized"}));
  if (screen.int8) write_held(paper, *screen.int8);
  const ParamsTables tables(paper, model, bytes_of(screen.precision));
  write(paper, screen.by == By::tensor ? tables.tensors() : tables.held(screen.by));
  paper.paragraph(in_one(paper, {"kv", "kv.stacks", "kv.groups", "kv.window"}));
  paper.paragraph(
      in_one(paper, {"index.exact", "index.more", "index.plain", "index.missing", "index.besides"}));
  if (model.shape) {
    for (const char* key : {"pass", "pass.image"}) paper.paragraph(paper.word(key));
    if (screen.by != By::tensor) write(paper, tables.done(screen.by));
    paper.paragraph(paper.word("convention"));
  }
  write_remarks(paper);
  if (!trace.checks.empty()) write_checks(paper);
  if (model.shape) {
    Cost cost;
    cost.parameters = model.sum.parameters.value();
    cost.macs = model.sum.macs.value(), cost.flops = model.sum.flops().value();
    paper.row(paper.ui("cost"), amount(paper, cost));
  }
  paper.row(paper.word("memory").value_or(""), paper.word("bytes").value_or(""));
  if (const auto text = paper.word("activations")) paper.row("", *text);
  paper.row(paper.ui("next"), next_line(screen) + "tfx params gpt2 gpt2-xl bert-base");
  std::vector<const char*> more{"next.count", "next.int8"};
  if (model.shape && has_parts_since_2017(*model.shape)) more.push_back("next.modern");
  for (const char* key : more)
    if (const auto text = paper.word(key)) paper.row("", *text);
  return paper.take();
}

std::string render_index(const Counted& model, const Trace& trace, const ParamsScreen& screen,
                         const Words& words, const Style& style) {
  Paper paper(trace, words, style);
  write_title(paper, screen.frame);
  paper.paragraph(in_one(paper, {"index.names", "index.bytes"}));
  Table table{{paper.column(screen.by == By::tensor ? "file" : "tensors")}, {}, Table::Last::text};
  if (screen.by == By::tensor)
    for (const WeightIndex::Tensor& one : model.index->tensors)
      table.rows.push_back({escape_controls(one.name), {escape_controls(one.file)}, 0, false});
  else
    for (const ModuleRow& row : module_rows(model.root, screen.by))
      table.rows.push_back({row.name, {with_separators(row.sum.tensors * row.times)}, row.indent, false});
  write(paper, table);
  paper.row(paper.ui("next"), next_line(screen) + "tfx params config.json");
  return paper.take();
}

std::string render_comparison(const std::vector<Counted>& models, const Trace& trace,
                              const ParamsScreen& screen, const Words& words, const Style& style) {
  Paper paper(trace, words, style);
  write_title(paper, screen.frame);
  const auto column = [&](const char* key) { return paper.word(std::string("column.") + key).value_or(key); };
  Table table{{column("parameters"), column("macs"), column("flops"), column("hook"), column("missed"),
               column("weights"), column("training"), column("cells")},
              {},
              Table::Last::number};
  for (const Counted& model : models) {
    const Totals& sum = model.sum;
    const double bytes = static_cast<double>(bytes_of(screen.precision)),
                 p = sum.parameters.estimate() * bytes;
    const double missed = sum.macs.estimate() - sum.seen.estimate();
    const auto work = [&](const std::string& text) { return model.shape ? text : std::string("?"); };
    table.rows.push_back({escape_controls(model.name),
                          {exact(sum.parameters), work(short_count(sum.macs.estimate())),
                           work(short_count(sum.flops().estimate())), work(short_count(sum.hook.estimate())),
                           work(missed > 0 ? share(missed, sum.macs.estimate()) : ""), format_bytes(p),
                           format_bytes(4 * p), work(format_bytes(sum.cells.estimate() * bytes))},
                          0,
                          false});
  }
  write(paper, table);
  for (const char* key : {"vocabularies", "side_by_side", "convention"}) paper.paragraph(paper.word(key));
  if (!trace.checks.empty()) write_checks(paper);
  paper.row(paper.ui("next"), next_line(screen) + "tfx params " + escape_controls(models[0].name));
  return paper.take();
}

} // namespace tfx
