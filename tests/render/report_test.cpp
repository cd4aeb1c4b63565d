#include "render/report.hpp"

#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "lessons/run.hpp"
#include "render/html/section.hpp"
#include "render/json.hpp"
#include "support/catch.hpp"
#include "support/markup.hpp"
#include "text/display_width.hpp"
#include "text/names.hpp"

using namespace tfx;

namespace {

Report sample() {
  Report report;
  report.frame.command = report.frame.typed = "sample";
  report.say("reads");
  report.add("name", "a\x1b<b>");
  report.add("whole", Count{12345});
  report.add(ReportTable{"rows",
                         {"token", "in.macs", "in.seconds", "size", "part", "gap"},
                         {"token", "size", "in.macs", "in.seconds", "part"},
                         {{"x<y", Count{1000}, Seconds{0.5}, Bytes{2e6}, Share{0.125}, 1e-16},
                          {"z", Count{7}, Seconds{2e-6}, Bytes{3}, Share{1}, 0.5}},
                         true});
  report.parts.emplace_back(Sentence{"said", {{"what", "this"}}});
  report.say("lacks");
  report.trace.check("holds", true, 2);
  report.next = {"", "model", "train"};
  return report;
}

Words sample_words() {
  Words words = Words::parse("## title\nA sample\n## reads\nIt read {name}: {whole}.\n## said\nSaid {what}.\n"
                             "## lacks\nNobody knows {this}.\n## column.size\nhow large\n"
                             "## look.1\nSee {whole}.\n## check.holds\nit holds\n## cost\nnothing\n");
  words.add(common_words(Language::en));
  return words;
}

} // namespace

TEST_CASE("a terminal shows a report's sentences, and cells by their kinds", "[render][report]") {
  const std::string page = render_screen(sample(), sample_words(), Style());
  for (const char* shown :
       {"It read a\\x1b<b>: 12,345.\n", "Said this.\n", "      how large  in.macs  in.seconds     part\n",
        "1  x<y       2 MB    1,000    500.0 ms   12.5 %\n",
        "2  z      3 bytes        7      2.0 µs  100.0 %\n",
        "look     See 12,345.\ncheck    ✓ it holds\ncost     nothing\nnext     tfx model    tfx train\n"}) {
    INFO(page << "\nlacks: " << shown);
    CHECK(page.find(shown) != std::string::npos);
  }
  CHECK(page.find("Nobody") == std::string::npos);
}

namespace {

Report findings() {
  Report report;
  report.frame.command = report.frame.typed = "sample";
  report.title = Title::none;
  report.add({Finding::Mark::good, {{"said", {{"what", "one"}}}, {"said", {{"what", "two"}}}}});
  report.add({Finding::Mark::heed, {{"said", {{"what", "three"}}}}, {{"said", {{"what", "why"}}}}});
  report.add("blas.core", "Zen");
  report.add("blas.threads", Count{2});
  report.add("quota", None{});
  report.add("environment", Values{{"OMP", "2"}});
  report.add("names", Names{"a", "b"});
  report.add("shape", Shape{2, 3});
  report.add("text", Sentence{"said", {{"what", "this"}}});
  report.add(ReportTable{"", {"token", "size"}, {"token", "size"}, {{"x", true}}}); // on the page alone
  report.add(ReportTable{"", {"token"}, {"token"}, {{"one two"}, {"three"}}, true});
  report.add(Drawing{[](const Style& style, Language) {
    return std::vector<std::string>{style.ascii ? "x" : "█", "below"};
  }});
  return report;
}

} // namespace

TEST_CASE("findings stand below each other, each behind its mark", "[render][report]") {
  CHECK(render_screen(findings(), sample_words(), Style()) ==
        "✓ Said one.  Said two.\n! Said three.\n  Said why.\n\n   how large\nx          ✓\n\n"
        "1  one two\n2  three\n\n█\nbelow\n\ncost     nothing\n");
  Style narrow;
  narrow.width = 12;
  const std::string page = render_screen(findings(), sample_words(), narrow);
  CHECK(page.find("1  one two\n2  three\n") != std::string::npos);
  CHECK(page.find("\n  Said two.\n! Said\n  three.\n  Said why.\n") != std::string::npos);
}

