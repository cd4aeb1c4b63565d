// Lesson lens: a logit is the sum of its terms in every model, every head's term is its mixture behind its
// columns of W_O, and the last depth of the lens is the model's answer.

#include "lessons/lens/lens.hpp"

#include "core/error.hpp"
#include "lessons/model/intervention.hpp"
#include "lessons/model/page.hpp"
#include "lessons/run.hpp"
#include "model/checkpoint.hpp"
#include "model/shipped.hpp"
#include "support/catch.hpp"
#include "support/model_parts.hpp"
#include "support/small_model.hpp"
#include "support/temporary_folder.hpp"
#include "trace/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace tfx;

namespace {

Trace lens_page(const Transformer<double>& model, const TokenIds& src, const TokenIds& tgt) {
  const auto nobody = static_cast<std::uint32_t>(model.spec.src_vocab + model.spec.tgt_vocab);
  return run_model_page(
      page_of(model, src.empty() ? Batch() : ragged_batch({src}), ragged_batch({tgt}), nobody));
}

/// The engine's own logits, in double.
arma::mat engine_logits(const Transformer<double>& model, const TokenIds& src, const TokenIds& tgt) {
  const Batch s = src.empty() ? Batch() : ragged_batch({src}), t = ragged_batch({tgt});
  ModelSaved<double> saved;
  return logits(model, {s, t}, {}, saved);
}

double lens_off(double a, double b) {
  return std::abs(a - b) / std::max(1.0, std::abs(b));
}

/// Every row, some tokens, differences: how far the sums are from the engine's logits, and the lens's last
/// row from the answer.
void check_lens_sums(const Transformer<double>& model, const TokenIds& src, const TokenIds& tgt) {
  const Trace page = lens_page(model, src, tgt);
  const arma::mat logits = engine_logits(model, src, tgt);
  const auto V = static_cast<std::uint32_t>(model.spec.tgt_vocab);
  for (std::size_t place = 0; place < tgt.size(); ++place) {
    const auto best = static_cast<std::uint32_t>(logits.col(place).index_max());
    for (const std::uint32_t token : {best, (best + 1) % V}) {
      Trace t = page;
      const std::uint32_t other = (token + 2) % V;
      const LogitTerms terms = add_logit_terms(t, model.spec, {place, token, other});
      CHECK(terms.sources.size() == t["terms"].size());
      CHECK(lens_off(t["logit"].data[0], logits(token, place)) <= 1e-12);
      CHECK(lens_off(t["difference.logit"].data[0], logits(token, place) - logits(other, place)) <= 1e-12);
      for (std::size_t i = 0; i < terms.sources.size(); ++i)
        CHECK(row_label(t, "terms", i) == terms.sources[i].name);
      if (token != best) continue;
      add_logit_lens(t, model.spec);
      const std::size_t last = t["lens"].shape[0] - 1;
      for (std::size_t v = 0; v < V; ++v)
        CHECK(lens_off(t["lens"].data[last * V + v], std::exp(t["log_probs"].data[place * V + v])) <= 1e-12);
    }
  }
}

TokenIds lens_ids(RandomInput& random, std::size_t count, std::size_t vocab) {
  return random_rows(random, {count}, vocab).front();
}

} // namespace

TEST_CASE("a logit of the shipped models is the sum of its terms, at every place", "[lessons][lens]") {
  for (const std::string& name : shipped_names()) {
    INFO(name);
    const auto model = load_model<double>(shipped_model(name));
    RandomInput random(7);
    const TokenIds src = model.spec.has_encoder() ? lens_ids(random, 4, model.spec.src_vocab) : TokenIds();
    check_lens_sums(model, src, lens_ids(random, 4, model.spec.tgt_vocab));
  }
}

TEST_CASE("a logit of any model of the engine is the sum of its terms", "[lessons][lens]") {
  RandomInput random(11);
  for (std::uint32_t i = 0; i < 120; ++i) {
    const ModelSpec spec = random_parts(random, i % 2 ? Stacks::both : Stacks::decoder);
    INFO(i);
    const auto model = small_model<double>(i, spec);
    const TokenIds src = spec.has_encoder() ? lens_ids(random, 3, spec.src_vocab) : TokenIds();
    check_lens_sums(model, src, lens_ids(random, random.size(1, 4), spec.tgt_vocab));
  }
}

