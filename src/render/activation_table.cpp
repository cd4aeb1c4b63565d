#include "render/model_walk.hpp"

#include "core/number.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <array>

namespace tfx {

namespace {

constexpr std::size_t number_width = 10;
constexpr std::array<const char*, 4> columns{"mean", "std", "min", "max"};

/// "encoder.layers.0" of "encoder.layers.0.self_attn.Q"; nothing of "memory".
std::string layer_of(const std::string& name) {
  const std::size_t layers = name.find("layers.");
  if (layers == std::string::npos) return {};
  return name.substr(0, name.find('.', layers + 7));
}

class ActivationTable {
public:
  ActivationTable(const std::vector<ActivationSummary>& activations, const Words& words, const Style& style)
      : style_(style) {
    for (const ActivationSummary& one : activations) {
      const std::string layer = layer_of(one.name);
      const std::string name = layer.empty() ? one.name : "  " + one.name.substr(layer.size() + 1);
      names_ = std::max(names_, display_width(name));
      shapes_ = std::max(shapes_, display_width(style.symbols(to_page_string(one.shape))));
    }
    const std::size_t used = names_ + 2 + shapes_;
    shown_ = style.width > used ? std::min(columns.size(), (style.width - used) / number_width) : 0;
    heading(words);
    std::string layer;
    for (const ActivationSummary& one : activations) {
      if (const std::string of = layer_of(one.name); of != layer) {
        layer = of;
        if (!layer.empty()) lines_.push_back(style.bold(layer));
      }
      add(one, layer);
    }
  }

  std::vector<std::string> take() { return std::move(lines_); }

private:
  void heading(const Words& words) {
    std::string line(names_ + 2 + shapes_, ' ');
    for (std::size_t i = 0; i < shown_; ++i) {
      const std::string* word = words.find(std::string("column.") + columns[i]);
      line += pad_left(word ? *word : columns[i], number_width);
    }
    if (shown_) lines_.push_back(style_.dim(line));
  }

  void add(const ActivationSummary& one, const std::string& layer) {
    const std::string name = layer.empty() ? one.name : "  " + one.name.substr(layer.size() + 1);
    const Statistics& s = one.statistics;
    const std::array<double, 4> numbers{s.mean, s.deviation, s.min, s.max};
    std::string line =
        pad_right(name, names_) + "  " + pad_left(style_.symbols(to_page_string(one.shape)), shapes_);
    for (std::size_t i = 0; i < shown_; ++i)
      line += pad_left(format_number(numbers[i], std::min(style_.precision, 4)), number_width);
    lines_.push_back(line + (s.nan ? "  " + std::to_string(s.nan) + " NaN" : ""));
  }

  const Style& style_;
  std::size_t names_ = 0, shapes_ = 0, shown_ = 0;
  std::vector<std::string> lines_;
};

} // namespace

std::vector<std::string> activation_table(const std::vector<ActivationSummary>& activations,
                                          const Words& words, const Style& style) {
  return ActivationTable(activations, words, style).take();
}

} // namespace tfx