namespace {

/// Items, a row below them, what was tried, and weights as pictures.
Report listed_parts() {
  Report report;
  report.frame.command = report.frame.typed = "sample", report.frame.is_lesson = false;
  report.title = Title::tight;
  report.add(Item{"+", " 1", "one", Sentence{"said", {{"what", "this"}}}, "aside"});
  report.add(Item{" ", "12", "three", "a\x1b long text that does not fit beside it"});
  report.add(Row{"where", "below"});
  report.add(Subheading{Sentence{"two_lines"}});
  report.add(Tried{"measured"});
  report.add(Tried{"nobody did"});
  report.trace.experiments.push_back({"measured", {"size"}, {"x"}, Tensor({1, 1}, {0.25})});
  return report;
}

Words words_of_lists() {
  Words words = Words::parse("## two_lines\nA heading\nand below it\n");
  words.add(sample_words());
  return words;
}

} // namespace

TEST_CASE("items have their columns in common, and rows stand below them", "[render][report]") {
  Style style;
  style.width = 40;
  const std::string page = render_screen(listed_parts(), words_of_lists(), style);
  CHECK(page.starts_with("tfx sample                      A sample\n"
                         "+  1 one   Said this.              aside\n"
                         "  12 three a\\x1b long text that does not\n"
                         "           fit beside it\n"
                         "where    below\n\n"
                         "── A heading\nand below it\n\n"
                         "   how large\nx       0.25\n"));
  style.width = 24;
  CHECK(render_screen(listed_parts(), words_of_lists(), style)
            .find("+  1 one\n    Said this.     aside\n  12 three\n    a\\x1b long text that\n") !=
        std::string::npos);
  style.width = 40;
  Report spaced = listed_parts();
  spaced.title = Title::spaced;
  CHECK(render_screen(spaced, words_of_lists(), style).find("A sample\n\n+  1") != std::string::npos);
}

TEST_CASE("a document has items as rows of a table, in the order of the parts", "[render][report]") {
  Words zh = Words::parse("## said\n说{what}。\n## two_lines\n标题\n和下文\n");
  zh.add(words_of_lists());
  const std::string html =
      report_section(listed_parts(), {words_of_lists(), std::move(zh)}, Style()).markup();
  const auto at = [&](const std::string& text) {
    INFO(html << "\nlacks: " << text);
    const std::size_t place = html.find(text);
    CHECK(place != std::string::npos);
    return place;
  };
  CHECK(at("<td>+</td><td> 1</td><td><b>one</b></td>") < at("说this。"));
  CHECK(at("<b>three</b>") < at("<dd>below</dd>"));
  CHECK(at("<dd>below</dd>") < at("标题"));
  CHECK(at("标题") < at("0.25"));
}

TEST_CASE("what rounds to 0 has no sign", "[render][report]") {
  Report report;
  report.title = Title::none;
  report.add(ReportTable{"",
                         {"token", "size", "gap"},
                         {"token", "size", "gap"},
                         {{"x", Rounded{-0.0004, 3}, Rounded{-0.0006, 3}}}});
  CHECK(render_screen(report, sample_words(), Style()).find("0.000  -0.001\n") != std::string::npos);
}

TEST_CASE("of pictures a screen has those that stand beside each other", "[render][report]") {
  Report report;
  report.title = Title::none;
  Tensor weights({2, 2, 2}, {1, 0, 0.5, 0.5, 1, 0, 0, 1});
  report.trace.add_input("weights", "given", weights, {{}, {}, {}});
  Alignments pictures{{"two_lines"}, {}, true, {"said", {{"what", "some"}}}};
  pictures.pictures = {{"weights", 0, {}, "first"}, {"weights", 1, {}, "second"}};
  report.add(pictures);
  const auto page = [&](std::size_t width) {
    Style style;
    style.width = width;
    return render_screen(report, words_of_lists(), style);
  };
  CHECK(page(80).starts_with("── A heading\nand below it Said some.\n\nfirst      second\n"));
  CHECK(page(80).find("0 │██--│   0 │██--│") != std::string::npos); // axes without names have numbers
  CHECK(page(12).find("first") != std::string::npos);
  CHECK(page(12).find("second") == std::string::npos);
  report.parts.clear();
  pictures.some = {};
  report.add(pictures);
  CHECK(page(12).find("second") != std::string::npos);
}

