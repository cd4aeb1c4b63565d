#include "core/progress.hpp"
#include "lessons/lens/lens.hpp"
#include "lessons/model/intervention.hpp"
#include "text/display_width.hpp"
#include "trace/checks.hpp"
#include "trace/cost.hpp"
#include "trace/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace tfx {

namespace {

using Names = std::vector<std::string>;
using Kind = Intervention::Kind;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// "decoder.layers.0.self_attn" → "decoder 0", "self_attn"; of what is in no layer only its name.
std::pair<std::string, std::string> cut(const std::string& name) {
  constexpr std::string_view mark = ".layers.";
  const std::size_t at = name.find(mark);
  if (at == std::string::npos) return {"", name};
  const std::size_t number = at + mark.size(), dot = name.find('.', number);
  return {name.substr(0, at) + " " + name.substr(number, dot - number), name.substr(dot + 1)};
}

/// "decoder 0 self_attn".
std::string part_name(const std::string& name) {
  const auto [layer, part] = cut(name);
  return layer.empty() ? part : layer + " " + part;
}

/// "0 self_attn": in one stack.
std::string short_name(const std::string& name) {
  const auto [layer, part] = cut(name);
  return layer.empty() ? part : layer.substr(layer.find(' ') + 1) + " " + part;
}

constexpr std::size_t most_drawn = 7, most_rows = 10; ///< of a picture, of a table: a page has 60 rows
constexpr std::size_t widest_text = 30;               ///< of another text beside its numbers

/// Of the depths as many as a picture has: all, or of a deep model some ends of layers, as evenly as it goes.
/// The first and the last are among them.
std::vector<std::size_t> drawn_depths(const Trace& t, std::size_t depths) {
  std::vector<std::size_t> all, chosen;
  for (std::size_t i = 0; i < depths; ++i) {
    const bool ends =
        i + 1 == depths || cut(row_label(t, "lens", i)).first != cut(row_label(t, "lens", i + 1)).first;
    if (depths <= most_drawn || ends) all.push_back(i);
  }
  const std::size_t count = std::min(all.size(), most_drawn);
  for (std::size_t k = 0; k < count; ++k)
    chosen.push_back(all[count < 2 ? 0 : k * (all.size() - 1) / (count - 1)]);
  return chosen;
}

/// Positions of the largest sizes, in their order; all where there are no more.
std::vector<std::size_t> largest(const std::vector<double>& sizes, std::size_t most) {
  std::vector<std::size_t> order(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) order[i] = i;
  if (order.size() <= most) return order;
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return sizes[i]; });
  order.resize(most);
  std::ranges::sort(order);
  return order;
}

} // namespace

void show_depths(Trace& t) {
  const Tensor& lens = t["lens"];
  const std::size_t depths = lens.shape[0], V = lens.shape[1], token = asked_number(t, "token");
  const bool compares = t.has("against");
  Experiment table{"depths", {"would_say", "p_best", "p_token"}, {}, Tensor({depths, compares ? 3u : 2u})};
  if (compares) table.columns.emplace_back("p_against");
  BarPicture picture{{"p_token", "would_say"}, {}};
  std::optional<std::size_t> from;
  const std::vector<std::size_t> drawn = drawn_depths(t, depths);
  for (std::size_t i = 0; i < depths; ++i) {
    const double* row = lens.data.data() + i * V;
    const auto best = static_cast<std::size_t>(std::max_element(row, row + V) - row);
    const std::string name = row_label(t, "lens", i), word = t.step_named("lens").labels[1][best];
    table.rows.push_back(name), table.texts.push_back({word});
    table.values.at({i, 0}) = row[best], table.values.at({i, 1}) = row[token];
    if (compares) table.values.at({i, 2}) = row[asked_number(t, "against")];
    if (std::ranges::count(drawn, i))
      picture.rows.push_back({short_name(name),
                              {{{{row[token], false}}, fmt::format("{:.2f}", row[token])},
                               {{{row[best], best != token}}, fmt::format("{} {:.2f}", word, row[best])}}});
    if (best != token)
      from.reset();
    else if (!from)
      from = i;
  }
  t.facts["p_last"] = lens.data[(depths - 1) * V + token];
  if (from) t.facts[*from ? "said_from" : "said_always"] = row_label(t, "lens", *from);
  t.idea = std::move(picture);
  t.experiments.push_back(std::move(table));
}