// By plain loops over the page's activations: another way to the same numbers.
TEST_CASE(
    "every head's term is its mixture, through its columns of W_O, the norm with its divisor held, and the "
    "token's row",
    "[lessons][lens]") {
  for (const std::string& name : shipped_models()) {
    INFO(name);
    const auto model = load_model<double>(shipped_model(name));
    const ModelSpec& spec = model.spec;
    REQUIRE(spec.final_norm);
    RandomInput random(3);
    const TokenIds tgt = lens_ids(random, 5, spec.tgt_vocab);
    Trace t = lens_page(model, lens_ids(random, 4, spec.src_vocab), tgt);
    const std::size_t place = 3, d = spec.d_model, d_k = d / spec.heads;
    const std::uint32_t token = 5;
    const LogitTerms terms = add_logit_terms(t, spec, {place, token, {}});
    const Tensor &W_U = t["generator.proj.weight"], &gain = t["decoder.norm.a_2"];
    const double divisor = t["decoder.norm.divisor"].data[place];
    std::size_t heads = 0;
    for (std::size_t i = 0; i < terms.sources.size(); ++i) {
      const TermSource& source = terms.sources[i];
      if (!source.head) continue;
      const Tensor &mixtures = t[source.group + ".heads"], &W_O = t[source.group + ".linears.3.weight"];
      std::vector<double> wrote(d, 0);
      for (std::size_t r = 0; r < d; ++r)
        for (std::size_t c = 0; c < d_k; ++c)
          wrote[r] += W_O.data[r * d + *source.head * d_k + c] *
                      mixtures.data[(*source.head * tgt.size() + place) * d_k + c];
      double mean = 0, sum = 0;
      for (const double x : wrote) mean += x / static_cast<double>(d);
      for (std::size_t r = 0; r < d; ++r)
        sum += (wrote[r] - mean) / divisor * gain.data[r] * W_U.data[token * d + r];
      CHECK(lens_off(t["terms"].data[i], sum) <= 1e-12);
      ++heads;
    }
    CHECK(heads == 2 * spec.layers * spec.heads);
    CHECK(terms.norms_held == 1);
  }
}

TEST_CASE("behind a norm that stands behind the residual, parts go through every norm that follows",
          "[lessons][lens]") {
  ModelSpec spec = small_spec();
  spec.norm.placement = NormPlacement::post_norm;
  Trace t = lens_page(small_model<double>(2, spec), {1, 2, 3}, {1, 4});
  const LogitTerms terms = add_logit_terms(t, spec, {1, 3, {}});
  CHECK(terms.norms_held == 3 * spec.layers + 1);
  CHECK(t.has("decoder.layers.0.sublayer.0.norm.back.direction"));
  CHECK(t.has("parts.1"));
}

namespace {

InputOptions lens_of(const char* model, const char* text) {
  InputOptions options;
  options.model = model, options.text = text;
  return options;
}

Trace lens_run(const InputOptions& options) {
  return run_lesson(find_lesson("lens"), options).trace;
}

const Experiment& lens_table(const Trace& t, const char* name) {
  return *std::ranges::find(t.experiments, std::string(name), &Experiment::name);
}

std::string lens_word(const Trace& t, const char* name) {
  return std::get<std::string>(t.facts.at(name));
}

std::string lens_refusal(const InputOptions& options) {
  try {
    lens_run(options);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return error.what();
  }
  return {};
}

bool lens_holds(const Trace& t) {
  for (const char* id : {"sum_is_logit", "lens_ends"})
    if (std::ranges::count(t.checks, id, &Check::id) != 1) return false;
  return std::ranges::all_of(t.checks, &Check::pass);
}

} // namespace

TEST_CASE("without options the lesson asks where two sentences part, why one word and not the other",
          "[lessons][lens]") {
  const Trace t = lens_run({});
  CHECK(lens_word(t, "token") == "红");
  CHECK(lens_word(t, "against") == "蓝");
  CHECK(static_cast<double>(t["tgt"].size()) == t["place"].data[0] + 1);
  CHECK(lens_holds(t));
  CHECK(std::ranges::count(t.checks, "memory_is_all", &Check::id) == 1);
  // A row a part, and their sum.
  const Tensor& table = lens_table(t, "difference_table").values;
  double sum = 0;
  for (std::size_t i = 0; i + 1 < table.shape[0]; ++i) sum += table.at({i, 0});
  CHECK(std::abs(sum - table.at({table.shape[0] - 1, 0})) <= 1e-12);
  CHECK(std::abs(sum - t["difference.logit"].data[0]) <= 1e-12);
}

TEST_CASE("the lesson's checks hold of every shipped model at every place", "[lessons][lens]") {
  for (const auto& [model, text] : {std::pair("reverse", "star"),
                                    {"numbers-zh", "three hundred and five"},
                                    {"microgpt", "emma"},
                                    {"en-zh", "open the file"}})
    for (std::size_t place = 0; place < 4; ++place) {
      InputOptions options = lens_of(model, text);
      options.place = place;
      INFO(model << " " << place);
      const Trace t = lens_run(options);
      CHECK(lens_holds(t));
      CHECK(t["tgt"].size() == place + 1);
    }
}

