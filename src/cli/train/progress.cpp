#include "cli/train/progress.hpp"

#include "cli/terminal_lines.hpp"
#include "core/number.hpp"
#include "text/display_width.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace tfx {

namespace {

constexpr std::size_t bar_width = 16;

std::string bar(double share, bool ascii) {
  const auto full = static_cast<std::size_t>(share * bar_width);
  std::string text;
  for (std::size_t i = 0; i < bar_width; ++i) text += i < full ? (ascii ? "#" : "█") : (ascii ? "." : "░");
  return text;
}

} // namespace

Progress::Progress(const Context& context, Display display, std::uint64_t first_step)
    : context_(context), display_(display), first_step_(first_step) {
  end_progress();
}

Progress::~Progress() {
  if (display_ == Display::bar && last_shown_ >= 0) write_progress_line("", context_.style());
}

Progress::Display Progress::display_for(bool quiet) {
  if (quiet) return Display::none;
  return has_progress_line() ? Display::bar : Display::lines;
}

std::string Progress::rates(const ProgressState& state) const {
  const double seconds = watch_.seconds(), made = static_cast<double>(state.step - first_step_);
  const double left = made > 0 ? seconds / made * static_cast<double>(state.steps - state.step) : 0;
  std::string text = in_words("train.loss") + fmt::format(" {:.4f}", state.loss);
  if (state.accuracy) text += "  " + in_words("train.right") + " " + percent(*state.accuracy);
  if (state.bits_per_byte) text += fmt::format("  {:.3f} ", *state.bits_per_byte) + in_words("train.bits");
  if (state.counted) text += "  " + in_words("train.counting") + fmt::format(" {:.3f}", *state.counted);
  if (state.chrf) text += fmt::format("  chrF {:.1f}", *state.chrf);
  text += fmt::format("  {:.0f} ", static_cast<double>(tokens_) / seconds) + in_words("train.rate");
  return text + "  " + in_words("train.left") + " " + clock_text(left);
}

void Progress::write_bar(const ProgressState& state) {
  constexpr double interval = 0.1;
  if (watch_.seconds() - last_shown_ < interval && last_shown_ >= 0 && state.step < state.steps) return;
  const Style style = context_.style();
  const std::string text =
      fmt::format("{} {}/{}  ",
                  bar(static_cast<double>(state.step) / static_cast<double>(state.steps), style.ascii),
                  state.step, state.steps) +
      rates(state);
  write_progress_line(text, style);
  last_shown_ = watch_.seconds();
}

void Progress::write_line(const ProgressState& state) {
  constexpr std::uint64_t lines = 20;
  const std::uint64_t every = std::max<std::uint64_t>(1, (state.steps - first_step_) / lines);
  if ((state.step - first_step_) % every != 0 && state.step != state.steps) return;
  std::fprintf(stderr, "%s %llu/%llu  %s\n", in_words("train.step").c_str(),
               static_cast<unsigned long long>(state.step), static_cast<unsigned long long>(state.steps),
               rates(state).c_str());
}

void Progress::show(const ProgressState& state) {
  tokens_ += state.tokens;
  if (display_ == Display::bar) write_bar(state);
  if (display_ == Display::lines) write_line(state);
}

} // namespace tfx
