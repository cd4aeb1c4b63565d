// `tfx errata`: what the tutorials say, and what the numbers say.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "lessons/errata/erratum.hpp"
#include "text/names.hpp"

#include <algorithm>

namespace tfx {

namespace {

using errata::Findings;

/// An erratum that has been run.
struct Executed {
  const errata::Erratum* erratum;
  Findings findings;
};

Finding::Mark mark_of(const std::optional<bool>& passes) {
  return !passes ? Finding::Mark::unknown : *passes ? Finding::Mark::good : Finding::Mark::bad;
}

/// The words of one erratum, with what they quote.
Sentence sentence(const Executed& one, const std::string& part) {
  Values values = one.findings.facts;
  for (const Findings::Measure& measure : one.findings.measures) {
    values["page." + measure.name] = measure.page;
    values["instead." + measure.name] = measure.instead;
  }
  return {std::string(one.erratum->id) + "." + part, std::move(values)};
}

/// "the page: Σp of the first row = 38.5471; loss = 5.714".
Sentence form(const Executed& one, const std::string& name, Fact Findings::Measure::*value) {
  Sentence measured;
  for (const Findings::Measure& measure : one.findings.measures) {
    Sentence next{"measured", {{"value", measure.*value}}, {{"name", {"measure." + measure.name}}}};
    measured = measured.key.empty()
                   ? std::move(next)
                   : Sentence{"form.several", {}, {{"one", std::move(measured)}, {"other", std::move(next)}}};
  }
  return {"form." + name, {}, {{"measured", std::move(measured)}}};
}

/// A line each, under the names of their tutorials; of each tutorial no more than so many, then the ids of
/// the others.
void add_lines(Report& report, const std::vector<Executed>& items, std::size_t most) {
  std::string tutorial;
  std::size_t shown = 0;
  Names others;
  const auto end = [&] {
    if (!others.empty()) report.add(Row{"others", others});
    others.clear(), shown = 0;
  };
  for (const Executed& one : items) {
    if (tutorial != one.erratum->tutorial) {
      end();
      tutorial = one.erratum->tutorial;
      report.add(Heading{tutorial});
    }
    if (shown++ < most)
      report.add({mark_of(one.findings.instead_passes), {sentence(one, "verdict")}, {}, one.erratum->id});
    else
      others.emplace_back(one.erratum->id);
  }
  end();
}

void add_whole(Report& report, const Executed& one) {
  const Findings& findings = one.findings;
  report.add(Heading{std::string(one.erratum->tutorial) + "  " + one.erratum->id});
  for (const char* part : {"where", "says"}) report.add(Row{part, sentence(one, part)});
  if (findings.executed()) {
    report.add(Row{"both", form(one, "page", &Findings::Measure::page), mark_of(findings.page_passes)});
    report.add(Row{"", form(one, "instead", &Findings::Measure::instead), mark_of(findings.instead_passes)});
  } else {
    report.add(Row{"both", Sentence{"reading"}});
  }
  for (const char* part : {"verdict", "write"}) report.add(Row{part, sentence(one, part)});
}

void add_facts(Report& report, const std::vector<Executed>& items) {
  double executed = 0, passing = 0, failing = 0;
  for (const Executed& one : items) {
    executed += one.findings.executed();
    passing += one.findings.executed() && one.findings.holds();
    failing += one.findings.executed() && !*one.findings.page_passes;
  }
  report.trace.facts = {{"total", static_cast<double>(items.size())},
                        {"executed", executed},
                        {"passing", passing},
                        {"failing", failing},
                        {"tutorial", std::string(items.front().erratum->tutorial)},
                        {"id", std::string(items.front().erratum->id)}};
  if (const double read = static_cast<double>(items.size()) - executed; read > 0)
    report.trace.facts["read"] = read;
}

ReportTable item_table(const std::vector<Executed>& items) {
  ReportTable table{"items",
                    {"id", "tutorial", "where", "says", "verdict", "corrected", "executed", "measures",
                     "facts", "page_passes", "pass"},
                    {}};
  for (const Executed& one : items) {
    const Findings& findings = one.findings;
    const auto measures = std::make_shared<ReportTable>(ReportTable{"", {"name", "page", "instead"}, {}});
    for (const Findings::Measure& measure : findings.measures)
      measures->rows.push_back({measure.name, cell_of(measure.page), cell_of(measure.instead)});
    table.rows.push_back({one.erratum->id, one.erratum->tutorial, sentence(one, "where"),
                          sentence(one, "says"), sentence(one, "verdict"), sentence(one, "write"),
                          findings.executed(), Nested{measures}, findings.facts,
                          or_none(findings.page_passes), or_none(findings.instead_passes)});
  }
  return table;
}

struct ErrataOptions {
  std::optional<std::string> tutorial, id, only; ///< the first may be an id too; the last is one
  bool brief = false;
  ShowOptions show;
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

Report run(const ErrataOptions& options, Context& context) {
  Report report{frame_of("errata"), {}};
  std::vector<Executed> items;
  for (const errata::Erratum* erratum : chosen(options)) {
    items.push_back({erratum, erratum->run()});
    if (!items.back().findings.holds()) report.status = static_cast<int>(ErrorKind::difference);
  }
  for (const auto& given : {options.tutorial, options.id, options.only})
    if (given) report.frame.options += " " + *given;
  add_facts(report, items);
  const bool is_whole = !options.brief && (options.tutorial || options.only), is_many = items.size() > 1;
  const auto say = [&](const char* key) {
    if (is_whole ? is_many : !context.is_within) report.say(key);
  };
  if (is_whole) {
    say("intro.tutorial");
    for (const Executed& one : items) add_whole(report, one);
  } else {
    constexpr std::size_t a_tutorial = 2; // of the page, which fits what one reads at a sitting
    say("intro"), say("how");
    add_lines(report, items, options.brief ? items.size() : a_tutorial);
  }
  say(report.trace.facts.contains("read") ? "count.read" : "count");
  report.onward = {{is_whole ? "next.tutorial" : "next"}};
  report.add(item_table(items));
  return report;
}

} // namespace

Command errata_command() {
  using O = ErrataOptions;
  return report_row<O, run>("errata", [](CLI::App& command, O& o, Context&) {
    add_argument(command, "TUTORIAL", o.tutorial, in_words("errata.tutorial"));
    add_argument(command, "ID", o.id, in_words("errata.id"));
    add_options<O>(command, {{"--only", &O::only, value::text("ID")}, {"--brief", &O::brief}}, o);
    add_options(command, page_options(), o.show);
  });
}

} // namespace tfx
