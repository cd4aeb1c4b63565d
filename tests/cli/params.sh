#!/usr/bin/env bash
# tfx params: its totals, its JSON, its refusals, its widths.
#   tests/cli/params.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

presets=(toy tiny small base copy-task annotated attention-block annotated-listing transformer-base transformer-big bert-base bert-large gpt2 gpt2-medium
  gpt2-large gpt2-xl llama-7b resnet18)

command=(params)

for preset in "${presets[@]}"; do
  for width in 40 80 200; do
    run params "$preset" --width "$width" --ascii --lang en # a byte is a column
    check "$preset at $width columns" test "$status" = 0 -a -s "$work/out"
    widest=$(awk '{ if (length > n) n = length } END { print n }' "$work/out")
    check "$preset stays within $width columns" test "$widest" -le "$width"
  done
  if LC_ALL=C grep -q '[^ -~]' "$work/out"; then not_ok "$preset --ascii" "other characters"; else ok "$preset --ascii"; fi
done
for by in module layer tensor; do shows "--by $by" 0 "59,510,544" annotated --vocab 10000 --by "$by"; done
shows "gpt2's total" 0 "124,439,808" gpt2
shows "a shape of one's own" 0 "total" --layers 2 --d-model 64 --heads 4 --src-vocab 100 --tgt-vocab 90
shows "several side by side" 0 "1,557,611,200" gpt2 gpt2-xl bert-base
shows "f16 halves the weights" 0 "weights 249 MB" gpt2 --dtype f16
"$tfx" model --preset toy --save-weights toy.safetensors >/dev/null
shows "a file" 0 "what a model holds" toy.safetensors
shows "a file beside a preset" 0 "toy.safetensors" toy.safetensors gpt2
"$tfx" params gpt2 --no-time --json >"$work/json"
check "the total at the top" grep -q '^  "total": 124439808,$' "$work/json"
check "exact integers" grep -q '"macs":16114089984,' "$work/json"

shows "a shipped model" 0 "generator" numbers-zh

# --- a row in 8 bits -------------------------------------------------------------------------------------------------

# numbers KEY: of the row in the JSON, one a line.
numbers() { grep '^  "int8"' "$work/out" | grep -o "\"$1\":[^,}]*" | cut -d: -f2; }

shows "a row in 8 bits" 0 "Row 3: max |w| = " numbers-zh --int8 generator.proj.weight --row 3
shows "and its check" 0 "no number of the matrix is farther off" numbers-zh --int8 generator.proj.weight
run params numbers-zh --int8 generator.proj.weight --row 3 --json
check "as many numbers as the row is long" test "$(numbers weight | wc -l)" = 80
check "q is w / scale, rounded, q·scale is held, and the error what is between" awk -v scale="$(numbers scale)" '
  BEGIN { step = scale / 2 * 1.0001 }
  { wrong += ($2 - $1 / scale) ^ 2 > 0.25003 || ($3 - $2 * scale) ^ 2 > 1e-14 || ($4 - ($3 - $1)) ^ 2 > 1e-16 || $4 > step || -$4 > step }
  END { exit !(NR == 80 && wrong == 0) }' <(paste <(numbers weight) <(numbers q) <(numbers held) <(numbers error))
check "19 rows of 80 numbers, and their scales" test "$(numbers bytes | tr '\n' ' ')" = "6080 3040 1596 "
run params toy.safetensors --int8 generator.proj.weight --json
check "of one's own file" test "$(numbers weight | wc -l)" = 8
shows "what has no numbers" 2 "gpt2 is counted from its sizes" gpt2 --int8 wte.weight
shows "nor has the default" 2 "annotated is counted from its sizes" --int8 generator.proj.weight
shows "a mistyped matrix" 2 "did you mean generator.proj.weight" numbers-zh --int8 generator.proj.wieght
shows "a vector is no matrix" 2 'has no matrix "generator.proj.bias"' numbers-zh --int8 generator.proj.bias
shows "a row beyond the last" 2 "--row takes" numbers-zh --int8 generator.proj.weight --row 19
shows "--row alone" 2 "--row" numbers-zh --row 1
shows "one model at a time" 2 "contradict" numbers-zh reverse --int8 generator.proj.weight
printf '1e39,1\n2,3\n' >huge.csv
"$tfx" scores --x huge.csv --quiet --save huge.npz >/dev/null 2>&1
shows "what a float cannot hold" 65 "infinite or NaN" huge.npz --int8 X

