// The printout of the tutorial attention-block: benchmark_forward_pass and count_parameters, in its words and
// its order. What it does not print stands in lines of ours.

#include "cli/bench/screen.hpp"
#include "core/number.hpp"
#include "render/footer.hpp"

#include <fmt/format.h>

namespace tfx {

using namespace bench;

namespace {

class Printout {
public:
  explicit Printout(Paper& paper) : paper_(paper) {}

  void heading(const std::string& key) { paper_.line(text(key)); }

  void field(const std::string& key, const std::string& value) { paper_.line(text(key, {{"value", value}})); }
  void field(const std::string& key, std::size_t value) { field(key, std::to_string(value)); }

  void ours(const std::string& key, const std::map<std::string, std::string>& values) {
    paper_.line(paper_.style().dim(text(key, values)));
  }

private:
  std::string text(const std::string& key, const std::map<std::string, std::string>& values = {}) const {
    return paper_.style().symbols(paper_.ui("tutorial." + key, values));
  }

  Paper& paper_;
};

void print_times(Printout& out, const BenchResult& one) {
  const auto& shape = std::get<AttentionShape>(one.what.shape);
  out.heading("head");
  out.field("batch", shape.batch), out.field("seq", shape.seq), out.field("vocab", shape.vocab);
  out.field("hidden", shape.d_model), out.field("heads", shape.heads);
  if (!one.figure) return; // it gave something else
  const Timing& timing = one.figure->timing;
  out.field("mean", fmt::format("{:.2f}ms", 1e3 * timing.mean));
  out.ours("more", {{"median", format_seconds(timing.median)},
                    {"q1", format_seconds(timing.q1)},
                    {"q3", format_seconds(timing.q3)},
                    {"share", percent(one.figure->share_of_peak(one.work))}});
}

/// Of the shape that is timed; the tutorial's table of positions has 512 places, however many are read.
void print_parameters(Printout& out, const AttentionShape& shape) {
  constexpr std::size_t places = 512;
  const std::size_t d = shape.d_model, token = shape.vocab * d, position = places * d, qkv = 3 * d * d,
                    output = d * d;
  const auto count = [&](const char* key, std::size_t value) {
    out.field(key, fmt::format("{} ({:.2f}M)", with_separators(value), static_cast<double>(value) / 1e6));
  };
  out.heading("parameters");
  count("token", token), count("position", position), count("qkv", qkv), count("output", output);
  count("total", token + position + qkv + output);
}

} // namespace

std::string render_tutorial(const BenchRun& run, const Screen& screen, const Words& words,
                            const Style& style) {
  Trace trace;
  state_machine(trace, run.machine, run.limits);
  Paper paper(trace, words, style);
  write_title(paper, screen);
  paper.paragraph(paper.ui("tutorial.intro"));
  Printout out(paper);
  for (std::size_t i = 0; i < run.results.size(); ++i) {
    out.heading("configuration." + std::to_string(i + 1));
    paper.line();
    print_times(out, run.results[i]);
    paper.line();
  }
  print_parameters(out, std::get<AttentionShape>(run.results.front().what.shape));
  paper.line();
  show_machine(paper);
  write_disturbed(paper, run.disturbed());
  paper.row(paper.ui("look"), paper.ui("tutorial.look"));
  write_agreements(paper, run);
  write_next(paper, screen, "tfx bench ladder");
  return paper.take();
}

} // namespace tfx
