#pragma once
// What a wrong answer is the right answer of: another cell, the other sign, an earlier step, or what a
// mistake of the catalogue would give in its place.

#include "course/question.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

/// What a tensor of the run would be with one mistake made.
struct WrongTensor {
  std::string mistake; ///< its id: "softmax.no_scale"
  std::string tensor;
  Tensor value;
};

/// What `tensor` becomes with each mistake of the catalogue that changes it and keeps its shape.
std::vector<WrongTensor> wrong_tensors(const Trace& trace, const std::string& tensor);

struct AnswerDiagnosis {
  std::string id; ///< key of its words: "sign", "transposed", "other_cell", …; "mistake" for the catalogue's
  std::string tensor;       ///< where the number stands that was given, or empty
  Index index;              ///< there
  std::string mistake = {}; ///< the id in the catalogue
};

/// The likeliest reason, or nothing where none fits. `typed` was judged wrong.
std::optional<AnswerDiagnosis> diagnose_answer(const Trace& trace, const Question& question,
                                               std::string_view typed, const std::vector<WrongTensor>& wrong);

/// The same with the mistakes of the catalogue, where numbers are asked.
std::optional<AnswerDiagnosis> diagnose_answer(const Trace& trace, const Question& question,
                                               std::string_view typed);

} // namespace tfx
