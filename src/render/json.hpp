#pragma once
// A lesson's run, and an explanation, as JSON for other programs: what --json prints.

#include "trace/explain.hpp"
#include "trace/trace.hpp"

#include <set>
#include <string>

namespace tfx {

struct JsonOptions {
  bool with_time = true;
  std::set<std::string> only; ///< tensors to carry; empty for all
};

std::string render_json(const Trace& trace, const JsonOptions& options);

std::string render_json(const Explanation& explanation, const std::string& lesson);

} // namespace tfx
