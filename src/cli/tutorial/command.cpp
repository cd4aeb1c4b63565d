// tfx tutorial: all of them, and each block by block in its own order.

#include "cli/tutorial/command.hpp"
#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/course/course_screen.hpp"
#include "cli/course/progress_file.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/terminal_lines.hpp"
#include "text/display_width.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <charconv>
#include <functional>

namespace tfx {

namespace {

struct TutorialOptions {
  std::optional<std::string> id;
  std::optional<std::size_t> run;
  bool markdown = false;
  ShowOptions show;
};

const Words& words_of_tutorials(Language language = tfx::language()) {
  static const std::string folder = "src/course/tutorials";
  static const Words english = words_alone(folder, Language::en), chinese = words_alone(folder, Language::zh);
  return language == Language::en ? english : chinese;
}

class TutorialScreen : CourseScreen {
public:
  explicit TutorialScreen(const Context& context)
      : CourseScreen(context.style(), words_alone("src/cli/tutorial")), tutorials_(words_of_tutorials()) {}

  /// What the block shows, and its commands.
  std::string block(const TutorialPath& path, std::size_t number) {
    const TutorialBlock& block = path.blocks[number];
    const BlockWords own = words_of(path, block, tutorials_);
    const std::string where = block.section.empty() ? path.id : path.id + " " + block.section;
    heading(where + ": " + style_.symbols(own.title),
            word("block",
                 {{"number", std::to_string(number + 1)}, {"count", std::to_string(path.blocks.size())}}));
    paragraph(own.text);
    for (std::size_t i = 1; i < block.commands.size(); ++i)
      row(i == 1 ? word("also") : "", key(i) + ") tfx " + block.commands[i]);
    out_ += "\n" + typed(block.commands.front());
    return std::move(out_);
  }

  /// Asks for the next block, if there is one; for the block that stands above, with its further commands.
  std::string prompt(const TutorialPath& path, std::optional<std::size_t> next, const TutorialBlock* above) {
    const std::size_t others = above ? above->commands.size() - 1 : 0;
    std::string keys = others == 0   ? ""
                       : others == 1 ? word("key", {{"key", key(1)}})
                                     : word("keys", {{"first", key(1)}, {"last", key(others)}});
    if (!keys.empty() && language() == Language::en) keys += " ";
    if (next)
      paragraph(word("prompt", {{"number", std::to_string(*next + 1)},
                                {"title", words_of(path, path.blocks[*next], tutorials_).title},
                                {"keys", keys}}));
    else
      paragraph(word("prompt_last", {{"keys", keys}}));
    out_.back() = ' ';
    return std::exchange(out_, {});
  }

  /// Of a command beside "also": a, b, … The words call it a), and in the walk a line with it runs it.
  static std::string key(std::size_t command) { return {static_cast<char>('a' + command - 1)}; }

  /// The command as it would be typed.
  std::string typed(const std::string& command) const { return style_.dim("$ tfx " + command) + "\n"; }

  std::string no_number(const TutorialPath& path, const std::string& text) {
    paragraph(
        word("no_number", {{"text", escape_controls(text)}, {"count", std::to_string(path.blocks.size())}}));
    return std::exchange(out_, {});
  }