TEST_CASE("what a report quotes cannot drive a terminal", "[render][report]") {
  Report report;
  report.say("said", {{"what", std::vector<std::string>{"two", "lines\r"}}});
  report.say("said", {{"what", "one\nline"}});
  report.add({Finding::Mark::heed, {{"said", {{"what", "a\x1b[2J"}}}}, {{"said", {{"what", "b\a"}}}}});
  report.add(Row{"where", "c\x1b[2J\n"});
  report.add(Row{"", Names{"d\a", "e"}});
  report.add(ReportTable{"", {"token"}, {"token"}, {{"f\x1b"}}});
  report.add(ReportTable{"", {"token", "size"}, {"token", "size"}, {{"g\x1b", Names{"h\x1b"}}}});
  const std::string page = render_screen(report, sample_words(), Style());
  CHECK(page.find_first_of("\x1b\a\r") == std::string::npos);
  for (const char* shown : {"c\\x1b[2J\\n\n", "d\\x07, e\n", "f\\x1b\n", "g\\x1b", "h\\x1b\n"}) {
    INFO(page << "\nlacks: " << shown);
    CHECK(page.find(shown) != std::string::npos);
  }
  CHECK(page.find("Said two\nlines\\r.\n\nSaid one\\nline.\n\n! Said a\\x1b[2J.\n  Said b\\x07.\n") !=
        std::string::npos);
}

namespace {

Report lines_of_a_report() {
  Report report;
  report.frame.command = report.frame.typed = "sample";
  report.title = Title::none;
  report.add(Heading{"First"});
  report.add({Finding::Mark::good, {{"said", {{"what", "one"}}}}, {}, "id"});
  report.add({Finding::Mark::unknown, {{"said", {{"what", "two"}}}}, {}, "longer"});
  report.add(Row{"where", Names{"a", "b"}});
  report.add(Row{"", Sentence{"said", {}, {{"what", {"said", {{"what", 0.123456}}}}}}, Finding::Mark::bad});
  report.add(Heading{"Second"});
  report.add(Row{"check", std::vector<double>{1, 2.5}}); // a row of every page
  report.onward = {{"said", {{"what", "what next"}}}, {"lacks"}, {"said", {{"what", "more"}}}};
  const auto within = std::make_shared<ReportTable>(ReportTable{"", {"name", "in.x"}, {}});
  within->rows = {{"a", std::vector<double>{1, 2}}, {"b", None{}}};
  Tensor numbers;
  numbers.shape = {2, 1}, numbers.data = {3, 4};
  report.add(ReportTable{"rows", {"name", "within", "data"}, {}, {{"x", Nested{within}, TensorOf{[numbers] {
                                                                     return numbers;
                                                                   }}}}});
  return report;
}

} // namespace

TEST_CASE("named findings and rows stand below each other, under their headings", "[render][report]") {
  Words words = Words::parse("## said\nSaid {what}.\n## row.where\nplace\n");
  words.add(common_words(Language::en));
  CHECK(render_screen(lines_of_a_report(), words, Style()) ==
        "First\n✓ id      Said one.\n– longer  Said two.\nplace    a, b\n         ✗ Said Said 0.1235..\n\n"
        "Second\ncheck    1  2.5\nnext     Said what next.\n         Said more.\n");
  Style ascii;
  ascii.ascii = true;
  CHECK(
      render_screen(lines_of_a_report(), words, ascii).find("ok id      Said one.\n-  longer  Said two.\n") !=
      std::string::npos);
  Style narrow;
  narrow.width = 40;
  CHECK(render_screen(lines_of_a_report(), words, narrow).find("✓ id\n  Said one.\n– longer\n") !=
        std::string::npos);
  const std::string text =
      text_of(parse_markup(report_section(lines_of_a_report(), {words, words}, Style()).markup()));
  for (const char* shown : {"First", "id Said one.", "place", "Said Said 0.1235..", "Said what next."}) {
    INFO(text << "\nlacks: " << shown);
    CHECK(text.find(shown) != std::string::npos);
  }
}

