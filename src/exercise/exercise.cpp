#include "exercise/exercise.hpp"

#include "core/error.hpp"
#include "exercise/model_exercise.hpp"
#include "exercise/series.hpp"

#include <algorithm>
#include <sstream>

namespace tfx {

namespace {

CaseRule shown(std::string id, std::string typed, void (*change)(LessonInput&) = nullptr) {
  return {std::move(id), std::move(typed), change, DType::f64, true};
}

CaseRule hidden(std::string id, std::string typed, void (*change)(LessonInput&) = nullptr) {
  return {std::move(id), std::move(typed), change};
}

CaseRule single(std::string typed, void (*change)(LessonInput&) = nullptr) {
  return {"float32", std::move(typed), change, DType::f32};
}

Slot truth(std::string name, std::string shape) {
  return {std::move(name), std::move(shape), DType::boolean};
}

Slot whole(std::string name, std::string shape = {}) {
  return {std::move(name), std::move(shape), DType::i64};
}

// What the others lead to.
Slot last(std::string name, std::string shape) {
  return Slot{std::move(name), std::move(shape)}.weighing(final_points);
}

} // namespace

InputOptions CaseRule::options() const {
  InputOptions options;
  std::istringstream words(typed);
  for (std::string word, value; words >> word;) {
    const auto row = std::ranges::find(input_options(), word, &Option<InputOptions, InputRules>::name);
    if (row == input_options().end()) throw defect("a case has no option " + word);
    if (!row->type.empty()) words >> value;
    row->read(options, value);
  }
  return options;
}

const std::vector<Exercise>& exercises() {
  const std::string q = "(…, n_q, d_k)", k = "(…, n_k, d_k)", v = "(…, n_k, d_v)", s = "(…, n_q, n_k)",
                    o = "(…, n_q, d_v)", x = "(…, n, d_model)", w = "(d_model, d_model)", n = "(…, n)",
                    d = "(d_model)", l = "(n, vocabulary)", c = "(1, vocabulary)", h = "(…, heads, n, d_k)",
                    hs = "(…, heads, n, n)";
  static const std::vector<Exercise> all = {
      {"lookup",
       {{"Q", q}, {"K", k}, {"V", v}},
       {{"hard_output", o}, last("output", o)},
       {{"scores", s}, {"weights", s}},
       {shown("widths", "--n-q 3 --n-k 5 --d-k 4 --d-v 6 --seed 11"),
        shown("one", "--n-q 1 --n-k 1 --d-v 2 --seed 12"), hidden("square", "--n-q 4 --seed 13"),
        hidden("batch", "--batch 2 --n-q 3 --n-k 4 --d-k 5 --seed 14"),
        hidden("large", "--n-q 3 --n-k 5 --seed 15", enlarge_queries),
        hidden("ties", "--n-q 3 --n-k 5 --d-k 4 --seed 17", repeat_a_key),
        single("--n-q 3 --n-k 5 --d-k 4 --d-v 6 --seed 16")}},
      {"words",
       {{"X", "(…, n, d)"}},
       {{"norms", "(…, n)"}, {"dots", "(…, n, n)"}, {"cosines", "(…, n, n)"}, {"distances", "(…, n, n)"}},
       {},
       {shown("widths", "--n-q 4 --d-model 3 --seed 21"), shown("one", "--n-q 1 --d-model 3 --seed 22"),
        hidden("wide", "--n-q 3 --d-model 8 --seed 23"),
        hidden("batch", "--batch 2 --n-q 4 --d-model 3 --seed 24"), single("--n-q 4 --d-model 3 --seed 25")}},
      {"qkv",
       {{"X", "(…, n, d_model)"},
        {"W_Q", "(d_model, d_k)"},
        {"W_K", "(d_model, d_k)"},
        {"W_V", "(d_model, d_v)"},
        {"b_Q", "(d_k)"},
        {"b_K", "(d_k)"},
        {"b_V", "(d_v)"}},
       {{"Q", "(…, n, d_k)"}, {"K", "(…, n, d_k)"}, {"V", "(…, n, d_v)"}},
       {},
       {shown("widths", "--n-q 3 --d-model 5 --d-k 4 --d-v 2 --seed 31", add_biases),
        hidden("square", "--n-q 4 --d-model 4 --seed 32", add_biases),
        hidden("one", "--n-q 1 --d-model 3 --seed 33", add_biases),
        hidden("batch", "--batch 2 --n-q 3 --d-model 4 --d-k 5 --seed 34", add_biases),
        single("--n-q 3 --d-model 5 --d-k 4 --d-v 2 --seed 35", add_biases)}},
      {"scores",
       {{"Q", q}, {"K", k}},
       {{"scores", s}},
       {},
       {shown("widths", "--n-q 3 --n-k 5 --d-k 4 --seed 41"), shown("square", "--n-q 4 --seed 42"),
        hidden("one", "--n-q 1 --n-k 1 --d-k 3 --seed 43"),
        hidden("batch", "--batch 2 --n-q 4 --d-k 4 --seed 44"), single("--n-q 3 --n-k 5 --d-k 4 --seed 45")}},
      {"softmax",
       {{"scores", s}, whole("d_k")},
       {{"weights", s}},
       {{"scaled", s}},
       {shown("widths", "--n-q 3 --n-k 5 --d-k 4 --seed 51"),
        shown("one", "--n-q 1 --n-k 1 --d-k 3 --seed 52"), hidden("square", "--n-q 4 --d-k 9 --seed 53"),
        hidden("batch", "--batch 2 --n-q 3 --n-k 4 --d-k 5 --seed 54"),
        hidden("large", "--n-q 3 --n-k 5 --d-k 4 --seed 55", enlarge_queries),
        single("--n-q 3 --n-k 5 --d-k 4 --seed 56")}},
      {"attention",
       {{"weights", s}, {"V", v}},
       {{"output", o}},
       {},
       {shown("widths", "--n-q 3 --n-k 5 --d-k 4 --d-v 6 --seed 61"), shown("square", "--n-q 4 --seed 62"),
        hidden("one", "--n-q 1 --n-k 1 --d-v 3 --seed 63"),
        hidden("batch", "--batch 2 --n-q 4 --d-v 4 --seed 64"),
        hidden("causal", "--n-q 4 --d-v 3 --causal --seed 65"),
        single("--n-q 3 --n-k 5 --d-k 4 --d-v 6 --seed 66")}},
      {"sdpa",
       {{"Q", q}, {"K", k}, {"V", v}},
       {{"weights", s}, last("output", o)},
       {{"scores", s}, {"scaled", s}},
       {shown("widths", "--n-q 3 --n-k 5 --d-k 4 --d-v 6 --seed 71"),
        shown("square", "--n-q 4 --d-k 4 --d-v 3 --seed 72"),
        hidden("one", "--n-q 1 --n-k 1 --d-k 3 --d-v 2 --seed 73"),
        hidden("batch", "--batch 2 --n-q 3 --n-k 4 --d-k 5 --d-v 6 --seed 74"),
        hidden("large", "--n-q 3 --n-k 5 --d-k 4 --d-v 6 --seed 75", enlarge_queries),
        single("--n-q 3 --n-k 5 --d-k 4 --d-v 6 --seed 76")}},
      {"bpe",
       {{"symbols", "(1, symbols)"},
        whole("pieces", "(pieces, longest)"),
        whole("counts", "(pieces, 1)"),
        whole("word", "(rows, width)"),
        whole("max_merges")},
       {{"merges", "(learned, 2)"}, last("tokens", "(rows, width)")},
       {{"pairs_1", "(symbols, symbols)"}, {"pair_1", "(1, 2)"}, {"pieces_1", "(pieces, longest)"}},
       {shown("paper_words", ""),
        shown("runs_of_one", "--text aaaaa,aaa,bbb,bbbbb --word aaaaaaa --merges 4"),
        hidden("order_matters", "--text bc,bc,bc,bc,bc,ab,ab,ab,ab,abc --word abc --merges 2", add_words),
        hidden("few_merges", "--text abc.abc.xbc.xyz.xyz --word abcxyz --merges 20", add_words),
        hidden("overlap", "--text aaa,aaa,bc,bc,bc --word aaabc --merges 1"),
        hidden("one_merge", "--text new,newer,newest --word renew --merges 1")}},
      {"embed",
       {whole("token_ids", n), {"token_embedding", "(vocabulary, d_model)"}},
       {{"X", x}},
       {{"embedded", x}, {"position_vectors", "(n, d_model)"}},
       {shown("widths", "--text 天地天玄黄地 --d-model 6 --seed 111"),
        shown("one", "--text 天 --d-model 4 --seed 112"),
        hidden("wide", "--text 天地玄黄宇宙洪荒天 --d-model 16 --seed 113"),
        hidden("batch", "--text 天地玄黄天地 --d-model 8 --seed 114", make_two_sentences),
        single("--text 天地玄黄天地 --d-model 6 --seed 115")}},
      {"masked",
       {{"Q", q}, {"K", k}, {"V", v}, truth("mask_given", "(n_q, n_k)")},
       {{"weights", s}, last("output", o)},
       {{"scaled", s}, truth("mask", "(n_q, n_k)"), {"masked", s}},
       {shown("causal", "--n-q 4 --d-k 3 --d-v 5 --causal --seed 81"),
        hidden("blocked", "--n-q 5 --n-k 4 --d-k 3 --d-v 2 --causal --seed 82", block_a_row),
        hidden("one", "--n-q 1 --d-k 3 --d-v 2 --causal --seed 83"),
        hidden("batch", "--batch 2 --n-q 4 --n-k 6 --d-k 5 --d-v 3 --causal --seed 84", block_a_row),
        hidden("large", "--n-q 4 --d-k 3 --d-v 5 --causal --seed 85", enlarge_queries),
        single("--n-q 4 --n-k 6 --d-k 3 --d-v 5 --causal --seed 86", block_a_row)}},
      {"multihead",
       {{"X", x}, {"W_Q", w}, {"W_K", w}, {"W_V", w}, {"W_O", w}, whole("heads"), truth("mask", "(n, n)")},
       {{"output", x}},
       {{"Q_heads", h}, {"K_heads", h}, {"V_heads", h}, {"scaled", hs}, {"weights", hs}, {"concat", x}},
       {shown("widths", "--n-q 5 --d-model 6 --heads 2 --seed 91"),
        shown("causal", "--n-q 4 --d-model 6 --heads 3 --causal --seed 92"),
        hidden("blocked", "--n-q 4 --d-model 8 --heads 2 --seed 93", block_a_row),
        hidden("one", "--n-q 1 --d-model 4 --heads 2 --seed 94"),
        hidden("batch", "--batch 2 --n-q 3 --d-model 6 --heads 2 --seed 95", block_some),
        hidden("large", "--n-q 4 --d-model 6 --heads 2 --seed 96", enlarge_queries),
        single("--n-q 5 --d-model 6 --heads 2 --causal --seed 97")}},
      {"cross",
       {{"X", "(…, n_q, d_model)"},
        {"memory", "(…, n_k, d_model)"},
        {"W_Q", "(d_model, d_k)"},
        {"W_K", "(d_model, d_k)"},
        {"W_V", "(d_model, d_v)"},
        truth("mask", "(n_q, n_k)")},
       {{"weights", s}, last("output", o)},
       {{"Q", q}, {"K", k}, {"V", v}, {"scaled", s}, {"masked", s}},
       {shown("widths", "--n-q 3 --n-k 5 --d-model 4 --d-k 6 --d-v 2 --seed 101"),
        shown("padded", "--n-q 3 --n-k 5 --d-model 4 --d-k 3 --d-v 6 --pad 2 --seed 102"),
        hidden("square", "--n-q 4 --n-k 4 --d-model 4 --pad 1 --seed 103"),
        hidden("blocked", "--n-q 4 --n-k 3 --d-model 4 --d-k 3 --d-v 2 --seed 104", block_a_row),
        hidden("one", "--n-q 1 --n-k 1 --d-model 4 --d-k 3 --seed 105"),
        hidden("batch", "--batch 2 --n-q 3 --n-k 4 --d-model 4 --pad 1 --seed 106"),
        hidden("large", "--n-q 3 --n-k 5 --d-model 4 --d-k 6 --d-v 2 --seed 107", enlarge_queries),
        single("--n-q 3 --n-k 5 --d-model 4 --d-k 6 --d-v 2 --pad 1 --seed 108")}},
      {"block",
       {{"X", x},
        {"W_Q", w},
        {"W_K", w},
        {"W_V", w},
        {"W_O", w},
        {"W_1", "(d_model, d_ff)"},
        {"b_1", "(d_ff)"},
        {"W_2", "(d_ff, d_model)"},
        {"b_2", d},
        {"gain_1", d},
        {"shift_1", d},
        {"gain_2", d},
        {"shift_2", d},
        whole("heads"),
        truth("mask", "(n, n)")},
       {{"output", x}},
       {{"norm_1", x},
        {"weights", hs},
        {"attention", x},
        {"residual_1", x},
        {"norm_2", x},
        {"hidden", "(…, n, d_ff)"},
        {"activated", "(…, n, d_ff)"},
        {"feed_forward", x}},
       {shown("widths", "--n-q 5 --d-model 6 --heads 2 --d-ff 7 --seed 121", vary_parameters),
        hidden("level", "--n-q 4 --d-model 6 --heads 3 --d-ff 5 --causal --seed 122", level_a_token),
        hidden("blocked", "--n-q 4 --d-model 8 --heads 2 --d-ff 9 --seed 123",
               vary_parameters_and<block_a_row>),
        hidden("one", "--n-q 1 --d-model 4 --heads 2 --d-ff 3 --seed 124", vary_parameters),
        hidden("batch", "--batch 2 --n-q 3 --d-model 6 --heads 2 --d-ff 5 --seed 125",
               vary_parameters_and<block_some>),
        hidden("large", "--n-q 4 --d-model 6 --heads 2 --d-ff 5 --seed 126",
               vary_parameters_and<enlarge_queries>),
        single("--n-q 5 --d-model 6 --heads 2 --d-ff 7 --causal --seed 127", vary_parameters)}},
      model_exercise(),
      {"loss",
       {{"logits", l}, whole("labels", "(n)"), whole("pad_id"), {"smoothing"}},
       {{"log_probs", l}, last("loss", "()"), last("dlogits", l)},
       {{"probs", l}, {"target", l}},
       {shown("padded", "--n-q 6 --d-model 4 --labels 2,1,3,1,0,4 --pad-id 1 --seed 131"),
        shown("smoothed", "--n-q 6 --d-model 4 --smoothing 0.1 --seed 132"),
        hidden("one", "--n-q 2 --d-model 3 --seed 133"),
        hidden("large", "--n-q 5 --d-model 4 --labels 3,2,0,2,1 --pad-id 2 --smoothing 0.2 --seed 134",
               enlarge_logits),
        single("--n-q 5 --d-model 4 --labels 0,3,4,3,1 --pad-id 3 --smoothing 0.1 --seed 135")}},
      {"train",
       {{"W_Q", "(d_model, d_k)"},
        {"dW_Q", "(d_model, d_k)"},
        {"m0_W_Q", "(d_model, d_k)"},
        {"v0_W_Q", "(d_model, d_k)"},
        whole("t"),
        {"learning_rate"},
        {"beta_1"},
        {"beta_2"},
        {"epsilon"},
        {"decay"}},
       {{"m_W_Q", "(d_model, d_k)"}, {"v_W_Q", "(d_model, d_k)"}, last("W_Q_after", "(d_model, d_k)")},
       {{"m_hat_W_Q", "(d_model, d_k)"},
        {"v_hat_W_Q", "(d_model, d_k)"},
        {"direction_W_Q", "(d_model, d_k)"},
        {"update_W_Q", "(d_model, d_k)"}},
       {shown("first_step", "--n-q 4 --d-model 5 --d-k 3 --seed 141"),
        shown("later_step", "--n-q 4 --d-model 5 --d-k 3 --seed 142", start_at<3>),
        hidden("decay", "--n-q 4 --d-model 5 --d-k 3 --optimizer adamw --weight-decay 0.3 --seed 143",
               start_at<2>),
        hidden("tiny", "--n-q 4 --d-model 5 --d-k 3 --lr 0.1 --seed 144", shrink_gradients),
        hidden("square", "--n-q 4 --d-model 4 --optimizer adamw --weight-decay 0.1 --lr 0.5 --seed 145",
               start_at<10>),
        single("--n-q 4 --d-model 5 --d-k 3 --optimizer adamw --weight-decay 0.3 --seed 146", start_at<3>)}},
      {"decode",
       {{"logits", c},
        {"u"},
        {"temperature"},
        whole("top_k"),
        {"top_p"},
        {"target_log_probs", "(steps, targets)"},
        whole("lengths", "(targets)")},
       {{"greedy", c}, {"probs_p", c}, last("taken", c), last("score", "(1, targets)")},
       {{"log_probs", c},
        {"tempered", c},
        {"probs", c},
        {"kept_k", c},
        {"probs_k", c},
        {"before", c},
        {"kept_p", c},
        {"places", c},
        {"sum", "(1, targets)"}},
       {shown("sharp", "--temperature 0.5 --top-k 5 --top-p 0.9 --seed 151"),
        shown("everything_kept", "--temperature 1 --top-k 8 --top-p 1 --seed 152"),
        hidden("flat", "--temperature 2 --top-k 7 --top-p 0.6 --seed 153"),
        hidden("other_logits", "--temperature 0.8 --top-k 4 --top-p 0.7 --seed 154", vary_logits),
        hidden("one_kept", "--temperature 1 --top-k 1 --top-p 0.5 --seed 155", vary_logits),
        hidden("ties", "--temperature 1 --top-k 4 --top-p 0.8 --seed 157", tie_logits),
        hidden("edges", "--temperature 1 --top-k 4 --top-p 0.5 --seed 158", level_logits),
        single("--temperature 0.5 --top-k 5 --top-p 0.9 --seed 156")}},
      {"cache",
       {{"X", "(n, d_model)"},
        {"W_Q", "(d_model, d_k)"},
        {"W_K", "(d_model, d_k)"},
        {"W_V", "(d_model, d_v)"}},
       {{"keys", "(n, d_k)"}, {"values", "(n, d_v)"}, last("output", "(n, d_v)")},
       {{"position_vectors", "(n, d_model)"},
        {"inputs", "(n, d_model)"},
        {"queries", "(n, d_k)"},
        {"step_weights", "(n, n)"}},
       {shown("widths", "--n-q 5 --d-model 4 --d-k 3 --d-v 6 --seed 161"),
        shown("one", "--n-q 1 --d-model 4 --seed 162"), hidden("square", "--n-q 4 --d-model 4 --seed 163"),
        hidden("wide", "--n-q 6 --d-model 8 --d-k 2 --d-v 3 --seed 164"),
        hidden("large", "--n-q 4 --d-model 4 --d-k 3 --seed 165", enlarge_queries),
        single("--n-q 5 --d-model 4 --d-k 3 --d-v 6 --seed 166")}},
      {"params",
       {whole("d_model"), whole("d_ff"), whole("h"), whole("N"), whole("vocab"), whole("n")},
       {{"total", "()"}, {"macs", "()"}, {"flops", "()"}, {"training_bytes", "()"}},
       {},
       {shown("paper", ""), shown("widths", "--d-model 12 --heads 3 --d-ff 20 --layers 2 --vocab 7 --seq 5"),
        hidden("one_head", "--d-model 10 --heads 1 --d-ff 30 --layers 3 --vocab 17 --seq 9"),
        hidden("one_layer", "--d-model 8 --heads 2 --d-ff 16 --layers 1 --vocab 100 --seq 1"),
        hidden("long_text", "--d-model 16 --heads 4 --d-ff 64 --layers 2 --vocab 50 --seq 4096")}},
      gpt_exercise(),
      {"rope",
       {{"Q", "(…, n, d_k)"}, {"K", "(…, n, d_k)"}, {"positions", "(n)"}, whole("base")},
       {last("Q_turned", "(…, n, d_k)"), last("K_turned", "(…, n, d_k)")},
       {{"angles", "(n, d_k/2)"}},
       {shown("widths", "--n-q 5 --d-model 4 --d-k 6 --seed 201"),
        shown("later", "--n-q 3 --d-model 4 --d-k 4 --seed 202", start_later),
        hidden("one", "--n-q 1 --d-model 4 --d-k 2 --seed 203", start_later),
        hidden("slower", "--n-q 4 --d-model 4 --d-k 8 --rotary-base 500000 --seed 204", start_later),
        hidden("batch", "--batch 2 --n-q 4 --d-model 4 --d-k 4 --seed 205", start_later),
        single("--n-q 5 --d-model 4 --d-k 6 --seed 206")}},
  };
  return all;
}

const Exercise* exercise_named(std::string_view name) {
  const auto found = std::ranges::find(exercises(), name, &Exercise::name);
  return found == exercises().end() ? nullptr : &*found;
}

} // namespace tfx
