// A teacher's own exercise: what its folder says, and what no folder may say.

#include "cli/grade/feedback.hpp"
#include "core/error.hpp"
#include "exercise/grading.hpp"
#include "exercise/own_exercise.hpp"
#include "exercise/skeleton.hpp"
#include "io/file.hpp"
#include "io/npz.hpp"
#include "support/catch.hpp"

#include <deque>
#include <filesystem>

using namespace tfx;

namespace {

namespace fs = std::filesystem;

struct Given {
  std::string name;
  Shape shape;
  DType dtype = DType::f64;
};

// A folder "mine" whose arrays count up from 1.
class OwnFolder {
public:
  OwnFolder() {
    fs::remove_all(parent_), fs::create_directories(path());
    write_file_atomically(path() + "/en.md", "## title\nMine\n## exercise\nDo it {hole}.\n");
    inputs({{"a/x", {2, 3}}, {"a/k", {}, DType::i64}, {"b/x", {4, 3}}, {"b/k", {}, DType::i64}});
    outputs({{"a/y", {2}}, {"b/y", {4}}});
  }
  ~OwnFolder() { fs::remove_all(parent_); }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;

  std::string path() const { return parent_ + "/mine"; }
  void inputs(const std::vector<Given>& arrays) const { write("inputs.npz", arrays); }
  void outputs(const std::vector<Given>& arrays) const { write("outputs.npz", arrays); }
  void wrong(const std::vector<Given>& arrays, double first = 7) const { write("wrong.npz", arrays, first); }
  void words(const std::string& more) const {
    write_file_atomically(path() + "/en.md", "## title\nMine\n## exercise\nDo it {hole}.\n" + more);
  }

  std::string refused() const {
    try {
      own_exercise(path());
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::bad_data);
      return error.what();
    }
    return "taken";
  }

private:
  void write(const std::string& file, const std::vector<Given>& arrays, double first = 1) const {
    std::deque<Tensor> tensors;
    std::vector<NpzEntry> entries;
    for (const Given& one : arrays) {
      Tensor& tensor = tensors.emplace_back(one.shape);
      for (std::size_t i = 0; i < tensor.size(); ++i)
        tensor.data[i] = one.dtype == DType::boolean ? 1 : static_cast<double>(i) + first;
      entries.push_back({one.name, &tensor, one.dtype});
    }
    write_file_atomically(path() + "/" + file, write_npz(entries));
  }

  const std::string parent_ = (fs::temp_directory_path() / "tfx_own_exercise_test").string();
};

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a teacher's folder is an exercise, with letters for what varies", "[exercise]") {
  const OwnFolder folder;
  folder.inputs({{"a/x", {2, 3}},
                 {"a/seen", {2, 2}, DType::boolean},
                 {"a/k", {}, DType::i64},
                 {"b/x", {5, 4, 3}},
                 {"b/seen", {4, 4}, DType::boolean},
                 {"b/k", {}, DType::i64}});
  const auto exercise = own_exercise(folder.path());
  CHECK(exercise->name == "mine");
  REQUIRE(exercise->given.size() == 3);
  CHECK(exercise->given[0].shape == "(…, n, 3)");
  CHECK(exercise->given[1].shape == "(n, n)");
  CHECK(exercise->given[1].dtype == DType::boolean);
  CHECK(exercise->given[2].is_number());
  CHECK(exercise->given[2].dtype == DType::i64);
  CHECK(exercise->results[0].shape == "(n)");
  REQUIRE(exercise->series.size() == 2);
  const std::string program = skeleton(*exercise, ProgramLanguage::numpy)[0].text;
  CHECK(holds(program, "def mine(x, seen, k):"));
  CHECK(holds(program, "Do it {hole}.")); // as it was written
  CHECK(holds(program, "True or False"));
  const std::vector<Case> series = series_of(*exercise);
  const std::string bytes = inputs_file(*exercise, series);
  CHECK(NpzReader(bytes, "inputs").read("b/x").values.shape == Shape{5, 4, 3});
  CHECK(NpzReader(bytes, "inputs").read("a/seen").dtype == DType::boolean);
}

TEST_CASE("what comes back is compared with the teacher's outputs, and no mistake is accused", "[exercise]") {
  const OwnFolder folder;
  folder.inputs({{"a/weights", {2, 3}}, {"b/weights", {4, 3}}}); // a lesson's name
  folder.outputs({{"a/output", {2}}, {"b/output", {4}, DType::f32}});
  const auto exercise = own_exercise(folder.path());
  const std::vector<Case> series = series_of(*exercise);
  CHECK(series[0].rule->dtype == DType::f64);
  CHECK(series[1].rule->dtype == DType::f32);
  const auto returned = [&](double off) {
    return graded(*exercise, series,
                  {{"a/output", {DType::f64, Tensor({2}, {1, 2 + off})}},
                   {"b/output", {DType::f64, Tensor({4}, {1, 2, 3, 4 + off})}}});
  };
  CHECK(returned(0).points() == 2);
  CHECK(returned(1e-6).points() == 1); // float32 knows no better
  const Grading wrong = returned(1);
  CHECK(wrong.points() == 0);
  CHECK(wrong.diagnosis.suspects.empty());
  for (const Observation& seen : wrong.observations) CHECK(seen.id != "input");
}