# --- a published model by its configuration ---------------------------------------------------------------------------

configs=${self%/cli/*}/architecture/configs
total() { "$tfx" params "$@" --json --no-time | sed -nE 's/^  "total": ([0-9]+),/\1/p'; }

cp "$configs/llama-3-8b.json" config.json
check "a configuration" test "$(total config.json)" = 8030261248
check "a folder with one" test "$(total .)" = 8030261248
shows "from a pipe" 0 "8,030,261,248" <(cat config.json)
for width in 40 80 200; do
  for lang in en zh; do
    run params config.json --width "$width" --lang "$lang"
    check "a configuration at $width columns in $lang" test "$status" = 0 -a -s "$work/out"
  done
done
run params config.json --lang en --width 80
check "its total stands within the first 24 rows" grep -q '^total  *8,030,261,248' <(head -24 "$work/out")
shows "its defaults" 0 "as LlamaConfig has it: head_dim = 128, mlp_bias = false" config.json --width 200 --lang en
shows "its cache" 0 "2·N·d_kv = 65,536 numbers a token, 131,072 bytes in bf16; 8,192 tokens take 1.07 GB" config.json --dtype bf16 --width 200 --lang en
shows "and that without groups" 0 "32 heads share 8 of keys and values; with one each it would be 4.29 GB, 4 times as much" config.json --dtype bf16 --width 200 --lang en
shows "in Chinese" 0 "按 LlamaConfig 的默认值取的：head_dim = 128, mlp_bias = false" config.json --width 200 --lang zh
shows "options change it" 0 "d_kv = 4·128" config.json --kv-heads 4 --lang en --width 200
shows "another class is named" 0 'architectures says "BertForMaskedLM"; what is counted is BertModel' "$configs/bert-base-uncased.json" --width 200 --lang en
shows "stacks of two depths" 0 "6 layers of the encoder and 2 of the decoder" <(sed 's/^{/{"num_decoder_layers": 2,/' "$configs/t5-small.json") --lang en --width 200
shows "side by side" 0 "124,439,808" config.json gpt2
run params config.json --json --no-time
check "JSON has the cache" grep -q '"kv_cache":{"heads":8,"numbers_of_a_token":65536,' "$work/out"
check "and the defaults" grep -q '"defaults":\[{"field":"head_dim","value":"128"},{"field":"mlp_bias","value":"false"}\]' "$work/out"
run params gpt2 --json --no-time
check "a preset has none" grep -q '"config":null,"index":null' "$work/out"

"$tfx" params config.json --json --no-time >counted.json

# index NAME…: an index of these names besides those of config.json, of 2 bytes a parameter.
index() {
  tr '{' '\n' <counted.json | sed -nE 's/^"name":"([^"]+\.weight)","shape".*/\1/p' | sort -u |
    awk -v bytes=$((8030261248 * 2)) -v more="$*" '
      BEGIN { printf "{\"metadata\": {\"total_size\": %s}, \"weight_map\": {", bytes }
      { printf "%s\"%s\": \"%d.safetensors\"", (NR > 1 ? "," : ""), $0, NR % 4 }
      END { n = split(more, names, " "); for (i = 1; i <= n; ++i) printf ",\"%s\": \"0.safetensors\"", names[i]; print "}}" }'
}
index >model.safetensors.index.json
shows "an index beside it" 0 "291 tensors in 4 files, 16,060,522,496 bytes, exactly 2 a parameter" config.json --width 200 --lang en
shows "its names are the model's" 0 "every tensor of the blueprint: 291 names agree" config.json --width 200 --lang en
shows "the index alone" 0 "nothing is counted. All of them take 16,060,522,496 bytes" model.safetensors.index.json --width 200 --lang en
shows_match "by tensor" 0 "lm_head.weight +[0-3].safetensors" model.safetensors.index.json --by tensor
run params model.safetensors.index.json --json
check "JSON of an index" grep -q '"total":null,"index":{"file":"model.safetensors.index.json","bytes":16060522496,"files":4,' "$work/out"
shows "an index beside a preset" 2 "no shapes" model.safetensors.index.json gpt2
shows "an option beside an index" 2 "--seq has no use" model.safetensors.index.json --seq 5
index model.layers.0.self_attn.rotary_emb.inv_freq >model.safetensors.index.json
shows "a name that only the index has" 0 'that this model has not (1), such as "model.layers.0.self_attn.rotary_emb.inv_freq"' config.json --width 200 --lang en
index | sed 's/"lm_head.weight"/"head.weight"/' >model.safetensors.index.json
shows "a name that it lacks" 1 'It lacks tensors of this model (1), such as "lm_head.weight"' config.json --width 200 --lang en
sed 's/^{/{"quantization_config": {"bits": 4},/' config.json >quantized.json
shows "unless its weights are kept in fewer bits" 0 "kept in fewer bits (quantization_config)" quantized.json --width 200 --lang en
echo '{' >model.safetensors.index.json
shows "a damaged index" 65 "model.safetensors.index.json: byte" config.json
rm model.safetensors.index.json

