#include "render/html/section.hpp"

#include "core/number.hpp"
#include "render/bar_picture.hpp"
#include "render/cell_address.hpp"
#include "render/footer.hpp"
#include "render/html/cell_book.hpp"
#include "render/html/charts.hpp"
#include "render/html/explanation.hpp"
#include "render/html/matrix_table.hpp"
#include "render/learned_box.hpp"
#include "render/matrix.hpp"
#include "render/style.hpp"
#include "text/display_width.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"
#include "trace/cost.hpp"
#include "trace/trace.hpp"

#include <algorithm>

namespace tfx {

namespace {

const char* class_of(Role role) {
  switch (role) {
  case Role::before: return "step before";
  case Role::input: return "step input";
  case Role::parameter: return "step parameter";
  case Role::recap: return "step recap";
  case Role::result: return "step result";
  case Role::gradient: return "step gradient";
  }
  return "step";
}

Html lines_of(const std::vector<std::string>& lines) {
  Html all;
  for (const std::string& line : lines) all += Html::text(escape_controls(line)) + Html::trusted("\n");
  return all;
}

Html effort(const Bilingual& words, const Step& step, const Screen& screen) {
  if (step.role != Role::result && step.role != Role::gradient) return {};
  const Cost cost = cost_of(words.trace(), step);
  if (cost.flops == 0) return {};
  std::string text;
  if (cost.macs) text = with_separators(cost.macs) + " MAC = ";
  text += with_separators(cost.flops) + " FLOP";
  Html span = Html::text(text);
  if (screen.with_time && step.role == Role::result && step.timing)
    span += Html::text(" · ") +
            in_both({time_text(words.en(), *step.timing), time_text(words.zh(), *step.timing)});
  return element("span", {{"class", "effort"}}, span);
}

Html origin(const Bilingual& words, const Step& step) {
  if (step.formula.empty()) return {};
  const Both source = words.source(step.formula);
  const bool given = step.operation.is(op::given);
  const Html lead = given ? words.ui("from") + Html::text(" ") : Html::text("= ");
  return element("span", {{"class", given ? "origin" : "formula"}}, lead + in_both(source));
}

} // namespace

void Section::title(const Screen& screen) {
  const auto line = [](const Html& text) { return element("p", {{"class", "number"}}, text); };
  Html number; // a command beside the course is no appendix either
  if (screen.is_lesson) number = line(words_.in_course(screen.number));
  if (!screen.part.empty()) number += line(words_.word("page." + screen.part));
  add(element("header", number + element("h2", words_.word("title")) +
                            element("p", {{"class", "command"}},
                                    element("code", "tfx " + screen.typed + screen.options))));
}

void Section::row(const std::string& ui_key, const Html& content) {
  if (!content.empty()) rows_ += element("dt", words_.ui(ui_key)) + element("dd", content);
}

void Section::looks(const std::vector<std::string>& names) {
  static const std::vector<std::string> numbered{"1", "2", "3", "4", "5", "6", "7", "8", "9"};
  Html items;
  for (const std::string& name : names.empty() ? numbered : names)
    if (const Html text = words_.word("look." + name); !text.empty()) items += element("p", text);
  row("look", items);
}

void Section::checks() {
  Html items;
  for (const Check& check : words_.trace().checks) {
    const Html mark =
        element("span", {{"class", check.pass ? "pass" : "fail"}}, Html::text(check.pass ? "✓" : "✗"));
    items += element("p", {{"class", "check"}}, mark + element("span", words_.check(check)));
  }
  row("check", items);
}

Html Section::take(const std::string& id) const {
  const Html rows = rows_.empty() ? Html() : element("dl", rows_);
  return element("section", {{"id", id}}, body_ + rows + book_.block());
}

Html step_figure(const Bilingual& words, const Step& step, const Screen& screen, const Html& content) {
  const Html caption = element("h3", step.name) +
                       element("span", {{"class", "shape"}}, Html::text(to_page_string(step.value.shape))) +
                       origin(words, step) + effort(words, step, screen);
  return element("figure", {{"class", class_of(step.role)}}, element("figcaption", caption) + content);
}

Html step_tables(const Bilingual& words, const Step& step, CellBook& book) {
  const std::size_t count = slices_of(step.value), shown = shown_cells(step.value).slices;
  if (count == 1 && slice_name(step, 0).empty()) return matrix_table(step, 0, words.style(), &book);
  Html slices;
  for (std::size_t i = 0; i < shown; ++i)
    slices += element("div", element("p", {{"class", "name"}}, Html::text(slice_name(step, i))) +
                                 matrix_table(step, i, words.style(), &book));
  Html all = element("div", {{"class", "slices"}}, slices);
  if (count > shown)
    all += element("p", {{"class", "more"}},
                   words.ui("more_slices", {{"count", std::to_string(count - shown)}, {"name", step.name}}));
  return all;
}

Html step_pictures(const Bilingual& words, const Step& step, CellBook* book, const std::string& legend) {
  if (step.value.rank() < 2) return {};
  Html pictures;
  for (std::size_t i = 0; i < shown_cells(step.value).slices; ++i) {
    const std::string name = slice_name(step, i);
    pictures += element("div", (name.empty() ? Html() : element("p", {{"class", "name"}}, Html::text(name))) +
                                   heat_map(step, i, words.style(), book));
  }
  return element("div", {{"class", "picture"}},
                 element("p", {{"class", "more"}}, words.ui(legend)) +
                     element("div", {{"class", "slices"}}, pictures));
}

Html amount_in_both(const Bilingual& words, const Cost& cost) {
  return in_both({amount(words.en(), cost), amount(words.zh(), cost)});
}

namespace {

/// Shares of attention: a document draws them too.
bool is_picture(const std::string& name) {
  return name == "weights" || name.starts_with("alignment") || name.ends_with("attn.weights");
}

/// A matrix as a picture: each row by its largest number.
Html drawn_rows(const Bilingual& words, const Step& step) {
  Step shares = step;
  const std::size_t width = step.value.shape.back();
  for (auto row = shares.value.data.begin(); row != shares.value.data.end();
       row += static_cast<std::ptrdiff_t>(width)) {
    const auto end = row + static_cast<std::ptrdiff_t>(width);
    if (const double largest = *std::max_element(row, end); largest > 0)
      std::for_each(row, end, [largest](double& x) { x /= largest; });
  }
  return step_pictures(words, shares, nullptr, "page.heat.rows");
}

/// Rows under the words of their columns; the first column heads the rows. `zh` is the table with its
/// sentences in Chinese.
Html table_figure(const Bilingual& words, const ShownTable& table, const ShownTable& zh) {
  Html head = element("td", Html()), body;
  constexpr std::size_t between = 2;
  std::size_t letters = 0;
  const auto said = [&](std::size_t row, std::size_t column) {
    const std::string &text = table.rows[row][column], &in_chinese = zh.rows[row][column];
    const Html word = table.worded ? words.word("column." + text) : Html();
    if (!word.empty()) return word;
    return text == in_chinese ? Html::text(text) : in_both({text, in_chinese});
  };
  const auto width = [&](const std::string& text) {
    return display_width(table.worded ? words.en().column(text) : text);
  };
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t widest = width(table.columns[c]);
    const bool is_wrapped = (table.of_lists || table.of_text) && c + 1 == table.columns.size();
    for (const auto& row : table.rows)
      if (!is_wrapped) widest = std::max(widest, width(row[c]));
    letters += widest + (c ? between : 0);
    if (c == 0) continue;
    const Html name = words.word("column." + table.columns[c]);
    head += element("th", {{"scope", "col"}}, name.empty() ? Html::text(table.columns[c]) : name);
  }
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto found = table.indents.find(i);
    std::string indent;
    for (std::size_t n = 0; found != table.indents.end() && n < found->second; ++n) indent += "\u00A0";
    Html row = element("th", {{"scope", "row"}}, Html::text(indent) + said(i, 0));
    for (std::size_t c = 1; c < table.rows[i].size(); ++c) row += element("td", said(i, c));
    body += table.strong.contains(i) ? element("tr", {{"class", "strong"}}, row) : element("tr", row);
  }
  const Html markup = element("table", element("thead", element("tr", head)) + element("tbody", body));
  return element("div",
                 {{"class", table.of_bars    ? "band bars"
                            : table.of_lists ? "band lists"
                            : table.of_text  ? "band texts"
                                             : "band"}},
                 element("figure", {{"class", "step experiment"}}, in_box(markup, letters)));
}

