#pragma once
// What a command computes, as one value, and its renderers: a screen (report_screen.cpp), JSON
// (report_json.cpp) and HTML (html/section.hpp). A command looks up no words; only the facts that sentences
// quote are text already.

#include "render/paper.hpp"
#include "render/terminal.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tfx {

struct ModelWalk;

struct Count { ///< "184,720"
  std::size_t value;
};
struct Integer { ///< "-63"
  std::int64_t value;
};
struct Bytes { ///< "2.97 MB"
  double value;
};
struct Seconds { ///< "32.4 µs"; a report without times has no column of them
  double value;
};
struct Share { ///< of 1: "41.5 %"
  double value;
};
struct Rounded { ///< "83.33", with so many decimals whatever the page's digits are
  double value;
  int decimals;
};
struct Significant { ///< "0.001953": the page's digits count, where decimals would leave few of a small
                     ///< number
  double value;
};

struct None {};     ///< "–"; null in JSON
struct PropertyId { ///< of a right run: its sentence, with what was measured in brackets; its id in JSON
  std::string id;
  std::optional<double> measured = {};
};
struct Written { ///< as a page writes it with its words and its digits: arithmetic
  std::function<std::string(const Paper&)> text;
};
struct Verbatim { ///< text as it is, in a row: a page cuts what is longer than it is wide
  std::vector<std::string> lines;
};
struct Member;
struct ReportTable;
struct Nested { ///< rows within a row, in JSON alone
  std::shared_ptr<const ReportTable> table;
};
struct Object { ///< members within a row, in JSON alone
  std::vector<Member> members;
};
using Objects = std::vector<Object>; ///< rows whose members are not those of the next, in JSON alone
struct TensorOf {                    ///< its numbers, in JSON alone, read where they are written
  std::function<Tensor()> read;
};
using Names = std::vector<std::string>;     ///< "a, b"; an array in JSON
using Values = std::map<std::string, Fact>; ///< an object in JSON

/// A paragraph of the page, by its key in the command's words. It quotes `values`, other sentences and the
/// trace's facts; a page that lacks one of those has no such paragraph.
struct Sentence {
  std::string key;
  Values values = {};
  std::map<std::string, Sentence> said = {};
};

/// A value of a table. A Shape may be any whole numbers. A page shows its kind; a JSON document has its
/// number, and of a sentence the text in the learner's language.
using Cell = std::variant<std::string, double, Count, Integer, Bytes, Seconds, Share, Rounded, Significant,
                          bool, None, Names, Shape, Values, PropertyId, Sentence, Written, Verbatim,
                          std::vector<double>, Nested, Object, Objects, TensorOf>;

/// A member of the JSON document: "blas.core" is "core" in an object "blas", whose members stand together.
struct Member {
  std::string name;
  Cell cell;
};

/// None of an empty one.
Cell text_or_none(const std::string& text);

Cell cell_of(const Fact& fact);

template <class Held>
Cell or_none(const std::optional<Held>& held) {
  return held ? Cell(*held) : None{};
}

/// What a sentence quotes as a list of each language: {NAME_en} "a, b", {NAME_zh} "a、b".
Values list_in_both(const std::string& name, const std::vector<std::string>& items);

/// What each language says in its own words.
Sentence either(const std::string& en, const std::string& zh);

/// "a, b", in Chinese "a、b".
Sentence listed_in_both(const std::vector<std::string>& items);

/// Of the items one sentence, by the words of `key`, which quote {first} and {rest}: in each language with
/// its own mark between them. At least one.
Sentence list_of(const std::string& key, std::vector<Sentence> items);

/// Sentences as one paragraph: those of which the page has the words and the facts.
struct Paragraph {
  std::vector<Sentence> said;
};

/// A line of the page behind a mark: something that was looked at holds, does not, should be heeded, or could
/// not be looked at.
struct Finding {
  enum class Mark { good, bad, heed, unknown } mark;
  std::vector<Sentence> said;       ///< beside each other
  std::vector<Sentence> below = {}; ///< a paragraph each
  Cell name = {};                   ///< between the mark and what is said; names are as wide as the widest
};

struct Heading { ///< a line of the page, in bold
  Cell cell;
  std::optional<Sentence> aside = {}; ///< at the end of the line, or below it on a narrow page
  bool is_answer = false; ///< what was asked for: one line whatever its length, and a blank one below
  bool is_spaced = false; ///< a blank line below
};

