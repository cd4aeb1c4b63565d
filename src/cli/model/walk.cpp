#include "cli/model/walk.hpp"

#include "cli/decode/decoding.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/model/module_costs.hpp"
#include "cli/options.hpp"
#include "core/blas.hpp"
#include "core/tensor.hpp"
#include "course/question.hpp"
#include "lessons/run.hpp"
#include "parity/model_page.hpp"
#include "parity/model_run.hpp"
#include "render/matrix.hpp"
#include "text/names.hpp"
#include "words/in_words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tfx {

const std::vector<Option<LossOptions>>& loss_options() {
  using O = LossOptions;
  using Row = Option<O>;
  static const std::vector<Row> table{
      Row("--labels", &O::labels, value::ids()).described("model--labels"),
      Row("--smoothing", &O::smoothing, value::share("S"), 0).beside({"--labels", "--text"}),
      Row("--grad", &O::grad).described("model--grad").beside({"--labels", "--text"})};
  return table;
}

TokenIds labels_of(const LossOptions& options, const ModelBatches& batches, const TokenIds& expected,
                   std::size_t vocabulary) {
  if (!options.labels) {
    if (expected.empty() && (options.grad || options.smoothing))
      throw usage_error("no_labels", {{"name", options.grad ? "--grad" : "--smoothing"}});
    return expected;
  }
  const std::vector<TokenIds>& rows = *options.labels;
  const Sequences& tgt = batches.tgt.sequences;
  TokenIds labels;
  bool fits = rows.size() == tgt.count();
  for (std::size_t s = 0; fits && s < rows.size(); ++s) {
    fits = rows[s].size() <= tgt.length(s);
    labels.insert(labels.end(), rows[s].begin(), rows[s].end());
    labels.resize(tgt.offsets[s + 1], batches.pad);
    // A label for every token that is none of padding's.
    for (std::size_t j = tgt.offsets[s] + rows[s].size(); fits && j < tgt.offsets[s + 1]; ++j)
      fits = batches.tgt.ids[j] == batches.pad;
  }
  if (!fits || count_tokens(labels, batches.pad) == 0) throw usage_error("labels", {});
  require_known("--labels", labels, vocabulary);
  return labels;
}

template <class Real>
void add_loss(Trace& trace, const Transformer<Real>& model, const TrainingBatch& batch,
              const LossOptions& options, std::uint32_t pad, const Keep& keep) {
  if (batch.labels.empty()) return;
  record_loss(trace, model, batch, {options.smoothing.value_or(0), pad},
              options.grad ? WithGradient::yes : WithGradient::no, keep);
}

template void add_loss(Trace&, const Transformer<float>&, const TrainingBatch&, const LossOptions&,
                       std::uint32_t, const Keep&);
template void add_loss(Trace&, const Transformer<double>&, const TrainingBatch&, const LossOptions&,
                       std::uint32_t, const Keep&);

namespace {

constexpr double quick_macs = 3e8, most_macs = 1e11; // of an ablation: a fraction of a second, a minute

std::string name_in(const std::optional<ModelCard>& card, bool of_target, std::uint32_t id) {
  if (!card) return std::to_string(id);
  return token_name(of_target ? card->tgt : card->src, id);
}

std::vector<WalkAnswer> named(const std::vector<AnswerRow>& rows, const std::optional<ModelCard>& card) {
  std::vector<WalkAnswer> answer;
  for (const AnswerRow& row : rows)
    answer.push_back({name_in(card, true, row.read), name_in(card, true, row.right),
                      name_in(card, true, row.other), row.p_right, row.p_other});
  return answer;
}

Experiment experiment_of(const std::string& name, const std::vector<AnswerRow>& rows,
                         const std::vector<WalkAnswer>& names) {
  Experiment table{name, {"right", "p", "other", "p_other"}, {}, Tensor({rows.size(), 4})};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    table.rows.push_back(names[i].read);
    const double cells[] = {static_cast<double>(rows[i].right), rows[i].p_right,
                            static_cast<double>(rows[i].other), rows[i].p_other};
    std::ranges::copy(cells, table.values.data.begin() + static_cast<std::ptrdiff_t>(4 * i));
  }
  return table;
}

double rights(const std::vector<AnswerRow>& rows) {
  return static_cast<double>(std::ranges::count_if(rows, &AnswerRow::is_right));
}