namespace {

/// Of a deep model the largest rows in their order, and the sum of the others.
void keep_largest(Experiment& table, std::vector<double>& cells, std::size_t width) {
  const std::size_t rows = table.rows.size();
  if (rows <= most_rows) return;
  std::vector<double> sizes;
  for (std::size_t i = 0; i < rows; ++i) sizes.push_back(std::abs(cells[i * width]));
  const std::vector<std::size_t> order = largest(sizes, most_rows - 1);
  Names names;
  std::vector<double> kept, rest(width, none);
  rest[0] = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = cells.begin() + static_cast<std::ptrdiff_t>(i * width);
    if (!std::ranges::binary_search(order, i)) {
      rest[0] += *row;
      continue;
    }
    names.push_back(table.rows[i]);
    kept.insert(kept.end(), row, row + static_cast<std::ptrdiff_t>(width));
  }
  names.push_back("… " + std::to_string(rows - order.size()));
  kept.insert(kept.end(), rest.begin(), rest.end());
  table.rows = names, cells = kept;
  table.texts.assign(table.rows.size(), {});
}

Experiment terms_by_sublayer(const Trace& t, const std::string& name, const std::string& step,
                             const std::vector<TermSource>& sources) {
  std::size_t heads = 0;
  bool has_biases = false;
  for (const TermSource& source : sources) {
    heads = std::max(heads, source.head ? *source.head + 1 : 0);
    has_biases = has_biases || source.is_bias;
  }
  Experiment table{name, {"term_all"}, {}, {}};
  for (std::size_t h = 0; h < heads; ++h) table.columns.push_back("head " + std::to_string(h));
  if (has_biases) table.columns.emplace_back("term_bias");
  const std::size_t width = heads + has_biases + 1;
  std::vector<double> cells;
  Names groups;
  const auto open_row = [&](const std::string& group) {
    groups.push_back(group);
    table.rows.push_back(short_name(group)), table.texts.emplace_back(); // so that no number is a dash
    cells.insert(cells.end(), width, none);
    cells[cells.size() - width] = 0;
  };
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const TermSource& source = sources[i];
    if (groups.empty() || groups.back() != source.group) open_row(source.group);
    const double term = t[step].data[i];
    double* row = cells.data() + (groups.size() - 1) * width;
    if (source.head)
      row[1 + *source.head] = term;
    else if (source.is_bias)
      row[1 + heads] = term;
    row[0] += term;
  }
  keep_largest(table, cells, width);
  open_row("Σ");
  for (const double term : t[step].data) cells[cells.size() - width] += term;
  const std::size_t rows = table.rows.size();
  table.values = Tensor({rows, width}, std::move(cells));
  return table;
}

void state_largest(Trace& t, const std::string& step, const std::string& fact) {
  const std::vector<double>& terms = t[step].data;
  const auto largest =
      std::ranges::max_element(terms, {}, [](double x) { return std::abs(x); }) - terms.begin();
  t.facts[fact] = row_label(t, step, static_cast<std::size_t>(largest));
  t.facts[fact + "_value"] = terms[static_cast<std::size_t>(largest)];
  // Of a row that was only put below others, where it was computed.
  const Explanation stacked = explain(t, step, {static_cast<std::size_t>(largest), 0}, 0, 1, 0);
  t.spotlight = Spotlight{stacked.terms[0].reads[0].tensor, stacked.terms[0].reads[0].index};
}

} // namespace

