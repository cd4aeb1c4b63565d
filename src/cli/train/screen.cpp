#include "cli/train/screen.hpp"

#include "core/number.hpp"
#include "render/charts.hpp"
#include "render/footer.hpp"
#include "render/heatmap.hpp"
#include "render/paper.hpp"
#include "text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace tfx {

namespace {

constexpr std::size_t curve_height = 10, widest_curve = 100;

void write_curve(Paper& paper, const TrainingState& state) {
  if (state.losses.size() < 2) return;
  paper.paragraph(paper.word(is_logarithmic(state.losses) ? "curve.logarithmic" : "curve"));
  const std::size_t width = std::min(paper.style().width, widest_curve);
  for (const std::string& line : curve(state.losses, 1, width, curve_height, paper.style()).lines)
    paper.line(line);
  paper.line();
}

/// The mean loss of the steps from one measurement to the next.
double mean_loss(const std::vector<double>& losses, std::uint64_t from, std::uint64_t to) {
  const auto begin = losses.begin();
  return std::accumulate(begin + static_cast<std::ptrdiff_t>(from), begin + static_cast<std::ptrdiff_t>(to),
                         0.0) /
         static_cast<double>(to - from);
}

/// A row a measurement, at most a handful, the last among them.
void write_accuracies(Paper& paper, const TrainingState& state) {
  const std::vector<Accuracy>& all = state.accuracies;
  if (all.empty()) return;
  constexpr std::size_t shown = 8;
  const std::size_t every = (all.size() + shown - 1) / shown;
  Table table{{}, {}, Table::Last::number};
  for (const char* key : {"training_loss", "held_out_loss", "right"})
    table.headings.push_back(paper.column(key));
  const bool has_scores = all.back().bleu && all.back().chrf;
  if (has_scores) table.headings.insert(table.headings.end(), {paper.column("bleu"), paper.column("chrf")});
  std::uint64_t before = 0;
  const auto shown_loss = [](double loss) { return fmt::format("{:.4f}", loss); };
  for (std::size_t i = (all.size() - 1) % every; i < all.size(); i += every) {
    const Accuracy& one = all[i];
    table.rows.push_back({paper.ui("moment", {{"step", with_separators(one.step)}}),
                          {shown_loss(mean_loss(state.losses, before, one.step)),
                           one.loss ? shown_loss(*one.loss) : "", fmt::format("{:.1f} %", 100 * one.share())},
                          0,
                          false});
    const auto add_score = [&](const std::optional<double>& score) {
      table.rows.back().cells.push_back(score ? fmt::format("{:.2f}", *score) : "");
    };
    if (has_scores) add_score(one.bleu), add_score(one.chrf);
    before = one.step;
  }
  paper.paragraph(paper.ui("accuracy"));
  paper.table(table);
  if (has_scores) paper.paragraph(paper.ui("accuracy.scores"));
}

void write_sample(Paper& paper, const HeldOutSample& sample) {
  const std::string verdict = sample.answer == sample.wanted ? "sample.right" : "sample.wrong";
  paper.paragraph(paper.ui(verdict, {{"source", escape_controls(sample.source)},
                                     {"answer", escape_controls(sample.answer)},
                                     {"wanted", escape_controls(sample.wanted)}}));
}

void write_moments(Paper& paper, const std::vector<AttentionMoment>& moments) {
  if (moments.empty() || paper.style().picture == Picture::off) return;
  paper.paragraph(paper.ui("moments"));
  std::vector<TextBlock> pictures;
  for (const AttentionMoment& moment : moments)
    pictures.push_back(alignment_picture(
        moment.alignment, 0, paper.ui("moment", {{"step", with_separators(moment.step)}}), paper.style()));
  for (const std::string& line : place(pictures, paper.style().width)) paper.line(line);
  paper.line();
}

/// Where the time of the steps went: forward and backward through each module, and what stands around them.
void write_times(Paper& paper, const std::vector<PartTime>& times) {
  double all = 0;
  for (const PartTime& one : times) all += one.forward + one.backward;
  if (!(all > 0)) return;
  Table table{{}, {}, Table::Last::number};
  for (const char* key : {"forward", "backward", "time_share"}) table.headings.push_back(paper.column(key));
  const auto shown = [](double seconds) { return seconds > 0 ? format_seconds(seconds) : ""; };
  for (const PartTime& one : times)
    table.rows.push_back({one.part,
                          {shown(one.forward), shown(one.backward),
                           fmt::format("{:.1f} %", 100 * (one.forward + one.backward) / all)},
                          0,
                          false});
  paper.paragraph(paper.word("times"));
  paper.table(table);
}

} // namespace

std::string render_training(const TrainingResult& result, const Screen& screen, const Words& words,
                            const Style& style) {
  Paper paper(result.trace, words, style);
  write_title(paper, screen);
  paper.paragraph(paper.word("task." + result.state.config.task));
  for (const char* key :
       {"control", "few", "model", "linear", "warmup_root", "clip", "resumed", "none_held_out"})
    paper.paragraph(paper.word(key));
  if (!screen.quiet) {
    write_curve(paper, result.state);
    write_accuracies(paper, result.state);
    if (result.sample) write_sample(paper, *result.sample);
    write_moments(paper, result.moments);
    if (screen.with_time) write_times(paper, result.times);
    write_looks(paper);
  }
  write_checks(paper);
  const Cost& cost = *result.trace.measured;
  const std::string time = screen.with_time ? paper.word("speed").value_or("") : std::string();
  paper.row(paper.ui("cost"), amount(paper, cost) + (time.empty() ? "" : "   " + time));
  std::string name = paper.ui("next");
  for (const char* key : {"next.decode", "next.out", "next.control", "next.by_heart", "next.no_warmup",
                          "next.diverges", "next.step"})
    if (const auto text = paper.word(key)) paper.row(name, escape_controls(*text)), name.clear();
  return paper.take();
}

} // namespace tfx
