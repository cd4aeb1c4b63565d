// The screen of tfx doctor: a line a finding, with what is wrong and what to do below it.

#include "cli/context.hpp"
#include "cli/doctor/report.hpp"
#include "core/number.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <array>

namespace tfx {

namespace {

using Values = std::map<std::string, std::string>;

std::string instruction_sets(const Processor& processor) {
  std::string list;
  const auto add = [&](bool has, const char* name) {
    if (has) list += (list.empty() ? "" : " ") + std::string(name);
  };
  add(processor.sse2, "SSE2"), add(processor.avx, "AVX");
  add(processor.avx2 && processor.fma, "AVX2+FMA"), add(processor.avx512, "AVX-512");
  return list;
}

class DoctorScreen {
public:
  DoctorScreen(const DoctorReport& report, const Context& context)
      : report_(report), context_(context), style_(context.style()) {
    constexpr std::array rows = {"processor", "isa",    "blas",     "processors", "huge_pages",
                                 "memory",    "locale", "terminal", "state"};
    for (const char* name : rows) names_ = std::max(names_, display_width(word("row." + std::string(name))));
  }

  std::string take() {
    paragraph(word("title"));
    out_ += "\n";
    computing();
    memory();
    surroundings();
    out_ += "\n";
    paragraph(summary());
    return std::move(out_);
  }

private:
  void computing() {
    const Machine& machine = report_.machine;
    row("processor", {machine.processor.name.empty() ? word("unknown") : machine.processor.name});
    const std::string kernels = word("isa", {{"isa", std::string(name(machine.isa))}});
    row("isa", {instruction_sets(machine.processor), kernels});
    const BlasLibrary& blas = machine.blas;
    const auto vectors = vectors_of_core(blas.core);
    row("blas",
        {word("blas", {{"version", blas.version}, {"threads", std::to_string(blas.threads)}}),
         word("blas.core", {{"core", blas.core}, {"vectors", std::string(vectors ? name(*vectors) : "?")}}),
         blas.file});
    below(blas.configuration);
    for (const auto& [variable, value] : machine.environment) below(variable + "=" + value);
    row("processors", {word("processors", {{"usable", std::to_string(machine.usable)},
                                           {"online", std::to_string(machine.online)}}),
                       word("threads", {{"threads", std::to_string(machine.threads)}}),
                       machine.quota ? word("quota", {{"quota", format_number(*machine.quota, 2)}}) : ""});
  }

  void memory() {
    const Machine& machine = report_.machine;
    row("huge_pages", {word("pages." + (machine.huge_pages.empty() ? "none" : machine.huge_pages))});
    row("memory",
        {word("memory", {{"free", format_bytes(machine.free_memory)}, {"all", format_bytes(machine.memory)}}),
         machine.address_space ? word("address_space", {{"limit", format_bytes(*machine.address_space)}})
                               : ""});
  }

  void surroundings() {
    const Terminal& terminal = report_.terminal;
    row("locale", {report_.locale.empty() ? word("locale.none") : report_.locale, word("language"),
                   terminal.unicode ? "UTF-8" : "ASCII"});
    row("terminal", {word("terminal", {{"width", std::to_string(terminal.width)}}),
                     word("colors." + colors_of(terminal))});
    row("state", {report_.state.empty() ? word("state.none") : report_.state,
                  report_.state.empty() || report_.has_state ? "" : word("state.empty")});
  }

  /// "✓ memory   16 GB free", and below it what is wrong with that.
  void row(const std::string& key, const std::vector<std::string>& parts) {
    std::string mark = "✓", painted = style_.good(style_.symbols(mark));
    for (const MachineWarning& warning : report_.warnings) {
      if (!warning.id.starts_with(key + ".")) continue;
      const bool worst = warning.grade == MachineWarning::Grade::unusable;
      if (!worst && mark == "✗") continue;
      mark = worst ? "✗" : "!", painted = style_.bad(style_.symbols(mark));
    }
    const std::string blanks(marks() - display_width(style_.symbols(mark)), ' ');
    const std::string head = painted + blanks + word("row." + key);
    std::string text;
    for (const std::string& part : parts)
      if (!part.empty()) text = text.empty() ? part : word("pair", {{"one", text}, {"two", part}});
    if (is_narrow()) {
      out_ += head + "\n";
      below(text);
    } else {
      hanging(head + std::string(indent() - marks() - display_width(word("row." + key)), ' '), text);
    }
    for (const MachineWarning& warning : report_.warnings)
      if (warning.id.starts_with(key + ".")) advise(warning);
  }

  void advise(const MachineWarning& warning) {
    below(word(warning.id, warning.values));
    below("→ " + word(warning.id + ".advice", warning.values));
  }

  void below(const std::string& text) { hanging(std::string(indent(), ' '), text); }

  /// `first`, as wide as the indentation, and the text beside it, wrapped.
  void hanging(const std::string& first, const std::string& text) {
    std::string before = first;
    for (const std::string& line : wrap(style_.symbols(escape_controls(text)), style_.width - indent())) {
      out_ += before + line + "\n";
      before = std::string(indent(), ' ');
    }
  }

  void paragraph(const std::string& text) {
    for (const std::string& line : wrap(style_.symbols(text), style_.width)) out_ += line + "\n";
  }

  std::string summary() const {
    if (report_.warnings.empty()) return word("good");
    return word(report_.is_usable() ? "slower" : "unusable",
                {{"count", std::to_string(report_.warnings.size())}});
  }

  /// On a narrow screen a finding stands below its name.
  bool is_narrow() const { return style_.width < 60; }
  std::size_t marks() const { return display_width(style_.symbols("✗")) + 1; }
  std::size_t indent() const { return is_narrow() ? marks() : marks() + names_ + 2; }

  std::string word(const std::string& key, const Values& values = {}) const {
    return in_words("doctor." + key, values);
  }

  const DoctorReport& report_;
  const Context& context_;
  const Style style_;
  std::size_t names_ = 0;
  std::string out_;
};

} // namespace

std::string doctor_screen(const DoctorReport& report, const Context& context) {
  return DoctorScreen(report, context).take();
}

} // namespace tfx