Html table_figure(const Bilingual& words, const ShownTable& table) {
  return table_figure(words, table, table);
}

class LessonWriter {
public:
  LessonWriter(Section& section, const Screen& screen)
      : section_(section), words_(section.words()), screen_(screen) {}

  // Consecutive tensors stand side by side; words close a band.
  void tensors() {
    std::size_t counted = 0;
    for (const Step& step : trace().steps) {
      if (step.role == Role::gradient || step.role == Role::before) continue;
      if (trace().inner.contains(step.name) && ++counted) continue;
      const bool result = step.role == Role::result;
      Html text =
          result ? words_.paragraph(step.name + "." + std::string(step.operation.kind->name)) : Html();
      if (result && text.empty()) text = words_.paragraph(step.name);
      Html numbers = result ? product_tables(trace(), step, words_.style(), section_.book()) : Html();
      const bool alone = !text.empty() || !numbers.empty();
      if (alone) close_band();
      const bool is_drawn = trace().drawn.contains(step.name);
      if (is_drawn) numbers = drawn_rows(words_, step);
      if (numbers.empty()) numbers = step_tables(words_, step, section_.book());
      if (result && !is_drawn && is_picture(step.name))
        numbers += step_pictures(words_, step, &section_.book());
      band_ += step_figure(words_, step, screen_, numbers);
      if (alone) close_band();
      section_.add(text);
    }
    close_band();
    if (counted > 0)
      section_.add(element("p", {{"class", "more"}},
                           words_.ui("page.inner", {{"count", std::to_string(counted)},
                                                    {"command", "tfx " + screen_.typed + " --full"}})));
    for (const char* key : run_remarks) section_.paragraph(key);
    for (const char* key : {"polarity", "advice"}) section_.paragraph(key);
  }

