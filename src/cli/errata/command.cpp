// `tfx errata`: what the tutorials got wrong.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/screen.hpp"
#include "lessons/errata/erratum.hpp"
#include "lessons/run.hpp"
#include "render/footer.hpp"
#include "render/json.hpp"
#include "render/paper.hpp"
#include "render/style.hpp"
#include "render/terminal.hpp"
#include "text/display_width.hpp"
#include "text/names.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace tfx {

namespace {

/// An erratum that has been run.
struct Executed {
  const errata::Erratum* erratum;
  errata::Findings findings;
};

enum class ErrataForm { page, lines, whole };

using errata::Findings;

/// What the words of one erratum quote.
Trace quoted_facts(const Findings& findings) {
  Trace trace;
  trace.facts = findings.facts;
  for (const Findings::Measure& measure : findings.measures) {
    trace.facts["page." + measure.name] = measure.page;
    trace.facts["instead." + measure.name] = measure.instead;
  }
  return trace;
}

class ErrataScreen {
public:
  ErrataScreen(Paper& paper, const Words& words) : paper_(paper), words_(words) {}

  /// A line each, under the names of their tutorials; of each tutorial no more than so many, then the ids of
  /// the others.
  void lines(const std::vector<Executed>& items, std::size_t most) {
    const Style& style = paper_.style();
    std::size_t longest = 0;
    for (const Executed& one : items) longest = std::max(longest, display_width(one.erratum->id));
    // On a narrow screen the sentence stands below the id.
    const bool beside = style.width >= 64;
    const std::size_t mark = display_width(style.symbols("✓")) + 1, hang = mark + (beside ? longest + 2 : 0);
    std::string tutorial;
    std::size_t shown = 0;
    std::vector<std::string> others;
    const auto end = [&] {
      if (!others.empty()) paper_.row(word("others"), listed(others), true);
      if (!tutorial.empty()) paper_.line();
      others.clear(), shown = 0;
    };
    for (const Executed& one : items) {
      if (tutorial != one.erratum->tutorial) {
        end();
        tutorial = one.erratum->tutorial;
        paper_.line(style.bold(tutorial));
      }
      if (shown++ >= most) {
        others.emplace_back(one.erratum->id);
        continue;
      }
      const std::string sign =
          pad_right(style.symbols(one.findings.executed() ? one.findings.holds() ? "✓" : "✗" : "–"), mark);
      std::string before = sign + pad_right(one.erratum->id, beside ? longest + 2 : 0);
      if (!beside) paper_.line(before), before = std::string(hang, ' ');
      for (const std::string& text : wrap(style.symbols(sentence(one, "verdict")), style.width - hang)) {
        paper_.line(before + text);
        before = std::string(hang, ' ');
      }
    }
    end();
  }

  void whole(const Executed& one) {
    paper_.line(paper_.style().bold(std::string(one.erratum->tutorial) + "  " + one.erratum->id));
    for (const char* part : {"where", "says"}) row(part, sentence(one, part));
    if (one.findings.executed()) {
      paper_.row(word("row.both"), form(one, "page"), true);
      paper_.row("", form(one, "instead"), true);
    } else {
      paper_.row(word("row.both"), word("reading"));
    }
    for (const char* part : {"verdict", "write"}) row(part, sentence(one, part));
    paper_.line();
  }

  /// How many were run; and how many can only be read, where there are such.
  void count() { paper_.paragraph(paper_.word("count.read").value_or(word("count"))); }

  std::string word(const std::string& key) const { return paper_.word(key).value_or(key); }

private:
  std::string sentence(const Executed& one, const std::string& part) const {
    const Trace facts = quoted_facts(one.findings);
    return Paper(facts, words_, paper_.style()).word(std::string(one.erratum->id) + "." + part).value_or("");
  }

  void row(const std::string& part, const std::string& text) { paper_.row(word("row." + part), text); }

  /// "✗ the page: Σp of the first row = 38.5471; loss = 5.714".
  std::string form(const Executed& one, const std::string& name) const {
    const bool page = name == "page",
               passes = page ? *one.findings.page_passes : *one.findings.instead_passes;
    std::string measured;
    for (const Findings::Measure& measure : one.findings.measures) {
      const std::string text = word("measure." + measure.name) + " = " +
                               format_fact(page ? measure.page : measure.instead, paper_.style().precision);
      measured = measured.empty() ? text : filled("form.several", {{"one", measured}, {"other", text}});
    }
    return (passes ? "✓ " : "✗ ") + filled("form." + name, {{"measured", measured}});
  }

