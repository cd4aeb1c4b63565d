#include "bench/model_case.hpp"

#include "bench/widened.hpp"
#include "core/memory.hpp"
#include "model/init.hpp"
#include "model/narrow.hpp"
#include "model/search.hpp"
#include "random/numpy_rng.hpp"

#include <algorithm>
#include <memory>

namespace tfx::bench {

namespace {

constexpr std::uint32_t start = 1;

Batch drawn_ids(NumpyRandom& random, std::size_t rows, std::size_t length, std::size_t vocab) {
  std::vector<TokenIds> ids(rows, TokenIds(length));
  for (TokenIds& row : ids)
    for (std::uint32_t& id : row)
      id = static_cast<std::uint32_t>(random.randint(1, static_cast<std::int64_t>(vocab)));
  return ragged_batch(ids);
}

TokenIds row_of(const Batch& batch, std::size_t s) {
  const auto first = batch.ids.begin() + static_cast<std::ptrdiff_t>(batch.sequences.offsets[s]);
  return {first, first + static_cast<std::ptrdiff_t>(batch.sequences.length(s))};
}

Agreement compare_pass(const ModelInput& input) {
  const arma::fmat ours = tfx::forward(input.model, input.src, input.tgt);
  const Batch src = ragged_batch({row_of(input.src, 0)}), tgt = ragged_batch({row_of(input.tgt, 0)});
  const arma::mat wide = tfx::forward(widened(input.model), src, tgt);
  return {"double", relative_difference(arma::conv_to<arma::mat>::from(ours.head_cols(wide.n_cols)), wide),
          rounding_bound};
}

std::vector<TokenIds> written(const EncoderDecoderShape& shape, const ModelInput& input) {
  DecodeLimits limits;
  limits.start = start, limits.max_tokens = shape.tgt; // no end: all of them are written
  return greedy(input.model, input.src, limits);
}

/// How far the written ids fall short of the most probable ones.
Agreement compare_written(const EncoderDecoderShape& shape, const ModelInput& input) {
  const std::vector<TokenIds> ids = written(shape, input);
  std::vector<TokenIds> read = ids;
  for (TokenIds& row : read) row.insert(row.begin(), start), row.pop_back();
  const arma::mat log_probs = tfx::forward(widened(input.model), input.src, ragged_batch(read));
  double short_of = 0, largest = 0;
  for (std::size_t s = 0; s < ids.size(); ++s)
    for (std::size_t t = 0; t < ids[s].size(); ++t) {
      const arma::vec column = log_probs.col(s * shape.tgt + t);
      short_of = std::max(short_of, column.max() - column[ids[s][t]]);
      largest = std::max(largest, -column.max());
    }
  return {"one_pass", short_of == 0 ? 0 : short_of / largest, rounding_bound};
}

} // namespace

ModelInput drawn_model(const EncoderDecoderShape& shape, std::uint32_t seed) {
  require_room(shape, KeptActivations::nothing);
  ModelInput input{EncoderDecoder<float>(shape.config), {}, {}};
  initialize(input.model, WeightInit::xavier_uniform, seed);
  NumpyRandom random(seed);
  input.src = drawn_ids(random, shape.batch, shape.src, shape.config.src_vocab);
  input.tgt = drawn_ids(random, shape.batch, shape.tgt, shape.config.tgt_vocab);
  return input;
}

Case model_case(const EncoderDecoderShape& shape, ModelInput input) {
  const auto shared = std::make_shared<const ModelInput>(std::move(input));
  return {model_work(shape), [shared] { return tfx::forward(shared->model, shared->src, shared->tgt); },
          [shared] { return compare_pass(*shared); }};
}

Case decode_case(const EncoderDecoderShape& shape, ModelInput input) {
  narrow(input.model, shape.weights);
  const auto shared = std::make_shared<const ModelInput>(std::move(input));
  const auto run = [shape, shared] {
    arma::fmat ids(shape.tgt, shape.batch);
    const std::vector<TokenIds> rows = written(shape, *shared);
    for (std::size_t s = 0; s < rows.size(); ++s) ids.col(s) = arma::conv_to<arma::fvec>::from(rows[s]);
    return ids;
  };
  return {decode_work(shape), run, [shape, shared] { return compare_written(shape, *shared); }};
}

} // namespace tfx::bench