  // From the end to the beginning, each beside its central differences.
  void gradients() {
    if (trace().gradients.empty()) return;
    const std::map<std::string, std::string> end = {{"name", trace().has("loss") ? "loss" : "mean"}};
    section_.add(element("p", words_.ui("gradients", end)));
    for (const Step& step : trace().steps) {
      if (step.role != Role::gradient) continue;
      const auto check = std::ranges::find(trace().gradients, step.name, &GradientCheck::gradient);
      Html content = step_tables(words_, step, section_.book());
      if (check != trace().gradients.end()) content = compared(step, *check, content);
      section_.add(element("div", {{"class", "band"}}, step_figure(words_, step, screen_, content)));
      section_.paragraph(step.name);
    }
  }

  void experiments() {
    if (const auto mixtures = trace().facts.find("mixtures"); mixtures != trace().facts.end()) {
      section_.paragraph("mixtures");
      Html lines;
      for (const std::string& one : std::get<std::vector<std::string>>(mixtures->second))
        lines += element("li", one);
      section_.add(element("ul", {{"class", "mixtures"}}, lines));
    }
    for (const Experiment& one : trace().experiments) experiment(one.name);
  }

  void experiment(const std::string& name) {
    const Experiment* one = trace().find_experiment(name);
    if (!one) return;
    section_.paragraph(name);
    section_.paragraph(name + ".part");
    section_.add(table_figure(words_, shown(*one, words_.style())));
    Html figures;
    for (const Plot& plot : one->plots)
      figures += element("figure", {{"class", "step"}},
                         element("figcaption", words_.word("column." + plot.column)) +
                             line_chart(plot.values, plot.column, words_.style(), plot.first));
    if (!figures.empty()) section_.add(element("div", {{"class", "band"}}, figures));
  }