TEST_CASE("beside names all marks are as wide as the widest", "[render][report]") {
  Report report;
  report.title = Title::none;
  report.add({Finding::Mark::good, {{"said", {{"what", "one"}}}}, {}, "a"});
  report.add({Finding::Mark::bad, {{"said", {{"what", "two"}}}}, {{"said", {{"what", "why"}}}}, "longer"});
  Style ascii;
  ascii.ascii = true;
  CHECK(render_screen(report, sample_words(), ascii)
            .starts_with("ok   a       Said one.\nFAIL longer  Said two.\n             Said why.\n"));
}

TEST_CASE("what is said stands below names that leave it no room, and a name may be a sentence",
          "[render][report]") {
  Report report;
  report.title = Title::none;
  report.add({Finding::Mark::good, {{"said", {{"what", "one"}}}}, {}, Sentence{"said", {{"what", "short"}}}});
  report.add({Finding::Mark::bad, {{"said", {{"what", "two"}}}}, {}, "x"});
  CHECK(render_screen(report, sample_words(), Style())
            .starts_with("✓ Said short.  Said one.\n✗ x            Said two.\n"));
  report.add({Finding::Mark::bad, {{"said", {{"what", "three"}}}}, {}, std::string(50, 'y') + "\x1b a b"});
  CHECK(render_screen(report, sample_words(), Style())
            .starts_with("✓ Said short.\n  Said one.\n✗ x\n  Said two.\n✗ " + std::string(50, 'y') +
                         "\\x1b a b\n  Said three.\n"));
  Words chinese = Words::parse("## said\n说{what}。\n");
  chinese.add(sample_words());
  const std::string section = report_section(report, {sample_words(), chinese}, Style()).markup();
  CHECK(section.find("Said short.") != std::string::npos);
  CHECK(section.find("说short。") != std::string::npos);
}

TEST_CASE("a report of a run is shown as its lesson is, and says the trace in JSON", "[render][report]") {
  const Lesson& lesson = find_lesson("scores");
  const LessonRun run = run_lesson(lesson, {}, RunFor::values);
  Report report{screen_of(lesson, {}, run.trace), run.trace};
  const Words words = words_in(lesson.folder);
  report.run = RunView::page;
  CHECK(render_screen(report, words, Style()) == render_page(run.trace, report.frame, words, Style()));
  report.run = RunView::whole;
  CHECK(render_screen(report, words, Style()) == render_screen(run.trace, report.frame, words, Style()));
  CHECK(render_json(report, words) == render_json(run.trace, {}));
  report.frame.only = {"K"}, report.frame.with_time = false;
  CHECK(render_json(report, words) == render_json(run.trace, {false, {"K"}}));
  const BothWords both = both_words(lesson.folder);
  CHECK(report_section(report, both, Style()).markup() ==
        lesson_section(run.trace, report.frame, both, Style()).markup());
}

TEST_CASE("lines of a row stay as they are, cut where the page ends", "[render][report]") {
  Report report;
  report.title = Title::none;
  report.add(Row{"check", Verbatim{{"a  <b>", "", "  \x1b" + std::string(100, 'y')}}});
  report.add(Row{"where", Verbatim{}}); // no text, no row
  const std::string page = render_screen(report, sample_words(), Style());
  CHECK(page.starts_with("check    a  <b>\n         \n           \\x1byyy"));
  for (const std::string& line : split_lines(page)) CHECK(display_width(line) <= 80);
  CHECK(page.find("where") == std::string::npos);
  const std::string section = report_section(report, {sample_words(), sample_words()}, Style()).markup();
  CHECK(section.find("<pre class=\"printed\">\na  &lt;b&gt;\n\n  \\x1by") != std::string::npos);
  Report empty;
  empty.title = Title::none;
  empty.add({Finding::Mark::good, {{"said", {{"what", "one"}}}}});
  empty.add(Row{"check", Verbatim{{""}}, {}, true}); // an empty line is one
  CHECK(render_screen(empty, sample_words(), Style()).starts_with("✓ Said one.\n\ncheck    \n"));
}

