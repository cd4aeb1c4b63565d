// tfx tour: one sentence through a whole trained model, a row a step, each with the lesson that explains it.

#include "cli/commands.hpp"
#include "cli/course/course_screen.hpp"
#include "cli/decode/decoding.hpp"
#include "cli/decode/trained_model.hpp"
#include "core/number.hpp"
#include "lessons/model/page.hpp"
#include "model/batch.hpp"
#include "model/counts.hpp"
#include "model/shipped.hpp"
#include "text/display_width.hpp"
#include "text/names.hpp"
#include "words/in_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

class TourScreen : CourseScreen {
public:
  TourScreen(const Journey& journey, const Style& style)
      : CourseScreen(style), journey_(journey), read_(journey.read()) {}

  std::string text() {
    const Journey& j = journey_;
    // Followed is the token whose writer looks most clearly at one token of the source.
    const arma::mat looks = matrix(j.decoded.trace.step_named("alignment").value);
    const std::size_t tokens = j.decoded.tokens.size(),
                      first = tokens > 1 ? 1 : 0; // so that something stands
    const std::size_t written = first + arma::max(looks.rows(first, tokens - 1), 1).eval().index_max();
    const std::size_t word = looks.row(written).index_max();
    const WrittenToken& token = j.decoded.written[written];
    const auto named = [&](std::uint32_t id) { return token_name(j.trained.card.tgt, id); };
    std::vector<std::string> numbered;
    for (std::size_t i = 0; i < read_.size(); ++i)
      numbered.push_back(read_[i] + " " + std::to_string(j.decoded.src[i]));
    const Values of_word = {{"word", read_[word]}};
    const auto with = [&](Values more) -> Values {
      more.insert(of_word.begin(), of_word.end());
      return more;
    };
    heading("tfx tour", this->word("tour.title"));
    paragraph(this->word(
        "tour.head",
        with({{"model", j.trained.name}, {"text", j.text}, {"answer", j.written(j.decoded.tokens.size())}})));
    out_ += "\n";
    step("bpe", {{"tokens", listed(numbered)}});
    encoder(word, with);
    step("cross", {{"prefix", written ? j.written(written) : named(j.trained.card.start)},
                   {"looked", shares(looks.row(written))}});
    step("decode", {{"vocabulary", with_separators(j.trained.model.spec.tgt_vocab)},
                    {"token", named(token.token)},
                    {"p", whole_percent(std::exp(token.log_prob))},
                    {"other", named(token.runner_up)},
                    {"other_p", whole_percent(std::exp(token.runner_up_log_prob))}});
    step("cache", {{"longer", j.written(written + 1)}, {"steps", std::to_string(j.decoded.written.size())}});
    step("train", {{"parameters", with_separators(count_parameters(j.trained.model))}});
    out_ += "\n";
    paragraph(this->word("tour.next", {{"title", title_in(lessons().front().folder)}}));
    return std::move(out_);
  }

private:
  using Values = std::map<std::string, std::string>;

  void step(const std::string& lesson, const Values& values) {
    constexpr std::size_t indent = 13;
    hang(pad_left(number_of(*lesson_named(lesson)), 2) + " " + style_.bold(pad_right(lesson, indent - 3)),
         indent, word("tour." + lesson, values));
  }

  /// Names beside numbers: "click 0.79, the 0.53".
  template <class Write>
  std::string beside_words(const arma::rowvec& numbers, Write write) const {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < numbers.n_elem; ++i) parts.push_back(read_[i] + " " + write(numbers(i)));
    return listed(parts);
  }

  /// The two largest.
  std::string shares(const arma::rowvec& weights) const {
    const arma::uvec order = arma::sort_index(weights, "descend");
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < std::min<std::size_t>(2, order.n_elem); ++i)
      parts.push_back(read_[order(i)] + " " + whole_percent(weights(order(i))));
    return listed(parts);
  }

  /// From the vector of a word to what the first layer makes of it, in the head that looks most clearly at
  /// another one.
  template <class With>
  void encoder(std::size_t word, With with) {
    const std::string place = "encoder.layers.0.self_attn.";
    const Tensor &embedded = journey_.page.step_named("src_embed").value,
                 &scores = journey_.page.step_named(place + "scores").value,
                 &weights = journey_.page.step_named(place + "weights").value;
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
    std::vector<std::string> cells;
    for (std::size_t k = 0; k < std::min<std::size_t>(3, width); ++k)
      cells.push_back(decimal(embedded.data[word * width + k]));
    step("embed", with({{"width", std::to_string(width)}, {"cells", listed(cells)}}));
    step("qkv", {});
    step("scores", with({{"scores", beside_words(row_of(scores, head), decimal)}}));
    step("softmax",
         {{"d_k", std::to_string(width / heads)}, {"weights", beside_words(row_of(weights, head), percent)}});
    step("attention", with({}));
    step("multihead", {{"heads", std::to_string(heads)}, {"head", std::to_string(head)}});
    step("block", {{"layers", std::to_string(journey_.trained.model.spec.layers)}});
  }

  const Journey& journey_;
  const std::vector<std::string> read_;
};

} // namespace

std::string tour(const Context& context) {
  const Style style = context.style();
  const Journey all = journey(style.ascii);
  return TourScreen(all, style).text();
}

Command tour_command() {
  return command_row<Anything>("tour",
                               [](const Anything&, Context& context) { context.out = tour(context); });
}

} // namespace tfx
