// tfx map: the encoder-decoder as a drawing, with the lessons of every part.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "course/model_map.hpp"
#include "render/text_layout.hpp"
#include "text/display_width.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

namespace {

struct MapOptions {
  std::optional<std::string> lesson;
  ShowOptions show;
};

class ModelDrawing {
public:
  ModelDrawing(const Lesson* here, const Style& style, Language language)
      : here_(here), style_(style), language_(language), words_(course_words(language)) {
    words_.add(words_alone("src/cli/map", language));
  }

  std::vector<std::string> lines() {
    if (style_.width >= least_width)
      stacks();
    else
      for (const char* id : {"encoder", "decoder"}) list(part_group(id));
    for (const char* id : {"attention", "model", "since", "appendices"}) chain(part_group(id));
    legend();
    return std::move(lines_);
  }

private:
  static constexpr std::size_t least_width = 78, box = 32, gap = 12;

  std::string word(const char* key) const { return style_.symbols(*words_.find(key)); }

  std::string numbers_of(const ModelPart& part) const {
    return style_.symbols(lesson_numbers(part, language_));
  }

  bool is_here(const ModelPart& part) const { return here_ && teaches(part, *here_); }

  /// "[self-attention] 2–8", as wide as asked where the numbers should stand at the right.
  std::string labelled(const ModelPart& part, std::size_t columns = 0) const {
    const std::string name = style_.symbols(name_of(part, words_)), numbers = numbers_of(part);
    const std::string shown = is_here(part) ? "[" + name + "]" : name;
    const std::size_t used = display_width(shown) + display_width(numbers);
    const std::size_t between = numbers.empty() ? 0 : std::max<std::size_t>(columns, used + 1) - used;
    return (is_here(part) ? style_.bold(shown) : shown) + std::string(between, ' ') + numbers;
  }

  /// The parts of one side from its end to its input, the repeated layer in a frame: a line each.
  TextBlock side(const PartGroup& group) const {
    const std::string edge = style_.symbols("│"), bar = style_.symbols("─");
    const auto rule = [&](const char* left, const char* right, const std::string& title) {
      std::string line = style_.symbols(left) + bar + " " + title + " ";
      for (std::size_t i = display_width(line) + 1; i < box; ++i) line += bar;
      return line + style_.symbols(right);
    };
    const std::string name = style_.symbols(name_of(group.whole, words_));
    TextBlock block;
    bool is_inside = false;
    const std::string bottom = word("map.layers");
    for (auto part = group.parts.rbegin(); part != group.parts.rend(); ++part) {
      if (part->is_repeated && !is_inside) block.add(rule("┌", "┐", name), box);
      if (!part->is_repeated && is_inside) block.add(rule("└", "┘", bottom), box);
      is_inside = part->is_repeated;
      const std::string text = labelled(*part, box - 4);
      block.add(is_inside ? edge + " " + text + " " + edge : "  " + text + "  ", box);
    }
    return block;
  }

  /// Encoder and decoder beside each other, their inputs on one line, and the encoder's output on its way.
  void stacks() {
    const TextBlock encoder = side(part_group("encoder")), decoder = side(part_group("decoder"));
    const std::size_t rows = decoder.lines.size(), above = rows - encoder.lines.size();
    // Where the decoder reads it: its parts stand one below the other, the frame's upper edge between them.
    const auto& parts = part_group("decoder").parts;
    const auto reader = std::ranges::find(parts, "cross_attention", &ModelPart::id);
    const auto behind = static_cast<std::size_t>(parts.end() - reader);
    const std::size_t read = behind; // parts above it, and the edge of the frame
    const std::string bar = style_.symbols("─"), edge = style_.symbols("│");
    const std::string memory = " " + word("map.memory") + " ";
    constexpr std::size_t middle = 6; // of the box, from where the output goes up
    for (std::size_t row = 0; row < rows; ++row) {
      std::string left(box, ' '), between(gap, ' ');
      const std::size_t half = gap / 2;
      if (row + 1 == above) {
        std::string line = std::string(middle, ' ') + style_.symbols("┌") + bar + bar + memory;
        for (std::size_t i = display_width(line); i < box + half; ++i) line += bar;
        left = line + style_.symbols("┐"), between = std::string(gap - half - 1, ' ');
      } else if (row >= above) {
        left = encoder.lines[row - above];
      }
      if (row >= above && row < read)
        between = std::string(half, ' ') + edge + std::string(gap - half - 1, ' ');
      if (row == read) {
        between = std::string(half, ' ') + style_.symbols("└");
        for (std::size_t i = half + 1; i + 2 < gap; ++i) between += bar;
        between += style_.ascii ? "> " : "→ ";
      }
      lines_.push_back(left + between + decoder.lines[row]);
      while (lines_.back().ends_with(' ')) lines_.back().pop_back();
    }
    lines_.emplace_back();
  }

