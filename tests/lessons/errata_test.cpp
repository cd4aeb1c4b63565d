#include "lessons/errata/erratum.hpp"

#include "support/catch.hpp"
#include "words/in_words.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <set>

using namespace tfx;
using namespace tfx::errata;

namespace {

const Erratum& named(const std::string& id) {
  for (const Erratum& one : all())
    if (one.id == id) return one;
  FAIL("no erratum " << id);
  throw; // FAIL has thrown
}

/// "log_probs_max", "page.row_sum" or the name of a fact.
const Fact* fact_of(const Findings& findings, const std::string& name) {
  for (const Findings::Measure& measure : findings.measures) {
    if (name == "page." + measure.name) return &measure.page;
    if (name == "instead." + measure.name) return &measure.instead;
  }
  const auto fact = findings.facts.find(name);
  return fact == findings.facts.end() ? nullptr : &fact->second;
}

} // namespace

TEST_CASE("every corrected form passes its check, every printed one fails it", "[errata]") {
  std::size_t executed = 0;
  for (const Erratum& one : all()) {
    INFO(one.id);
    const Findings findings = one.run();
    CHECK(findings.holds());
    CHECK(findings.page_passes.has_value() == findings.executed());
    if (!findings.executed()) continue;
    ++executed;
    CHECK_FALSE(*findings.page_passes);
    CHECK_FALSE(findings.measures.empty());
  }
  CHECK(executed == all().size() - 7); // those that are a matter of reading
}

TEST_CASE("the figures of both forms are NumPy's", "[errata]") {
  std::ifstream file(std::string(TFX_SOURCE_DIR) + "/data/reference/errata.json");
  const auto figures = nlohmann::json::parse(file);
  REQUIRE(figures.size() > 60);
  std::string last;
  Findings findings;
  for (const auto& [key, value] : figures.items()) {
    INFO(key);
    const std::string id = key.substr(0, key.find('.'));
    if (id != last) findings = named(id).run(), last = id;
    const Fact* fact = fact_of(findings, key.substr(id.size() + 1));
    REQUIRE(fact);
    if (value.is_array())
      for (std::size_t i = 0; i < value.size(); ++i)
        CHECK(std::get<std::vector<double>>(*fact).at(i) == Approx(value[i].get<double>()));
    else // attention-block computes in float32 up to its inputs, NumPy's script and tfx in double after them
      CHECK(std::get<double>(*fact) == Approx(value.get<double>()).epsilon(1e-6).margin(1e-9));
  }
}

TEST_CASE("every erratum has its words in both languages, and every number they quote", "[errata]") {
  std::set<std::string> ids;
  for (const Erratum& one : all()) {
    INFO(one.id);
    CHECK(ids.insert(one.id).second);
    const Findings findings = one.run();
    for (const Language language : {Language::en, Language::zh}) {
      const Words words = words_in("lessons/errata", language);
      for (const char* part : {"where", "says", "verdict", "write"}) {
        const std::string* text = words.find(std::string(one.id) + "." + part);
        REQUIRE(text);
        CHECK(fill_in(*text, [&](const std::string& name) -> std::optional<std::string> {
          if (fact_of(findings, name)) return "1";
          UNSCOPED_INFO("no fact " << name);
          return std::nullopt;
        }));
      }
      for (const Findings::Measure& measure : findings.measures) CHECK(words.find("measure." + measure.name));
    }
  }
}

TEST_CASE("all five tutorials have errata, each in one place of the list", "[errata]") {
  CHECK(tutorials() == std::vector<std::string>{"fun-transformer", "scaled-dot-product", "attention-block",
                                                "annotated", "happy-llm"});
}
