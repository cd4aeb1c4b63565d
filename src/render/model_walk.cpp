#include "render/model_walk.hpp"

#include "core/number.hpp"
#include "render/bar_picture.hpp"
#include "render/cell_address.hpp"
#include "render/footer.hpp"
#include "render/heatmap.hpp"
#include "render/matrix.hpp"
#include "render/paper.hpp"
#include "render/style.hpp"
#include "text/display_width.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace tfx {

namespace {

class Formulas {
public:
  Formulas(const Trace& trace, std::string layer, bool norm_first)
      : trace_(trace), layer_(std::move(layer)), norm_first_(norm_first) {}

  std::vector<std::string> attention(const std::string& part, bool masked, bool of_memory) const {
    const Step* weights = trace_.find(layer_ + "." + part + ".weights");
    const std::size_t rank = weights ? weights->value.rank() : 0;
    const std::size_t heads = weights ? weights->value.shape[rank - 3] : 0;
    const Step* output = trace_.find(layer_ + "." + part + ".output");
    const std::size_t d_k = output && heads ? output->value.shape.back() / heads : 0;
    const bool turns = !of_memory && trace_.facts.contains("rotary");
    const std::string scaled = fmt::format("{}/√{}", turns ? "rot(Q)·rot(K)ᵀ" : "Q·Kᵀ", d_k);
    const std::string joined =
        heads > 1 ? fmt::format("[head 0{} head {}]", heads > 2 ? " …" : ",", heads - 1) : "head 0";
    const std::string of = norm_first_ ? "norm(x)" : "x";
    const std::string projected =
        of_memory ? "Q = " + of + "·W_Q" + bias("queries", "b_Q") + "; K, V = memory·W" + bias("queries", "b")
                  : "Q, K, V = " + of + "·W" + bias("queries", "b");
    const std::string soft = masked ? "softmax(mask(" + scaled + "))·V" : "softmax(" + scaled + ")·V";
    return {"x ← " + added(joined + "·W_O" + bias("output", "b_O")) + shape(part + ".output"),
            "head = " + soft + ",  " + projected};
  }

  std::vector<std::string> feed_forward() const {
    const std::string of = norm_first_ ? "norm(x)" : "x";
    const bool gated = trace_.facts.contains("gated");
    const std::string first = activation() + "(" + of + "·W_1" + bias("feed_forward", "b_1") + ")",
                      hidden = gated ? "(" + first + " ⊙ (" + of + "·W_3" + bias("feed_forward", "b_3") + "))"
                                     : first;
    return {"x ← " + added(hidden + "·W_2" + bias("feed_forward", "b_2")) + shape("sublayer.0.output") +
            " →" + shape("feed_forward.hidden") + " →" + shape("feed_forward.output")};
  }

private:
  /// " + b_1", or nothing where such layers have none.
  std::string bias(const std::string& of, const std::string& name) const {
    const auto without = trace_.facts.find("without_bias");
    const bool none = without != trace_.facts.end() &&
                      std::ranges::count(std::get<std::vector<std::string>>(without->second), of) > 0;
    return none ? "" : " + " + name;
  }

  /// "relu", "gelu": as the engine's step or the page's says it.
  std::string activation() const {
    const auto named = trace_.facts.find("activation");
    return named == trace_.facts.end() ? "relu" : std::get<std::string>(named->second);
  }

  std::string added(const std::string& term) const {
    return norm_first_ ? "x + " + term : "norm(x + " + term + ")";
  }

  std::string shape(const std::string& name) const {
    const Step* step = trace_.find(layer_ + "." + name);
    return step ? " " + to_page_string(step->value.shape) : "";
  }

  const Trace& trace_;
  std::string layer_;
  bool norm_first_;
};

} // namespace

LayerFormulas formulas_of(const Trace& trace, const std::string& layer, bool norm_first) {
  const Formulas formulas(trace, layer, norm_first);
  const bool is_decoder = layer.starts_with("decoder"), has_source = trace.has(layer + ".src_attn.output");
  return {formulas.attention("self_attn", is_decoder, false),
          has_source ? formulas.attention("src_attn", false, true) : std::vector<std::string>{},
          trace.has(layer + ".feed_forward.output") ? formulas.feed_forward() : std::vector<std::string>{}};
}

namespace {

constexpr std::size_t most_rows = 10;   // of the answer
constexpr std::size_t small_width = 12; // numbers of a token that are all shown

class Walk {
public:
  Walk(const Trace& trace, const ModelWalk& walk, const Screen& screen, const Words& words,
       const Style& style)
      : trace_(trace),
        walk_(walk),
        screen_(screen),
        words_(words),
        style_(style),
        paper_(trace, words, style) {}

