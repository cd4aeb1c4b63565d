#!/usr/bin/env bash
# tfx model and tfx explain model: activations, patterns, files, refusals, widths.
#   tests/cli/model.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"
root=${self%/tests/*}
weights=$root/data/reference/model/layers-2.weights.safetensors

shows "the tutorial at full size" 0 "✓ 44,140,544 parameters" model --preset annotated --quiet --lang en
shows "in double" 0 "page = engine in every activation (within" model --preset toy --dtype f64 --quiet --lang en
shows "in Chinese" 0 "页面与引擎" model --preset toy --quiet --lang zh
shows "PyTorch's weights" 0 "✓ page = engine" model --weights "$weights" --src 1,2,3 --tgt 4,5 --quiet --lang en
shows "a batch with padding" 0 "2×2×4×4" model --preset toy --src "1,2,0,0;3,4,5,6" --tgt "1,2;3,4" --full
shows "post-norm and nn.LayerNorm" 0 "standard norm, norm last" model --preset toy --norm-last --norm standard --lang en
shows "a shape of one's own" 0 "d_ff = 24" model --d-model 6 --heads 3 --layers 1 --vocab 20 --src 19,1 --tgt 3 --lang en

# --- its quiz, its code, a question before each section --------------------------------------------------------------------

shows "questions about the trained model" 1 "tfx model: the whole encoder-decoder" quiz model --lang en
shows "one of them about its parts" 1 "Without which does the" quiz model --lang en
shows "in Chinese" 1 "去掉哪一个" quiz model --lang zh
shows "about another word" 1 "quiz model --text stop --seed 43" quiz model --text stop --lang en
shows "about a drawn model" 1 "quiz model --preset toy --seed 4" quiz model --preset toy --seed 3 --lang en
shows "a lesson's options are not the model's" 2 "--causal" quiz model --causal --lang en
printf '%s\n' "" decoder.layers.0.src_attn "" "" "" >"$work/answers"
"$tfx" quiz model --lang en <"$work/answers" >"$work/out"
check "the part that does most is right" grep -q "✓ Right: decoder.layers.0.src_attn" "$work/out"
shows "its code in NumPy" 0 "def encode(w, src, heads)" code model --in numpy
shows "and in PyTorch" 0 "class EncoderDecoder(nn.Module)" code model --in torch
run model --step --no-time --lang en
check "a question before each sublayer, and one about the parts" test "$(grep -c '^question ' "$work/out")" = 11
check "each with its answer, and once what will happen" test "$(grep -c '^answer ' "$work/out")" = 12 -a "$(grep -c '^think ' "$work/out")" = 1
grep -v '^question \|^answer ' "$work/out" | tr -s ' \n' '\n' | sort -u >"$work/stepped"
run model --no-time --lang en && sed -i "1s,  1/4\$,," "$work/out" # the page is the first of four
check "every word of the walk is there" test -z "$(comm -13 "$work/stepped" <(tr -s ' \n' '\n' <"$work/out" | sort -u))"
shows "not beside numbers alone" 2 "--step" model --step --quiet --lang en

# --- torch.nn.Transformer alone: layers, and nothing around them --------------------------------------------------------

layers=$root/data/reference/apart/torch-last.layers.safetensors ends=$root/data/reference/apart/torch-last.ends.safetensors
whole=$root/data/reference/model/torch-last.weights.safetensors
ids=(--src 1,2,3 --tgt 4,5)
shows "layers alone: the rest is drawn, and said to be" 0 "embeddings and generator, which it lacks, drawn" model --weights "$layers" --heads 2 "${ids[@]}" --lang en --width 200
shows "in Chinese" 0 "没有的嵌入与生成器随机取" model --weights "$layers" --heads 2 "${ids[@]}" --lang zh --width 200
shows "post-norm, nn.LayerNorm" 0 "standard norm, norm last" model --weights "$layers" --heads 2 "${ids[@]}" --lang en
shows "a vocabulary of one's own" 0 "vocabularies 20 and 30" model --weights "$layers" --heads 2 --src-vocab 20 --tgt-vocab 30 "${ids[@]}" --lang en
shows "on the page too" 0 "logits" explain model logits 0 3 --weights "$layers" --heads 2 "${ids[@]}" --seed 3
run model --weights "$layers" --embeddings "$ends" --heads 2 "${ids[@]}" --show log_probs --json --no-time
cp "$work/out" "$work/apart"
run model --weights "$whole" "${ids[@]}" --show log_probs --json --no-time
numbers_of() { grep -o '"data":.*' "$1"; }
check "with embeddings and generator of their own file it is the whole model" test "$(numbers_of "$work/apart")" = "$(numbers_of "$work/out")"
for language in en zh; do
  shows "layers alone do not show their heads ($language)" 2 "--heads 8" model --weights "$layers" "${ids[@]}" --lang $language
  shows "embeddings have a vocabulary ($language)" 2 "--vocab" model --weights "$layers" --embeddings "$ends" --vocab 5 --heads 2 "${ids[@]}" --lang $language
  shows "a whole model has its own ($language)" 2 "--embeddings" model --weights "$whole" --embeddings "$ends" "${ids[@]}" --lang $language
  shows "embeddings of nothing ($language)" 2 "--weights" model --embeddings "$ends" --lang $language
  shows "layers are no embeddings ($language)" 65 "src_embed.0.lut.weight" model --weights "$layers" --embeddings "$layers" --heads 2 --lang $language
done
shows "a file that is not there" 66 "missing.npz" model --weights "$layers" --embeddings missing.npz --heads 2 --lang en
shows "layers alone decode nothing" 65 "torch.nn.Transformer" decode --model "$layers" --text star --lang en
shows "in Chinese" 65 "没有嵌入，也没有生成器" decode --model "$layers" --text star --lang zh

# --- words, and what a part does ---------------------------------------------------------------------------------------

shows "without options, a trained model answers" 0 "The trained model reverse reads “s t a r”" model --lang en
shows "in Chinese" 0 "训练好的模型 reverse 读到“s t a r”" model --lang zh
shows "own words" 0 "target “<s> p o t s”" model --text stop --lang en --width 200
shows "words of another model, found by what it reads" 0 "<s> 二 十 一" model --text "twenty one" --lang en --width 200
shows "a target in words" 0 "Given the target “<s> a b”" model --weights reverse --src ab --tgt ab --lang en --width 200
shows "its loss" 0 "the mean of 3 tokens" model --weights reverse --src ab --tgt ab --lang en
shows "its gradient" 0 "✓ along one random" model --text ab --grad --quiet --lang en
shows "a word of it explained" 0 "log_probs[<s>, r]" explain model log_probs 0 20 --depth 0
shows "labels nobody said" 2 "--grad needs to know" model --text star --tgt 4,5 --grad --lang en
shows "words that no model reads" 2 "" model --text "the cat sat on 7" --lang en
shows "words of a drawn model" 2 "--preset draws one" model --preset toy --text star --lang en
shows "words for ids" 2 "says no words" model --weights "$weights" --text star --lang en
shows "a name nobody knows" 2 "did you mean reverse?" model --weights revers --lang en

shows "without a head" 0 "What changes without decoder.layers.1.src_attn.head.2" model --without decoder.layers.1.src_attn.head.2 --lang en
shows "in Chinese" 0 "去掉 memory，会怎样" model --without memory --lang zh
shows "alike" 0 "with uniform weights in encoder.layers.0.self_attn" model --uniform encoder.layers.0.self_attn --lang en --width 200
shows "both" 0 "without src_embed.pe, with uniform" model --without src_embed.pe --uniform decoder.layers.0.src_attn.head.0 --lang en --width 200
shows "a part of a drawn model" 0 "The mean probability" model --preset toy --without encoder.layers.1 --lang en
shows "a mistyped part" 2 "did you mean encoder.layers.0.self_attn?" model --without encoder.layers.0.self_atn --lang en
shows "a feed-forward layer has no weights" 2 "--uniform: the model has no part" model --uniform encoder.layers.0.feed_forward --lang en
shows "what changes and what each part contributes" 0 "What changes" model --without memory --ablate --lang en
check "both" grep -q "What each part contributes" "$work/out"
run model --without memory --json --no-time
check "--json has what changes" grep -q '"name":"intervention","columns":\["right","p","other","p_other"\]' "$work/out"
run model --json --no-time
check "--json has every head's part" grep -q '"name":"ablation","columns":\["all","head 0","head 1","head 2","head 3"\]' "$work/out"
run model --preset toy --lang en
check "a drawn model's heads mean nothing" test "$(grep -c 'What each part' "$work/out")" = 0
shows "unless asked" 0 "What each part contributes" model --preset toy --ablate --lang en
shows "too large an ablation" 2 "--ablate runs the model once" model --preset small --layers 60 --src "$(seq -s , 1 10),$(seq -s , 1 10)" --tgt "$(seq -s , 1 10),$(seq -s , 1 10)" --ablate --lang en

for side in encoder decoder; do
  run model "$side" --preset annotated --lang en --no-time
  check "the first and the last layer of the $side" test "$(grep -c "^── $side.layers\.[05]\.feed_forward" "$work/out")" = 2 -a "$(grep -c '^── .*layers\.[1-4]\.' "$work/out")" = 0
done
run model --preset annotated --full --lang en --no-time
check "--full: all" test "$(grep -c '^── .*\.feed_forward' "$work/out")" = 12

# one_of NAME PATTERN COUNT: --show prints so many tensors.
one_of() {
  run model --preset toy --show "$2" --json --no-time
  check "--show $2" test "$status" = 0 -a "$(grep -o '"dtype":"float32"' "$work/out" | wc -l)" = "$3"
}
one_of "a name" memory 1
one_of "an end" weights 6
one_of "a beginning" encoder.layers.1 12
one_of "a pattern" "decoder.layers.*.src_attn.w*s" 2
one_of "two of them" "logits,log_probs" 2
shows "a near miss" 2 "did you mean memory?" model --preset toy --show memroy --lang en

loss=(model --preset toy --src "1,2,3;4,5" --tgt "1,2;3" --labels "2,3;4" --smoothing 0.1)
shows "the loss of labels" 0 "the mean of 3 tokens" "${loss[@]}" --lang en
shows "its gradient" 0 "✓ along one random" "${loss[@]}" --grad --quiet --lang en
shows "in double" 0 "✓ along one random" "${loss[@]}" --grad --dtype f64 --norm-last --norm standard --quiet --lang en
shows "in Chinese" 0 "梯度 = 中心差分" "${loss[@]}" --grad --quiet --lang zh
run "${loss[@]}" --grad --json --no-time
check "a gradient for every parameter" test "$(grep -o '"name":"d\.[a-z]' "$work/out" | wc -l)" = 92
check "and the loss" grep -q '"name":"loss"' "$work/out"
shows "one of them" 0 "d.generator.proj.bias" "${loss[@]}" --grad --show d.generator.proj.bias --lang en
shows "a label too few" 2 "--labels needs a row" model --preset toy --src 1,2 --tgt 1,2 --labels 3 --lang en
shows "a label too many" 2 "--labels needs a row" model --preset toy --src 1,2 --tgt 1,2 --labels 3,4,5 --lang en
shows "labels of padding alone" 2 "at least one label" model --preset toy --src 1,2 --tgt 1,2 --labels 0,0 --lang en
shows "a label beyond the vocabulary" 2 "--labels has the id 11" model --preset toy --src 1,2 --tgt 1,2 --labels 3,11 --lang en
shows "a gradient without labels" 2 "--labels" model --preset toy --grad --lang en
shows "a smoothing of 1" 2 "--smoothing" model --preset toy --src 1 --tgt 1 --labels 2 --smoothing 1 --lang en

run model --preset toy --json --no-time
cp "$work/out" "$work/first"
env LC_ALL=zh_CN.UTF-8 OPENBLAS_NUM_THREADS=2 "$tfx" model --preset toy --json --no-time >"$work/second"
check "--json is the same everywhere" cmp -s "$work/first" "$work/second"
check "--json has the contract's names" test "$(grep -oE '"name":"(src_embed|memory|decoder.output|logits|log_probs|encoder.layers.0.self_attn.(Q|K|V|scores|weights|output)|decoder.layers.1.feed_forward.(hidden|output)|decoder.layers.1.sublayer.2.(norm|output))"' "$work/first" | wc -l)" = 15
"$tfx" model --preset toy --threads 1 --json --no-time >"$work/one"
"$tfx" model --preset toy --threads 2 --json --no-time >"$work/two"
check "one thread = two threads" cmp -s "$work/one" "$work/two"

for kind in npz safetensors; do
  shows "--save-weights as $kind" 0 "log_probs" model --preset toy --seed 7 --save-weights "again.$kind"
  extra=()
  if [[ $kind == npz ]]; then extra=(--heads 2); fi
  "$tfx" model --preset toy --seed 7 --show log_probs --json --no-time >"$work/drawn"
  "$tfx" model --weights "again.$kind" "${extra[@]}" --show log_probs --json --no-time >"$work/loaded"
  check "a round trip through $kind" test "$(grep '"tensors"' "$work/drawn" | wc -c)" -gt 500 -a \
    "$(grep '"tensors"' "$work/drawn")" = "$(grep '"tensors"' "$work/loaded")"
  "$tfx" model --weights "again.$kind" "${extra[@]}" --save-weights "twice.$kind" --quiet >/dev/null
  check "loaded and saved, the same bytes ($kind)" cmp -s "again.$kind" "twice.$kind"
done
shows "--save" 0 "" model --preset toy --save run.npz --quiet
check "--save keeps float32" test "$(wc -c <run.npz)" -lt 60000

shows "a cell of the model" 0 "(-1.1206)·(-0.201)" explain model decoder.layers.1.src_attn.scores 0 1 2 --preset toy
shows "down to the embedding" 0 "src_embed.0.lut.weight" explain model src_embed.rows 0 1 --preset toy
shows "of a file" 0 "ln softmax(logits[0, :])[3]" explain model log_probs 0 3 --weights "$weights" --src 1,2,3 --tgt 4,5

grad=(--preset toy --src 1,2 --tgt 1,2 --labels 2,3 --grad)
shows "a gradient's cell" 0 "d.generator.proj.bias[3] = Σ dlogits" explain model d.generator.proj.bias 3 "${grad[@]}"
shows "of a weight as the state_dict has it" 0 "·memory[:," explain model d.decoder.layers.0.src_attn.linears.1.weight 0 1 "${grad[@]}" --depth 0
shows "of words" 0 "src = " explain model d.src_embed.0.lut.weight 20 0 --text star --grad --depth 0
run model --dtype f64 "${grad[@]}" --show d.encoder.layers.0.feed_forward.w_1.weight --json --no-time
cell=$(grep -o '"data":\[\[[^,]*,[^,]*,[^,]*' "$work/out" | sed 's/.*,//' | cut -c1-8)
run explain model d.encoder.layers.0.feed_forward.w_1.weight 0 2 "${grad[@]}" --depth 0 --json
check "it is the engine's ($cell)" grep -q "\"value\": *${cell}" "$work/out"
shows "no gradient without labels" 2 "--labels" explain model dlogits 0 0 --preset toy --grad --lang en
run model --preset toy --show decoder.layers.0.src_attn.scores --json --no-time
check "--json says how" grep -q '"formula":"decoder.layers.0.src_attn.Q·decoder.layers.0.src_attn.Kᵀ","how":{"op":"matmul_transposed"' "$work/out"

shows "options in front" 0 "(-1.1206)·(-0.201)" explain --depth 0 model decoder.layers.1.src_attn.scores 0 1 2 --preset toy
shows "a lesson on the text model" 0 "scores[model, model]" explain scores scores 0 0 --text model --d-model 3
shows "a lesson on the text model, in front" 0 "scores[model, model]" explain --text model scores scores 0 0 --d-model 3

# --- wired wrongly ---------------------------------------------------------------------------------------------------

shows "the mistakes" 0 "model.tied_to_source" break model --lang en
shows "one of them, noticed" 0 "改法" break model --with model.no_causal_mask --lang zh
run model --preset toy --src 1,2,3,4,0,0 --tgt 5,4,3,2,1,0 --dtype f64 --save right.npz --quiet
shows "an own run, right" 0 "" check model right.npz --lang en
run break model --with model.causal_encoder --json
shows "a lesson's option that the model has not" 2 "--text" break model --text star --lang en

# --- refusals --------------------------------------------------------------------------------------------------------

shows "the code of bench" 2 "has nothing of bench" code bench --lang en
shows "a cell of bench" 2 "has nothing of bench" explain bench x 0 --lang en
shows "no heads in an npz" 2 "--heads" model --weights again.npz
shows "weights and a shape" 2 "--d-model has no use beside --weights" model --weights "$weights" --d-model 8 --lang en
shows "rows that do not pair" 2 "--src has 2 rows, --tgt has 1" model --preset toy --src "1;2" --tgt 1 --lang en
shows "an id beyond the vocabulary" 2 "--src has the id 11" model --preset toy --src 1,11 --tgt 1
for ids in "" "1,,2" "1,2," "-1" "01" "1.5" "a" "1;" "99999999999"; do
  shows "--src '$ids'" 2 "--src" model --preset toy --src "$ids" --tgt 1
done
explained=(explain model src_embed.rows 0 0 --preset toy --lang en)
for id in 4000000000 999 11; do
  shows "explained: an id $id beyond the vocabulary" 2 "--src has the id $id" "${explained[@]}" --src "$id"
done
shows "explained: one of the target" 2 "--tgt has the id 99" "${explained[@]}" --src 1 --tgt 99
shows "explained: padding beyond it" 2 "--pad-id has the id 99" "${explained[@]}" --pad-id 99
shows "heads that do not divide" 2 "heads do not divide" model --d-model 6 --heads 4 --lang en
shows "both placements" 2 "--norm-last and --norm-first contradict" model --norm-first --norm-last --lang en
shows "a preset nobody knows" 2 "toy|tiny|small|base|copy-task|annotated" model --preset huge
shows "a model beyond memory" 71 "the model needs about" model --d-model 1000000 --heads 1
shows "a file that is none" 66 "missing.npz" model --weights missing.npz
shows "a sequence too long" 2 "5000" model --preset toy --src "$(seq -s , 5001 | sed 's/[0-9]*/1/g')" --tgt 1

# --- width -----------------------------------------------------------------------------------------------------------

for width in 40 60 80 200; do
  run model --preset toy --ascii --width "$width" --lang en
  widest=$(awk '{ if (length > n) n = length } END { print n }' "$work/out")
  check "at $width columns" test "$widest" -gt 0 -a "$widest" -le "$width"
  check "--ascii at $width columns" test "$(LC_ALL=C tr -d '\n -~' <"$work/out" | wc -c)" = 0
done
# Weights are written when everything else that was asked for is there.
for arguments in "--save page.txt" "nosuch" "--show nosuch" "--roles --save page.csv"; do
  # shellcheck disable=SC2086 # the options are words
  run model $arguments --weights reverse --save-weights "$work/early.safetensors"
  check "model $arguments: refused before weights are written" test "$status" = 2 -a ! -e "$work/early.safetensors"
done
run model --roles --weights reverse --save-weights "$work/late.safetensors"
check "with what is there they are" test "$status" = 0 -a -s "$work/late.safetensors"

finish