echo '{"model_type": "gemma2", "hidden_size": 2304}' >x.json
shows "another family by name" 65 'x.json: tfx does not count the model_type "gemma2"' x.json
grep -v num_attention_heads config.json >x.json
shows "a missing size" 65 "x.json: num_attention_heads is missing" x.json
for value in 0 -32 32.0 '"32"' null 1e400 99999999999999999999 true '[32]'; do
  sed -E "s/(\"num_attention_heads\": )32/\1$value/" config.json >x.json
  run params x.json
  check "$value heads" test "$status" = 65
done
sed -E 's/(hidden_size|vocab_size|intermediate_size|num_attention_heads|head_dim|num_key_value_heads)": [0-9]+/\1": 1000000000/' config.json >x.json
shows "sizes that no count holds" 71 "a count of about" x.json
shows "no such configuration" 66 "gone.json" gone.json
mkdir empty
shows "a folder without one" 66 "empty holds neither config.json nor" empty
shows "8 bits of a configuration" 2 "is counted from its sizes" config.json --int8 wte.weight

shows "grouped keys" 0 "d_kv = 4·64" gpt2 --kv-heads 4
shows "rotary positions have no table" 0 "123,653,376" gpt2 --positions rotary
shows "no biases" 0 "124,356,864" gpt2 --no-bias
shows "a gate" 0 "152,788,224" gpt2 --gated
shows "all at once" 0 "142,444,800" gpt2 --kv-heads 4 --positions rotary --no-bias --gated
shows "of one's own shape" 0 "2·d·d_kv" --layers 2 --d-model 64 --heads 4 --kv-heads 2 --positions learned --gated --width 200
shows "heads that cannot share" 2 "12 heads cannot share 5" gpt2 --kv-heads 5
shows "images have no heads" 2 "--kv-heads has no use for resnet18" resnet18 --kv-heads 2
shows "T5 has positions of its own" 2 "--positions has no use" "$configs/t5-small.json" --positions learned

shows "a near miss" 2 "did you mean gpt2" gpt3
shows "an unknown model" 2 "attention-block" nonsense
shows "no such file" 66 "gone.npz" gone.npz
shows "heads divide the width" 2 "5 heads do not divide d_model 512" --heads 5
shows "a sequence beyond the context" 2 "more than gpt2 can read: 1024" gpt2 --seq 1025
shows "a target beyond the context" 2 "--tgt-seq 6000" --tgt-seq 6000
shows "an option without use" 2 "--seq has no use for resnet18" resnet18 --seq 5
shows "an option beside a file" 2 "--layers has no use" toy.safetensors --layers 2
shows "tied needs one vocabulary" 2 "--tied needs one vocabulary" --tied --src-vocab 5
shows "an overflow" 71 "a count of about" --d-model 1000000000 --heads 1 --vocab 1000000000 --layers 1000 --batch 1000000000
for number in -5 010 nan 1e99 3x 0; do shows "--batch $number" 2 "--batch takes a whole number" gpt2 --batch "$number"; done

# --- a page of it ----------------------------------------------------------------------------------------------------

shows "is saved" 0 "total" gpt2 --by layer --save page.html
check "under the command that shows it" grep -q '<code>tfx params gpt2 --by layer' page.html
check "with its rows" grep -q 'h\.11' page.html
run params gpt2 --json --save page.json
check "or as its JSON" cmp -s page.json "$work/out"
shows "no other name" 2 "does not know what to write" gpt2 --save page.npz
mkdir model
cp "$configs/llama-3-8b.json" model/config.json
shows "not over what it reads" 2 "--save would write over model/config.json, which MODEL names" model --save model/config.json
check "which stays" cmp -s "$configs/llama-3-8b.json" model/config.json
ln -s model/config.json link.json
shows "nor through a link" 2 "--save would write over model/config.json" model --save link.json
shows "beside it" 0 "8,030,261,248" model --save model/page.json

finish