  /// The same for a narrow screen.
  void list(const PartGroup& group) {
    lines_.push_back(style_.bold(style_.symbols(name_of(group.whole, words_))));
    for (auto part = group.parts.rbegin(); part != group.parts.rend(); ++part)
      lines_.push_back("  " + labelled(*part));
    lines_.emplace_back();
  }

  /// "attention 0, 6   X 1 → Q K V 2 → …", broken between parts.
  void chain(const PartGroup& group) {
    constexpr std::size_t room = 16;
    const bool beside = style_.width >= least_width;
    const std::size_t indent = beside ? room : 2;
    std::string line = labelled(group.whole);
    std::size_t used = plain_width(group.whole);
    if (!beside || used + 1 > indent) lines_.push_back(line), line.clear(), used = 0;
    line += std::string(indent - used, ' '), used = indent;
    bool is_first = true;
    const std::string between = style_.symbols(tfx::between(group)), at_break = between.substr(1);
    for (const ModelPart& part : group.parts) {
      const std::string arrow = is_first ? "" : between;
      const std::size_t width = display_width(arrow) + plain_width(part);
      if (!is_first && used + width > style_.width) {
        lines_.push_back(line);
        line = std::string(indent, ' '), used = indent;
        line += at_break, used += display_width(at_break);
      } else {
        line += arrow, used += display_width(arrow);
      }
      line += labelled(part), used += plain_width(part);
      is_first = false;
    }
    lines_.push_back(line);
  }

  void legend() {
    const std::string* text = words_.find(here_ ? "legend.here" : "legend");
    const auto command = [this](const std::string&) { return std::optional(here_->command); };
    for (const std::string& line : wrap(style_.symbols(*fill_in(*text, command)), style_.width))
      lines_.push_back(line);
  }

  /// The columns of labelled(part), colours left out.
  std::size_t plain_width(const ModelPart& part) const {
    const std::string numbers = numbers_of(part);
    return display_width(style_.symbols(name_of(part, words_))) + (is_here(part) ? 2 : 0) +
           (numbers.empty() ? 0 : 1 + display_width(numbers));
  }

  const Lesson* const here_;
  const Style& style_;
  const Language language_;
  Words words_; // of the course, and the command's own
  std::vector<std::string> lines_;
};

std::vector<Cell> row_of(const ModelPart& part) {
  const auto lessons = std::make_shared<ReportTable>(ReportTable{"", {"number", "command"}, {}});
  for (const std::string& command : part.lessons) {
    const auto number = lesson_named(command)->number;
    lessons->rows.push_back({number ? Cell(Count{static_cast<std::size_t>(*number)}) : None{}, command});
  }
  return {part.id, name_of(part, course_words(Language::en)), name_of(part, course_words(Language::zh)),
          Nested{lessons}};
}

ReportTable group_table(const Lesson* here) {
  const auto is_here = [&](const ModelPart& part) { return here && teaches(part, *here); };
  ReportTable table{"groups", {"id", "en", "zh", "lessons", "here", "parts"}, {}};
  for (const PartGroup& group : model_map()) {
    const auto parts =
        std::make_shared<ReportTable>(ReportTable{"", {"id", "en", "zh", "lessons", "repeated", "here"}, {}});
    for (const ModelPart& part : group.parts) {
      std::vector<Cell> row = row_of(part);
      row.insert(row.end(), {part.is_repeated, is_here(part)});
      parts->rows.push_back(row);
    }
    std::vector<Cell> row = row_of(group.whole);
    row.insert(row.end(), {is_here(group.whole), Nested{parts}});
    table.rows.push_back(row);
  }
  return table;
}

Report run(const MapOptions& o, Context&) {
  const Lesson* here = o.lesson ? &known_lesson(*o.lesson) : nullptr;
  Report report{frame_of_command("map"), {}};
  if (here) {
    report.frame.typed += " " + here->command;
    name_lesson(report.frame, report.trace, *here);
  }
  report.add("lesson", here ? Cell(here->command) : None{});
  report.add(Drawing{
      [here](const Style& style, Language language) { return ModelDrawing(here, style, language).lines(); }});
  report.add(group_table(here));
  return report;
}

} // namespace

Command map_command() {
  using O = MapOptions;
  return report_row<O, run>("map", [](CLI::App& command, O& o, Context&) {
    add_argument(command, "LESSON", o.lesson, in_words("map.lesson"));
    add_options(command, page_options(), o.show);
  });
}

} // namespace tfx
