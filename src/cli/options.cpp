#include "cli/options.hpp"

#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

void require_dividing(std::size_t heads, std::size_t d_model) {
  if (d_model % heads != 0)
    throw usage_error("params_heads",
                      {{"heads", std::to_string(heads)}, {"d_model", std::to_string(d_model)}});
}

std::vector<std::string> corpus_files(const std::optional<std::string>& first,
                                      const std::vector<std::string>& further) {
  if (!first && !further.empty())
    throw usage_error("needs", {{"name", further.front()}, {"others", "--corpus"}});
  std::vector<std::string> files(first ? 1 : 0, first.value_or(""));
  files.insert(files.end(), further.begin(), further.end());
  return files;
}

void require_known(const char* option, const std::vector<std::uint32_t>& ids, std::size_t vocabulary) {
  for (const std::uint32_t id : ids)
    if (id >= vocabulary)
      throw usage_error(
          "unknown_id",
          {{"name", option}, {"id", std::to_string(id)}, {"count", std::to_string(vocabulary)}});
}

const std::vector<Option<GlobalOptions>>& global_options() {
  using O = GlobalOptions;
  const std::vector<std::pair<std::string, Language>> languages{{"en", Language::en}, {"zh", Language::zh}};
  static const std::vector<Option<O>> table{
      {"--lang", &O::language, value::choice(languages)},
      {"--color", &O::color, value::one_of({"auto", "always", "never"})},
      {"--ascii", &O::ascii},
      {"--no-pager", &O::no_pager},
      {"--precision", &O::precision, value::count(0, 17), 4},
      {"--width", &O::width, value::count(20, 1000)},
      {"--threads", &O::threads, value::count(1, 1024)}};
  return table;
}

const std::vector<Option<OutputOptions>>& output_options() {
  using O = OutputOptions;
  static const std::vector<Option<O>> table{{"--show", &O::show, value::names()},
                                            {"--quiet", &O::quiet},
                                            {"--json", &O::json},
                                            {"--no-time", &O::no_time},
                                            {"--save", &O::save, value::text("FILE")}};
  return table;
}

const std::vector<Option<ShowOptions>>& show_options() {
  using O = ShowOptions;
  static const std::vector<Option<O>> table{
      {"--json", &O::json}, {"--no-time", &O::no_time}, {"--save", &O::save, value::text("FILE")}};
  return table;
}

const std::vector<Option<ShowOptions>>& page_options() {
  using O = ShowOptions;
  static const Option<O> save("--save", &O::save, value::text("FILE"));
  static const std::vector<Option<O>> table{{"--json", &O::json}, save.described("report--save")};
  return table;
}

const std::vector<Option<GlobalOptions>>& picture_options() {
  static const std::vector<Option<GlobalOptions>> table{
      {"--picture", &GlobalOptions::picture, value::one_of({"auto", "tutorial", "off"})}};
  return table;
}

Error unread(const std::string& option, const std::string& lesson, const std::vector<std::string>& readers) {
  const auto is_on_labels = [&](const Lesson& one) {
    return (one.command == lesson || one.typed == lesson) && one.takes(Input::labels);
  };
  const bool has_own_model = option == "--model" && std::ranges::any_of(lessons(), is_on_labels);
  return usage_error(has_own_model ? "unread_model" : "unread",
                     {{"name", option}, {"lesson", lesson}, {"lessons", listed(readers)}});
}

void refuse_unfit(const Lesson& lesson, const InputOptions& options) {
  const auto* option = first_unfit(input_options(), options, InputRules(lesson));
  if (!option) return;
  std::vector<std::string> readers;
  for (const Lesson& reader : page_lessons())
    if (option->is_for(reader, input_options(), options)) readers.push_back(reader.command);
  throw unread(option->name, lesson.command, readers);
}

} // namespace tfx
