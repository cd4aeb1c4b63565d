#include "render/report.hpp"

#include "cli/lesson/save.hpp"
#include "render/html/section.hpp"
#include "support/catch.hpp"
#include "support/markup.hpp"

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

TEST_CASE("the JSON of a report has its numbers, and without times the same bytes again",
          "[render][report]") {
  Report report = sample();
  CHECK(render_json(report) ==
        "{\n  \"schema_version\": 1,\n  \"command\": \"sample\",\n  \"name\": \"a\\u001b<b>\",\n"
        "  \"whole\": 12345,\n"
        "  \"rows\": [{\"token\":\"x<y\",\"in\":{\"macs\":1000,\"seconds\":0.5},\"size\":2000000.0,"
        "\"part\":0.125,\"gap\":1e-16},{\"token\":\"z\",\"in\":{\"macs\":7,\"seconds\":2e-06},"
        "\"size\":3.0,\"part\":1.0,\"gap\":0.5}],\n"
        "  \"checks\": [{\"name\":\"holds\",\"pass\":true,\"value\":2.0}]\n}");
  report.frame.with_time = false;
  CHECK(render_json(report).find("seconds") == std::string::npos);
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