TEST_CASE("a heading has something aside, a list whole names, a figure its decimals", "[render][report]") {
  Report report;
  report.title = Title::none;
  report.add(Heading{Sentence{"said", {{"what", "one"}}}, Sentence{"said", {{"what", "aside\a"}}}});
  report.add(ReportTable{
      "rows",
      {"token", "share", "names"},
      {"token", "share", "names"},
      {{"x", Rounded{200.0 / 3, 2}, Names{"one two", "three four", "five"}}, {"y", Rounded{1, 2}, Names{}}}});
  const Words words = Words::parse("## said\nSaid {what}.\n");
  CHECK(render_screen(report, words, Style()) ==
        "Said one." + std::string(80 - 9 - 15, ' ') + "Said aside\\x07.\n" +
            "   share  names\nx  66.67  one two, three four, five\ny   1.00\n");
  Style narrow;
  narrow.width = 21; // a name is not broken, where a line has room for it
  CHECK(render_screen(report, words, narrow) ==
        "Said one.\nSaid aside\\x07.\n"
        "   share  names\nx  66.67  one two,\n          three four,\n          five\ny   1.00\n");
  CHECK(render_json(report, sample_words()).find("\"share\":66.66666666666667,\"names\":[\"one two\",") !=
        std::string::npos);
  const std::string text =
      text_of(parse_markup(report_section(report, {sample_words(), sample_words()}, Style()).markup()));
  for (const char* shown : {"Said one.  Said aside\\x07.", "66.67", "one two, three four, five"}) {
    INFO(text << "\nlacks: " << shown);
    CHECK(text.find(shown) != std::string::npos);
  }
}

TEST_CASE("an answer is one line, a table has rows set in and a total", "[render][report]") {
  Report report;
  report.title = Title::none;
  const std::string long_answer = "a" + std::string(100, 'b');
  report.add(Heading{.cell = long_answer, .is_answer = true});
  ReportTable table{"rows",
                    {"id", "token", "size"},
                    {"token", "size"},
                    {{Count{7}, "x", Count{1000}}, {Count{8}, "y", ""}}};
  table.total = {None{}, Sentence{"said", {{"what", "all"}}}, Count{1001}};
  table.indents = {{1, 2}}, table.strong = {1};
  report.add(std::move(table));
  CHECK(
      render_screen(report, sample_words(), Style()) ==
      long_answer +
          "\n\n           how large\nx              1,000\n  y\nSaid all.      1,001\n\ncost     nothing\n");
  Style bold;
  bold.color = Color::basic;
  const std::string page = render_screen(report, sample_words(), bold);
  for (const char* shown : {"\x1b[1m  y", "\x1b[1mSaid all."}) {
    INFO(page << "\nlacks: " << shown);
    CHECK(page.find(shown) != std::string::npos);
  }
  const std::string json = render_json(report, sample_words());
  CHECK(json.find("[{\"id\":7,\"token\":\"x\",\"size\":1000},{\"id\":8,\"token\":\"y\",\"size\":\"\"}]") !=
        std::string::npos);
  const std::string markup = report_section(report, {sample_words(), sample_words()}, Style()).markup();
  for (const char* shown : {"<tr class=\"strong\"><th scope=\"row\">\u00A0\u00A0y</th>",
                            "<tr class=\"strong\"><th scope=\"row\">Said all.</th><td>1,001</td>"}) {
    INFO(markup << "\nlacks: " << shown);
    CHECK(markup.find(shown) != std::string::npos);
  }
}

