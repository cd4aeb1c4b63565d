#pragma once
// What a learner writes, as data: for each lesson of the page a function that takes arrays and returns
// arrays, and the series of inputs that a program is graded on. The program that a learner starts from
// (skeleton.hpp), the list of exercises, the inputs that are written and the grading are made from the row.

#include "input/options.hpp"
#include "io/array.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

struct OwnTask; // exercise/own_exercise.hpp

/// An array that goes in or comes out: a tensor of the lesson's run, or a number that the run was made with.
struct Slot {
  std::string name;
  std::string shape = {}; ///< "(…, n_q, d_k)", … any number of axes; empty: a number
  DType dtype = DType::f64;
  std::size_t points = 1; ///< of a result, in each case

  /// As a shape: all of a model's parameters, by their names.
  static constexpr const char* parameters = "{}";

  bool is_number() const { return shape.empty(); }
  bool is_parameters() const { return shape == parameters; }
  Slot weighing(std::size_t count) const {
    Slot slot = *this;
    slot.points = count;
    return slot;
  }
};

/// Of whole numbers; without a shape one alone.
Slot whole(std::string name, std::string shape = {});

/// Of the result that an exercise is about, where others lead to it.
inline constexpr std::size_t final_points = 3;

/// Changes an input in what no option says. Numbers that it makes begin at `phase` of a sine: at 0, or where
/// a student's seed says.
using Change = void (*)(LessonInput&, double phase);

/// One input of a series.
struct CaseRule {
  std::string id;           ///< key of its words: "exercise.case.ID"
  std::string typed;        ///< the lesson's options, as one would type them: "--n-q 3 --seed 7"
  Change change = nullptr;  ///< what no option says
  DType dtype = DType::f64; ///< of its real numbers: f64 or f32

  InputOptions options() const;
};

struct Exercise {
  std::string name;          ///< the lesson's command or an own one's folder, and the name of the function
  std::vector<Slot> given;   ///< in the order of the arguments
  std::vector<Slot> results; ///< have to be right
  std::vector<Slot> stages;  ///< may be returned too: then a mistake is found where it was made
  std::vector<CaseRule> series;
  /// Whether it is a whole model, which answers with a text.
  bool is_model() const { return std::ranges::any_of(given, &Slot::is_parameters); }

  std::shared_ptr<const OwnTask> own = {}; ///< a teacher's own has its words and arrays there
};

/// In the order of the lessons.
const std::vector<Exercise>& exercises();

/// The exercise of that name, or nullptr.
const Exercise* exercise_named(std::string_view name);

} // namespace tfx