  std::vector<WalkSection> page() {
    if (!screen_.part.empty()) return further_page();
    write_title(paper_, screen_);
    paper_.paragraph(paper_.word("intro"));
    for (const char* key : {"asked.trained", "asked.drawn"})
      if (const auto text = paper_.word(key)) lines(*text);
    if (trace_.idea) write_idea(paper_, *trace_.idea);
    if (!walk_.answer.empty() && walk_.whole) answer(walk_.answer);
    if (!walk_.changed.empty()) intervention();
    write_looks(paper_, looks_on_page,
                [&](const std::string& key) { return key == "look.1" || key == "look.2"; });
    const Spotlight light = trace_.spotlight.value_or(Spotlight{trace_.main, {0, 0}});
    paper_.row(paper_.ui("cell"), command("tfx explain model " + light.tensor +
                                          cell_address(*trace_.find(light.tensor), light.index)));
    paper_.line();
    if (walk_.changed.empty() || walk_.whole) {
      flow();
      if (!walk_.in_pages)
        for (const std::string& layer : layers()) layer_sections(layer);
    }
    if (!walk_.in_pages) ablation();
    footer();
    if (walk_.whole) activations();
    end_section();
    return std::move(sections_);
  }

private:
  void activations() {
    paper_.line();
    heading(paper_.word("section.activations").value_or(""));
    for (const std::string& line : activation_table(walk_.activations, words_, style_)) paper_.line(line);
  }

  // A side's layers, or what each part contributes.
  std::vector<WalkSection> further_page() {
    const auto shown = std::ranges::find(screen_.further, screen_.part, &FurtherPage::name);
    write_title(paper_, screen_);
    write_looks(paper_, looks_on_page,
                [&](const std::string& key) { return std::ranges::count(shown->looks, key) > 0; });
    paper_.line();
    if (screen_.part == "parts") ablation();
    for (const std::string& layer : layers())
      if (layer.starts_with(screen_.part)) layer_sections(layer);
    paper_.row(paper_.ui("next"), escape_controls("tfx " + screen_.next));
    end_section();
    return std::move(sections_);
  }

  std::string command(const std::string& text) const { return escape_controls(text + screen_.options); }

  void lines(const std::string& text) {
    for (const std::string& one : wrap(style_.symbols(escape_controls(text)), style_.width)) paper_.line(one);
  }

  void end_section(const std::string& next = {}) {
    sections_.push_back({std::exchange(subject_, next), paper_.take()});
  }

  // A section begins. The first line is the heading; what to see in it is the rest.
  void heading(const std::string& text, const std::string& subject = {}) {
    end_section(subject);
    const std::size_t end = std::min(text.find('\n'), text.size());
    paper_.subheading(text.substr(0, end));
    if (end < text.size()) lines(text.substr(end + 1));
  }

  std::string number(double value) const { return screen_number(value, std::min(style_.precision, 4)); }

  // The first and the last positions of a long target.
  template <class Row>
  void answer_rows(Table& table, std::size_t count, const Row& row) {
    for (const std::size_t i : shown_of(count, most_rows, most_rows / 2 - 1).positions)
      table.rows.push_back(i == Shown::gap
                               ? TableRow{"…", std::vector<std::string>(table.headings.size()), 0, false}
                               : row(i));
  }

  void answer(const std::vector<WalkAnswer>& rows) {
    Table table;
    for (const char* key : {"right", "p", "other", "p"}) table.headings.push_back(paper_.column(key));
    answer_rows(table, rows.size(), [&](std::size_t i) {
      const WalkAnswer& one = rows[i];
      return TableRow{one.read, {one.right, number(one.p_right), one.other, number(one.p_other)}, 0, false};
    });
    paper_.table(table);
  }

  void intervention() {
    heading(paper_.word("section.intervention").value_or(""));
    Table table;
    for (const char* key : {"right", "p", "after", "lost", "other", "after"})
      table.headings.push_back(paper_.column(key));
    answer_rows(table, walk_.changed.size(), [&](std::size_t i) {
      const WalkAnswer &before = walk_.answer[i], &now = walk_.changed[i];
      return TableRow{before.read,
                      {before.right, number(before.p_right), number(now.p_right),
                       number(before.p_right - now.p_right), now.other, number(now.p_other)},
                      0,
                      false};
    });
    paper_.table(table);
    paper_.paragraph(paper_.word("effect"));
  }

  static std::string layer_of(const std::string& module) {
    const std::size_t at = module.find(".layers.");
    return at == std::string::npos ? "" : module.substr(0, module.find('.', at + 8));
  }

  // All, or the first and the last of each side.
  std::vector<std::string> layers() const {
    std::vector<std::string> encoder, decoder, all;
    for (const WalkModule& module : walk_.modules)
      if (layer_of(module.name) == module.name)
        (module.name.starts_with("encoder") ? encoder : decoder).push_back(module.name);
    for (auto* side : {&encoder, &decoder}) {
      if (!walk_.whole && side->size() > 2) side->erase(side->begin() + 1, side->end() - 1);
      all.insert(all.end(), side->begin(), side->end());
    }
    return all;
  }