TEST_CASE("the lesson runs on a learner's model, of either place of the norm", "[lessons][lens]") {
  const TemporaryFolder folder;
  for (const NormPlacement placement : {NormPlacement::pre_norm, NormPlacement::post_norm}) {
    ModelSpec spec = small_spec();
    spec.norm.placement = placement;
    const std::string path = folder.path("own.safetensors");
    save_model(small_model<double>(5, spec), path);
    InputOptions options = lens_of(path.c_str(), "3 1 4");
    options.from = "3 1 5", options.token = "7", options.against = "2";
    const Trace t = lens_run(options);
    CHECK(lens_holds(t));
    CHECK(lens_word(t, "token") == "7");
    const bool first = placement == NormPlacement::pre_norm;
    CHECK(std::get<double>(t.facts.at("norms_held")) ==
          (first ? 1 : 1 + 3 * static_cast<double>(spec.layers)));
  }
}

// A part without its numbers is `tfx model --without`; with all of the other run's it is the other run.
TEST_CASE("a part that is left out or patched gives the numbers of that run", "[lessons][lens]") {
  const auto model = load_model<double>(shipped_model("reverse"));
  const TokenIds tgt{1, 4, 5};
  const Trace one = lens_page(model, {4, 5, 6}, tgt), other = lens_page(model, {7, 5, 8}, tgt);
  using Kind = Intervention::Kind;
  const Tensor memory = log_probs_with(one, {{Kind::patched, "memory"}}, &other);
  CHECK(relative_difference(memory, other["log_probs"]) <= 1e-12);
  std::vector<Intervention> all_heads, sublayer{{Kind::patched, "decoder.layers.0.src_attn"}};
  for (std::size_t h = 0; h < model.spec.heads; ++h)
    all_heads.push_back({Kind::patched, fmt::format("decoder.layers.0.src_attn.head.{}", h)});
  const Tensor by_heads = log_probs_with(one, all_heads, &other);
  CHECK(relative_difference(by_heads, log_probs_with(one, sublayer, &other)) <= 1e-12);
  CHECK(relative_difference(by_heads, one["log_probs"]) > 1e-3);
  for (const std::string& part : parts_to_leave_out(one)) { // its own numbers change nothing
    INFO(part);
    CHECK(can_patch(one, other, part));
    CHECK(relative_difference(log_probs_with(one, {{Kind::patched, part}}, &one), one["log_probs"]) <= 1e-12);
  }
  CHECK_FALSE(can_patch(one, lens_page(model, {4, 5}, tgt), "memory"));
  CHECK(can_patch(one, lens_page(model, {4, 5}, tgt), "decoder.layers.1.src_attn.head.0"));
}

TEST_CASE("what is asked for shows beside the run as it is", "[lessons][lens]") {
  InputOptions options;
  options.left_out = {"decoder.layers.1.src_attn"}, options.patched = {"decoder.layers.0.src_attn.head.1"};
  const Trace t = lens_run(options);
  const Experiment& asked = lens_table(t, "asked_changes");
  CHECK(asked.rows == std::vector<std::string>{"tfx lens", "--without", "--patch", "--from"});
  CHECK(asked.values.at({2, 2}) < asked.values.at({0, 2}));
  CHECK(std::abs(asked.values.at({0, 2}) - t["difference.logit"].data[0]) <= 1e-11);
}

TEST_CASE("what the lesson cannot do it refuses, and says what to give instead", "[lessons][lens]") {
  const TemporaryFolder folder;
  ModelSpec encoder = small_spec();
  encoder.stacks = Stacks::encoder, encoder.tgt_vocab = 0;
  save_model(small_model<double>(5, encoder), folder.path("encoder.safetensors"));
  CHECK(lens_refusal(lens_of(folder.path("encoder.safetensors").c_str(), "1 2")).find("encoder alone") !=
        std::string::npos);
  InputOptions options = lens_of("reverse", "star");
  options.place = 9;
  CHECK(lens_refusal(options).find("--place") != std::string::npos);
  CHECK(lens_refusal(options).find("from 0 to 4") != std::string::npos);
  options = lens_of("reverse", "star"), options.token = "ß";
  CHECK(lens_refusal(options).find("no token") != std::string::npos);
  options = lens_of("reverse", "star"), options.token = "s", options.against = "s";
  CHECK(lens_refusal(options).find("difference would be 0") != std::string::npos);
  options = lens_of("reverse", "star"), options.patched = {"memory"};
  CHECK(lens_refusal(options).find("none is given") != std::string::npos);
  options.from = "start";
  CHECK(lens_refusal(options).find("4 here and 5 on the other") != std::string::npos);
  options.patched = {"decoder.layers.7"};
  CHECK(lens_refusal(options).find("no part") != std::string::npos);
  options = lens_of("microgpt", "emma"), options.from = "ann";
  CHECK(lens_refusal(options).find("same places") != std::string::npos);
  options = lens_of("microgpt", "abcdefghijklmnopqrs");
  CHECK(lens_refusal(options).find("reads at most") != std::string::npos);
}
