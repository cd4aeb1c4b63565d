#include "render/html/section.hpp"

#include "core/number.hpp"
#include "render/footer.hpp"
#include "render/html/grid.hpp"
#include "render/html/heat_map.hpp"
#include "render/html/matrix_table.hpp"
#include "trace/cost.hpp"

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
  const Html number = words_.ui("lesson_of", {{"number", std::to_string(screen.number)}});
  add(element("header", element("p", {{"class", "number"}}, number) + element("h2", words_.word("title")) +
                            element("p", {{"class", "command"}},
                                    element("code", "tfx " + screen.typed + screen.options))));
}

void Section::row(const std::string& ui_key, const Html& content) {
  if (!content.empty()) rows_ += element("dt", words_.ui(ui_key)) + element("dd", content);
}

void Section::looks() {
  Html items;
  for (char i = '1'; i <= '9'; ++i)
    if (const Html text = words_.word(std::string("look.") + i); !text.empty()) items += element("p", text);
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

Html step_pictures(const Bilingual& words, const Step& step, CellBook* book) {
  if (step.value.rank() < 2) return {};
  Html pictures;
  for (std::size_t i = 0; i < shown_cells(step.value).slices; ++i) {
    const std::string name = slice_name(step, i);
    pictures += element("div", (name.empty() ? Html() : element("p", {{"class", "name"}}, Html::text(name))) +
                                   heat_map(step, i, words.style(), book));
  }
  return element("div", {{"class", "picture"}},
                 element("p", {{"class", "more"}}, words.ui("page.heat")) +
                     element("div", {{"class", "slices"}}, pictures));
}

Html amount_in_both(const Bilingual& words, const Cost& cost) {
  return in_both({amount(words.en(), cost), amount(words.zh(), cost)});
}

} // namespace tfx