/// A part of the page begins: of its text the first line stands in bold behind "── ", the others below it.
struct Subheading {
  Cell cell;
};

/// What the trace has tried, by its name: its words, its table, its curves.
struct Tried {
  std::string experiment;
};

/// A line of a list, and what is said beside its name. The lines of a page have their columns in common.
struct Item {
  std::string mark;      ///< one character, or none
  std::string number;    ///< as wide as any other
  std::string name = {}; ///< in bold
  Cell said;
  std::string aside = {}; ///< at the end of the line, where there is room
};

/// What stands in a list: its name in bold, and set in below it a paragraph each.
struct Entry {
  std::string name;
  std::vector<Sentence> said;
};

/// A row of the page: its name, by the words of "row." and the key, or of a row that all pages have, and
/// text; without text there is no such row. One without a key goes on with the row above.
struct Row {
  std::string key;
  Cell cell;
  std::optional<Finding::Mark> mark = {};
  bool is_apart = false; ///< a blank line above it
};

/// Rows that are made where they are written: too many to be held.
struct MadeRows {
  std::size_t count = 0;
  std::function<std::vector<Cell>(std::size_t)> row = {};
};

/// Rows that are objects of the JSON document and lines of a page.
struct ReportTable {
  std::string name;                 ///< of the JSON document's member; one without stands on the page alone
  std::vector<std::string> columns; ///< members of a row: "cached.macs" is "macs" in an object "cached",
                                    ///< whose columns stand together
  /// The columns of a page, in its order, under the words of "column." and their names; the first one heads
  /// the row. Without one the table stands in the JSON document alone.
  std::vector<std::string> shown;
  /// A cell a column, which has one kind; text or none may stand in its place.
  std::vector<std::vector<Cell>> rows = {};
  bool numbered = false;        ///< a page numbers the rows, from 1
  bool of_arrays = false;       ///< rows are arrays: names half a line long stand above their numbers
  std::vector<Cell> total = {}; ///< a last row of the page alone, in bold; empty where there is none
  MadeRows made = {};           ///< further ones of the JSON document
  std::map<std::size_t, std::size_t> indents = {}; ///< of rows that a page sets in, by how much
  std::set<std::size_t> strong = {};               ///< rows that a page has in bold
  bool of_text = false; ///< the last column of a page is text, in as many lines as it takes where it has room
};

/// Numbers in a row: an array of the JSON document, a curve of a page, counted from 1.
struct Series {
  std::string name;
  std::vector<double> values;
  Sentence said = {}; ///< above the curve
};

/// Lines that are drawn in a language: on a page in its width, in an HTML document as they are in 80
/// columns.
struct Drawing {
  std::function<std::vector<std::string>(const Style&, Language)> draw;
};

/// Weights of the trace as pictures beside each other, below what is said of them. An HTML document has the
/// pictures where the tensors' numbers are.
struct Alignments {
  struct Picture {
    std::string tensor;
    std::size_t matrix = 0; ///< of a stack
    Sentence title = {};
    std::string name = {}; ///< above the title
  };
  Sentence said;
  std::vector<Picture> pictures;
  bool is_section = false; ///< what is said is a subheading
  Sentence some = {}; ///< said on a screen, which then has only those of the first that fit beside each other
};

using ReportPart = std::variant<Sentence, Paragraph, Finding, Heading, Subheading, Item, Entry, Row, Member,
                                ReportTable, Tried, Series, Drawing, Alignments>;

/// How a lesson's run is shown, whose JSON document is the trace: a page of it, all that it recorded, or the
/// parts of the report.
enum class RunView { page, whole, parts };

/// Whether a page begins with the title, as an HTML document always does, and a blank line below it.
enum class Title { spaced, tight, none };

struct Report {
  Screen frame; ///< the command, its lesson and its place; whether times are shown
  Trace trace;  ///< facts, checks, tensors
  /// In the order of the page, and of the JSON document.
  std::vector<ReportPart> parts = {};
  std::vector<std::string> next = {}; ///< commands to go on with, without "tfx"; empty ones are left out
  std::vector<Sentence> onward = {};  ///< the same in words, where commands alone do not say it
  /// What to look at, by the words of "look." and these. Without any by those of "look.1" to "look.9", of
  /// which a screen shows the first three, unless it is a lesson's run.
  std::vector<std::string> looks = {};
  int status = 0; ///< of the program
  Title title = Title::spaced;
  bool has_tensors = false; ///< whether the JSON document has those of the trace
  /// Whether it is about a run or a model: its checks, were there none, and what it cost stand in the JSON
  /// document, and on a page the time stands behind the cost.
  bool has_cost = false;
  std::optional<Sentence> time = {};          ///< in place of the time that was measured
  std::optional<RunView> run = {};            ///< of a lesson's run
  std::shared_ptr<const ModelWalk> walk = {}; ///< of a whole model's: its page on a screen

