#include "lessons/params/kinds.hpp"

namespace tfx {

std::vector<std::string> MatrixKinds::names() const {
  std::vector<std::string> all;
  for (const MatrixKind& kind : kinds) all.push_back(kind.name);
  return all;
}

MatrixKinds encoder_decoder_of(const page::Widths& m) {
  const auto [d, f, N, V, n] = m;
  return {"make_model, The Annotated Transformer",
          "2, d, f, V",
          "0, d, f, V",
          {{"W_Q", d, d, d, {1, 2, 0}, {1, 2, 0}},
           {"W_K", d, d, d, {1, 2, 0}, {1, 2, 0}},
           {"W_V", d, d, d, {1, 2, 0}, {1, 2, 0}},
           {"W_O", d, d, d, {1, 2, 0}, {1, 2, 0}},
           {"W_1", d, f, f, {1, 1, 0}, {1, 1, 0}},
           {"W_2", f, d, d, {1, 1, 0}, {1, 1, 0}},
           {"norm", 2, d, 0, {2, 3, 2}, {0, 0, 0}},
           {"embedding", V, d, 0, {0, 0, 2}, {0, 0, 0}},
           {"generator", d, V, V, {0, 0, 1}, {0, 0, 1}}},
          {"encoder.layer", "decoder.layer", "outside"},
          {N, N, 1},
          {1, 2, 0},
          "N, N, 1"};
}

MatrixKinds decoder_of(const page::Widths& m, const ModelSpec& spec, const std::string& name) {
  const auto [d, f, N, V, n] = m;
  const auto biased = [](bool is_there, double width) { return is_there ? width : 0; };
  const Biases& has = spec.biases;
  const double norm = int{spec.norm.gain} + int{spec.norm.shift},
               outer_norms = int{spec.final_norm} + int{spec.embedding_norm}, own = spec.tied ? 0 : 1;
  MatrixKinds all{name, "d, f, V, P", "0, d, f, V", {}, {"decoder.layer", "outside"}, {N, 1}, {1, 0}, "N, 1"};
  for (const char* letter : {"W_Q", "W_K", "W_V"})
    all.kinds.push_back({letter, d, d, biased(has.queries, d), {1, 0}, {1, 0}});
  all.kinds.push_back({"W_O", d, d, biased(has.output, d), {1, 0}, {1, 0}});
  all.kinds.push_back({"W_1", d, f, biased(has.feed_forward, f), {1, 0}, {1, 0}});
  if (spec.gated) all.kinds.push_back({"W_3", d, f, biased(has.feed_forward, f), {1, 0}, {1, 0}});
  all.kinds.push_back({"W_2", f, d, biased(has.feed_forward, d), {1, 0}, {1, 0}});
  all.kinds.push_back({"norm", norm, d, 0, {2, outer_norms}, {0, 0}});
  all.kinds.push_back({"embedding", V, d, 0, {0, 1}, {0, 0}});
  if (spec.positions == Positions::learned)
    all.kinds.push_back({"positions", static_cast<double>(spec.max_len), d, 0, {0, 1}, {0, 0}});
  all.kinds.push_back({"generator", d, V, biased(has.generator && !spec.tied, V), {0, own}, {0, 1}});
  return all;
}

} // namespace tfx