TEST_CASE("a folder that would be code, or no exercise, is refused", "[exercise]") {
  const OwnFolder folder;
  CHECK(folder.refused() == "taken");
  folder.inputs({{"a/x", {2}}, {"b/x", {3}}, {"c/x", {3}}});
  CHECK(holds(folder.refused(), "outputs.npz lacks c/y"));
  folder.inputs({{"a/x", {2}}});
  CHECK(holds(folder.refused(), "inputs.npz has nothing for the case b"));
  folder.inputs({{"a/x", {2}}, {"b/z", {3}}});
  CHECK(holds(folder.refused(), "inputs.npz lacks b/x"));
  for (const char* name : {"x", "a/x y", "a/1x", "a/import", "a/x): import os #", "a/x/z", "a b/x"}) {
    INFO(name);
    folder.inputs({{name, {2}}});
    CHECK(holds(folder.refused(), "is not CASE/NAME"));
  }
  folder.inputs({{"a/x", {2, 0}}, {"b/x", {2, 1}}});
  CHECK(holds(folder.refused(), "a/x is empty"));
  folder.inputs({{"a/y", {2}}, {"b/y", {2}}});
  CHECK(holds(folder.refused(), "y is an input and an output"));
  folder.inputs({});
  CHECK(holds(folder.refused(), "has no arrays"));
  std::vector<Given> many;
  for (int i = 0; i <= 100; ++i) many.push_back({"c" + std::to_string(i) + "/x", {1}});
  folder.inputs(many);
  CHECK(holds(folder.refused(), "too large"));
}

TEST_CASE("a mistake of the teacher's own is named where it gives all that came, a wrong case among it",
          "[exercise]") {
  const OwnFolder folder;
  folder.wrong({{"late/a/y", {2}}, {"late/b/y", {4}}, {"flat/b/y", {2, 2}}}); // 7, 8, …
  folder.words("## wrong.late\nToo late\nBegin at 1.\nOr\n## wrong.flat\nA matrix\n");
  const auto exercise = own_exercise(folder.path());
  const std::vector<Case> series = series_of(*exercise);
  const auto named_of = [&](std::vector<double> a, std::vector<double> b, const Shape& shape = {4}) {
    return named(
        graded(*exercise, series,
               {{"a/y", {DType::f64, {{2}, std::move(a)}}}, {"b/y", {DType::f64, {shape, std::move(b)}}}}));
  };
  using Names = std::vector<std::string>;
  CHECK(named_of({7, 8}, {7, 8, 9, 10}) == Names{"late"});
  CHECK(named_of({1, 2}, {1, 2, 3, 4}).empty());
  CHECK(named_of({7, 8}, {1, 2, 3, 4}).empty()); // b is right, and it would not be
  CHECK(named_of({7, 8}, {7, 8, 9, 11}).empty());
  CHECK(named_of({7, 9}, {7, 8, 9, 10}, {2, 2}) == Names{"flat"}); // which says nothing of a
  CHECK(own_mistake_said(*exercise, "late").at(0).values.at("lines_zh") == Fact("Too late"));
  CHECK(own_mistake_said(*exercise, "late").at(1).values.at("lines_zh") == Fact(Names{"Begin at 1.", "Or"}));
  CHECK(own_mistake_said(*exercise, "flat").at(1).values.at("lines_en") == Fact(Names{}));
}

TEST_CASE("mistakes of the teacher's own that return the same are named together", "[exercise]") {
  const OwnFolder folder;
  folder.wrong({{"late/b/y", {4}}, {"after/b/y", {4}}});
  folder.words("## wrong.late\nToo late\n## wrong.after\nAfter it\n");
  const auto exercise = own_exercise(folder.path());
  const Grading grading =
      graded(*exercise, series_of(*exercise), {{"b/y", {DType::f64, {{4}, {7, 8, 9, 10}}}}});
  CHECK(named(grading).size() == 2);
}

TEST_CASE("wrong.npz is refused where it says nothing, or nobody says what it is", "[exercise]") {
  const OwnFolder folder;
  folder.words("## wrong.late\nToo late\n");
  CHECK(holds(folder.refused(), "has a section ## wrong.late, and wrong.npz has no array of it"));
  folder.wrong({{"late/a/y", {2}}});
  CHECK(folder.refused() == "taken");
  folder.wrong({{"late/a/y", {2}}}, 1);
  CHECK(holds(folder.refused(), "late returns what is right in every case"));
  folder.wrong({{"late/c/y", {2}}});
  CHECK(holds(folder.refused(), "late/c/y is of no case"));
  folder.wrong({{"late/a/x", {2}}});
  CHECK(holds(folder.refused(), "late/a/x is of no case and output"));
  folder.wrong({{"a/y", {2}}});
  CHECK(holds(folder.refused(), "\"a/y\" is not WRONG/CASE/NAME"));
  folder.wrong({{"late/a/y", {2}}, {"early/a/y", {2}}});
  CHECK(holds(folder.refused(), "has no section ## wrong.early"));
}
