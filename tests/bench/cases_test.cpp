#include "bench/attention_case.hpp"
#include "bench/model_case.hpp"
#include "core/error.hpp"
#include "kernels/gemm.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <limits>

using namespace tfx;
using namespace tfx::bench;

namespace {

/// The block in double by plain loops, which share no code with the engine or the page.
arma::mat by_hand(const AttentionModel& model) {
  const AttentionShape& s = model.shape;
  const std::size_t d = s.d_model, d_k = d / s.heads;
  arma::mat y(d, s.tokens(), arma::fill::zeros);
  for (std::size_t b = 0; b < s.batch; ++b) {
    arma::mat x(d, s.seq), projected[3], concat(d, s.seq, arma::fill::zeros);
    for (std::size_t t = 0; t < s.seq; ++t)
      for (std::size_t i = 0; i < d; ++i)
        x(i, t) = double{model.tokens(i, model.batch.ids[b * s.seq + t])} + double{model.positions(i, t)};
    const auto project = [&](std::size_t which, const arma::mat& from) {
      arma::mat to(d, s.seq, arma::fill::zeros);
      for (std::size_t t = 0; t < s.seq; ++t)
        for (std::size_t j = 0; j < d; ++j)
          for (std::size_t i = 0; i < d; ++i)
            to(j, t) += double{model.attention.linears[which].weight(i, j)} * from(i, t);
      return to;
    };
    for (std::size_t i = 0; i < 3; ++i) projected[i] = project(i, x);
    for (std::size_t h = 0; h < s.heads; ++h)
      for (std::size_t q = 0; q < s.seq; ++q) {
        const std::size_t seen = s.mask == Mask::causal ? q + 1 : s.seq;
        std::vector<double> weights(seen, 0);
        double sum = 0;
        for (std::size_t k = 0; k < seen; ++k) {
          for (std::size_t r = h * d_k; r < (h + 1) * d_k; ++r)
            weights[k] += projected[0](r, q) * projected[1](r, k);
          sum += weights[k] = std::exp(weights[k] / std::sqrt(static_cast<double>(d_k)));
        }
        for (std::size_t k = 0; k < seen; ++k)
          for (std::size_t r = h * d_k; r < (h + 1) * d_k; ++r)
            concat(r, q) += weights[k] / sum * projected[2](r, k);
      }
    y.cols(b * s.seq, (b + 1) * s.seq - 1) = project(3, concat);
  }
  return y;
}

TransformerShape tiny_shape(std::size_t batch) {
  TransformerShape shape;
  shape.spec.layers = 2, shape.spec.d_model = 16, shape.spec.d_ff = 32;
  shape.spec.src_vocab = shape.spec.tgt_vocab = 13;
  shape.spec.heads = 4;
  shape.batch = batch, shape.src = 5, shape.tgt = 4;
  return shape;
}

} // namespace

TEST_CASE("the attention case is the tutorial's block", "[bench][cases]") {
  for (const AttentionShape& shape :
       {AttentionShape{2, 5, 8, 2, 7, Mask::causal}, AttentionShape{2, 5, 8, 2, 7, Mask::none},
        AttentionShape{1, 1, 4, 4, 2, Mask::causal}, AttentionShape{3, 70, 12, 3, 50, Mask::causal}}) {
    const AttentionModel model = drawn_attention(shape, 1);
    const arma::mat expected = by_hand(model);
    const Case work = attention_case(model);
    CHECK(relative_difference(arma::conv_to<arma::mat>::from(work.run()), expected) < 1e-5);
    const Agreement agreement = work.compare();
    CHECK(agreement.with == "page");
    CHECK(agreement.holds());
    CHECK(agreement.difference < 1e-5);
  }
}

TEST_CASE("without a mask the attention case executes the work it claims", "[bench][cases]") {
  const AttentionShape shape{2, 6, 8, 2, 7, Mask::none};
  const AttentionModel model = drawn_attention(shape, 1);
  reset_executed_macs();
  forward(model);
  CHECK(2.0 * static_cast<double>(executed_macs()) == attention_work(shape).flops);
}

