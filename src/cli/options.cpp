#include "cli/options.hpp"

#include "cli/add_option.hpp"

namespace tfx {

void require_dividing(std::size_t heads, std::size_t d_model) {
  if (d_model % heads != 0)
    throw usage_error("params_heads",
                      {{"heads", std::to_string(heads)}, {"d_model", std::to_string(d_model)}});
}

void require_known(const char* option, const std::vector<std::uint32_t>& ids, std::size_t vocabulary) {
  for (const std::uint32_t id : ids)
    if (id >= vocabulary)
      throw usage_error(
          "unknown_id",
          {{"name", option}, {"id", std::to_string(id)}, {"count", std::to_string(vocabulary)}});
}

void add_global_options(CLI::App& app, Context& context) {
  GlobalOptions& global = context.global;
  add_choice<Language>(app, "--lang", {{"en", Language::en}, {"zh", Language::zh}}, set_language);
  add_choice<std::string>(app, "--color", {{"auto", "auto"}, {"always", "always"}, {"never", "never"}},
                          [&](const std::string& color) { global.color = color; });
  add_flag(app, "--ascii", global.ascii);
  add_count(app, "--precision", global.precision, 0, 17);
  add_count(app, "--width", global.width, 20, 1000);
  add_count(app, "--threads", global.threads, 1, 1024);
}

void add_output_options(CLI::App& command, OutputOptions& options, Context& context) {
  add_value(
      command, "--show", [&options](const std::string& list) { options.show = parse_names("--show", list); },
      "NAME[,NAME]");
  add_flag(command, "--quiet", options.quiet);
  add_flag(command, "--json", options.json);
  add_flag(command, "--no-time", options.no_time);
  add_text(command, "--save", options.save, "FILE");
  add_picture(command, context);
}

void add_picture(CLI::App& command, Context& context) {
  add_choice<std::string>(command, "--picture", {{"auto", "auto"}, {"tutorial", "tutorial"}, {"off", "off"}},
                          [&context](const std::string& picture) { context.global.picture = picture; });
}

namespace {

Error unfit(const Option<InputOptions, InputRules>& option, const Lesson& lesson) {
  std::string readers;
  for (const Lesson& reader : page_lessons())
    if (option.is_for(reader)) readers += (readers.empty() ? "" : ", ") + reader.command;
  return usage_error("unread", {{"name", option.name}, {"lesson", lesson.command}, {"lessons", readers}});
}

} // namespace

void refuse_unfit(const Lesson& lesson, const InputOptions& options) {
  if (const auto* option = first_unfit(input_options(), options, InputRules(lesson)))
    throw unfit(*option, lesson);
}

void refuse_unfit(const Lesson& lesson, const std::string& name) {
  for (const auto& option : input_options())
    if (option.name == name && !option.is_for(lesson)) throw unfit(option, lesson);
}

} // namespace tfx