void show_terms(Trace& t, const LogitTerms& terms) {
  t.facts["terms_count"] = static_cast<double>(terms.sources.size());
  if (terms.norms_held) t.facts["norms_held"] = static_cast<double>(terms.norms_held);
  state_largest(t, "terms", "largest");
  t.experiments.push_back(terms_by_sublayer(t, "logit_table", "terms", terms.sources));
  if (!t.has("difference.terms")) return;
  t.facts["difference_value"] = t["difference.logit"].data[0];
  t.facts["odds"] = std::exp(t["difference.logit"].data[0]);
  state_largest(t, "difference.terms", "most_for");
  t.experiments.push_back(terms_by_sublayer(t, "difference_table", "difference.terms", terms.sources));
}

namespace {

/// What a changed run says at the last row.
struct Answer {
  double p_token = 0, p_against = none, difference = none; ///< difference: of the logits
};

class Changes {
public:
  Changes(const Trace& page, const Trace* other, std::size_t token, std::optional<std::size_t> against)
      : page_(page), other_(other), token_(token), against_(against) {}

  Answer of(const Tensor& log_probs) const {
    const std::size_t V = log_probs.shape.back();
    const double* row = log_probs.data.data() + log_probs.size() - V;
    Answer answer{std::exp(row[token_])};
    if (against_)
      answer.p_against = std::exp(row[*against_]), answer.difference = row[token_] - row[*against_];
    return answer;
  }

  Answer with(const std::vector<Intervention>& made) const { return of(log_probs_with(page_, made, other_)); }

  bool can_patch_part(const std::string& part) const { return other_ && can_patch(page_, *other_, part); }

  /// What the difference is where the part is left out, or patched.
  double left(Kind kind, const std::string& part) const {
    if (kind == Kind::patched && !can_patch_part(part)) return none;
    const Answer answer = with({{kind, part}});
    return against_ ? answer.difference : answer.p_token;
  }

private:
  const Trace& page_;
  const Trace* other_;
  std::size_t token_;
  std::optional<std::size_t> against_;
};

void add_row(Experiment& table, std::vector<double>& cells, const std::string& name,
             const std::vector<std::string>& texts, std::initializer_list<double> numbers) {
  table.rows.push_back(name), table.texts.push_back(texts);
  cells.insert(cells.end(), numbers);
}

/// Of a deep model the rows that lie farthest from `as_it_is`.
void keep_farthest(Experiment& table, std::vector<double>& cells, double as_it_is, std::size_t most) {
  const std::size_t width = cells.size() / table.rows.size();
  std::vector<double> apart;
  for (std::size_t i = 0; i < cells.size(); i += width) {
    double farthest = 0;
    for (std::size_t j = i; j < i + width; ++j) farthest = std::fmax(farthest, std::abs(cells[j] - as_it_is));
    apart.push_back(farthest);
  }
  Names names;
  std::vector<double> kept;
  for (const std::size_t i : largest(apart, most)) {
    names.push_back(table.rows[i]);
    for (std::size_t j = 0; j < width; ++j) kept.push_back(cells[i * width + j]);
  }
  table.rows = names, cells = kept;
  table.texts.assign(table.rows.size(), {});
}

void finish(Trace& t, Experiment table, std::vector<double> cells) {
  const std::size_t rows = table.rows.size();
  const std::size_t width = cells.size() / rows;
  table.values = Tensor({rows, width}, std::move(cells));
  t.experiments.push_back(std::move(table));
}

// What was asked for, all at once, between the run as it is and the other text's.
void show_asked(Trace& t, const Changes& changes, const Trace& page, const LessonInput& input) {
  Experiment table{"asked_changes", {"change", "p_token", "p_against", "difference"}, {}, {}};
  std::vector<double> cells;
  const auto add = [&](const std::string& name, const std::string& text, const Answer& answer) {
    add_row(table, cells, name, {text}, {answer.p_token, answer.p_against, answer.difference});
  };
  add("tfx lens", "", changes.of(page["log_probs"]));
  std::vector<Intervention> made;
  for (const std::string& part : input.left_out) made.push_back({Kind::without, part});
  for (const std::string& part : input.patched) made.push_back({Kind::patched, part});
  if (!made.empty()) {
    const Answer changed = changes.with(made);
    for (const Intervention& one : made)
      add(one.kind == Kind::patched ? "--patch" : "--without", one.part,
          &one == &made.back() ? changed : Answer{none});
    t.facts["changed_p"] = changed.p_token;
  }
  if (input.other)
    add("--from", shorten(std::get<std::string>(t.facts.at("other_text")), widest_text),
        changes.of((*input.other)["log_probs"]));
  finish(t, std::move(table), std::move(cells));
}

// All that a decoder knows of a source is the memory: with the other's it says what it says there.
void check_memory(Trace& t, const Changes& changes, const Trace& page, const Trace* other) {
  if (!other || !page.has("memory") || !changes.can_patch_part("memory")) return;
  const Tensor patched = log_probs_with(page, {{Kind::patched, "memory"}}, other);
  t.check_at_most("memory_is_all", relative_difference(patched, (*other)["log_probs"]), rounding);
}

} // namespace

