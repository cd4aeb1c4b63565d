#include "render/html/cell_book.hpp"

#include "cli/lesson/save.hpp"
#include "lessons/run.hpp"
#include "render/explain_text.hpp"
#include "support/catch.hpp"
#include "support/markup.hpp"
#include "trace/explain.hpp"

#include <nlohmann/json.hpp>

#include <set>

using namespace tfx;
using nlohmann::json;

namespace {

/// The book of every tensor of a run, as the document's script reads it.
json book_of(const Trace& trace, const BothWords& words) {
  const Style style;
  const Bilingual both(trace, words, style);
  CellBook book(both);
  for (const Step& step : trace.steps) book.number_of(step);
  const Node block = parse_markup(book.block().markup());
  return json::parse(text_of(block));
}

/// Runs of four numbers as cells: (tensor, flat index).
std::set<std::pair<std::size_t, std::size_t>> cells_of(const json& runs) {
  std::set<std::pair<std::size_t, std::size_t>> cells;
  for (std::size_t i = 0; i < runs.size(); i += 4)
    for (std::size_t j = 0; j < runs[i + 2]; ++j)
      cells.emplace(runs[i], runs[i + 1].get<std::size_t>() + j * runs[i + 3].get<std::size_t>());
  return cells;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

} // namespace

// scores[q1, k3] of fun-transformer: q1 = (2, 0, 2), k3 = (2, 4, 3).
TEST_CASE("a cell of the book has its arithmetic and the cells it was made of", "[render][html]") {
  const LessonRun run = run_lesson(find_lesson("scores"), {});
  const json book = book_of(run.trace, both_words("lessons/scores"));
  std::map<std::string, std::size_t> number;
  for (const json& tensor : book["tensors"]) number.emplace(tensor["name"], number.size());
  const json& scores = book["tensors"][number.at("scores")];
  CHECK(scores["shape"] == json({4, 4}));
  CHECK(scores["rows"] == json({0, 1, 2, 3}));
  const std::string text = scores["text"][2];
  CHECK(text.find("\n= 2·2 + 0·4 + 2·3\n= 10") != std::string::npos);
  const std::size_t Q = number.at("Q"), K = number.at("K");
  CHECK(cells_of(scores["sources"][2]) ==
        std::set<std::pair<std::size_t, std::size_t>>{{Q, 0}, {Q, 1}, {Q, 2}, {K, 6}, {K, 7}, {K, 8}});
}

TEST_CASE("every shown cell of every lesson reads as tfx explain says it, in both languages",
          "[render][html]") {
  for (const Lesson& lesson : page_lessons()) {
    INFO(lesson.command);
    const LessonRun run = run_lesson(lesson, {});
    const BothWords words = both_words(lesson.folder);
    const json book = book_of(run.trace, words);
    const Style style;
    const Paper en(run.trace, words.en, style), zh(run.trace, words.zh, style);
    std::size_t number = 0;
    for (const Step& step : run.trace.steps) {
      const json& tensor = book["tensors"][number++];
      REQUIRE(tensor["name"] == step.name);
      std::size_t cell = 0;
      for (std::size_t s = 0; s < tensor["slices"]; ++s)
        for (const std::size_t r : tensor["rows"])
          for (const std::size_t c : tensor["columns"]) {
            const Explanation e =
                explain(run.trace, step.name, index_of(step.value.shape, flat_index(step.value, s, r, c)), 0,
                        CellBook::max_terms, style.precision);
            const json& text = tensor["text"][cell];
            const bool two = text.is_array();
            REQUIRE((two ? text[0] : text) == joined(explanation_lines(en, e, CellBook::max_terms)));
            REQUIRE((two ? text[1] : text) == joined(explanation_lines(zh, e, CellBook::max_terms)));
            std::set<std::pair<std::size_t, std::size_t>> read;
            for (const Term& term : e.terms)
              for (const CellRef& one : term.reads)
                for (std::size_t i = 0; i < run.trace.steps.size(); ++i) {
                  const Step& source = run.trace.steps[i];
                  if (source.name != one.tensor) continue;
                  std::size_t flat = 0;
                  for (std::size_t a = 0; a < one.index.size(); ++a)
                    flat = flat * source.value.shape[a] + one.index[a];
                  read.emplace(i, flat);
                }
            REQUIRE(cells_of(tensor["sources"][cell]) == read);
            ++cell;
          }
      CHECK(tensor["text"].size() == cell);
      CHECK(tensor["sources"].size() == cell);
    }
  }
}

TEST_CASE("no text of the book ends its block", "[render][html]") {
  InputOptions options;
  options.text = "</script> <!-- x";
  const LessonRun run = run_lesson(find_lesson("scores"), options);
  const json book = book_of(run.trace, both_words("lessons/scores")); // which parses the block
  CHECK(book["tensors"][0]["text"][0].get<std::string>().find("</script>") != std::string::npos);
}

TEST_CASE("of a long tensor the ends are shown, of a large stack the first matrix", "[render][html]") {
  CHECK(shown_cells(Tensor({16, 17})).rows.positions.size() == 16);
  CHECK(shown_cells(Tensor({16, 17})).columns.positions ==
        std::vector<std::size_t>{0, 1, 2, 3, Shown::gap, 13, 14, 15, 16});
  CHECK(shown_cells(Tensor({4, 2, 2})).slices == 4);
  CHECK(shown_cells(Tensor({4, 20, 20})).slices == 1);
  CHECK(shown_cells(Tensor(Shape{5})).columns.positions.size() == 1);
  CHECK(shown_cells(Tensor(Shape{})).rows.positions.size() == 1);
}