namespace {

Report of_weights() {
  Report report;
  report.title = Title::none;
  report.trace.add_input("mean", "of both", Tensor({1, 2}, {0.25, 0.75}), {{"x"}, {"a", "b"}}, Role::result);
  report.trace.add_input("each", "", Tensor({2, 1, 2}, {0, 1, 0.5, 0.5}), {{}, {"x"}, {"a", "b"}},
                         Role::result);
  report.trace.measured = Cost{3, 10, 20, Timing{}};
  report.trace.measured->timing->median = 0.5;
  report.add(Alignments{{"said", {{"what", "where"}}}, {{"mean"}}});
  report.add(Alignments{{"said", {{"what", "each"}}},
                        {{"each", 0, {"ui.head", {{"layer", 0.0}, {"head", 0.0}}}},
                         {"each", 1, {"ui.head", {{"layer", 0.0}, {"head", 1.0}}}}}});
  report.has_tensors = report.has_cost = true;
  return report;
}

} // namespace

TEST_CASE("weights are pictures below what is said of them, and numbers of the JSON", "[render][report]") {
  Words words = sample_words();
  words.add(Words::parse("## ui.head\nlayer {layer}, head {head}\n"));
  const std::string page = render_screen(of_weights(), words, Style());
  const std::size_t mean = page.find("Said where.\n"), each = page.find("Said each.\n");
  const std::size_t first = page.find("layer 0, head 0"), second = page.find("layer 0, head 1");
  INFO(page);
  CHECK((mean < each && each < first && first < second && second != std::string::npos));
  CHECK(page.find("\nx ", mean) < each); // a row of the picture
  CHECK(page.find("cost     nothing, 500.0 ms\n") != std::string::npos);
  Style without;
  without.picture = Picture::off;
  CHECK(render_screen(of_weights(), words, without) == "cost     nothing, 500.0 ms\n");
  CHECK(render_json(of_weights(), words) ==
        "{\n  \"schema_version\": 1,\n  \"command\": \"\",\n"
        "  \"tensors\": [{\"name\":\"mean\",\"shape\":[1,2],\"dtype\":\"float64\",\"formula\":\"of both\","
        "\"data\":[[0.25,0.75]]},{\"name\":\"each\",\"shape\":[2,1,2],\"dtype\":\"float64\",\"formula\":\"\","
        "\"data\":[[[0.0,1.0]],[[0.5,0.5]]]}],\n"
        "  \"checks\": [],\n  \"cost\": "
        "{\"params\":3,\"macs\":10,\"flops\":20,\"seconds\":0.5,\"unsteady\":false}\n}\n");
  const std::string text =
      text_of(parse_markup(report_section(of_weights(), {words, words}, Style()).markup()));
  CHECK(text.find("nothing, 500.0 ms") != std::string::npos);
  Report other = of_weights(); // a trace that only helps has no part of the document
  other.has_tensors = other.has_cost = false;
  CHECK(render_screen(other, words, without) == "cost     nothing\n");
  CHECK(render_json(other, words) == "{\n  \"schema_version\": 1,\n  \"command\": \"\"\n}\n");
  Report worded = of_weights();
  worded.time = {{"said", {{"what", "how long"}}}};
  CHECK(render_screen(worded, words, without) == "cost     nothing   Said how long.\n");
  worded.time = {{"lacks"}};
  CHECK(render_screen(worded, words, without) == "cost     nothing\n");
  worded.frame.quiet = true;
  CHECK(render_screen(worded, words, Style()) == "cost     nothing\n");
  Report untimed = of_weights();
  untimed.frame.with_time = false;
  CHECK(render_screen(untimed, words, without) == "cost     nothing\n");
  CHECK(render_json(untimed, words).find("\"flops\":20}") != std::string::npos);
}

TEST_CASE("a drawing stands in the document in both languages", "[render][report]") {
  Report report;
  report.add(Drawing{[](const Style&, Language language) {
    return std::vector<std::string>{language == Language::zh ? "图" : "a drawing"};
  }});
  const std::string markup = report_section(report, {sample_words(), sample_words()}, Style()).markup();
  CHECK(markup.find("<div lang=\"en\"><pre>a drawing\n</pre></div><div lang=\"zh\"><pre>图\n</pre></div>") !=
        std::string::npos);
}

TEST_CASE("rows of a JSON document hold rows, and numbers that are read where they are written",
          "[render][report]") {
  CHECK(render_json(lines_of_a_report(), sample_words()) ==
        "{\n  \"schema_version\": 1,\n  \"command\": \"sample\",\n"
        "  \"rows\": [{\"name\":\"x\",\"within\":[{\"name\":\"a\",\"in\":{\"x\":[1.0,2.0]}},"
        "{\"name\":\"b\",\"in\":{\"x\":null}}],\"data\":[[3.0],[4.0]]}]\n}\n");
}