  void footer() {
    spell_out();
    section_.looks();
    section_.checks();
    const Cost own = lesson_cost(trace()), all = total_cost(trace());
    Html cost = amount_in_both(words_, own);
    cost += in_both({time_of(words_.en(), own, screen_), time_of(words_.zh(), own, screen_)});
    const Html whole = in_both({words_.en().ui("whole_run", {{"amount", amount(words_.en(), all)}}),
                                words_.zh().ui("whole_run", {{"amount", amount(words_.zh(), all)}})});
    section_.row("cost", element("p", cost) + element("p", whole));
    data();
  }

private:
  const Trace& trace() const { return words_.trace(); }

  void close_band() {
    if (!band_.empty()) section_.add(element("div", {{"class", "band"}}, band_));
    band_ = {};
  }

  Html compared(const Step& step, const GradientCheck& check, const Html& numbers) const {
    const auto values = difference_values(step, check, words_.style().precision);
    if (check.tried == step.value.size() && step.value.rank() <= 2) {
      Step differences = step;
      differences.value = check.differences;
      const Html beside = element("p", {{"class", "name"}}, words_.ui("differences", values)) +
                          matrix_table(differences, 0, words_.style(), nullptr);
      return element("div", {{"class", "slices"}},
                     element("div", element("p", {{"class", "name"}}, Html::text(step.name)) + numbers) +
                         element("div", beside));
    }
    return numbers + element("p", {{"class", "more"}}, words_.ui(words_of_difference(check), values));
  }

  void spell_out() {
    const std::optional<Spotlight> light = spotlight_of(trace());
    if (!light) return;
    constexpr std::size_t terms = CellBook::max_terms;
    const Explanation e = explain(trace(), light->tensor, light->index, 0, terms, words_.style().precision);
    const std::string command = "tfx explain " + screen_.command + " " + light->tensor +
                                cell_address(*trace().find(light->tensor), light->index);
    section_.row("cell",
                 arithmetic_of(words_, e, terms) + element("p", element("code", command + screen_.options)));
  }

  void data() {
    const char* origin = trace().facts.contains("trained") ? "data.trained"
                         : screen_.is_own                  ? "data.own"
                         : trace().tutorial.empty()        ? "data.drawn"
                         : screen_.tutorial_seeded         ? "data.tutorial"
                                                           : "data.shapes_only";
    const Html told = words_.word("data.text"); // of numbers that are no tutorial's
    Html content = element(
        "p", trace().tutorial.empty() && !screen_.is_own && !told.empty()
                 ? told
                 : words_.ui(origin, {{"tutorial", trace().tutorial}, {"model", trained_name(trace())}}));
    content += words_.paragraph("data.same_vectors");
    if (!trace().numpy.empty())
      content += element("p", words_.ui("numpy")) +
                 element("pre", {{"class", "box"}}, element("code", lines_of(trace().numpy)));
    section_.row("data", content);
  }

  Section& section_;
  const Bilingual& words_;
  const Screen& screen_;
  Html band_;
};

} // namespace

Html lesson_section(const Trace& trace, const Screen& screen, const BothWords& words, const Style& style,
                    const Html& remark) {
  Section section(trace, words, style);
  section.title(screen);
  section.add(remark);
  section.paragraph("intro");
  if (screen.box) {
    const auto values = box_values(*screen.box);
    section.add(section.words().paragraph("box", values));
    section.add(table_figure(section.words(), box_table(*screen.box, section.words().en())));
    section.add(section.words().paragraph("box.so", values));
  }
  if (trace.idea) {
    section.paragraph("idea");
    section.add(table_figure(section.words(), idea_table(*trace.idea)));
    section.paragraph("idea.so");
  }
  if (const std::string names = join(drawn_names(trace)); !names.empty())
    section.add(element("p", section.words().ui(screen.box ? "drawn.beside" : "drawn.text",
                                                {{"names", names}, {"command", "tfx " + screen.learned}})));
  for (const char* key : trained_sentences) section.paragraph(key);
  LessonWriter lesson(section, screen);
  lesson.tensors();
  lesson.gradients();
  lesson.experiments();
  lesson.footer();
  return section.take(screen.command);
}

