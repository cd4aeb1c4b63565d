#pragma once
// One tensor of a screen, as text: its name with formula and cost, its numbers, the picture of its weights, a
// gradient beside its central differences; and a table of an experiment. What stands on a screen, and in
// which order, is render/terminal.cpp's.

#include "render/paper.hpp"
#include "render/terminal.hpp"
#include "render/text_layout.hpp"

#include <string>
#include <vector>

namespace tfx {

/// A page leaves the effort of a step to its footer.
enum class Effort { shown, left_out };

class TensorBlocks {
public:
  TensorBlocks(const Paper& paper, const Screen& screen, Effort effort)
      : trace_(paper.trace()), screen_(screen), style_(paper.style()), paper_(paper), effort_(effort) {}

  TextBlock header(const Step& step) const;
  TextBlock narrow(const Step& step) const;
  TextBlock with_header(const Step& step, const TextBlock& body) const;

  std::size_t slices_shown(const Step& step) const;

  std::string legend(const Step& step) const;
  std::vector<TextBlock> pictures(const Step& step) const;

  std::vector<std::string> compared(const Step& step, const GradientCheck& check) const;

private:
  TextBlock picture_of(const Step& step, std::size_t slice) const;

  const Trace& trace_;
  const Screen& screen_;
  const Style& style_;
  const Paper& paper_;
  Effort effort_;
};

/// Its legend and its pictures beside each other; nothing where none are wanted.
void write_picture(Paper& paper, const Step& step, const TensorBlocks& blocks);

/// Its words, its table, its curves.
void write_experiment(Paper& paper, const Experiment& experiment, const TensorBlocks& blocks);

} // namespace tfx
