// tfx errata: what the tutorials say, and what the numbers say.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/errata/screen.hpp"
#include "cli/lesson/screen.hpp"
#include "lessons/run.hpp"
#include "text/suggest.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <memory>

namespace tfx {

namespace {

struct ErrataOptions {
  std::optional<std::string> tutorial, id, only; ///< the first may be an id too; the last is one
  bool json = false;
};

/// The errata that the arguments mean, in order. Throws Error(usage) where they mean none.
std::vector<const errata::Erratum*> chosen(const ErrataOptions& options) {
  const std::vector<std::string> tutorials = errata::tutorials();
  if (options.only && options.id)
    throw usage_error("contradict", {{"one", "--only"}, {"other", *options.id}});
  std::optional<std::string> tutorial = options.tutorial, id = options.id ? options.id : options.only;
  const auto is_tutorial = [&](const std::string& name) {
    return std::ranges::find(tutorials, name) != tutorials.end();
  };
  if (tutorial && !is_tutorial(*tutorial) && !id) std::swap(tutorial, id); // tfx errata log_probs_max
  std::vector<const errata::Erratum*> list;
  std::vector<std::string> known, names;
  for (const errata::Erratum& one : errata::all()) {
    const bool here = !tutorial || one.tutorial == *tutorial;
    if (here) known.emplace_back(one.id);
    if (here && (!id || one.id == *id)) list.push_back(&one);
  }
  if (!list.empty()) return list;
  names = known;
  if (!tutorial || known.empty()) names.insert(names.end(), tutorials.begin(), tutorials.end());
  const std::string& name = known.empty() ? *tutorial : *id;
  throw usage_error("erratum", {{"name", name},
                                {"near", suggestion(nearest(name, names))},
                                {"names", listed(tutorial && !known.empty() ? known : tutorials)}});
}

void run(const ErrataOptions& options, Context& context) {
  std::vector<Executed> items;
  for (const errata::Erratum* erratum : chosen(options)) {
    items.push_back({erratum, erratum->run()});
    if (!items.back().findings.holds()) context.status = static_cast<int>(ErrorKind::difference);
  }
  const Words words = words_in(find_lesson("errata").folder);
  if (options.json) {
    context.out = errata_json(items, words) + "\n";
    return;
  }
  const Screen screen = frame_of("errata");
  const ErrataForm form = options.tutorial || options.only ? ErrataForm::whole : ErrataForm::lines;
  context.out = render_errata(items, form, screen, words, context.style());
}

} // namespace

void add_errata_command(CLI::App& app, Context& context) {
  using O = ErrataOptions;
  const auto options = std::make_shared<O>();
  const auto start = [&context, options] { run(*options, context); };
  add_command(
      app, context, "errata", title_in(find_lesson("errata").folder), start, [options](CLI::App& command) {
        add_argument(command, "TUTORIAL", options->tutorial, in_words("errata.tutorial"));
        add_argument(command, "ID", options->id, in_words("errata.id"));
        add_options<O>(command, {{"--only", &O::only, value::text("ID")}, {"--json", &O::json}}, *options);
      });
}

} // namespace tfx