  /// Whether there is something to look at.
  bool has_looks() const { return !frame.quiet && (!looks.empty() || !run); }
  void say(std::string key, Values values = {}) { say(Sentence{std::move(key), std::move(values)}); }
  void say(Sentence sentence) { parts.emplace_back(std::move(sentence)); }
  /// A member of the JSON document that sentences quote by its name.
  void add(const std::string& name, Cell cell);
  /// Sentences of these keys as one paragraph.
  void say_in_one(const std::vector<std::string>& keys);
  /// A member that no sentence quotes, whose name may be that of another fact.
  void add(Member member) { parts.emplace_back(std::move(member)); }
  void add(Entry entry) { parts.emplace_back(std::move(entry)); }
  void add(Heading heading) { parts.emplace_back(std::move(heading)); }
  void add(Item item) { parts.emplace_back(std::move(item)); }
  void add(Subheading heading) { parts.emplace_back(std::move(heading)); }
  void add(Tried tried) { parts.emplace_back(std::move(tried)); }
  void add(Row row) { parts.emplace_back(std::move(row)); }
  void add(Finding finding) { parts.emplace_back(std::move(finding)); }
  void add(ReportTable table) { parts.emplace_back(std::move(table)); }
  void add(Drawing drawing) { parts.emplace_back(std::move(drawing)); }
  void add(Series series) { parts.emplace_back(std::move(series)); }
  void add(Alignments alignments) { parts.emplace_back(std::move(alignments)); }
};

/// A title, the parts, the looks, the checks, the cost, what comes next. A quiet frame has
/// no pictures and no looks.
std::string render_screen(const Report& report, const Words& words, const Style& style);

/// Members and tables in their order, then the tensors, the checks and the cost of a report that has them.
std::string render_json(const Report& report, const Words& words);

/// A table as a page shows it: the columns' names, and rows of as many texts.
struct ShownTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  bool worded = false;   ///< texts of the rows are keys of words, as columns are
  bool of_bars = false;  ///< its cells begin at one place
  bool of_lists = false; ///< its last column lists names, in as many lines as they take
  std::map<std::size_t, std::size_t> indents = {};
  std::set<std::size_t> strong = {};
  bool of_text = false; ///< its last column is text, in as many lines as it takes
};
ShownTable shown(const ReportTable& table, const Report& report, const Paper& paper);

/// Whether the report has that column of the table, which its times may not be.
bool has_column(const Report& report, const ReportTable& table, std::size_t column);

/// What a row's last column on the page lists, where that is what it has.
const Names* last_names(const ReportTable& table, std::size_t row);

/// An experiment's rows: their names, their texts, and their numbers, a dash where there is none beside
/// texts.
ShownTable shown(const Experiment& experiment, const Style& style);

/// A series as the lines of a page; none of fewer than two values.
std::vector<std::string> shown(const Series& series, const Style& style);

/// The words of "cost", or of a report that has a cost what was measured; behind it that one's time.
std::optional<std::string> cost_of(const Report& report, const Paper& paper);

/// "✓".
const char* sign(Finding::Mark mark);

/// As the words of a page quote it; nothing where they lack something.
std::optional<std::string> text_of(const Sentence& sentence, const Paper& paper);

/// In the paper's language; nothing where no sentence has its words and its facts.
std::optional<std::string> text_of(const Paragraph& paragraph, const Paper& paper);

/// As every page shows it, sentences in the paper's language.
std::string text_of(const Cell& cell, const Paper& paper);

/// Whether there is such a row.
bool has_text(const Row& row, const Paper& paper);

/// The name of a row.
std::string name_of(const Row& row, const Paper& paper);

/// The sentences as one line of text: those of which the page has the words and the facts.
std::string line_of(const std::vector<Sentence>& said, const Paper& paper);

} // namespace tfx
