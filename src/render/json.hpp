#pragma once
// A lesson's run, and an explanation, as JSON for other programs: what --json prints.

#include "io/json_writer.hpp"
#include "trace/cost.hpp"
#include "trace/explain.hpp"
#include "trace/trace.hpp"

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

struct JsonOptions {
  bool with_time = true;
  std::set<std::string> only; ///< tensors to carry; empty for all
};

std::string render_json(const Trace& trace, const JsonOptions& options);

/// An explanation, written as it is told: nested as the sources are, however large it gets.
class ExplanationJson final : public ExplanationVisitor {
public:
  using Write = std::function<void(std::string_view)>;

  ExplanationJson(const std::string& lesson, Write write);
  void enter(const Explanation& cell) override;
  void leave() override;

private:
  JsonWriter json_;
  Write write_;
  std::vector<bool> repeated_; ///< one for each open cell
};

/// Opens the object that every command prints, with what is first in it: the schema's version and the
/// command. Version 1 is a lesson's; a command that is none has 2 from its report on.
void begin_command(JsonWriter& json, std::string_view command, std::size_t version = 1);

/// Closes it: the whole document, which ends its last line.
std::string end_command(JsonWriter& json);

/// The member "tensors" of a command that records no steps: numbers, and not how they came about. Throws
/// Error(no_memory).
void write_tensors(JsonWriter& json, const Trace& trace);

/// The member "checks".
void write_checks(JsonWriter& json, const Trace& trace);

/// The members of an object of costs, without seconds where `with_time` is false: equal runs then print equal
/// bytes.
void write_cost(JsonWriter& json, const Cost& cost, bool with_time);

} // namespace tfx
