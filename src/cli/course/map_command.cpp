// tfx map: the encoder-decoder as a drawing, with the lessons of every part.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/course/course_screen.hpp"
#include "course/model_map.hpp"
#include "render/json.hpp"
#include "render/text_layout.hpp"
#include "text/display_width.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

namespace {

struct MapOptions {
  std::optional<std::string> lesson;
  bool json = false;
};

class ModelDrawing : CourseScreen {
public:
  ModelDrawing(const Lesson* here, const Style& style) : CourseScreen(style), here_(here) {}

  std::string text() {
    title();
    if (style_.width >= least_width)
      stacks();
    else
      for (const char* id : {"encoder", "decoder"}) list(part_group(id));
    for (const char* id : {"attention", "model", "since", "appendices"}) chain(part_group(id));
    paragraph(here_ ? word("map.legend.here", {{"command", here_->command}}) : word("map.legend"));
    return out_;
  }

private:
  static constexpr std::size_t least_width = 78, box = 32, gap = 12;

  void title() {
    const std::string left = here_ ? "tfx map " + here_->command : "tfx map";
    const std::string right = here_ ? word("map.here", {{"lesson", in_course(here_->number, common_words())},
                                                        {"title", title_in(here_->folder)}})
                                    : word("map.title");
    heading(left, right);
    out_ += "\n";
  }

  bool is_here(const ModelPart& part) const { return here_ && teaches(part, *here_); }

  /// "[self-attention] 2–8", as wide as asked where the numbers should stand at the right.
  std::string labelled(const ModelPart& part, std::size_t columns = 0) const {
    const std::string name = style_.symbols(name_of(part, words_)),
                      numbers = style_.symbols(lesson_numbers(part));
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
      out_ += left + between + decoder.lines[row];
      while (out_.ends_with(' ')) out_.pop_back();
      out_ += "\n";
    }
    out_ += "\n";
  }

  /// The same for a narrow screen.
  void list(const PartGroup& group) {
    out_ += style_.bold(style_.symbols(name_of(group.whole, words_))) + "\n";
    for (auto part = group.parts.rbegin(); part != group.parts.rend(); ++part)
      out_ += "  " + labelled(*part) + "\n";
    out_ += "\n";
  }

  /// "attention 0, 6   X 1 → Q K V 2 → …", broken between parts.
  void chain(const PartGroup& group) {
    constexpr std::size_t room = 16;
    const bool beside = style_.width >= least_width;
    const std::size_t indent = beside ? room : 2;
    std::string line = labelled(group.whole);
    std::size_t used = plain_width(group.whole);
    if (!beside || used + 1 > indent) out_ += line + "\n", line.clear(), used = 0;
    line += std::string(indent - used, ' '), used = indent;
    bool is_first = true;
    const std::string between = style_.symbols(tfx::between(group)), at_break = between.substr(1);
    for (const ModelPart& part : group.parts) {
      const std::string arrow = is_first ? "" : between;
      const std::size_t width = display_width(arrow) + plain_width(part);
      if (!is_first && used + width > style_.width) {
        out_ += line + "\n";
        line = std::string(indent, ' '), used = indent;
        line += at_break, used += display_width(at_break);
      } else {
        line += arrow, used += display_width(arrow);
      }
      line += labelled(part), used += plain_width(part);
      is_first = false;
    }
    out_ += line + "\n";
  }

  /// The columns of labelled(part), colours left out.
  std::size_t plain_width(const ModelPart& part) const {
    const std::string numbers = style_.symbols(lesson_numbers(part));
    return display_width(style_.symbols(name_of(part, words_))) + (is_here(part) ? 2 : 0) +
           (numbers.empty() ? 0 : 1 + display_width(numbers));
  }

  const Lesson* here_;
};

void write_part(JsonWriter& json, const ModelPart& part) {
  json.key("id"), json.value(part.id);
  json.key("en"), json.value(name_of(part, course_words(Language::en)));
  json.key("zh"), json.value(name_of(part, course_words(Language::zh)));
  json.key("lessons");
  json.begin_array();
  for (const std::string& command : part.lessons) {
    json.begin_object();
    json.key("number"), json.value(std::optional<std::int64_t>(lesson_named(command)->number));
    json.key("command"), json.value(command);
    json.end_object();
  }
  json.end_array();
}

std::string map_json(const Lesson* here) {
  JsonWriter json;
  begin_command(json, "map");
  json.key("lesson"), json.text_or_null(here ? here->command : "");
  json.key("groups");
  json.begin_array();
  for (const PartGroup& group : model_map()) {
    json.begin_object();
    write_part(json, group.whole);
    json.key("here"), json.value(here && teaches(group.whole, *here));
    json.key("parts");
    json.begin_array();
    for (const ModelPart& part : group.parts) {
      json.begin_object();
      write_part(json, part);
      json.key("repeated"), json.value(part.is_repeated);
      json.key("here"), json.value(here && teaches(part, *here));
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

void run(const MapOptions& options, Context& context) {
  const Lesson* here = options.lesson ? &known_lesson(*options.lesson) : nullptr;
  context.out = options.json ? map_json(here) + "\n" : ModelDrawing(here, context.style()).text();
}

} // namespace

Command map_command() {
  using O = MapOptions;
  return command_row<O>("map", run, [](CLI::App& command, O& o, Context&) {
    add_argument(command, "LESSON", o.lesson, in_words("map.lesson"));
    add_options<O>(command, {{"--json", &O::json}}, o);
  });
}

} // namespace tfx