std::vector<Intervention> interventions(const Trace& page, const InterventionOptions& options) {
  std::vector<Intervention> made;
  const auto take = [&](const char* option, const std::vector<std::string>& parts,
                        const std::vector<std::string>& known, Intervention::Kind kind) {
    require_parts(option, parts, known);
    for (const std::string& part : parts) made.push_back({kind, part});
  };
  take("--without", options.without, parts_to_leave_out(page), Intervention::Kind::without);
  take("--uniform", options.uniform, parts_to_make_uniform(page), Intervention::Kind::uniform);
  return made;
}

void add_intervention(Trace& t, ModelWalk& walk, const Trace& page, const Batch& tgt, const TokenIds& right,
                      const InterventionOptions& options, const std::optional<ModelCard>& card) {
  const std::vector<Intervention> made = interventions(page, options);
  if (made.empty()) return;
  const TokenIds wanted = right_tokens(page["log_probs"], tgt, right);
  const std::vector<AnswerRow> before = answer_of(page["log_probs"], tgt, wanted),
                               after = answer_of(log_probs_with(page, made), tgt, wanted);
  walk.changed = named(after, card);
  t.experiments.push_back(experiment_of("intervention", after, walk.changed));
  std::vector<std::string> what;
  if (!options.without.empty())
    what.push_back(in_words("model.without", {{"parts", listed(options.without)}}));
  if (!options.uniform.empty())
    what.push_back(in_words("model.uniform", {{"parts", listed(options.uniform)}}));
  t.facts["intervention"] = listed(what);
  t.facts["p_before"] = mean_probability(before), t.facts["p_after"] = mean_probability(after);
  t.facts["p_lost"] = mean_probability(before) - mean_probability(after);
  t.facts["right_before"] = rights(before), t.facts["right_after"] = rights(after);
}

void add_ablation(Trace& t, const Trace& page, const Batch& tgt, const TokenIds& right) {
  Experiment table = ablation(page, tgt, right);
  double most = -1, most_of_all = -1;
  const std::size_t columns = table.columns.size();
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const double all = table.values.data[i * columns];
    if (all > most_of_all) most_of_all = all, t.facts["most_lost_sublayer"] = table.rows[i];
    for (std::size_t head = 1; head < columns; ++head)
      if (const double lost = table.values.data[i * columns + head]; lost > most)
        most = lost, t.facts["most_lost_head"] = table.rows[i] + ".head." + std::to_string(head - 1);
  }
  t.facts["most_lost"] = most, t.facts["most_lost_of_all"] = most_of_all;
  t.experiments.push_back(std::move(table));
}

/// Which token of the source, by how much weight.
struct LookedAt {
  std::string token;
  double weight = 0;
};

/// For each token that is written: where the last layer's cross-attention, the mean of its heads, has most
/// weight. Empty where there is none, or more than one text.
std::vector<LookedAt> alignment_of(const Trace& t, const ModelSpec& spec) {
  const Step* weights = t.find("decoder.layers." + std::to_string(spec.layers - 1) + ".src_attn.weights");
  if (!weights || weights->value.rank() != 3 || weights->labels[2].empty()) return {};
  const Shape& shape = weights->value.shape;
  std::vector<LookedAt> looked;
  for (std::size_t i = 0; i < shape[1]; ++i) {
    arma::rowvec mean(shape[2], arma::fill::zeros);
    for (std::size_t head = 0; head < shape[0]; ++head) mean += matrix(weights->value, head).row(i);
    mean /= static_cast<double>(shape[0]);
    looked.push_back({weights->labels[2][mean.index_max()], mean.max()});
  }
  return looked;
}

/// A row a position: what should come next, with what probability; and in a model that was trained where it
/// looks for that. Fact: last_layer.
void draw_answer(Trace& t, const ModelSpec& spec, const std::vector<WalkAnswer>& answer,
                 const std::vector<LookedAt>& looked) {
  constexpr std::size_t most = 8, edge = 4;
  if (answer.empty()) return;
  const bool is_said = // each is the most probable one, as where the model was given what it writes itself
      std::ranges::all_of(answer, [](const WalkAnswer& one) { return one.p_right >= one.p_other; });
  BarPicture picture{{is_said ? "idea_next" : "idea_right"}, {}};
  if (!looked.empty()) {
    picture.columns.emplace_back("idea_look");
    t.facts["last_layer"] = static_cast<double>(spec.layers - 1);
  }
  const auto bar = [](double share, const std::string& token) {
    return PictureBar{{{share, false}}, fmt::format("{:.2f} {}", share, token)};
  };
  for (const std::size_t i : shown_of(answer.size(), most, edge).positions) {
    PictureRow row{i == Shown::gap ? "…" : answer[i].read, {}};
    if (i == Shown::gap) {
      row.bars.resize(picture.columns.size());
    } else {
      row.bars.push_back(bar(answer[i].p_right, answer[i].right));
      if (!looked.empty()) row.bars.push_back(bar(looked[i].weight, looked[i].token));
    }
    picture.rows.push_back(std::move(row));
  }
  t.idea = std::move(picture);
}

