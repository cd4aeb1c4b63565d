#pragma once
// The sections of a report: each lesson of the page on the learner's input and a training made while the
// report is written; the trained model's part is written in model.cpp.

#include "cli/context.hpp"
#include "render/html/html.hpp"

#include <map>
#include <string>

namespace tfx {

struct ReportOptions {
  std::string file;
  InputOptions input;
  std::optional<std::size_t> steps; ///< of the training
  bool no_time = false;
};

/// A section for each lesson of the page (0 to 11, and 13) on the learner's input, by its command. A lesson
/// that the input does not fit runs on its own data and says so. Throws what running a lesson throws where no
/// lesson takes the input, a file is not there, or memory is short.
std::map<std::string, Html> lesson_sections(const ReportOptions& options, Context& context);

/// The trained model's part, the lessons model, decode and params, on the learner's text where a shipped
/// model can read it: what it reads and writes, the attention of every layer and head, each weight explained;
/// how sure it was of every token; what it holds.
std::map<std::string, Html> model_sections(const ReportOptions& options, Context& context);

/// The lesson train: so many steps of the task copy, made while the report is written.
Html training_section(std::size_t steps, const Style& style);

} // namespace tfx
