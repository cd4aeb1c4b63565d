#include "cli/model/roles.hpp"
#include "render/alignment.hpp"
#include "render/footer.hpp"
#include "render/paper.hpp"
#include "text/display_width.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

class RolesPage {
public:
  RolesPage(const Trace& trace, RolePictures pictures, const Screen& screen, const Words& words,
            const Style& style)
      : trace_(trace),
        pictures_(pictures),
        screen_(screen),
        style_(style),
        paper_(trace, words, style),
        summary_(*std::ranges::find(trace.experiments, "roles", &Experiment::name)),
        roles_(std::get<std::vector<std::string>>(trace.facts.at("head_roles"))),
        best_(std::get<std::vector<std::string>>(trace.facts.at("head_best"))) {}

  std::string text() {
    write_title(paper_, screen_);
    for (const char* key : {"roles.intro", "roles.measured", "roles.found"})
      paper_.paragraph(paper_.word(key));
    heading("section.roles_encoder");
    table("encoder");
    heading("section.roles_decoder");
    table("decoder");
    if (pictures_ == RolePictures::all) paper_.paragraph(paper_.word("roles.rules"));
    pictures();
    write_folded_checks(paper_);
    for (const char* key : {"try.roles_without", "try.roles_text", "try.roles_full"})
      if (const auto text = paper_.word(key))
        paper_.row(key == std::string("try.roles_without") ? paper_.ui("next") : "", *text);
    return paper_.take();
  }

private:
  void heading(const char* key) {
    const std::string text = paper_.word(key).value_or("");
    const std::size_t end = std::min(text.find('\n'), text.size());
    for (const std::string& one : wrap(style_.symbols("── " + text.substr(0, end)), style_.width))
      paper_.line(style_.bold(one));
    if (end < text.size()) paper_.paragraph(text.substr(end + 1));
  }

  double cell(std::size_t head, std::size_t column) const {
    return summary_.values.data[head * summary_.columns.size() + column];
  }

  std::string place(std::size_t head) const {
    return summary_.rows[head].substr(0, summary_.rows[head].find(".head."));
  }
  std::size_t number(std::size_t head) const {
    return std::stoul(summary_.rows[head].substr(summary_.rows[head].rfind('.') + 1));
  }

  static std::string decimals(double value, int count) {
    if (std::isnan(value)) return "";
    const std::string text = fmt::format("{:.{}f}", value, count);
    return text == fmt::format("{:.{}f}", -0.0, count) ? text.substr(1) : text;
  }

  std::string said(std::size_t head) const {
    const bool stands_out = roles_[head] == "none" && best_[head] != "none";
    return paper_.role(stands_out ? "none " + best_[head] : roles_[head]);
  }

  /// "encoder 0 self_attn"
  std::string short_place(std::size_t head) const {
    const std::string at = place(head), layer = at.substr(0, at.rfind('.'));
    return at.substr(0, at.find('.')) + " " + layer.substr(layer.rfind('.') + 1) + " " +
           at.substr(at.rfind('.') + 1);
  }

  /// Of many layers the first and the last of each side, unless all are asked for.
  std::vector<std::size_t> shown() const {
    const auto layer = [&](std::size_t i) {
      const std::string at = place(i);
      return at.substr(0, at.rfind('.'));
    };
    std::vector<std::string> layers;
    for (std::size_t i = 0; i < summary_.rows.size(); ++i)
      if (layers.empty() || layers.back() != layer(i)) layers.push_back(layer(i));
    const std::size_t side = layers.size() / 2;
    std::vector<std::size_t> heads;
    for (std::size_t i = 0; i < summary_.rows.size(); ++i) {
      const auto at = static_cast<std::size_t>(std::ranges::find(layers, layer(i)) - layers.begin()) % side;
      if (pictures_ == RolePictures::all || at == 0 || at + 1 == side) heads.push_back(i);
    }
    return heads;
  }

  void table(const std::string& side) {
    constexpr int hundredths = 2, thousandths = 3, tenths = 1;
    Table table;
    for (const char* key : {"weight", "uniform", "lost_log", "right_share", "rule"})
      table.headings.push_back(paper_.column(key));
    table.last = Table::Last::text;
    std::optional<std::size_t> before;
    for (const std::size_t i : shown()) {
      if (!place(i).starts_with(side)) continue;
      if (before && i > *before + 1) table.rows.push_back({"…", {"", "", "", "", ""}, 0, false});
      before = i;
      table.rows.push_back(
          {short_place(i) + " " + std::to_string(number(i)),
           {decimals(cell(i, 0), hundredths), decimals(cell(i, 1), hundredths),
            decimals(cell(i, 3), thousandths), decimals(100 * cell(i, 4), tenths) + " %", said(i)},
           0,
           roles_[i] != "none"});
    }
    paper_.table(table);
  }

  /// The head of each kind of attention whose role is clearest, or every one.
  std::vector<std::size_t> pictured() const {
    std::vector<std::size_t> all;
    if (pictures_ == RolePictures::all) {
      for (std::size_t i = 0; i < summary_.rows.size(); ++i) all.push_back(i);
      return all;
    }
    const auto kind = [&](std::size_t i) { // "encoder.self_attn"
      const std::string at = place(i);
      return at.substr(0, at.find('.')) + at.substr(at.rfind('.'));
    };
    for (std::size_t i = 0; i < summary_.rows.size(); ++i) {
      const auto same = std::ranges::find_if(all, [&](std::size_t j) { return kind(j) == kind(i); });
      const auto excess = [&](std::size_t j) { return cell(j, 0) - cell(j, 1); };
      if (same == all.end())
        all.push_back(i);
      else if (excess(i) > excess(*same) || std::isnan(excess(*same)))
        *same = i;
    }
    return all;
  }

  /// All that are asked for; else as many as stand side by side, the cross-attention's first.
  void pictures() {
    if (style_.picture == Picture::off) return;
    constexpr std::size_t between = 3; // as `place` sets them
    std::size_t used = 0;
    std::vector<TextBlock> blocks;
    std::vector<std::size_t> heads = pictured();
    if (pictures_ == RolePictures::clearest) std::ranges::reverse(heads);
    for (const std::size_t i : heads) {
      const Step* weights = trace_.find(place(i) + ".weights");
      if (!weights || weights->value.rank() != 3) return;
      TextBlock block;
      block.add(style_.symbols(short_place(i) + " " + std::to_string(number(i))));
      block.add(alignment_picture(with_labels(*weights), number(i), said(i), style_));
      used += block.width + (blocks.empty() ? 0 : between);
      if (pictures_ == RolePictures::clearest && used > style_.width && !blocks.empty()) break;
      blocks.push_back(std::move(block));
    }
    heading("section.roles_pictures");
    for (const std::string& line : tfx::place(blocks, style_.width)) paper_.line(line);
    paper_.line();
  }

  static Step with_labels(const Step& weights) {
    Step step = weights;
    step.labels.resize(3);
    for (const std::size_t axis : {std::size_t{1}, std::size_t{2}})
      if (step.labels[axis].empty())
        for (std::size_t i = 0; i < step.value.shape[axis]; ++i)
          step.labels[axis].push_back(std::to_string(i));
    return step;
  }

  const Trace& trace_;
  RolePictures pictures_;
  const Screen& screen_;
  const Style& style_;
  Paper paper_;
  const Experiment& summary_;
  const std::vector<std::string>&roles_, &best_;
};

} // namespace

std::string render_roles(const Trace& trace, RolePictures pictures, const Screen& screen, const Words& words,
                         const Style& style) {
  return RolesPage(trace, pictures, screen, words, style).text();
}

} // namespace tfx