/// Of a side's heads the one whose rows have the largest weights: facts "SIDE_head" and "SIDE_weight".
void state_most_decided(Trace& t, const std::string& side) {
  double largest = -1;
  for (const Step& step : t.steps) {
    if (!step.name.starts_with(side + ".layers.") || !step.name.ends_with("attn.weights")) continue;
    const Shape& shape = step.value.shape;
    const std::size_t heads = shape[shape.size() - 3];
    for (std::size_t head = 0; head < heads; ++head) {
      double sum = 0;
      std::size_t rows = 0;
      for (std::size_t i = head; i < matrix_count(step.value); i += heads) {
        const arma::mat weights = matrix(step.value, i);
        for (arma::uword row = 0; row < weights.n_rows; ++row, ++rows) sum += weights.row(row).max();
      }
      if (const double mean = sum / static_cast<double>(rows); mean > largest) {
        largest = mean;
        t.facts[side + "_head"] = step.name.substr(0, step.name.rfind('.')) + ".head." + std::to_string(head);
        t.facts[side + "_weight"] = mean;
      }
    }
  }
}

} // namespace

const std::vector<Option<InterventionOptions>>& intervention_options() {
  using O = InterventionOptions;
  static const std::vector<Option<O>> table{{"--without", &O::without, value::names()},
                                            {"--uniform", &O::uniform, value::names()},
                                            {"--ablate", &O::ablate}};
  return table;
}

template <class Real>
ModelWalk walk_of(ModelRun& run, const GivenModel<Real>& given, const TokenIds& right,
                  const InterventionOptions& options) {
  const auto& [src, tgt, pad] = given.batches;
  ModelWalk walk;
  walk.norm_first = given.model.spec.norm.placement == NormPlacement::pre_norm;
  for (const char* side : {"encoder", "decoder"}) state_most_decided(run.trace, side);
  if (!given.model.spec.has_decoder()) return walk; // it gives vectors, and no answer
  const std::vector<AnswerRow> rows = answer_of(run.trace["log_probs"], tgt, right);
  walk.answer = named(rows, given.card);
  if (!rows.empty()) { // a token that the answer shows
    Index cell(run.trace["log_probs"].rank(), 0);
    cell.back() = rows.front().right;
    run.trace.spotlight = {"log_probs", std::move(cell)};
  }
  run.trace.facts["positions"] = static_cast<double>(rows.size());
  run.trace.facts["p_mean"] = mean_probability(rows);
  run.trace.experiments.push_back(experiment_of("answer", rows, walk.answer));
  const bool changes = !options.without.empty() || !options.uniform.empty(),
             is_asked = changes || options.ablate;
  if (changes) // what is said of the whole model is not said of what is left of it
    for (const char* fact : {"moved_own", "moved_by_source", "loss"}) run.trace.facts.erase(fact);
  draw_answer(run.trace, given.model.spec, walk.answer,
              given.is_trained ? alignment_of(run.trace, given.model.spec) : std::vector<LookedAt>());
  if (is_asked && !run.page) run.page = run_model_page(page_of(given.model, src, tgt, pad));
  if (!run.page) return walk;
  const double macs = ablation_macs(*run.page);
  if (options.ablate && macs > most_macs) throw usage_error("ablation_too_large", {});
  add_intervention(run.trace, walk, *run.page, tgt, right, options, given.card);
  const bool shows_something = given.is_trained && macs <= quick_macs && !is_asked;
  if (options.ablate || shows_something) add_ablation(run.trace, *run.page, tgt, right);
  return walk;
}

template ModelWalk walk_of(ModelRun&, const GivenModel<float>&, const TokenIds&, const InterventionOptions&);
template ModelWalk walk_of(ModelRun&, const GivenModel<double>&, const TokenIds&, const InterventionOptions&);

