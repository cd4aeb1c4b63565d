// tfx tour: one sentence through a whole trained model, a row a step, each with the lesson that explains it.

#include "cli/commands.hpp"
#include "cli/decode/decoding.hpp"
#include "cli/decode/trained_model.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "core/number.hpp"
#include "lessons/model/page.hpp"
#include "model/batch.hpp"
#include "model/counts.hpp"
#include "model/shipped.hpp"
#include "text/display_width.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace tfx {

namespace {

std::string whole_percent(double share) {
  return fmt::format("{:.0f}%", 100 * share);
}

/// What a model reads and writes of one text, and every number on the way.
struct Journey {
  TrainedModel trained;
  std::string text;
  Decoded decoded;
  Trace page = {};

  std::vector<std::string> read() const {
    std::vector<std::string> names;
    for (const std::uint32_t id : decoded.src) names.push_back(token_name(trained.card.src, id));
    return names;
  }
  std::string written(std::size_t tokens) const {
    return trained.card.tgt.decode(TokenIds(decoded.tokens.begin(), decoded.tokens.begin() + tokens));
  }
};

/// The translator, or where Chinese cannot be written the model that reverses letters.
Journey journey(bool ascii) {
  TrainedOptions options;
  const std::string wanted = ascii ? "reverse" : "en-zh";
  if (std::ranges::count(shipped_models(), wanted)) options.model = wanted;
  TrainedModel trained = trained_model(options);
  const std::string text = options.model && !ascii ? "click the red cell" : example_text(trained.card);
  const TokenIds src = trained.card.src.encode(text);
  DecodeRequest request;
  request.limits = limits_of(options, trained, src.size());
  Decoded decoded = decode_text(trained.model, trained.card, src, request);
  Journey all{std::move(trained), text, std::move(decoded)};
  TokenIds seen = {all.trained.card.start};
  for (std::size_t i = 0; i + 1 < all.decoded.written.size(); ++i)
    seen.push_back(all.decoded.written[i].token);
  const auto nothing_is_padding = static_cast<std::uint32_t>(
      std::max(all.trained.model.spec.src_vocab, all.trained.model.spec.tgt_vocab));
  all.page = run_model_page(
      page_of(all.trained.model, ragged_batch({src}), ragged_batch({seen}), nothing_is_padding));
  return all;
}

/// Names beside numbers: "click 0.79".
Names beside(const std::vector<std::string>& names, const arma::rowvec& numbers,
             const std::function<std::string(double)>& write) {
  Names parts;
  for (std::size_t i = 0; i < numbers.n_elem; ++i) parts.push_back(names[i] + " " + write(numbers(i)));
  return parts;
}

/// The two largest.
Names largest(const std::vector<std::string>& names, const arma::rowvec& weights) {
  const arma::uvec order = arma::sort_index(weights, "descend");
  Names parts;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, order.n_elem); ++i)
    parts.push_back(names[order(i)] + " " + whole_percent(weights(order(i))));
  return parts;
}

/// The token that is followed, `word`, is the one that the writer of `written` looks at most clearly.
struct Followed {
  std::size_t written = 0, word = 0;
  arma::rowvec looks; ///< of that writer, at the tokens of the source
};

Followed followed_in(const Decoded& decoded) {
  const arma::mat looks = matrix(decoded.trace.step_named("alignment").value);
  const std::size_t tokens = decoded.tokens.size(), first = tokens > 1 ? 1 : 0; // so that something stands
  const std::size_t written = first + arma::max(looks.rows(first, tokens - 1), 1).eval().index_max();
  return {written, looks.row(written).index_max(), looks.row(written)};
}

void add_step(Report& report, ReportTable& table, const std::string& lesson, Values values) {
  const Lesson& of = *lesson_named(lesson);
  const Sentence said{"step." + lesson, std::move(values)};
  report.add(Item{"", pad_left(number_of(of), 2), lesson, said});
  table.rows.push_back({Count{static_cast<std::size_t>(*of.number)}, lesson, said});
}

