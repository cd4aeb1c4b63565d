#include "cli/options.hpp"

#include "cli/add_option.hpp"
#include "core/number.hpp"
#include "input/given_options.hpp"
#include "text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <limits>

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

void add_input_options(CLI::App& command, InputOptions& options) {
  add_text(command, "--tutorial", options.tutorial, "ID[:VARIANT]");
  add_text(command, "--text", options.text, "TEXT");
  add_text(command, "--words", options.words, "FILE");
  add_text(command, "--x", options.x, "FILE");
  add_text(command, "--q", options.q, "FILE");
  add_text(command, "--k", options.k, "FILE");
  add_text(command, "--v", options.v, "FILE");
  add_text(command, "--mask", options.mask, "FILE");
  add_text(command, "--weights", options.weights, "FILE");
  add_count(command, "--d-model", options.d_model);
  add_count(command, "--heads", options.heads);
  add_count(command, "--batch", options.batch);
  add_count(command, "--n-q", options.n_q);
  add_count(command, "--n-k", options.n_k);
  add_count(command, "--d-k", options.d_k);
  add_count(command, "--d-v", options.d_v);
  add_seed(command, options.seed);
  add_choice<Init>(command, "--init",
                   {{"randint", Init::randint},
                    {"normal", Init::normal},
                    {"xavier", Init::xavier},
                    {"xavier-uniform", Init::xavier_uniform},
                    {"he", Init::he}},
                   [&options](Init init) { options.init = init; });
  add_flag(command, "--causal", options.causal);
  add_count(command, "--pad", options.pad, 0);
  add_choice<FullyMaskedRow>(
      command, "--on-masked-row",
      {{"zero", FullyMaskedRow::zero}, {"nan", FullyMaskedRow::nan}, {"error", FullyMaskedRow::error}},
      [&options](FullyMaskedRow policy) { options.masked_row = policy; });
  add_flag(command, "--grad", options.grad);
}

namespace {

void add_share(CLI::App& command, const std::string& name, std::optional<double>& target, const char* type) {
  add_value(
      command, name, [&target, name](const std::string& text) { target = parse_share(name, text); }, type);
}

void add_loss_options(CLI::App& command, InputOptions& options) {
  add_text(command, "--logits", options.logits, "FILE");
  add_value(
      command, "--labels",
      [&options](const std::string& text) { options.labels = parse_ids("--labels", text); }, "IDS[;IDS]");
  add_share(command, "--smoothing", options.smoothing, "S");
  add_count(command, "--pad-id", options.pad_id, 0, std::numeric_limits<std::uint32_t>::max());
}

} // namespace

void add_stage_options(CLI::App& command, InputOptions& options, std::optional<Stage> stage) {
  const auto takes = [&](Stage wanted) { return !stage || *stage == wanted; };
  if (takes(Stage::memory)) add_text(command, "--memory", options.memory, "FILE");
  if (takes(Stage::loss)) add_loss_options(command, options);
  if (!takes(Stage::layer)) return;
  add_count(command, "--d-ff", options.d_ff);
  add_choice<page::NormRule>(
      command, "--norm", {{"annotated", page::NormRule::annotated}, {"standard", page::NormRule::standard}},
      [&options](page::NormRule rule) { options.norm = rule; });
  const AddedOption first = add_flag(command, "--norm-first", [&options] { options.norm_first = true; });
  add_flag(command, "--norm-last", [&options] { options.norm_first = false; }).excludes(first);
  add_share(command, "--dropout", options.dropout, "P");
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

/// $'…' with \xHH, which bash and zsh read back: a command with a control character in it can be shown, and
/// pasted.
std::string quoted_with_codes(const std::string& text) {
  std::string result = "$'";
  for (const unsigned char c : text) {
    if (c == '\'' || c == '\\')
      result += std::string("\\") + static_cast<char>(c);
    else if (c >= ' ' && c < 0x7F)
      result += static_cast<char>(c);
    else
      result += fmt::format("\\x{:02x}", c);
  }
  return result + "'";
}

} // namespace

std::string quoted(const std::string& text) {
  if (escape_controls(text) != text) return quoted_with_codes(text);
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) || c >= 0x80 || std::strchr("_-+=./,:@", c);
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string result = "'";
  for (char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

namespace {

std::string ids_text(const std::vector<std::vector<std::uint32_t>>& rows) {
  std::string text;
  for (const auto& row : rows) {
    text += text.empty() ? "" : ";";
    for (std::size_t i = 0; i < row.size(); ++i) text += (i ? "," : "") + std::to_string(row[i]);
  }
  return text;
}

} // namespace

void refuse_unread(const Lesson& lesson, const InputOptions& options) {
  if (lesson.on_page != OnPage::aside) return;
  const std::vector<GivenOption> unread = unread_options(options, lesson);
  if (unread.empty()) return;
  std::string readers;
  for (const Lesson& reader : page_lessons())
    if (unread.front().read_by(reader)) readers += (readers.empty() ? "" : ", ") + reader.command;
  throw usage_error("unread",
                    {{"name", unread.front().name}, {"lesson", lesson.command}, {"lessons", readers}});
}

std::string repeat_options(const InputOptions& o) {
  std::string text;
  const auto add = [&](const char* name, const auto& value) {
    if constexpr (requires { value->size(); }) {
      if (value) text += std::string(" ") + name + " " + quoted(*value);
    } else {
      if (value) text += std::string(" ") + name + " " + std::to_string(*value);
    }
  };
  add("--tutorial", o.tutorial), add("--text", o.text), add("--words", o.words), add("--x", o.x);
  add("--q", o.q), add("--k", o.k), add("--v", o.v), add("--mask", o.mask), add("--weights", o.weights);
  add("--d-model", o.d_model), add("--heads", o.heads), add("--batch", o.batch), add("--n-q", o.n_q),
      add("--n-k", o.n_k);
  add("--d-k", o.d_k), add("--d-v", o.d_v), add("--seed", o.seed);
  static constexpr const char* inits[] = {"randint", "normal", "xavier", "xavier-uniform", "he"};
  if (o.init) text += std::string(" --init ") + inits[static_cast<int>(*o.init)];
  if (o.causal) text += " --causal";
  if (o.pad.value_or(0) > 0) add("--pad", o.pad); // 0 is no padding: as if it were not there
  add("--memory", o.memory), add("--d-ff", o.d_ff);
  if (o.norm) text += *o.norm == page::NormRule::standard ? " --norm standard" : " --norm annotated";
  if (o.norm_first) text += *o.norm_first ? " --norm-first" : " --norm-last";
  add("--logits", o.logits), add("--pad-id", o.pad_id);
  if (o.labels) text += " --labels " + quoted(ids_text(*o.labels));
  if (o.smoothing) text += " --smoothing " + format_number(*o.smoothing, 17);
  if (o.dropout) text += " --dropout " + format_number(*o.dropout, 17);
  if (o.grad) text += " --grad";
  if (o.masked_row == FullyMaskedRow::nan) text += " --on-masked-row nan";
  return text;
}

} // namespace tfx