TEST_CASE("a row holds an object and whole numbers below 0, small numbers keep their digits",
          "[render][report]") {
  Report report;
  report.frame.command = report.frame.typed = "sample";
  report.title = Title::none;
  const Nested inner{std::make_shared<const ReportTable>(ReportTable{"", {"id"}, {}, {{Integer{-3}}}})};
  report.add(
      ReportTable{"made", {"name", "of"}, {}, {{"a", Object{{{"size", Count{12345}}, {"rows", inner}}}}}});
  report.add(ReportTable{
      "", {"name", "q", "error"}, {"name", "q", "error"}, {{"a", Integer{-63}, Significant{0.000123456}}}});
  CHECK(render_json(report, sample_words())
            .find(R"("made": [{"name":"a","of":{"size":12345,"rows":[{"id":-3}]}}])") != std::string::npos);
  CHECK(
      render_screen(report, sample_words(), Style()).starts_with("     q      error\na  -63  0.0001235\n\n"));
}

TEST_CASE("sentences of one paragraph, looks by their names, commands before words", "[render][report]") {
  Words words =
      Words::parse("## one\nOne {n}.\n## lacks\nNobody knows {this}.\n## two\nTwo.\n"
                   "## cjk\n三。\n## look.other\nLook here.\n## look.1\nNot here.\n## go\nor that\n");
  words.add(common_words(Language::en));
  Report report;
  report.frame.command = report.frame.typed = "sample";
  report.title = Title::none;
  report.trace.facts["n"] = 1.0;
  report.say_in_one({"one", "lacks", "two"});
  report.say_in_one({"lacks"});
  report.say_in_one({"cjk", "two"});
  report.looks = {"other", "none"};
  report.next = {"", "a", "b"}, report.onward = {{"lacks"}, {"go"}};
  CHECK(render_screen(report, words, Style()) ==
        "One 1. Two.\n\n三。Two.\n\nlook     Look here.\nnext     tfx a    tfx b\n         or that\n");
  report.next.clear();
  const std::string page = render_screen(report, words, Style());
  CHECK(page.ends_with("\nnext     or that\n"));
  const std::string document = report_section(report, {words, words}, Style()).markup();
  CHECK(document.find("One 1. Two.") != std::string::npos);
  CHECK(document.find("Look here.") != std::string::npos);
  CHECK(document.find("Not here.") == std::string::npos);
}

TEST_CASE("text in the last column goes on in lines of its own", "[render][report]") {
  Report report;
  report.title = Title::none;
  ReportTable table{"",
                    {"name", "size", "note"},
                    {"name", "size", "note"},
                    {{"a", Count{1}, "one two three"}, {"b", Count{2}, ""}}};
  table.of_text = true;
  report.add(table);
  Style narrow;
  narrow.width = 28;
  const std::string page = render_screen(report, sample_words(), narrow);
  CHECK(page.starts_with("   how large  note\na          1  one two three\nb          2\n"));
  narrow.width = 24;
  CHECK(render_screen(report, sample_words(), narrow).find("a          1  one two\n              three\nb") !=
        std::string::npos);
}

