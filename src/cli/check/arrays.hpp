#pragma once
// Which tensors of a lesson the arrays of a learner's file are.

#include "cli/context.hpp"
#include "io/load.hpp"
#include "judge/check_report.hpp"
#include "lessons/catalogue.hpp"

namespace tfx {

struct FileArrays {
  std::vector<HandedIn> arrays;
  std::vector<std::string> unknown; ///< names in the file that are no tensors of the lesson
};

/// A file of one array is the tensor of that name, else the lesson's main one. Of several arrays those are
/// taken whose names are tensors of the lesson, or the one called `tensor`. Throws Error(usage) for a tensor
/// that the lesson does not have, Error(bad_data) where no array has the name of one.
FileArrays arrays_in(Content content, const std::string& path, const std::optional<std::string>& tensor,
                     const Trace& right);

/// Whether equality answers anything: every one of `wanted` was compared, and not only what is given. Throws
/// Error(bad_data) where it does not.
void require_answer(const std::vector<std::string>& wanted, const FileArrays& file, const std::string& path,
                    const Lesson& lesson, const Trace& right);

} // namespace tfx
