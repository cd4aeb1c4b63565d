#include "cli/train/screen.hpp"

#include "core/number.hpp"
#include "render/alignment.hpp"
#include "render/curve.hpp"
#include "render/footer.hpp"
#include "render/paper.hpp"
#include "text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tfx {

namespace {

constexpr std::size_t curve_height = 10, widest_curve = 100;

void write_curve(Paper& paper, const TrainingState& state) {
  if (state.losses.size() < 2) return;
  paper.paragraph(paper.word("curve"));
  const std::size_t width = std::min(paper.style().width, widest_curve);
  for (const std::string& line : curve(state.losses, 1, width, curve_height, paper.style()).lines)
    paper.line(line);
  paper.line();
}

/// "step 100: 28 %   200: 95 %": at most a handful, the last among them.
void write_accuracies(Paper& paper, const TrainingState& state) {
  if (state.accuracies.empty()) return;
  constexpr std::size_t shown = 8;
  const std::size_t count = state.accuracies.size(), every = (count + shown - 1) / shown;
  std::string list;
  for (std::size_t i = (count - 1) % every; i < count; i += every)
    list += (list.empty() ? "" : "   ") +
            fmt::format("{}: {:.1f} %", state.accuracies[i].step, 100 * state.accuracies[i].share());
  paper.paragraph(paper.ui("accuracy", {{"list", list}}));
}

void write_sample(Paper& paper, const HeldOutSample& sample) {
  const std::string verdict = sample.answer == sample.wanted ? "sample.right" : "sample.wrong";
  paper.paragraph(paper.ui(verdict, {{"source", escape_controls(sample.source)},
                                     {"answer", escape_controls(sample.answer)},
                                     {"wanted", escape_controls(sample.wanted)}}));
  const Step* alignment = sample.decoded.trace.find("alignment");
  if (!alignment || paper.style().picture == Picture::off) return;
  for (const std::string& line : alignment_picture(*alignment, 0, "", paper.style()).lines) paper.line(line);
  paper.line();
}

} // namespace

std::string render_training(const TrainingResult& result, const Screen& screen, const Words& words,
                            const Style& style) {
  Paper paper(result.trace, words, style);
  write_title(paper, screen);
  paper.paragraph(paper.word("task." + result.state.config.task));
  for (const char* key : {"control", "model", "linear", "warmup_root", "clip", "resumed", "none_held_out"})
    paper.paragraph(paper.word(key));
  if (!screen.quiet) {
    write_curve(paper, result.state);
    write_accuracies(paper, result.state);
    if (result.sample) write_sample(paper, *result.sample);
    write_looks(paper);
  }
  write_checks(paper);
  const Cost& cost = *result.trace.measured;
  const std::string time = screen.with_time ? paper.word("speed").value_or("") : std::string();
  paper.row(paper.ui("cost"), amount(paper, cost) + (time.empty() ? "" : "   " + time));
  std::string name = paper.ui("next");
  for (const char* key : {"next.decode", "next.out", "next.control", "next.step"})
    if (const auto text = paper.word(key)) paper.row(name, escape_controls(*text)), name.clear();
  return paper.take();
}

} // namespace tfx