  /// The same as a section of docs/tutorials.md.
  std::string section(const TutorialPath& path) {
    const BlockWords whole = words_of(path, tutorials_);
    out_ = "## " + path.id + "\n" + whole.title + word("stop") + (language() == Language::en ? " " : "") +
           whole.text + "\n\n";
    out_ += word("table") + "\n|---|---|---|---|\n";
    for (std::size_t i = 0; i < path.blocks.size(); ++i) {
      const TutorialBlock& block = path.blocks[i];
      const BlockWords own = words_of(path, block, tutorials_);
      const std::string where = block.section.empty() ? "" : " (" + block.section + ")";
      out_ += "| " + std::to_string(i + 1) + " | " + own.title + where + " | ";
      for (std::size_t j = 0; j < block.commands.size(); ++j)
        out_ += (j == 0 ? "" : "<br>" + key(j) + ") ") + "`tfx " + block.commands[j] + "`";
      out_ += " | " + own.text + " |\n";
    }
    return std::move(out_);
  }

private:
  const Words& tutorials_;
};

const TutorialPath& known_path(const std::string& id) {
  if (const TutorialPath* path = tutorial_path(id)) return *path;
  std::vector<std::string> ids;
  for (const TutorialPath& path : tutorial_paths()) ids.push_back(path.id);
  throw usage_error("no_path",
                    {{"name", id}, {"near", suggestion(nearest(id, ids))}, {"names", listed(ids)}});
}

Sentence in_both_languages(const std::function<std::string(const Words&)>& text) {
  return either(text(words_of_tutorials(Language::en)), text(words_of_tutorials(Language::zh)));
}

/// A line or two a tutorial.
void add_paths(Report& report, const CourseProgress& progress) {
  for (const TutorialPath& path : tutorial_paths()) {
    const auto seen = std::ranges::count_if(
        path.blocks, [&](const TutorialBlock& block) { return is_seen(progress, path, block); });
    const std::string count = std::to_string(path.blocks.size());
    report.add(Heading{"tfx tutorial " + path.id,
                       seen > 0
                           ? Sentence{"tutorials.seen", {{"seen", std::to_string(seen)}, {"count", count}}}
                           : Sentence{"blocks", {{"count", count}}}});
    report.say(in_both_languages([&](const Words& words) { return words_of(path, words).title; }));
  }
  report.say("tutorials.hint");
}

/// Its blocks, a line each.
void add_path(Report& report, const TutorialPath& path, const CourseProgress& progress, const Style& style) {
  report.add(Heading{"tfx tutorial " + path.id,
                     in_both_languages([&](const Words& words) { return words_of(path, words).title; })});
  const auto next = next_block(progress, path);
  std::size_t sections = 0;
  for (const TutorialBlock& block : path.blocks) sections = std::max(sections, display_width(block.section));
  for (std::size_t i = 0; i < path.blocks.size(); ++i) {
    const TutorialBlock& block = path.blocks[i];
    const std::string mark = next == i                        ? style.mark("→")
                             : is_seen(progress, path, block) ? style.mark("·")
                                                              : " ";
    const std::string section = sections > 0 ? " " + pad_right(block.section, sections + 1) : "";
    report.add(Item{mark, pad_left(std::to_string(i + 1), 2) + " " + section, "",
                    in_both_languages([&](const Words& words) { return words_of(path, block, words).title; }),
                    block.commands.front().substr(0, block.commands.front().find(' '))});
  }
}

/// Where the path goes on.
Sentence onward_of(const TutorialPath& path, const CourseProgress& progress) {
  const auto next = next_block(progress, path);
  if (!next) return {"all_seen", {{"id", path.id}}};
  return {"go_on",
          {{"number", std::to_string(*next + 1)}, {"id", path.id}},
          {{"title", in_both_languages([&](const Words& words) {
              return words_of(path, path.blocks[*next], words).title;
            })}}};
}

/// The command on a screen that says itself what comes next.
void run_within(const std::string& command, Context& context) {
  context.is_within = true;
  run_typed(command, context);
  context.is_within = false;
  while (context.out.ends_with("\n\n")) context.out.pop_back(); // what follows has a blank line of its own
}

/// Its words, what its first command shows, and that it was seen.
void show_block(const TutorialPath& path, std::size_t number, Context& context) {
  const TutorialBlock& block = path.blocks[number];
  const std::string& command = block.commands.front();
  context.out += TutorialScreen(context).block(path, number);
  run_within(command, context);
  if (!shows_screen()) return;
  const std::string name = command.substr(0, command.find(' '));
  if (lesson_named(name)) record_progress(name, Mark::seen, context);
  record_progress(progress_name(path, block), Mark::seen, context);
}

/// The command that a key means, of those beside "also" of the block above; nullptr for another line.
const std::string* at_key(const TutorialBlock* above, const std::string& typed) {
  if (!above) return nullptr;
  for (std::size_t i = 1; i < above->commands.size(); ++i)
    if (typed == TutorialScreen::key(i)) return &above->commands[i];
  return nullptr;
}

Object object_of(const BlockWords& words) {
  return {{{"title", words.title}, {"text", words.text}}};
}

Objects objects_of(const std::vector<const TutorialPath*>& paths) {
  const Words &english = words_of_tutorials(Language::en), &chinese = words_of_tutorials(Language::zh);
  Objects tutorials;
  for (const TutorialPath* path : paths) {
    Objects blocks;
    for (const TutorialBlock& block : path->blocks) {
      Names commands;
      for (const std::string& command : block.commands) commands.push_back("tfx " + command);
      blocks.push_back({{{"id", block.id},
                         {"section", text_or_none(block.section)},
                         {"en", object_of(words_of(*path, block, english))},
                         {"zh", object_of(words_of(*path, block, chinese))},
                         {"most_rows", Count{block.most_rows()}},
                         {"commands", std::move(commands)}}});
    }
    tutorials.push_back({{{"id", path->id},
                          {"en", object_of(words_of(*path, english))},
                          {"zh", object_of(words_of(*path, chinese))},
                          {"blocks", std::move(blocks)}}});
  }
  return tutorials;
}

/// All tutorials.
Report report_of_all(const CourseProgress& progress) {
  Report report{frame_of_command("tutorial"), {}};
  std::vector<const TutorialPath*> paths;
  for (const TutorialPath& path : tutorial_paths()) paths.push_back(&path);
  report.say("tutorials.title", {{"count", std::to_string(paths.size())}});
  report.add(Member{"tutorials", objects_of(paths)});
  add_paths(report, progress);
  return report;
}

/// One.
Report report_of(const TutorialPath& path, const CourseProgress& progress, const Context& context) {
  Report report{frame_of_command("tutorial"), {}};
  report.title = Title::none;
  report.frame.options = " " + path.id;
  report.add(Member{"tutorials", objects_of({&path})});
  add_path(report, path, progress, context.style());
  return report;
}

/// A block after the other at the terminal, until the learner ends it.
void walk(const TutorialPath& path, Context& context) {
  const CourseProgress begun = read_progress().progress;
  Report list = report_of(path, begun, context);
  if (!next_block(begun, path)) list.say(onward_of(path, begun)); // else the prompt says it
  show(list, {}, context);
  show_now(std::exchange(context.out, {}), !context.global.no_pager);
  const TutorialBlock* above = nullptr;
  for (;;) {
    TutorialScreen screen(context);
    const auto next = next_block(read_progress().progress, path);
    if (!next && !above) break;
    say(screen.prompt(path, next, above));
    const auto typed = next_line();
    if (!typed || *typed == "q" || (typed->empty() && !next)) break;
    if (const std::string* command = at_key(above, *typed)) {
      context.out = screen.typed(*command);
      run_within(*command, context);
    } else {
      std::size_t number = next ? *next + 1 : 0;
      if (!typed->empty()) {
        const char* end = typed->data() + typed->size();
        const auto [read, error] = std::from_chars(typed->data(), end, number);
        if (error != std::errc() || read != end || number < 1 || number > path.blocks.size()) {
          say(screen.no_number(path, *typed));
          continue;
        }
      }
      above = &path.blocks[number - 1];
      show_block(path, number - 1, context);
    }
    show_now(std::exchange(context.out, {}) + "\n", !context.global.no_pager);
  }
}

void run(const TutorialOptions& options, Context& context) {
  note_broken_progress(context);
  if (!options.id) {
    if (options.run) throw usage_error("which_tutorial", {{"name", "--run"}});
    if (options.markdown) throw usage_error("which_tutorial", {{"name", "--markdown"}});
    return show(report_of_all(read_progress().progress), options.show, context);
  }
  const TutorialPath& path = known_path(*options.id);
  if (options.markdown) {
    context.out = TutorialScreen(context).section(path);
    return;
  }
  if (options.run && *options.run > path.blocks.size())
    throw usage_error("no_block", {{"id", path.id},
                                   {"number", std::to_string(*options.run)},
                                   {"count", std::to_string(path.blocks.size())}});
  if (options.run) return run_block(path, *options.run - 1, context);
  const bool is_page = !options.show.json && !options.show.save;
  if (is_page && shows_screen()) record_progress(path.id, Mark::seen, context);
  if (is_page && is_dialogue()) return walk(path, context);
  const CourseProgress progress = read_progress().progress;
  Report report = report_of(path, progress, context);
  report.say(onward_of(path, progress));
  show(report, options.show, context);
}

} // namespace

void run_block(const TutorialPath& path, std::size_t number, Context& context) {
  show_block(path, number, context);
  CourseProgress progress = read_progress().progress;
  progress.record(progress_name(path, path.blocks[number]), Mark::seen); // of a script nothing is kept
  Report onward{frame_of_command("tutorial"), {}};
  onward.title = Title::none;
  onward.say(onward_of(path, progress));
  context.out += "\n" + render_screen(onward, words_in(onward.frame.folder), context.style());
}

Command tutorial_command() {
  using O = TutorialOptions;
  return command_row<O>("tutorial", run, [](CLI::App& command, O& o, Context&) {
    add_argument(command, "ID", o.id, in_words("tutorial.id"));
    add_options(command, page_options(), o.show);
    const Option<O> run("--run", &O::run, value::count()), markdown("--markdown", &O::markdown);
    add_options<O>(command,
                   {run.without({"--json", "--save"}), markdown.without({"--json", "--save", "--run"})}, o);
  });
}

} // namespace tfx
