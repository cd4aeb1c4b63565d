#include "cli/lesson/save.hpp"

#include "cli/version.hpp"
#include "core/resource.hpp"
#include "io/csv.hpp"
#include "io/file.hpp"
#include "io/npz.hpp"
#include "lessons/run.hpp"
#include "render/html/section.hpp"
#include "render/json.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <filesystem>

namespace tfx {

namespace {

Words words_of_document(const std::string& folder, const std::set<std::string>& quoted, Language language) {
  Words words = folder.empty() ? common_words(language) : words_quoting(folder, quoted, language);
  words.add(words_alone("src/render/html", language));
  return words;
}

} // namespace

BothWords both_words(const std::string& folder, const std::set<std::string>& quoted) {
  return {words_of_document(folder, quoted, Language::en), words_of_document(folder, quoted, Language::zh)};
}

std::string document_of(const Both& title, const Html& sections) {
  const HtmlDocument document{title, sections, language() == Language::zh ? "zh" : "en",
                              std::string("tfx ") + version};
  return html_document(document, both_words());
}

std::string tensor_named(const Trace& trace, const std::string& name) {
  std::vector<std::string> names;
  for (const Step& step : trace.steps) {
    if (step.name == name) return name;
    names.push_back(step.name);
  }
  throw usage_error("no_tensor", {{"lesson", trace.lesson},
                                  {"name", name},
                                  {"near", suggestion(nearest(name, names))},
                                  {"names", listed(names)}});
}

std::string part_named(const Trace& trace, const std::string& name) {
  const bool is_part = std::ranges::find(screen_parts, name) != screen_parts.end() ||
                       name.starts_with("look.") || trace.find_experiment(name) ||
                       std::ranges::find(trace.checks, name, &Check::id) != trace.checks.end();
  return is_part ? name : tensor_named(trace, name);
}

namespace {

/// A section about what the screen shows, as a whole document.
std::string document_about(const Screen& screen, const Html& section) {
  const std::string& folder = screen.folder;
  const std::string name = "tfx " + screen.typed + " · ";
  const Both title{name + title_in(folder, Language::en), name + title_in(folder, Language::zh)};
  return document_of(title, element("h1", {{"class", "unseen"}}, in_both(title)) + section);
}

/// ".html"; of a file that is called ".html" nothing.
std::string extension_of(const std::string& path) {
  return std::filesystem::path(path).extension().string();
}

Words words_of(const Screen& screen) {
  return words_quoting(screen.folder, screen.quoted);
}

BothWords both_words_of(const Screen& screen) {
  return both_words(screen.folder, screen.quoted);
}

std::string csv_of(const Trace& trace, const std::set<std::string>& only, const std::string& path) {
  if (only.size() > 1) throw usage_error("csv_of_many", {{"file", path}, {"name", trace.main}});
  const Step& step = trace.step_named(tensor_named(trace, only.empty() ? trace.main : *only.begin()));
  if (step.value.rank() > 2)
    throw usage_error("csv_of_stack",
                      {{"file", path}, {"name", step.name}, {"shape", to_string(step.value.shape)}});
  return write_csv(step.value);
}

} // namespace

void save_trace(const Trace& trace, const std::string& path, const Screen& screen, const Context& context,
                const std::function<std::string()>& json, const std::function<Html()>& html) {
  const std::string extension = extension_of(path);
  if (trace.steps.empty() && (extension == ".npz" || extension == ".csv"))
    throw usage_error("save_no_tensor", {{"file", path}});
  if (extension == ".npz") {
    const DType dtype = trace.dtype == "float32" ? DType::f32 : DType::f64;
    std::vector<NpzEntry> entries;
    for (const Step& step : trace.steps) entries.push_back({step.name, &step.value, dtype});
    write_file_atomically(path, write_npz(entries));
  } else if (extension == ".json") {
    write_file_atomically(path, json ? json() : render_json(trace, {screen.with_time, {}}));
  } else if (extension == ".csv") {
    write_file_atomically(path, csv_of(trace, screen.only, path));
  } else if (extension == ".html") {
    write_file_atomically(
        path,
        document_about(screen, html ? html()
                                    : lesson_section(trace, screen, both_words_of(screen), context.style())));
  } else if (path.empty()) {
    write_file_atomically(path, {}); // says so
  } else {
    throw usage_error(trace.steps.empty() ? "page_kind" : "save_kind", {{"file", path}});
  }
}

void require_page(const std::string& path) {
  const std::string extension = extension_of(path);
  if (extension != ".html" && extension != ".json") throw usage_error("page_kind", {{"file", path}});
  require_writable(path);
}

void save_report(const Report& report, const std::string& path, const Context& context) {
  const Screen& frame = report.frame;
  if (report.run && report.run != RunView::parts) return save_trace(report.trace, path, frame, context);
  save_trace(
      report.trace, path, frame, context, [&] { return render_json(report, words_of(frame)); },
      [&] { return report_section(report, both_words_of(frame), context.style()); });
}

void show(const Report& report, const ShowOptions& options, Context& context) {
  const Words words = words_of(report.frame);
  context.status = report.status;
  if (options.save) save_report(report, *options.save, context);
  context.out = options.json ? render_json(report, words) : render_screen(report, words, context.style());
}

void save_or_note(const Report& report, const std::string& path, Context& context) try {
  save_report(report, path, context);
} catch (const Error& error) {
  context.notes.push_back(escape_controls(in_learners_language(error.message())));
  context.status = static_cast<int>(error.kind());
}

void show_before_saving(const Report& report, ShowOptions options, Context& context) {
  const std::optional<std::string> file = std::exchange(options.save, {});
  show(report, options, context);
  if (file) save_or_note(report, *file, context);
}

} // namespace tfx
