#include "render/model_screen.hpp"

#include "core/number.hpp"
#include "render/activations.hpp"
#include "render/footer.hpp"
#include "render/paper.hpp"
#include "text/utf8.hpp"

namespace tfx {

std::string render_model_screen(const Trace& trace, const std::vector<ActivationSummary>& activations,
                                const Screen& screen, const Words& words, const Style& style) {
  if (!screen.only.empty()) return render_screen(trace, screen, words, style);
  Paper paper(trace, words, style);
  write_title(paper, screen);
  if (!screen.quiet) {
    paper.paragraph(paper.word("intro"));
    paper.paragraph(paper.word("shape"));
    for (const std::string& line : activation_table(activations, words, style)) paper.line(line);
    paper.line();
  }
  paper.paragraph(paper.word("loss"));
  paper.paragraph(paper.word("gradients"));
  paper.paragraph(paper.word("blocked_rows"));
  if (!screen.quiet) write_looks(paper);
  write_checks(paper);
  const Cost& cost = *trace.measured;
  const std::string time =
      screen.with_time ? paper.ui("time", {{"time", format_seconds(cost.seconds)}}) : std::string();
  paper.row(paper.ui("cost"), amount(paper, cost) + time);
  paper.row(paper.ui("data"), paper.word("weights").value_or(""));
  if (!screen.next.empty()) paper.row(paper.ui("next"), "tfx " + screen.next);
  paper.row(screen.next.empty() ? paper.ui("next") : "",
            escape_controls("tfx model --show decoder.layers.0.src_attn.weights" + screen.options));
  return paper.take();
}

} // namespace tfx
