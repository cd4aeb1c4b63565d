#include "lessons/rope/llama.hpp"

#include "core/resource.hpp"
#include "core/tensor.hpp"
#include "input/own_input.hpp"
#include "io/array_file.hpp"
#include "io/json_reader.hpp"
#include "io/npz.hpp"
#include "lessons/model/page.hpp"
#include "model/config_style.hpp"
#include "trace/checks.hpp"

#include <limits>

namespace tfx {

namespace {

const std::string file = "data/reference/families/llama-inv-freq";
const std::string attention = "decoder.layers.0.self_attn.";

/// Head `head` of a torch.nn.Linear's weight, (d_in, w).
Tensor columns_of(const Tensor& weight, std::size_t head, std::size_t heads) {
  const arma::uword w = weight.shape[0] / heads;
  return to_tensor(arma::mat(matrix(weight).rows(head * w, (head + 1) * w - 1).t()));
}

} // namespace

SmallLlama::SmallLlama() {
  const GivenStyle style =
      style_in_config(read_json(resource(file + ".config.json"), file), file + ".config.json");
  const auto model =
      load_model<double>(TensorFile(file, std::string(resource(file + ".safetensors"))), style);
  heads_ = model.spec.heads, key_heads_ = model.spec.key_heads();
  pairs_ = model.spec.pairs, base_ = model.spec.rotary_base;
  std::vector<std::uint32_t> ids;
  for (const NamedArray& one : read_npz(resource(file + ".npz"), file)) {
    const Tensor& values = one.array.values;
    if (one.name == "logits") logits_ = values;
    if (one.name == "ids")
      for (std::size_t j = 0; j < values.shape[1]; ++j) // the first row
        ids.push_back(static_cast<std::uint32_t>(values.data[j]));
  }
  const auto nothing_is_padding = static_cast<std::uint32_t>(model.spec.tgt_vocab);
  page_ = run_model_page(page_of(model, Batch(), ragged_batch({ids}), nothing_is_padding));
  logits_ = to_tensor(arma::mat(matrix(logits_).head_rows(ids.size())));
}

LessonInput SmallLlama::head(std::size_t head) const {
  LessonInput input;
  const std::string& X = page_.step_named(attention + "linears.0").operation.inputs[0];
  input.given.add_input("X", file, page_[X], {});
  const std::size_t key_head = head / (heads_ / key_heads_);
  const char* names[] = {"W_Q", "W_K", "W_V"};
  for (std::size_t i = 0; i < 3; ++i)
    input.given.add_input(names[i], file,
                          columns_of(page_[attention + "linears." + std::to_string(i) + ".weight"],
                                     i == 0 ? head : key_head, i == 0 ? heads_ : key_heads_),
                          {}, Role::parameter);
  input.pairs = pairs_, input.rotary_base = base_;
  const std::size_t n = page_[X].shape[0];
  add_positions(input, n, numbered("x", n));
  return input;
}

double SmallLlama::logits_off(const std::vector<Tensor>& scores) const {
  const std::string name = attention + "scores";
  Tensor all = page_[name];
  for (std::size_t h = 0; h < heads_; ++h) {
    if (scores[h].shape != to_tensor(matrix(all, h)).shape) return std::numeric_limits<double>::infinity();
    set_matrix(all, h, matrix(scores[h]));
  }
  const Rerun rerun(page_, {{name, [&](const Tensor&) { return all; }}}, "logits");
  return relative_difference(rerun["logits"], logits_);
}

} // namespace tfx
