#include "render/model_screen.hpp"

#include "core/number.hpp"
#include "render/activations.hpp"
#include "render/footer.hpp"
#include "render/paper.hpp"
#include "text/utf8.hpp"

namespace tfx {

std::string render_activations(const Trace& trace, const std::vector<ActivationSummary>& activations,
                               const Words& words, const Style& style) {
  Paper paper(trace, words, style);
  paper.line();
  paper.line(style.bold(style.symbols("── " + paper.word("section.activations").value_or(""))));
  for (const std::string& line : activation_table(activations, words, style)) paper.line(line);
  return paper.take();
}

std::string render_model_screen(const Trace& trace, const Screen& screen, const Words& words,
                                const Style& style) {
  Paper paper(trace, words, style);
  write_title(paper, screen);
  paper.paragraph(paper.word("loss"));
  paper.paragraph(paper.word("gradients"));
  paper.paragraph(paper.word("blocked_rows"));
  write_checks(paper);
  const Cost& cost = *trace.measured;
  paper.row(paper.ui("cost"), amount(paper, cost) + time_of(paper, cost, screen));
  paper.row(paper.ui("data"), paper.word("weights").value_or(""));
  if (!screen.next.empty()) paper.row(paper.ui("next"), "tfx " + screen.next);
  paper.row(screen.next.empty() ? paper.ui("next") : "",
            escape_controls("tfx model --show decoder.layers.0.src_attn.weights" + screen.options));
  return paper.take();
}

} // namespace tfx