TEST_CASE("a list's entries, a property with what was measured, and what a page writes itself",
          "[render][report]") {
  Report report;
  report.frame.command = report.frame.typed = "sample";
  report.title = Title::none;
  report.add(Entry{"one.name", {{"said", {{"what", "first"}}}, {"lacks"}, {"said", {{"what", "last"}}}}});
  report.add(Row{"check", PropertyId{"rows_sum_to_one", 0.25}, Finding::Mark::bad});
  report.add(Row{"", PropertyId{"rows_sum_to_one"}});
  report.add(Row{
      "", Written{[](const Paper& paper) {
        return paper.word("said", {{"what", "digits " + std::to_string(paper.style().precision)}}).value() +
               "\a";
      }}});
  report.trace.facts["name"] = "the trace's";
  report.add(Member{"name", "the member's"});
  report.say("whose");
  Words words = sample_words();
  words.add(
      Words::parse("## whose\nIt is {name}.\n## property.rows_sum_to_one\nrows sum to 1 (off by {value})\n"));
  const std::string screen = render_screen(report, words, Style());
  CHECK(screen == "one.name\n  Said first.\n  Said last.\n\n"
                  "check    ✗ the weights of each row sum to 1 (off by 0.25)\n"
                  "         the weights of each row sum to 1\n"
                  "         Said digits 4.\\x07\n\n"
                  "It is the trace's.\n\ncost     nothing\n");
  CHECK(render_json(report, words).find("\"name\": \"the member's\"") != std::string::npos);
  const std::string page = text_of(parse_markup(report_section(report, {words, words}, Style()).markup()));
  for (const char* shown : {"one.name", "Said last.", "sum to 1 (off by 0.25)", "Said digits 4.\\x07"}) {
    INFO(page << "\nlacks: " << shown);
    CHECK(page.find(shown) != std::string::npos);
  }
}

TEST_CASE("members with a dot stand in an object, and JSON keeps what each cell is", "[render][report]") {
  CHECK(render_json(findings(), sample_words()) ==
        "{\n  \"schema_version\": 1,\n  \"command\": \"sample\",\n"
        "  \"blas\": {\"core\":\"Zen\",\"threads\":2},\n  \"quota\": null,\n"
        "  \"environment\": {\"OMP\":\"2\"},\n  \"names\": [\"a\",\"b\"],\n  \"shape\": [2,3],\n"
        "  \"text\": \"Said this.\"\n}\n");
}

TEST_CASE("a document has the findings, and what is drawn", "[render][report]") {
  const BothWords words{sample_words(), sample_words()};
  Report report = findings();
  CHECK(report_section(report, words, Style()).markup().find("appendix") != std::string::npos);
  report.frame.is_lesson = false; // then it has no place in the course
  CHECK(report_section(report, words, Style()).markup().find("appendix") == std::string::npos);
  const std::string text = text_of(parse_markup(report_section(report, words, Style()).markup()));
  for (const char* shown : {"Said one.  Said two.", "Said why.", "how large", "█\nbelow"}) {
    INFO(text << "\nlacks: " << shown);
    CHECK(text.find(shown) != std::string::npos);
  }
}

TEST_CASE("the JSON of a report has its numbers, and without times the same bytes again",
          "[render][report]") {
  Report report = sample();
  CHECK(render_json(report, sample_words()) ==
        "{\n  \"schema_version\": 1,\n  \"command\": \"sample\",\n  \"name\": \"a\\u001b<b>\",\n"
        "  \"whole\": 12345,\n"
        "  \"rows\": [{\"token\":\"x<y\",\"in\":{\"macs\":1000,\"seconds\":0.5},\"size\":2000000,"
        "\"part\":0.125,\"gap\":1e-16},{\"token\":\"z\",\"in\":{\"macs\":7,\"seconds\":2e-06},"
        "\"size\":3,\"part\":1.0,\"gap\":0.5}],\n"
        "  \"checks\": [{\"name\":\"holds\",\"pass\":true,\"value\":2.0}]\n}\n");
  report.frame.with_time = false;
  CHECK(render_json(report, sample_words()).find("seconds") == std::string::npos);
  CHECK(render_screen(report, sample_words(), Style()).find("seconds") == std::string::npos);
}

TEST_CASE("the document of a report has the same sentences, table and checks", "[render][report]") {
  const BothWords words{sample_words(), sample_words()};
  const Node section = parse_markup(report_section(sample(), words, Style()).markup());
  const std::string text = text_of(section);
  for (const char* shown : {"It read a\\x1b<b>: 12,345.", "Said this.", "how large", "x<y", "2 MB", "1,000",
                            "500.0 ms", "12.5 %", "See 12,345.", "it holds", "tfx train"}) {
    INFO(text << "\nlacks: " << shown);
    CHECK(text.find(shown) != std::string::npos);
  }
  CHECK(text.find("1e-16") == std::string::npos); // no column of the page
}