/// From the vector of a word to what the first layer makes of it, in the head that looks most clearly at
/// another one.
void add_encoder(Report& report, ReportTable& table, const Journey& journey, std::size_t word) {
  const std::vector<std::string> read = journey.read();
  const std::string place = "encoder.layers.0.self_attn.";
  const Tensor &embedded = journey.page.step_named("src_embed").value,
               &scores = journey.page.step_named(place + "scores").value,
               &weights = journey.page.step_named(place + "weights").value;
  const std::size_t heads = weights.shape[0], tokens = weights.shape[1], width = embedded.shape.back();
  const auto row_of = [&](const Tensor& tensor, std::size_t head) {
    arma::rowvec row(tokens);
    for (std::size_t k = 0; k < tokens; ++k) row(k) = tensor.data[(head * tokens + word) * tokens + k];
    return row;
  };
  const auto elsewhere = [&](std::size_t h) { // the largest that another word gets
    arma::rowvec row = row_of(weights, h);
    row(word) = 0;
    return row.max();
  };
  std::size_t head = 0;
  for (std::size_t h = 1; h < heads; ++h)
    if (elsewhere(h) > elsewhere(head)) head = h;
  const auto decimal = [](double value) { return fmt::format("{:.2f}", value); };
  Names cells;
  for (std::size_t k = 0; k < std::min<std::size_t>(3, width); ++k)
    cells.push_back(decimal(embedded.data[word * width + k]));
  const auto with = [&](Values values, const std::string& name = {}, const Names& list = {}) {
    values["word"] = read[word];
    if (!name.empty()) values.merge(list_in_both(name, list));
    return values;
  };
  const auto step = [&](const std::string& lesson, Values values) {
    add_step(report, table, lesson, std::move(values));
  };
  step("embed", with({{"width", std::to_string(width)}}, "cells", cells));
  step("qkv", {});
  step("scores", with({}, "scores", beside(read, row_of(scores, head), decimal)));
  step("softmax", with({{"d_k", std::to_string(width / heads)}}, "weights",
                       beside(read, row_of(weights, head), percent)));
  step("attention", with({}));
  step("multihead", {{"heads", std::to_string(heads)}, {"head", std::to_string(head)}});
  step("block", {{"layers", std::to_string(journey.trained.model.spec.layers)}});
}

Report run(Context& context) {
  const Journey j = journey(context.style().ascii);
  const std::vector<std::string> read = j.read();
  const auto [written, word, looks] = followed_in(j.decoded);
  const WrittenToken& token = j.decoded.written[written];
  const auto named = [&](std::uint32_t id) { return token_name(j.trained.card.tgt, id); };
  Names numbered;
  for (std::size_t i = 0; i < read.size(); ++i)
    numbered.push_back(read[i] + " " + std::to_string(j.decoded.src[i]));
  Report report{frame_of_command("tour"), {}};
  report.title = Title::tight;
  report.add("model", j.trained.name);
  report.add("text", j.text);
  report.add("answer", j.written(j.decoded.tokens.size()));
  report.add("word", read[word]);
  report.say("head");
  ReportTable table{"steps", {"number", "lesson", "said"}, {}};
  const auto step = [&](const std::string& lesson, Values values) {
    add_step(report, table, lesson, std::move(values));
  };
  step("bpe", list_in_both("tokens", numbered));
  add_encoder(report, table, j, word);
  Values across = list_in_both("looked", largest(read, looks));
  across["prefix"] = written ? j.written(written) : named(j.trained.card.start);
  step("cross", across);
  step("decode", {{"vocabulary", with_separators(j.trained.model.spec.tgt_vocab)},
                  {"token", named(token.token)},
                  {"p", whole_percent(std::exp(token.log_prob))},
                  {"other", named(token.runner_up)},
                  {"other_p", whole_percent(std::exp(token.runner_up_log_prob))}});
  step("cache", {{"longer", j.written(written + 1)}, {"steps", std::to_string(j.decoded.written.size())}});
  step("train", {{"parameters", with_separators(count_parameters(j.trained.model))}});
  report.say(Sentence{"next", {}, {{"title", title_of(lessons().front())}}});
  report.add(std::move(table));
  return report;
}

} // namespace

Command tour_command() {
  return page_row<run>("tour");
}

} // namespace tfx
