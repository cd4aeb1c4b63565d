#!/usr/bin/env bash
# Files as other programs save them: a module is read whole, or refused by what it holds; whole models are told by what
# they are. data/reference/state_dicts/ has the files and what PyTorch computes with them.
#   tests/cli/state_dicts.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
root=${self%/tests/*}
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"
cp "$root"/data/reference/state_dicts/* . || exit 1

# file NAME: with its extension.
file() { ls "$1.npz" "$1.safetensors" 2>/dev/null; }

# equal NAME LESSON ARGUMENT…: the lesson on these weights gives PyTorch's output.
equal() {
  local name=$1 lesson=$2
  shift 2
  shows "$lesson: $name as PyTorch computes it" 0 "equal in all 40 cells" \
    check "$lesson" "$name.output.npy" --weights "$(file "$name")" "$@" --lang en
}

# --- modules that are read -------------------------------------------------------------------------------------------

for name in mha mha_no_bias mha_parallel opt happy; do equal $name multihead --x x.npy --heads 2; done
equal mha_kdim multihead --q x.npy --k k.npy --v v.npy --heads 2
equal scratch multihead --x x.npy --heads 2 --causal
equal scratch multihead --x x.npy --heads 2 --mask mask.npy
equal scratch multihead --x x.npy --heads 2 --mask mask.safetensors
for name in bert_self bare; do equal $name attention --x x.npy; done
equal encoder_of_one block --x x.npy --heads 2 --norm standard --norm-last --activation relu

# Two repositories that many learn from: their layers as they compute, whose program and options are said.
equal hyunwoongko block --x x.npy --heads 2 --norm standard --norm-last --norm-eps 1e-12
equal jadore block --x x.npy --heads 2 --norm standard --norm-last --norm-eps 1e-6
shows "whose layer it is, and how it computes" 0 \
  "hyunwoongko/transformer, whose layers compute by --norm standard --norm-last --norm-eps 1e-12" \
  block --x x.npy --heads 2 --weights hyunwoongko.npz --quiet --lang en --width 200
shows "in Chinese" 0 "它的层按 --norm standard --norm-last --norm-eps 1e-6 计算" \
  block --x x.npy --heads 2 --weights jadore.npz --quiet --lang zh --width 200
shows "a layer's attention in multihead" 0 "slf_attn.layer_norm.weight, slf_attn.layer_norm.bias" \
  multihead --x x.npy --heads 2 --weights jadore.npz --quiet --lang en --width 200
shows "prefixes are taken off, and said" 0 "taken off the names: module., _orig_mod." \
  multihead --x x.npy --weights mha_parallel.safetensors --quiet --lang en
shows "in Chinese" 0 "名字前面的 module.、_orig_mod. 已去掉" \
  multihead --x x.npy --weights mha_parallel.safetensors --quiet --lang zh
shows "where the module was found is said" 0 "read from attention." multihead --x x.npy --weights happy.npz --quiet --lang en
shows "a causal mask in the file is named" 0 "not used here: mask" multihead --x x.npy --weights scratch.npz --quiet --lang en
shows "the rest of a module that a lesson does not compute is named" 0 "not used here: out_proj.weight, out_proj.bias" \
  attention --x x.npy --weights mha.npz --quiet --lang en

# --- half a module ---------------------------------------------------------------------------------------------------

# refused NAME TEXT CHINESE ARGUMENT…: status 65 in both languages, nothing on stdout.
refused() {
  local name=$1 text=$2 chinese=$3
  shift 3
  shows "$name" 65 "$text" "$@" --lang en
  check "$name: nothing on stdout" test ! -s "$work/out"
  shows "$name, in Chinese" 65 "$chinese" "$@" --lang zh
}

refused "bias_k is left over" "bias_k (1, 1, 8), bias_v (1, 1, 8) would be left out" "会用不上" \
  multihead --x x.npy --heads 2 --weights mha_bias_kv.npz
refused "a lesson of one head too" "bias_k (1, 1, 8)" "会用不上" masked --x x.npy --weights mha_bias_kv.npz
refused "no output projection" "Missing: out_proj.weight" "缺 out_proj.weight" multihead --x x.npy --weights bert_self.safetensors
refused "an attention module is no layer" "linear1.weight" "缺 linear1.weight" block --x x.npy --heads 2 --weights mha.npz
refused "nor on a tutorial's data" "Missing:" "缺" block --weights mha.npz
refused "an embedding is no attention" "no tensor is called token_embedding" "没有叫 token_embedding" embed --weights mha.npz
refused "a decoder layer is no encoder layer" "has 4 attention modules" "有 4 个注意力模块" block --x x.npy --weights decoder.npz
shows "and why" 65 "a decoder layer has two of them" block --x x.npy --weights decoder.npz --lang en
for lesson in loss "train step"; do # W_O is a vocabulary there
  # shellcheck disable=SC2086 # a command may be two words
  shows "$lesson: the projections of a module" 0 "not used here: out_proj.weight, out_proj.bias" \
    $lesson --x x.npy --weights mha.npz --quiet --lang en
done
refused "the names that tfx knows" "W_query/W_key/W_value" "tfx 认得的名字" multihead --x x.npy --weights bert_self.safetensors
shows "--draw-rest draws what is missing" 0 "W_O" multihead --x x.npy --weights bert_self.safetensors --draw-rest --lang en
shows "--draw-rest goes on without what is left over" 0 "not used here: bias_k, bias_v" \
  multihead --x x.npy --weights mha_bias_kv.npz --draw-rest --quiet --lang en
shows "--draw-rest needs weights" 2 "--weights" multihead --x x.npy --draw-rest --lang en
for lesson in qkv scores softmax attention sdpa masked multihead cross block loss "train step" "cache step"; do
  # shellcheck disable=SC2086 # a command may be two words
  run $lesson --x x.npy --weights mha_bias_kv.npz --lang en
  check "$lesson never reads half of a module" test "$status" = 65
done
run qkv --x x.npy --save own.npz --show W_Q --quiet
shows "tfx's own names: what is missing is drawn" 0 "W_K" qkv --x x.npy --weights own.npz --lang en

sed 's/"F32", "shape": \[8, 8\]/"F7x", "shape": [8, 8]/' opt.safetensors >type.safetensors
refused "a type that is not read" 'has the dtype "F7x"' "tfx 读不了" multihead --x x.npy --weights type.safetensors
sed 's/"F32", "shape": \[8, 8\]/"F7x", "shape": [8, 8]/' transformer_tied.safetensors >type.safetensors
refused "nor of a model" 'has the dtype "F7x"' "tfx 读不了" model --weights type.safetensors --heads 2 --src 1,2 --tgt 1,2

# --- whole models ----------------------------------------------------------------------------------------------------

tell() {
  local name=$1 what=$2 lesson
  for lesson in multihead block masked; do
    refused "$lesson: $name is told" "is $what" "是 $what" $lesson --x x.npy --weights "$(file "$name")"
  done
  [[ $name == gpt2 || $name == llama ]] || # which model reads
    refused "model: $name is told" "this is $what" "这是 $what" model --weights "$(file "$name")" --heads 2 --src 1,2 --tgt 1,2
  refused "cross --model: $name is told" "this is $what" "这是 $what" cross --model "$(file "$name")" --heads 2
  shows "inspect: $name is told" 0 "are those of $what" inspect "$(file "$name")" --lang en --width 200
}
tell gpt2 "GPT-2 (N = 2)"
tell llama "Llama (N = 1)"
tell bert "BERT (N = 1)"
tell t5 "T5 (N = 1)"
tell hyunwoongko_model "hyunwoongko/transformer (N = 1)"
tell jadore_model "jadore801120/attention-is-all-you-need-pytorch (N = 1)"
refused "a stack of layers" "is torch.nn.TransformerEncoder (N = 2) and has 2 attention modules: layers.0.self_attn" \
  "有 2 个注意力模块" multihead --x x.npy --weights encoder.npz
shows "how one is saved" 65 'np.savez("one.npz", **model.layers[0].state_dict())' block --x x.npy --weights encoder.npz --lang en
refused "a stack is no encoder-decoder" "this is torch.nn.TransformerEncoder (N = 2)" "这是 torch.nn.TransformerEncoder" \
  model --weights encoder.npz --heads 2 --src 1,2 --tgt 1,2
refused "nor is a decoder" "this is torch.nn.TransformerDecoder (N = 2)" "这是 torch.nn.TransformerDecoder" \
  model --weights decoder.npz --heads 2 --src 1,2 --tgt 1,2
refused "nor one attention module" "this is torch.nn.MultiheadAttention" "这是 torch.nn.MultiheadAttention" \
  model --weights mha.npz --heads 2 --src 1,2 --tgt 1,2
refused "a stack without a final norm" '"encoder.norm.weight" (8,) is missing' 'encoder.norm.weight" (8,)' \
  model --weights transformer_no_norm.npz --heads 2 --src 1,2 --tgt 1,2
refused "a missing bias by its own name" '"decoder.layers.1.linear2.bias" (8,) is missing' \
  'decoder.layers.1.linear2.bias' model --weights transformer_cut.npz --heads 2 --src 1,2 --tgt 1,2

# log_probs NAME: the model's are PyTorch's.
log_probs() {
  run model --weights "$(file "$1")" --heads 2 --src 1,2,3,4 --tgt 1,5,6 --quiet --show log_probs --save "$1.ours.csv"
  check "$1: reads" test "$status" = 0
  shows "$1: log_probs are PyTorch's" 0 "1 of 1 arrays are equal" diff "$1.ours.csv" "$1.output.npy" --rtol 1e-5 --atol 1e-5 --lang en
}
log_probs transformer_tied
log_probs transformer_no_bias
shows "no biases are said" 0 "its layers have no biases" cross --model transformer_no_bias.npz --heads 2 --quiet --lang en
for how in "model --weights" "cross --model" "decode --text 1 --model" "cache --text 1 --model"; do
  # shellcheck disable=SC2086 # words
  shows "$how: a table stored twice is said" 0 "are one table (tied)" $how transformer_tied.safetensors --heads 2 --lang en
done
shows "inspect counts it once" 0 "2,955 parameters" inspect transformer_tied.safetensors --lang en --width 200
shows "params counts it once" 0 "counted once" params gpt2.safetensors --lang en

finish
