#include "cli/score/scoring.hpp"

#include "io/error_of.hpp"
#include "support/catch.hpp"
#include "support/small_model.hpp"
#include "train/trainer.hpp"

using namespace tfx;
using namespace tfx;

namespace {

const std::vector<Pair> pairs{{"a b", "b a"}, {"b", "a a b"}, {"a a a b", "b"}, {"c b a", "b"}};

Transformer<double> drawn_model() {
  ModelSpec spec = small_spec();
  spec.src_vocab = spec.tgt_vocab = 6, spec.max_len = 12;
  return small_model<double>(3, spec);
}

ModelCard own_card() {
  const Vocabulary words = Vocabulary::of_texts(Tokenizer::words, {"a b"}, Vocabulary::Unknown::has_a_token);
  return {.task = "pairs", .src = words, .tgt = words, .start = start_id, .end = end_id, .max_tokens = 8};
}

std::vector<EncodedPair> encode_all(const Transformer<double>& model, const ModelCard& card,
                                    const DecodeLimits& limits) {
  std::vector<EncodedPair> encoded;
  for (const Pair& pair : pairs) encoded.push_back(encode_pair(pair, model, card, limits));
  return encoded;
}

} // namespace

TEST_CASE("a pair's loss is that of training without smoothing, its answer that of decoding", "[scoring]") {
  const Transformer<double> model = drawn_model();
  const ModelCard card = own_card();
  const DecodeRequest request{.limits = {start_id, end_id, 7}};
  const auto encoded = encode_all(model, card, request.limits);
  std::size_t told = 0;
  const auto scored = score_pairs(model, card, pairs, encoded, request, [&](std::size_t) { ++told; });
  REQUIRE(scored.size() == pairs.size());
  CHECK(told == 1);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const TrainingBatch batch = training_batch({{encoded[i].src, encoded[i].tgt}});
    ModelSaved<double> saved;
    arma::mat scores = logits(model, {batch.src, batch.tgt}, {}, saved);
    const Loss loss = loss_and_gradient(scores, batch.labels, {0, pad_id}, 1);
    CHECK(scored[i].counts.loss == Approx(loss.sum).epsilon(1e-12));
    CHECK(scored[i].counts.loss_tokens == loss.tokens);
    CHECK(scored[i].answer == card.tgt.decode(decode_batch(model, {encoded[i].src}, request).at(0)));
  }
}

TEST_CASE("a narrowed model is scored with its rounded weights", "[scoring]") {
  const Transformer<double> model = drawn_model();
  Transformer<float> floats = in_float(model);
  narrow(floats, WeightType::int8);
  Transformer<double> rounded = model; // the same weights in double: sums of floats are near
  each_parameter(
      [](const std::string&, auto& to, const auto& from) {
        to = arma::conv_to<std::remove_reference_t<decltype(to)>>::from(from);
      },
      "", rounded, std::as_const(floats));
  const ModelCard card = own_card();
  const DecodeRequest request{.limits = {start_id, end_id, 7}};
  const auto encoded = encode_all(model, card, request.limits);
  const auto scored = score_pairs(floats, card, pairs, encoded, request, [](std::size_t) {});
  const auto exact = score_pairs(model, card, pairs, encoded, request, [](std::size_t) {}),
             same = score_pairs(rounded, card, pairs, encoded, request, [](std::size_t) {});
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    CHECK(scored[i].counts.loss == Approx(same[i].counts.loss).epsilon(1e-5));
    CHECK(std::abs(scored[i].counts.loss - exact[i].counts.loss) > 1e-4);
    CHECK(scored[i].answer == card.tgt.decode(decode_batch(floats, {encoded[i].src}, request).at(0)));
  }
}

TEST_CASE("the largest move of a log-probability is looked for in every reference", "[scoring]") {
  const Transformer<double> model = drawn_model();
  Transformer<float> floats = in_float(model);
  narrow(floats, WeightType::int8);
  std::vector<EncodedPair> encoded; // more than are read at once; the longest, which moves most, is the last
  for (int i = 0; i < 17; ++i) encoded.push_back({{4, 5}, {start_id, 5}, false});
  encoded.push_back({{5, 4, 4, 5}, {start_id, 4, 5, 5, 4, 4, 5, end_id}, false});
  std::vector<double> moves;
  for (const EncodedPair& pair : encoded) {
    const Batch src = ragged_batch({pair.src}), read = ragged_batch({{pair.tgt.begin(), pair.tgt.end() - 1}});
    const arma::mat exact = forward(model, {src, read});
    const arma::fmat narrowed = forward(floats, {src, read});
    double largest = 0;
    for (std::size_t i = 0; i < exact.n_elem; ++i)
      largest = std::max(largest, std::abs(exact[i] - static_cast<double>(narrowed[i])));
    moves.push_back(largest);
  }
  REQUIRE(moves.back() > moves.front() + 1e-3);
  CHECK(reference_move(model, floats, encoded) == Approx(moves.back()).epsilon(1e-4));
}

TEST_CASE("a pair is read from its start to its end, and says where it has unknown tokens", "[scoring]") {
  const Transformer<double> model = drawn_model();
  ModelCard card = own_card();
  const auto encoded = encode_all(model, card, {start_id, end_id, 7});
  CHECK(encoded[0].tgt == TokenIds{start_id, 5, 4, end_id});
  CHECK_FALSE(encoded[0].has_unknown);
  CHECK(encoded[3].has_unknown);
  CHECK(encode_pair({"a", "c"}, model, card, {start_id, {}, 7}).tgt == TokenIds{start_id, unknown_id});
}

TEST_CASE("a pair that is longer than the model takes is refused", "[scoring]") {
  const Transformer<double> model = drawn_model();
  const auto refused = [&](const Pair& pair, const std::string& message) {
    check_error(ErrorKind::bad_data, message, [&] {
      encode_pair(pair, model, own_card(), {start_id, end_id, 7});
    });
  };
  std::string most = "a";
  for (int i = 1; i < 11; ++i) most += " a";
  CHECK_NOTHROW(encode_pair({most + " a", most}, model, own_card(), {start_id, end_id, 7}));
  refused({most + " a a", "a"}, "the source has 13 tokens, the model takes at most 12");
  refused({"a", most + " a"}, "the target has 12 tokens, the model takes at most 11");
}