  std::string filled(const std::string& key, const std::map<std::string, std::string>& values) const {
    return fill_in(*words_.find(key), [&](const std::string& name) { return std::optional(values.at(name)); })
        .value_or("");
  }

  Paper& paper_;
  const Words& words_;
};

Trace counted(const std::vector<Executed>& items) {
  double executed = 0, passing = 0, failing = 0;
  for (const Executed& one : items) {
    executed += one.findings.executed();
    passing += one.findings.executed() && one.findings.holds();
    failing += one.findings.executed() && !*one.findings.page_passes;
  }
  Trace trace;
  trace.facts = {{"total", static_cast<double>(items.size())},
                 {"executed", executed},
                 {"passing", passing},
                 {"failing", failing},
                 {"tutorial", std::string(items.front().erratum->tutorial)},
                 {"id", std::string(items.front().erratum->id)}};
  if (const double read = static_cast<double>(items.size()) - executed; read > 0) trace.facts["read"] = read;
  return trace;
}

void write_item(JsonWriter& json, const Executed& one, const Words& words) {
  Style exact;
  exact.precision = 17;
  const Trace facts = quoted_facts(one.findings);
  const Paper paper(facts, words, exact);
  const auto text = [&](const char* key, const char* part) {
    json.key(key), json.value(paper.word(std::string(one.erratum->id) + "." + part).value_or(""));
  };
  json.begin_object();
  json.key("id"), json.value(one.erratum->id);
  json.key("tutorial"), json.value(one.erratum->tutorial);
  text("where", "where"), text("says", "says"), text("verdict", "verdict"), text("corrected", "write");
  json.key("executed"), json.value(one.findings.executed());
  json.key("measures");
  json.begin_array();
  for (const Findings::Measure& measure : one.findings.measures) {
    json.begin_object();
    json.key("name"), json.value(measure.name);
    json.key("page"), json.value(measure.page);
    json.key("instead"), json.value(measure.instead);
    json.end_object();
  }
  json.end_array();
  json.key("facts");
  json.begin_object();
  for (const auto& [name, fact] : one.findings.facts) json.key(name), json.value(fact);
  json.end_object();
  json.key("page_passes"), json.value(one.findings.page_passes);
  json.key("pass"), json.value(one.findings.instead_passes);
  json.end_object();
}

std::string render_errata(const std::vector<Executed>& items, ErrataForm form, const Screen& screen,
                          const Words& words, const Style& style) {
  const Trace trace = counted(items);
  Paper paper(trace, words, style);
  write_title(paper, screen);
  ErrataScreen errata(paper, words);
  if (form != ErrataForm::whole) {
    constexpr std::size_t a_tutorial = 2; // of the page, which fits what one reads at a sitting
    if (!style.is_within) paper.paragraph(paper.word("intro")), paper.paragraph(paper.word("how"));
    errata.lines(items, form == ErrataForm::page ? a_tutorial : items.size());
    if (!style.is_within) errata.count();
  } else {
    if (items.size() > 1) paper.paragraph(paper.word("intro.tutorial"));
    for (const Executed& one : items) errata.whole(one);
    if (items.size() > 1) errata.count();
  }
  paper.row(paper.ui("next"), errata.word(form == ErrataForm::whole ? "next.tutorial" : "next"));
  return paper.take();
}

/// The sentences are the words', with the numbers in full.
std::string errata_json(const std::vector<Executed>& items, const Words& words) {
  JsonWriter json;
  begin_command(json, "errata");
  json.key("items");
  json.begin_array();
  for (const Executed& one : items) write_item(json, one, words);
  json.end_array();
  json.end_object();
  return json.take();
}

// tfx errata: what the tutorials say, and what the numbers say.

struct ErrataOptions {
  std::optional<std::string> tutorial, id, only; ///< the first may be an id too; the last is one
  bool json = false, brief = false;
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
  const bool is_some = options.tutorial || options.only;
  const ErrataForm form = options.brief ? ErrataForm::lines : is_some ? ErrataForm::whole : ErrataForm::page;
  context.out = render_errata(items, form, screen, words, context.style());
}

} // namespace

Command errata_command() {
  using O = ErrataOptions;
  return command_row<O>("errata", run, [](CLI::App& command, O& o, Context&) {
    add_argument(command, "TUTORIAL", o.tutorial, in_words("errata.tutorial"));
    add_argument(command, "ID", o.id, in_words("errata.id"));
    add_options<O>(
        command, {{"--only", &O::only, value::text("ID")}, {"--brief", &O::brief}, {"--json", &O::json}}, o);
  });
}

} // namespace tfx
