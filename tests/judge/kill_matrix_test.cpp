// Every mistake against every property.

#include "judge/kill_matrix.hpp"

#include "lessons/catalogue.hpp"
#include "support/catch.hpp"

#include <algorithm>

using namespace tfx;

TEST_CASE("every mistake is noticed by a property, and no right run is accused",
          "[judge][mutants][repeats]") {
  const KillMatrix matrix = kill_matrix();
  CHECK(matrix.rows.size() == mistakes().size());
  for (const KillRow& row : matrix.rows) {
    INFO(row.mistake);
    CHECK_FALSE(row.runs.empty());
    CHECK_FALSE(row.survives());
  }
  for (const std::string& alarm : matrix.false_alarms) FAIL_CHECK(alarm);
  CHECK(matrix.holds());

  const auto noticed = [&](const std::string& mistake, const std::string& property) {
    const auto row = std::ranges::find(matrix.rows, mistake, &KillRow::mistake);
    const auto column = std::ranges::find(matrix.properties, property) - matrix.properties.begin();
    return static_cast<bool>(row->killed[static_cast<std::size_t>(column)]);
  };
  CHECK(noticed("softmax.wrong_axis", "rows_sum_to_one"));
  CHECK_FALSE(noticed("softmax.wrong_axis", "shapes"));
  CHECK_FALSE(noticed("softmax.no_scale", "rows_sum_to_one"));
  CHECK(noticed("mask.forgotten", "future_unseen"));
  const std::string own_masks =
      "multihead --mask mask.npy --d-model 4 --heads 2 --batch 2"; // as one types it
  CHECK(std::ranges::any_of(matrix.rows, [&](const KillRow& row) {
    return std::ranges::find(row.runs, own_masks) != row.runs.end();
  }));
}

TEST_CASE("a survivor and a false alarm each break the matrix", "[judge][mutants]") {
  KillMatrix matrix{{"shapes", "order_free"}, {{"a", {false, true}, {"scores"}}}, {}};
  CHECK(matrix.holds());
  matrix.rows.push_back({"b", {false, false}, {"scores"}});
  CHECK(matrix.killed() == 1);
  CHECK_FALSE(matrix.holds());
  matrix.rows.pop_back();
  matrix.false_alarms.push_back("scores: shapes");
  CHECK_FALSE(matrix.holds());
}