  // The output of a layer's last sublayer.
  std::string last_sum(const std::string& layer) const {
    std::size_t count = 0;
    while (trace_.has(sum_of(layer, count))) ++count;
    return count > 0 ? sum_of(layer, count - 1) : "";
  }
  static std::string sum_of(const std::string& layer, std::size_t sublayer) {
    return layer + ".sublayer." + std::to_string(sublayer) + ".output";
  }

  std::string shape_of(const std::string& module) const {
    const std::string layer = layer_of(module);
    std::string name = module;
    if (module == "encoder.norm") name = "memory";
    if (module == "decoder.norm") name = "decoder.output";
    if (module == "generator") name = "log_probs";
    if (!layer.empty()) name = layer == module ? last_sum(layer) : module + ".output";
    const Step* step = trace_.find(name);
    return step ? to_page_string(step->value.shape) : "";
  }

  void flow() {
    heading(paper_.word("section.flow").value_or(""));
    for (const char* key : {"flow.shared_heads", "flow.window"})
      if (const auto said = paper_.word(key)) lines(*said);
    Table table;
    table.headings = {paper_.column("shape"), paper_.column("parameters"), "MAC"};
    if (screen_.with_time) table.headings.push_back(paper_.column("time"));
    const std::vector<std::string> shown = layers();
    bool left_out = false;
    for (const WalkModule& module : walk_.modules) {
      const std::string layer = layer_of(module.name);
      if (!layer.empty() && std::ranges::count(shown, layer) == 0) {
        if (!left_out) table.rows.push_back({"…", std::vector<std::string>(table.headings.size()), 0, false});
        left_out = true;
        continue;
      }
      left_out = false;
      const bool inner = !layer.empty() && layer != module.name;
      const auto said = paper_.word("flow." + module.name);
      std::vector<std::string> cells = {shape_of(module.name), with_separators(module.parameters),
                                        with_separators(module.macs)};
      if (screen_.with_time) cells.push_back(format_seconds(module.seconds));
      table.rows.push_back({inner ? module.name.substr(layer.size() + 1) : said.value_or(module.name),
                            std::move(cells), inner ? std::size_t{2} : 0, false});
    }
    paper_.table(table);
  }

  void layer_sections(const std::string& layer) {
    const LayerFormulas of_layer = formulas_of(trace_, layer, walk_.norm_first);
    attention(layer + ".self_attn", of_layer.self_attn);
    if (!of_layer.src_attn.empty()) attention(layer + ".src_attn", of_layer.src_attn);
    if (!of_layer.feed_forward.empty()) heading_of(layer + ".feed_forward", "feed_forward");
    formulas(of_layer.feed_forward);
    stream(layer);
    if (const Step* x = trace_.find(last_sum(layer)); x && x->value.shape.back() <= small_width) {
      lines(header_line(*x, style_));
      for (const std::string& line : matrix_block(*x, 0, style_, style_.width).lines) paper_.line(line);
    }
    paper_.line();
  }

  void heading_of(const std::string& place, const std::string& kind) {
    heading(paper_.ui("part", {{"name", place}, {"what", paper_.word("kind." + kind).value_or("")}}), place);
  }

  void attention(const std::string& place, const std::vector<std::string>& formula) {
    heading_of(place, place.substr(0, 7) + place.substr(place.rfind('.')));
    formulas(formula);
    const Step* weights = trace_.find(place + ".weights");
    if (!weights || style_.picture == Picture::off) return paper_.line();
    const Step seen = with_labels(*weights, place.ends_with("src_attn"));
    const std::size_t heads = seen.value.shape[seen.value.rank() - 3];
    std::vector<TextBlock> pictures;
    for (std::size_t head = 0; head < heads; ++head)
      pictures.push_back(alignment_picture(seen, head, "head " + std::to_string(head), style_));
    for (const std::string& line : tfx::place(pictures, style_.width)) paper_.line(line);
    paper_.line();
  }

  // On a page once: the layers of a side are alike.
  void formulas(const std::vector<std::string>& of_part) {
    for (const std::string& line : of_part)
      if (said_.insert(line).second || !walk_.in_pages) lines(line);
  }

  // Into the source a row looks to find the token that it is to write.
  Step with_labels(const Step& weights, bool of_source) const {
    Step step = weights;
    const std::size_t rank = step.value.rank();
    step.labels.resize(rank);
    for (const std::size_t axis : {rank - 2, rank - 1})
      if (step.labels[axis].empty())
        for (std::size_t i = 0; i < step.value.shape[axis]; ++i)
          step.labels[axis].push_back(std::to_string(i));
    if (of_source && rank == 3 && walk_.answer.size() == step.value.shape[1])
      for (std::size_t i = 0; i < walk_.answer.size(); ++i)
        step.labels[1][i] = read_and_written(walk_.answer[i].read, walk_.answer[i].right);
    return step;
  }

