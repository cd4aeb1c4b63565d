// The errata of happy-llm that are about its class.

#include "lessons/errata/page_data.hpp"
#include "lessons/errata/pages.hpp"
#include "trace/checks.hpp"

namespace tfx::errata {

using arma::mat;

namespace {

// The width is checked under other names than it is used by: a configuration that has both.
Findings config_names() {
  struct {
    std::size_t n_embd = 768, n_head = 12, dim = 66, n_heads = 4;
  } const args;
  const auto left_over = [&](bool accepted) {
    return accepted ? count(args.dim - args.n_heads * (args.dim / args.n_heads)) : 0.0;
  };
  const double page = left_over(args.n_embd % args.n_head == 0),
               instead = left_over(args.dim % args.n_heads == 0);
  Findings f;
  f.measure("lost_columns", page, instead);
  f.facts["dim"] = count(args.dim), f.facts["n_heads"] = count(args.n_heads);
  f.facts["n_embd"] = count(args.n_embd), f.facts["n_head"] = count(args.n_head);
  f.facts["kept"] = count(args.n_heads * (args.dim / args.n_heads));
  f.verdict(page, instead, [](double lost) { return lost == 0; });
  return f;
}

// forward asks for self.is_causal. Who drops the question to make it run has no mask: the future is seen.
Findings is_causal() {
  const LessonInput run = run_of("happy-llm:2");
  const auto on_future = [&](const mat& mask) {
    double sum = 0;
    for (const page::Attention& head : heads_of(run, mask))
      sum += arma::accu(head.weights % (1 - page::causal_mask(5, 5)));
    return sum / count(run.heads);
  };
  const double page = on_future(mat(5, 5, arma::fill::ones)), instead = on_future(page::causal_mask(5, 5));
  Findings f;
  f.measure("weight_on_future", page, instead);
  f.verdict(page, instead, [](double weight) { return weight == 0; });
  return f;
}

// view(bsz, seqlen, heads, width) of the keys, with the queries' seqlen and with their own.
Findings seqlen() {
  const LessonInput run = run_of("happy-llm:3");
  const std::size_t n_q = given(run, "X").n_rows, n_k = given(run, "memory").n_rows, width = 4, h = 2;
  const auto cells = [&](std::size_t length) { return length * h * (width / h); };
  const auto view = [&](std::size_t length) {
    return to_string({1, n_k, width}) + " → " + to_string({1, length, h, width / h}) + ": " +
           std::to_string(n_k * width) + (cells(length) == n_k * width ? " = " : " ≠ ") +
           std::to_string(cells(length));
  };
  Findings f;
  f.measure("keys_view", view(n_q), view(n_k));
  f.facts["queries"] = count(n_q), f.facts["keys"] = count(n_k);
  f.verdict(cells(n_q), cells(n_k), [&](std::size_t wanted) { return wanted == n_k * width; });
  return f;
}

} // namespace

std::vector<Erratum> of_happy_llm_code() {
  return {{"config_names", "happy-llm", config_names},
          {"is_causal", "happy-llm", is_causal},
          {"seqlen", "happy-llm", seqlen},
          {"super_init", "happy-llm", read_only},
          {"undefined_names", "happy-llm", read_only}};
}

} // namespace tfx::errata