TEST_CASE("a shape that is none, or does not fit, is refused", "[bench][cases]") {
  const auto kind_of = [](const AttentionShape& shape) {
    try {
      const AttentionModel model(shape);
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::internal;
  };
  CHECK(kind_of({1, 4, 6, 4, 10, Mask::causal}) == ErrorKind::bad_data);
  CHECK(kind_of({1, 1'000'000'000, 1'000'000, 1, 10, Mask::causal}) == ErrorKind::no_memory);
  TransformerShape huge = tiny_shape(1'000'000'000);
  CHECK_THROWS_AS(drawn_model(huge, What::model, 1), Error);
  CHECK_THROWS_AS(train_case(huge, 1), Error);
}

TEST_CASE("model, training and decoding agree with the model in double", "[bench][cases]") {
  for (const std::size_t batch : {1, 3}) {
    const TransformerShape shape = tiny_shape(batch);
    const Case pass = model_case(shape, drawn_model(shape, What::model, 3));
    CHECK(pass.run().n_rows == 13);
    CHECK(pass.run().n_cols == 4 * batch);
    CHECK(pass.compare().holds());

    const Case training = train_case(shape, 3);
    CHECK(training.compare().holds());
    const float first = training.run()(0, 0);
    for (int step = 0; step < 100; ++step) training.run();
    CHECK(training.run()(0, 0) < first); // it does train
    CHECK(training.compare().holds());

    const Case writing = decode_case(shape, drawn_model(shape, What::decode, 3));
    const arma::fmat ids = writing.run();
    CHECK(ids.n_rows == 4); // all of them: no id ends a text
    CHECK(ids.n_cols == batch);
    CHECK(writing.compare().holds());
  }
}

TEST_CASE("of a decoder alone model, training and decoding agree with the model in double",
          "[bench][cases]") {
  for (const std::size_t batch : {1, 3}) {
    TransformerShape shape = std::get<TransformerShape>(find_preset("E")->shape);
    shape.spec.layers = 2, shape.spec.d_model = 16, shape.spec.d_ff = 32, shape.spec.heads = 4;
    shape.spec.tgt_vocab = 13, shape.spec.max_len = 20;
    shape.batch = batch, shape.tgt = 8, shape.prompt = 6;
    const Case pass = model_case(shape, drawn_model(shape, What::model, 3));
    CHECK(pass.run().n_cols == 8 * batch);
    CHECK(pass.compare().holds());

    const Case training = train_case(shape, 3);
    CHECK(training.compare().holds());
    const float first = training.run()(0, 0);
    for (int step = 0; step < 100; ++step) training.run();
    CHECK(training.run()(0, 0) < first);

    ModelInput input = drawn_model(shape, What::decode, 3);
    const Case writing = decode_case(shape, input);
    const arma::fmat ids = writing.run();
    CHECK(ids.n_rows == 8);
    CHECK(writing.compare().holds());
    input.tgt.ids[5] = 1 + input.tgt.ids[5] % 12; // the last token of the first prompt
    const arma::fmat others = decode_case(shape, input).run();
    CHECK(arma::any(others.col(0) != ids.col(0)));
    CHECK(arma::all(arma::vectorise(others.tail_cols(batch - 1) == ids.tail_cols(batch - 1))));
  }
}

TEST_CASE("numbers that are none, or of another shape, do not agree", "[bench][cases]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(relative_difference({1, 2, 4}, {1, 2, 4}) == 0);
  CHECK(relative_difference({1, 2, 4.4}, {1, 2, 4}) == Approx(0.1));
  CHECK(std::isnan(relative_difference({nan, 2}, {1, 2})));
  CHECK(std::isnan(relative_difference({1, nan, 9}, {1, 2, 3})));
  CHECK_FALSE(Agreement{"page", nan, 1}.holds());
  CHECK_FALSE(Agreement{"page", relative_difference({1, 2}, {1, 2, 3}), 1}.holds());
}