namespace {

Html line_in_both(const std::vector<Sentence>& said, const Bilingual& words) {
  return in_both({line_of(said, words.en()), line_of(said, words.zh())});
}

/// Of a sentence or a paragraph.
Html paragraphs_of(const auto& said, const Bilingual& words) {
  const auto en = text_of(said, words.en()), zh = text_of(said, words.zh());
  return en && zh ? paragraphs_in_both({*en, *zh}) : Html();
}

Html drawn_in_both(const Drawing& drawing, int precision) {
  Style style; // of a terminal of the usual width, with the page's digits
  style.precision = precision;
  const auto en = drawing.draw(style, Language::en), zh = drawing.draw(style, Language::zh);
  const auto drawn = [](const auto& lines) { return element("pre", lines_of(lines)); };
  if (en == zh) return drawn(en);
  return in_language("div", "en", drawn(en)) + in_language("div", "zh", drawn(zh));
}

/// What stands behind a mark, in its colour.
Html marked(Finding::Mark mark, const Html& content) {
  const char* colour = mark == Finding::Mark::good      ? "pass"
                       : mark == Finding::Mark::unknown ? "more"
                                                        : "fail";
  return element("p", {{"class", "check"}},
                 element("span", {{"class", colour}}, Html::text(sign(mark))) + element("span", content));
}

Html chart_of(const Series& series, const Bilingual& words) {
  const Html figure =
      element("figure", {{"class", "step wide"}}, line_chart(series.values, series.name, words.style()));
  return paragraphs_of(series.said, words) + element("div", {{"class", "band"}}, figure);
}

Html heading_of(const Heading& heading, const Bilingual& words) {
  const Html text = in_both({text_of(heading.cell, words.en()), text_of(heading.cell, words.zh())});
  if (!heading.aside) return element("h3", text);
  const Html aside = element("span", {{"class", "origin"}}, line_in_both({*heading.aside}, words));
  return element("h3", text + Html::text("  ") + aside);
}

/// The first line of its text is a heading, what stands below it paragraphs.
Html subheading_of(const Cell& cell, const Bilingual& words) {
  const auto cut = [](const std::string& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    return std::pair(text.substr(0, end), text.substr(std::min(end + 1, text.size())));
  };
  const auto [title_en, below_en] = cut(text_of(cell, words.en()));
  const auto [title_zh, below_zh] = cut(text_of(cell, words.zh()));
  if (title_en.empty() || title_zh.empty()) return {};
  return element("h3", in_both({title_en, title_zh})) +
         (below_en.empty() ? Html() : paragraphs_in_both({below_en, below_zh}));
}

/// Of a list of rows.
Html row_of(const Row& row, const Bilingual& words) {
  const Html name = in_both({name_of(row, words.en()), name_of(row, words.zh())});
  if (const auto* text = std::get_if<Verbatim>(&row.cell))
    return element("dt", name) + // a document leaves out the first end of a line
           element("dd", element("pre", {{"class", "printed"}}, Html::trusted("\n") + lines_of(text->lines)));
  const Html text = in_both({text_of(row.cell, words.en()), text_of(row.cell, words.zh())});
  return element("dt", name) + element("dd", row.mark ? marked(*row.mark, text) : text);
}

/// A row of a table of the items below each other.
Html item_of(const Item& item, const Bilingual& words) {
  const auto cell = [](const Html& content) { return element("td", content); };
  return element("tr", cell(Html::text(item.mark)) + cell(Html::text(item.number)) +
                           cell(element("b", item.name)) +
                           cell(in_both({text_of(item.said, words.en()), text_of(item.said, words.zh())})) +
                           cell(Html::text(item.aside)));
}

Html entry_of(const Entry& entry, const Bilingual& words) {
  Html all = element("h3", entry.name);
  for (const Sentence& sentence : entry.said) all += paragraphs_of(sentence, words);
  return all;
}

Html finding_paragraphs(const Finding& finding, const Bilingual& words) {
  const Both named{text_of(finding.name, words.en()), text_of(finding.name, words.zh())};
  const bool is_none = named.en.empty() && named.zh.empty(),
             is_code = std::holds_alternative<std::string>(finding.name); // and no sentence
  const Html name = is_none ? Html() : element(is_code ? "code" : "b", in_both(named)) + Html::text(" ");
  Html all = marked(finding.mark, name + line_in_both(finding.said, words));
  for (const Sentence& sentence : finding.below) all += element("p", line_in_both({sentence}, words));
  return all;
}

} // namespace

