#include "cli/decode/options.hpp"

namespace tfx {

const std::vector<Option<DecodeOptions>>& decode_options() {
  using O = DecodeOptions;
  using Row = Option<O>;
  const std::vector<std::string> search{"--beam", "--length-penalty"},
      draws{"--temperature", "--top-k", "--top-p"};
  static const std::vector<Row> table{
      Row("--file", &O::file, value::text("FILE")).without({"--text"}),
      {"--beam", &O::beam, value::count(1, 1000)},
      Row("--length-penalty", &O::length_penalty, value::number("A", 0, 10)).beside({"--beam"}),
      Row("--temperature", &O::temperature, value::number("T", 0.001, 1000)).without(search),
      Row("--top-k", &O::top_k, value::count()).without(search),
      Row("--top-p", &O::top_p, value::number("P", 0.001, 1)).without(search),
      Row("--seed", &O::seed, value::seed()).without(search).beside(draws),
      {"--no-cache", &O::no_cache},
      Row("--dtype", &O::weights, value::choice(weight_types())).described("decode--dtype"),
      Row("--align", &O::align).without({"--file"}),
      {"--quiet", &O::quiet},
      Row("--json", &O::json).without({"--file"}),
      {"--no-time", &O::no_time},
      Row("--save", &O::save, value::text("FILE")).without({"--file"})};
  return table;
}

decoding::Request request_of(const DecodeOptions& o) {
  decoding::Request request;
  request.beam = {o.beam.value_or(1), o.length_penalty.value_or(0)};
  request.sampling = {o.temperature.value_or(1), o.top_k, o.top_p.value_or(1), o.seed.value_or(42)};
  request.prefix = o.no_cache ? Prefix::recomputed : Prefix::cached;
  if (o.temperature || o.top_k || o.top_p) request.method = decoding::Method::sample;
  if (o.beam) request.method = decoding::Method::beam;
  return request;
}

} // namespace tfx