void show_changes(Trace& t, const Trace& page, const LessonInput& input) {
  if (input.purpose == RunFor::values) return; // nobody reads them
  const Trace* other = input.other.get();
  const std::optional<std::size_t> against =
      t.has("against") ? std::optional(asked_number(t, "against")) : std::nullopt;
  const Changes changes(page, other, asked_number(t, "token"), against);
  show_asked(t, changes, page, input);
  check_memory(t, changes, page, other);
  const Names all = parts_to_leave_out(page);
  constexpr double quick_macs = 1e9; // a second
  const auto is_no_head = [&](const std::string& part) { return part == "memory" || is_sublayer(part); };
  const auto twice = std::ranges::count_if(all, is_no_head), once = std::ranges::count_if(all, is_head);
  const double runs = static_cast<double>(once + (other ? 2 : 1) * twice);
  if (runs * static_cast<double>(total_cost(page).macs) > quick_macs) {
    t.facts["too_many_parts"] = static_cast<double>(all.size());
    return;
  }
  Experiment parts{"changes", {"left_without"}, {}, {}};
  if (other) parts.columns.emplace_back("left_patched");
  Experiment heads{"head_changes", {}, {}, {}};
  std::vector<double> cells, head_cells;
  std::size_t width = 0;
  const Kind kind = other ? Kind::patched : Kind::without;
  std::size_t done = 0;
  for (const std::string& part : all) {
    tell_progress(part, {++done, all.size()});
    if (is_head(part)) {
      head_cells.push_back(changes.left(kind, part));
      width = std::max(width, std::stoul(part.substr(part.rfind('.') + 1)) + 1);
      continue;
    }
    if (!is_no_head(part)) continue;
    const std::string name = part_name(part);
    if (part.ends_with("attn")) heads.rows.push_back(name), heads.texts.emplace_back();
    const double without = changes.left(Kind::without, part);
    other ? add_row(parts, cells, name, {}, {without, changes.left(Kind::patched, part)})
          : add_row(parts, cells, name, {}, {without});
  }
  constexpr std::size_t most_parts = 12, most_attentions = 8;
  const Answer as_it_is = changes.of(page["log_probs"]);
  const double now = against ? as_it_is.difference : as_it_is.p_token;
  keep_farthest(parts, cells, now, most_parts);
  keep_farthest(heads, head_cells, now, most_attentions);
  finish(t, std::move(parts), std::move(cells));
  for (std::size_t h = 0; h < width; ++h) heads.columns.push_back("head " + std::to_string(h));
  finish(t, std::move(heads), std::move(head_cells));
  t.facts["as_it_is"] = now;
  if (!other) {
    t.facts["leaves_out"] = std::string("--without");
    return;
  }
  const Answer there = changes.of((*other)["log_probs"]);
  t.facts["as_there"] = against ? there.difference : there.p_token;
}

} // namespace tfx
