#!/usr/bin/env bash
# Every message that a learner can meet is in the learner's language: wrong command lines of every command under
# --lang zh, none of which leaves an English sentence. Files and lessons' options are tried by bad_input.sh.
#   tests/cli/learners_language.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

tried=0
# zh ARGUMENT…: refused, with a message in Chinese and nothing in English.
zh() {
  run "$@" --lang zh
  tried=$((tried + 1))
  local english
  english=$(cat "$work/err" "$work/out" | grep -v '^ *"' >"$work/said"; english_in "$work/said")
  if ((status < 2)); then
    not_ok "$(name_of "$@")" "is not refused: status $status"
  elif [[ -n $english ]]; then
    not_ok "$(name_of "$@")" "says in English: $english"
  elif ! grep -qP '\p{Han}' "$work/err"; then
    not_ok "$(name_of "$@")" "has no Chinese: $(head -c 300 "$work/err")"
  else
    ok "$(name_of "$@")"
  fi
}

"$tfx" softmax --save run.npz --quiet >/dev/null
"$tfx" model --preset toy --src "1,2" --tgt "1" --save-weights model.safetensors >/dev/null 2>&1
"$tfx" train --task copy --preset tiny --steps 2 --out trained.safetensors --quiet >/dev/null 2>&1
printf 'a b\n' >no_tab.tsv
printf 'a\tb\tc\n' >three.tsv
printf 'a\t\n' >blank.tsv
printf 'a\tb\n\nc\td\n' >gap.tsv
printf 'one\tuno\n' >one.tsv
printf '1,2\n3,4\n' >2x2.csv
printf '1,2,3\n4,5,6\n' >2x3.csv
printf '1,-1\n0,1\n' >mask.csv
printf 'x\n' >text.npz
: >empty.npy

# The walk of the command line.
zh scors
zh scores extra
zh scores --tekst a
zh scores --text
zh scores --text a --text b
zh scores --causal
zh masked --causal=yes
zh --text a scores
zh code
zh code foo
zh code scores --in rust
zh scores --precision 99
zh scores --color purple
zh scores --tutorial foo
zh words --tutorial scaled-dot-product
zh scores --show Z
zh scores --save x.doc
zh scores --full --json
zh block --norm-first --norm-last
zh cross --source a --n-k 2
# What a lesson runs on.
zh scores --text ""
zh scores --text "$(printf 'a\xff')"
zh scores --words 2x2.csv --x 2x2.csv
zh scores --tutorial annotated --text a
zh scores --text a --q 2x2.csv
zh scores --text a --n-q 3
zh scores --x 2x2.csv --d-model 3
zh sdpa --q 2x2.csv --n-q 3
zh sdpa --q 2x2.csv --k 2x3.csv
zh sdpa --k 2x2.csv --v 2x3.csv --n-k 3
zh sdpa --d-model 4 --q 2x2.csv
zh multihead --d-model 4 --heads 3
zh multihead --d-k 2
zh masked --text "a b" --pad 3
zh masked --text "a b" --mask mask.csv
zh masked --mask 2x3.csv --text "a b c"
zh scores --x 2x2.csv --weights run.npz
zh scores --x missing.csv
zh scores --x empty.npy
zh scores --x text.npz
zh scores --x .
zh scores --x 2x2.csv --text "a b c"
zh cross --source ""
zh loss --labels 1 --text "a b"
zh loss --logits 2x2.csv
zh loss --logits 2x2.csv --labels 7,1
zh loss --logits 2x2.csv --labels 0,1 --text a
zh loss --logits 2x2.csv --labels "0,1" --pad-id 0 --smoothing 0.1
zh loss --logits 2x2.csv --labels "1;2"
zh loss --logits 2x2.csv --labels -100,-100
zh block --norm annotated --d-model 1
zh softmax --n-q 1000000
zh scores --save /proc/x.npz
zh scores --save no/such/folder/x.npz
# Beside the lessons.
zh explain scores Z 0 0
zh explain scores scores 0
zh explain scores scores 9 9
zh explain scores scores a b
zh explain foo
zh explain train
zh break scores --with foo
zh break bench
zh check scores missing.npy
zh check scores run.npz --tensor Z
zh check scores 2x2.csv --require Z
zh quiz foo
zh quiz bench
zh quiz --count 0
zh errata foo
zh errata --only foo
zh reset foo
zh diff run.npz missing.npz
zh inspect missing.npz
zh score --model reverse
zh score --model reverse --pairs no_tab.tsv
zh score --model numbers-zh --pairs one.tsv
zh score --pairs one.tsv --save x.npz
zh inspect run.npz Z
zh inspect text.npz
zh report x.txt
zh report x.html --tutorial foo
zh verify foo
zh doctor foo
zh list foo
# The engine.
zh model --preset foo
zh model --src 1 --tgt 99999999
zh model --src "" --tgt 1
zh model --src 1 --tgt 1 --d-model 6 --heads 4
zh model --src 1 --tgt 1 --weights missing.npz
zh model --src 1 --tgt 1 --weights run.npz
zh model --src 1 --tgt 1 --weights text.npz
zh model --src 1 --tgt 1 --weights model.safetensors --d-model 8
zh model --src 1 --tgt 1 --show foo
zh model --src "1;2" --tgt 1
zh model --src 1 --tgt 1 --labels 1,2
zh model --src 1 --tgt 1 --save-weights x.csv
zh params foo
zh params gpt2 --seq 9999999
zh params --d-model 7 --heads 2
zh params missing.npz
zh params text.npz
zh train --task foo
zh train --preset foo
zh train --pairs missing.tsv
zh train --task pairs
zh train --task copy --pairs one.tsv
zh train --pairs no_tab.tsv
zh train --pairs three.tsv
zh train --pairs blank.tsv
zh train --pairs gap.tsv
zh train --pairs one.tsv --src-tokens ids
zh train --task copy --src-tokens words
zh train --resume missing.safetensors
zh train --resume run.npz
zh train --resume model.safetensors
zh train --resume trained.safetensors --d-model 3
zh train --task copy --preset tiny --d-model 10 --heads 4
zh train --out x.doc --steps 1
zh train --steps 0
zh train --lr nan
zh train --steps 2 --batch 1 --shuffle-targets
zh decode --model foo --text a
zh decode --model reverse --text ""
zh decode --model reverse --text "漢"
zh decode --model numbers-zh --text "onne"
zh decode --model run.npz --text a
zh decode --model model.safetensors --text "one"
zh decode --model missing.npz --text a
zh decode --model reverse --text abc --beam 0
zh decode --model reverse --text abc --beam 2 --temperature 1
zh decode --model reverse --text abc --length-penalty 1
zh decode --model reverse --text abc --max-tokens 100000000
zh decode --model reverse --file no_such.txt
zh decode --model reverse --file one.tsv
zh cache --model reverse --text "漢"
zh cache --model foo
zh bench foo
zh bench attention --seq 0
zh bench attention --d-model 10 --heads 3
zh bench attention --preset foo
zh bench attention --seq 1000000000
zh bench model --causal
zh bench --inputs missing.npz
check "$tried wrong command lines" test "$tried" -ge 130

# A score and the points of a program have one name; a tutorial's own words are quoted.
root=${self%/tests/*}
check "they are 得分" test -z "$(grep -rh --include=*zh.md 分数 "$root"/src "$root"/lessons "$root"/docs | grep -vE '部分数|百分数|叫作注意力分数')"

finish