Html report_section(const Report& report, const BothWords& words, const Style& style) {
  if (report.run && report.run != RunView::parts)
    return lesson_section(report.trace, report.frame, words, style);
  Section section(report.trace, words, style);
  const Bilingual& both = section.words();
  section.title(report.frame);
  Html rows, items, above_tensors; // rows stand below each other, and items
  const auto close_rows = [&] {
    if (!rows.empty()) section.add(element("dl", rows));
    rows = {};
  };
  const auto close_items = [&] {
    if (!items.empty()) section.add(element("table", {{"class", "items"}}, element("tbody", items)));
    items = {};
  };
  for (const auto& part : report.parts) {
    if (const auto* row = std::get_if<Row>(&part)) {
      close_items();
      if (has_text(*row, both.en()) || has_text(*row, both.zh())) rows += row_of(*row, both);
      continue;
    }
    if (const auto* item = std::get_if<Item>(&part)) {
      close_rows();
      items += item_of(*item, both);
      continue;
    }
    const auto* table = std::get_if<ReportTable>(&part);
    if (std::holds_alternative<Member>(part) || (table && table->shown.empty())) continue; // JSON's
    close_rows(), close_items();
    if (const auto* sentence = std::get_if<Sentence>(&part))
      section.add(paragraphs_of(*sentence, both));
    else if (const auto* paragraph = std::get_if<Paragraph>(&part))
      section.add(paragraphs_of(*paragraph, both));
    else if (const auto* heading = std::get_if<Heading>(&part))
      section.add(heading_of(*heading, both));
    else if (const auto* subheading = std::get_if<Subheading>(&part))
      section.add(subheading_of(subheading->cell, both));
    else if (const auto* tried = std::get_if<Tried>(&part))
      LessonWriter(section, report.frame).experiment(tried->experiment);
    else if (const auto* entry = std::get_if<Entry>(&part))
      section.add(entry_of(*entry, both));
    else if (const auto* finding = std::get_if<Finding>(&part))
      section.add(finding_paragraphs(*finding, both));
    else if (table)
      section.add(table_figure(both, shown(*table, report, both.en()), shown(*table, report, both.zh())));
    else if (const auto* series = std::get_if<Series>(&part);
             series && series->values.size() > 1 && !report.frame.quiet)
      section.add(chart_of(*series, both));
    else if (const auto* drawing = std::get_if<Drawing>(&part); drawing && !report.frame.quiet)
      section.add(element("div", {{"class", "band"}}, drawn_in_both(*drawing, style.precision)));
    else if (const auto* pictures = std::get_if<Alignments>(&part);
             pictures && !report.trace.has(pictures->said.key)) // a tensor's own words stand beside it
      above_tensors +=
          pictures->is_section ? subheading_of(pictures->said, both) : paragraphs_of(pictures->said, both);
  }
  close_rows(), close_items();
  section.add(above_tensors);
  if (!report.trace.steps.empty()) LessonWriter(section, report.frame).tensors();
  if (report.has_looks()) section.looks(report.looks);
  section.checks();
  const auto cost_en = cost_of(report, both.en()), cost_zh = cost_of(report, both.zh());
  if (cost_en && cost_zh) section.row("cost", element("p", in_both({*cost_en, *cost_zh})));
  Html next;
  for (const std::string& command : report.next)
    if (!command.empty()) next += element("p", element("code", "tfx " + command));
  for (const Sentence& sentence : report.onward) next += paragraphs_of(sentence, both);
  section.row("next", next);
  return section.take(report.frame.command);
}

} // namespace tfx
