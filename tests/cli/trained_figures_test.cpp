// What the program says of shipped models' heads and words, against NumPy's run of its own
// (tools/reference/make_roles.py).

#include "io/file.hpp"
#include "io/npz.hpp"
#include "support/catch.hpp"
#include "support/command_line.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

using nlohmann::json;

const std::string figures_folder = std::string(TFX_SOURCE_DIR) + "/data/reference/roles/";

class NumpyFigures {
public:
  explicit NumpyFigures(const std::string& name)
      : arrays_(read_npz(read_file(figures_folder + name + ".npz"), name)) {}

  const Tensor& operator[](const std::string& name) const {
    const auto found = std::ranges::find(arrays_, name, &NamedArray::name);
    REQUIRE(found != arrays_.end());
    return found->array.values;
  }

private:
  std::vector<NamedArray> arrays_;
};

json answer_of(std::vector<std::string> line) {
  line.insert(line.end(), {"--json", "--no-time"});
  const Ran ran = run_command_line(line);
  INFO(ran.err);
  REQUIRE(ran.status == 0);
  return json::parse(ran.out);
}

json experiment_of(const json& answer, const std::string& name) {
  for (const json& one : answer["experiments"])
    if (one["name"] == name) return one;
  FAIL("no experiment " << name);
  return {};
}

} // namespace

TEST_CASE("what the heads of the shipped models do is NumPy's measure", "[cli][roles]") {
  for (const std::string name : {"reverse", "numbers-zh", "en-zh"}) {
    const NumpyFigures numpy(name);
    const json answer = answer_of(
        {"model", "--weights", name, "--roles", "--pairs", figures_folder + name + ".tsv", "--dtype", "f64"});
    const json weights = experiment_of(answer, "role_weights"),
               uniform = experiment_of(answer, "role_uniform"), roles = experiment_of(answer, "roles");
    const std::size_t heads = numpy["weight"].shape[0], rules = numpy["weight"].shape[1];
    REQUIRE((weights["rows"].size() == heads && weights["columns"].size() == rules));
    std::size_t measured = 0;
    for (std::size_t h = 0; h < heads; ++h) {
      const std::string head = weights["rows"][h];
      for (std::size_t r = 0; r < rules; ++r) {
        INFO(name << ": " << head << ", " << weights["columns"][r]);
        const std::size_t at = h * rules + r;
        const bool is_measured = numpy["queries"].data[at] > 0;
        CHECK(weights["data"][h][r].is_number() == is_measured);
        if (!is_measured) continue;
        ++measured;
        CHECK(std::abs(weights["data"][h][r].get<double>() - numpy["weight"].data[at]) < 1e-11);
        CHECK(std::abs(uniform["data"][h][r].get<double>() - numpy["uniform"].data[at]) < 1e-11);
      }
      INFO(name << " without " << head);
      const auto& said = numpy["log_probability"].data;
      CHECK(std::abs(roles["data"][h][3].get<double>() - (said[0] - said[1 + h])) < 1e-11);
      CHECK(roles["data"][h][4].get<double>() == Approx(numpy["right"].data[1 + h]));
    }
    CHECK(measured > 100);
  }
}

TEST_CASE("the nearest of all words of a model are NumPy's", "[cli][words]") {
  const NumpyFigures numpy("near");
  const json answer = answer_of({"words", "--model", "en-zh", "--text", "file click table red cell not"});
  const json near = experiment_of(answer, "neighbours");
  const auto& cosines = numpy["cosine"];
  REQUIRE(near["rows"].size() == cosines.data.size());
  for (std::size_t i = 0; i < cosines.data.size(); ++i) {
    INFO(near["rows"][i]);
    CHECK(std::abs(near["data"][i][0].get<double>() - cosines.data[i]) < 1e-12);
    CHECK(std::abs(near["data"][i][1].get<double>() - numpy["distance"].data[i]) < 1e-12);
    CHECK(near["data"][i][2].get<double>() == numpy["place"].data[i]);
  }
  CHECK(answer["facts"]["vocabulary"] == numpy["words"].data[0]);
}

} // namespace tfx
