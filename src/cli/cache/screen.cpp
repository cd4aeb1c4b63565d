#include "cli/cache/screen.hpp"

#include "core/number.hpp"
#include "render/footer.hpp"
#include "render/paper.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"

namespace tfx {

using namespace cache;

namespace {

Table steps_table(const Paper& paper, const Comparison& comparison, const ModelCard& card,
                  const Screen& screen) {
  const auto column = [&](const char* key) { return paper.column(key); };
  Table table{{column("cached"), column("cached_formula"), column("recomputed"), column("recomputed_formula"),
               column("bytes")},
              {},
              Table::Last::number};
  if (screen.with_time)
    table.headings.insert(table.headings.end(), {column("cached_time"), column("recomputed_time")});
  const std::size_t digits = std::to_string(comparison.steps.size()).size();
  for (std::size_t t = 0; t < comparison.steps.size(); ++t) {
    const ComparedStep& step = comparison.steps[t];
    std::vector<std::string> cells;
    for (const StepCost* way : {&step.cached, &step.recomputed})
      cells.insert(cells.end(), {with_separators(way->executed), with_separators(way->by_formula)});
    cells.push_back(with_separators(step.cache_bytes));
    if (screen.with_time)
      cells.insert(cells.end(),
                   {format_seconds(step.cached.seconds), format_seconds(step.recomputed.seconds)});
    table.rows.push_back(
        {pad_left(std::to_string(t + 1), digits) + "  " + escape_controls(card.tgt.tokens[step.token]), cells,
         0, false});
  }
  return table;
}

} // namespace

std::string render_cache(const Comparison& comparison, const ModelCard& card, const Screen& screen,
                         const Words& words, const Style& style) {
  Paper paper(comparison.trace, words, style);
  write_title(paper, screen);
  for (const char* key : {"intro", "drawn", "reads"}) paper.paragraph(paper.word(key));
  paper.table(steps_table(paper, comparison, card, screen));
  for (const char* key : {"formula", "times", "times.once", "kept"}) paper.paragraph(paper.word(key));
  write_looks(paper);
  write_checks(paper);
  paper.row(paper.ui("cost"), paper.word("cost").value_or(""));
  paper.row(paper.ui("next"), (screen.next.empty() ? "" : "tfx " + screen.next + "    ") +
                                  "tfx decode --no-cache" + screen.options);
  return paper.take();
}

} // namespace tfx