  // The mean length of a token's vector, as a layer's sublayers add to it.
  void stream(const std::string& layer) {
    const std::size_t index = std::stoul(layer.substr(layer.rfind('.') + 1));
    const bool is_decoder = layer.starts_with("decoder");
    std::string x = is_decoder ? "tgt_embed" : "src_embed";
    if (index > 0) x = last_sum(layer.substr(0, layer.rfind('.') + 1) + std::to_string(index - 1));
    if (!trace_.has(x)) return;
    std::string text = hundredths(mean_length(x));
    std::size_t sublayer = 0;
    for (const char* part : {"self_attn", "src_attn", "feed_forward"}) {
      if (!trace_.has(layer + "." + part + ".output")) continue;
      const std::string sum = sum_of(layer, sublayer++);
      text += fmt::format("  + {} {} → {}", part, hundredths(mean_length(layer + "." + part + ".output")),
                          hundredths(mean_length(sum)));
    }
    paper_.row(paper_.word("length").value_or(""), text);
  }

  double mean_length(const std::string& name) const {
    const Tensor& X = trace_[name];
    const std::size_t width = X.shape.back(), rows = X.size() / width;
    double sum = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      double squares = 0;
      for (std::size_t j = 0; j < width; ++j) squares += std::pow(X.data[i * width + j], 2);
      sum += std::sqrt(squares);
    }
    return sum / static_cast<double>(rows);
  }

  void ablation() {
    const auto found = std::ranges::find(trace_.experiments, "ablation", &Experiment::name);
    if (found == trace_.experiments.end()) return;
    heading(paper_.word("section.ablation").value_or(""));
    const std::size_t columns = found->columns.size();
    Table table;
    for (const std::string& column : found->columns) table.headings.push_back(paper_.column(column));
    for (std::size_t i = 0; i < found->rows.size(); ++i) {
      TableRow row{found->rows[i], {}, 0, false};
      for (std::size_t j = 0; j < columns; ++j) {
        const double lost = found->values.data[i * columns + j];
        row.cells.push_back(std::isnan(lost) ? "" : thousandths(lost));
      }
      table.rows.push_back(std::move(row));
    }
    paper_.table(table);
    if (!walk_.in_pages) paper_.paragraph(paper_.word("look.5"));
  }

  static std::string hundredths(double value) { return fmt::format("{:.2f}", value); }

  static std::string thousandths(double value) {
    const std::string text = fmt::format("{:.3f}", value);
    return text == "-0.000" ? "0.000" : text;
  }

  void footer() {
    paper_.paragraph(paper_.word("loss"));
    paper_.paragraph(paper_.word("gradients"));
    paper_.paragraph(paper_.word("blocked_rows"));
    write_folded_checks(paper_, screen_);
    const Cost& cost = *trace_.measured;
    paper_.row(paper_.ui("cost"), amount(paper_, cost) + time_of(paper_, cost, screen_));
    if (!walk_.in_pages) paper_.row(paper_.ui("data"), paper_.word("weights").value_or(""));
    const bool is_usual = !trace_.facts.contains("family"); // the others are the lesson's model
    const std::string next = escape_controls("tfx " + screen_.next),
                      breaks = is_usual ? paper_.word("try.break").value_or("") : "";
    const bool is_beside =
        Paper::margin + display_width(next) + 4 + display_width(breaks) <= style_.width && !breaks.empty();
    paper_.row(paper_.ui("next"), next + (is_beside ? "    " + breaks : ""));
    if (!is_beside && !breaks.empty()) paper_.row("", breaks);
    for (const char* key : {"try.without", "try.text", "try.words", "try.full", "try.small"})
      if (is_usual || key == std::string("try.full"))
        if (const auto text = paper_.word(key)) paper_.row("", *text);
  }

  const Trace& trace_;
  const ModelWalk& walk_;
  const Screen& screen_;
  const Words& words_;
  const Style& style_;
  Paper paper_;
  std::vector<WalkSection> sections_;
  std::string subject_;        // of the one being written
  std::set<std::string> said_; // formulas
};

} // namespace

std::vector<WalkSection> render_model_walk(const Trace& trace, const ModelWalk& walk, const Screen& screen,
                                           const Words& words, const Style& style) {
  return Walk(trace, walk, screen, words, style).page();
}

std::string page_of(const ModelWalk& walk, const Trace& trace, const Screen& screen, const Words& words,
                    const Style& style) {
  std::string page;
  for (const WalkSection& section : render_model_walk(trace, walk, screen, words, style))
    page += section.text;
  return page;
}

} // namespace tfx