Trace trace_on_page(const GivenModel<double>& given, const LossOptions& loss) {
  reserve_blas_memory();
  const auto& [src, tgt, pad] = given.batches;
  ModelPage page = page_of(given.model, src, tgt, pad);
  const TokenIds labels = labels_of(loss, given.batches, given.expected, given.model.spec.tgt_vocab);
  if (!labels.empty())
    page.labels = Tensor(page.tgt.shape, std::vector<double>(labels.begin(), labels.end()));
  page.smoothing = loss.smoothing.value_or(0), page.backward = loss.grad;
  Trace trace = run_model_page(std::move(page));
  // Beside indices, ids as names would be taken for indices.
  if (const TokenNames names = names_of(given); !names.vocabulary.empty()) label_tokens(trace, names);
  return trace;
}

std::optional<Experiment> quick_ablation(const GivenModel<double>& given, const Trace& page) {
  if (!given.is_trained || ablation_macs(page) > quick_macs) return std::nullopt;
  return ablation(page, given.batches.tgt, given.expected);
}

void label_tokens(Trace& trace, const TokenNames& names) {
  if (names.src.empty() && names.tgt.empty()) return;
  std::vector<std::string> writes = names.tgt; // into the source a row looks for what it is to write
  if (names.expected.size() == names.tgt.size())
    std::ranges::transform(names.tgt, names.expected, writes.begin(), read_and_written);
  const auto set = [](Step& step, std::size_t from_end, const std::vector<std::string>& labels) {
    const std::size_t rank = step.value.rank();
    if (labels.empty() || rank <= from_end || step.value.shape[rank - 1 - from_end] != labels.size()) return;
    step.labels.resize(rank);
    step.labels[rank - 1 - from_end] = labels;
  };
  for (Step& step : trace.steps) {
    const std::string& name = step.name;
    if (step.role == Role::parameter || step.role == Role::gradient || name.starts_with("d.") ||
        step.value.rank() < 2)
      continue;
    const bool is_decoder =
        name.starts_with("decoder") || name.starts_with("tgt") || name == "logits" || name == "log_probs";
    const bool of_source = name.find(".src_attn.") != std::string::npos;
    const std::string part = name.substr(name.rfind('.') + 1);
    const bool is_pairs = part == "scores" || part == "scaled" || part == "causal" || part == "mask" ||
                          part == "masked" || part == "weights";
    const bool of_memory = of_source && (part == "K" || part == "V");
    const bool writes_row = of_source && is_pairs;
    set(step, 1, writes_row ? writes : is_decoder && !of_memory ? names.tgt : names.src);
    if (is_pairs) set(step, 0, is_decoder && !of_source ? names.tgt : names.src);
    if (name == "logits" || name == "log_probs") set(step, 0, names.vocabulary);
  }
}

namespace {

/// Of a sublayer: where its weights are largest, if that can be asked, else the first that can.
const Question* question_about(const std::string& sublayer, const std::vector<Question>& asked) {
  const Question* found = nullptr;
  for (const Question& question : asked) {
    if (!question.tensor.starts_with(sublayer + ".")) continue;
    if (!found || question.tensor == sublayer + ".weights") found = &question;
  }
  return found;
}

} // namespace

void step_through_model(const std::vector<WalkSection>& sections, const GivenModel<double>& given,
                        std::uint64_t seed, Context& context) {
  const Style style = context.style();
  const Trace page = trace_on_page(given);
  const std::optional<Experiment> lost = quick_ablation(given, page);
  const std::vector<Question> of_steps = step_questions(page, seed, style.precision),
                              of_parts = lost ? effect_questions(*lost) : std::vector<Question>{};
  std::vector<std::string> parts{sections.front().text};
  std::vector<Question> asked;
  for (std::size_t i = 1; i < sections.size(); ++i) {
    const auto& [subject, text] = sections[i];
    const Question* question = subject.empty() ? nullptr : question_about(subject, of_steps);
    const bool is_last = i + 1 == sections.size();
    if (!question && is_last && !of_parts.empty()) question = &of_parts.front();
    if (question)
      asked.push_back(*question), parts.push_back(text);
    else
      parts.back() += text;
  }
  ask_between(
      page, parts, asked, [](const Question&) { return true; }, words_in(find_lesson("model").folder),
      "model", context);
}

} // namespace tfx
