#!/usr/bin/env bash
# Every check that a shipped model's page shows holds on ordinary texts, 500 for each model: what it was trained on,
# longer texts, words alone, nonsense. On each text "model", "decode" and a lesson on the model's numbers.
#   tests/extended/ordinary_texts.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"
root=${self%/tests/*}
lessons=(words qkv scores softmax attention sdpa masked multihead cross embed block "cache step" cache)

# texts MODEL: one a line.
texts() {
  case $1 in
    en-zh)
      cut -f1 "$root/data/sentences/en-zh.tsv"
      cut -f1 "$root/data/sentences/en-zh.tsv" | paste -d' ' - - -
      cut -f1 "$root/data/sentences/en-zh.tsv" | tr -cs "A-Za-z'-" '\n' | sort -u
      printf '%s\n' photosynthesis 1234567890123456789012345 "I love you." red "ONE TWO THREE" "a-b-c-d-e-f-g-h"
      ;;
    *)
      "$root/tools/reference/make_pairs.sh" "$1" 350 | cut -f1
      local glue=' '
      if [[ $1 == reverse ]]; then glue=''; fi
      "$root/tools/reference/make_pairs.sh" "$1" 300 | cut -f1 | paste -d "${glue:-\\0}" - -
      ;;
  esac | grep -v '^ *$' | awk -v want=500 '{ line[NR] = $0 } END { # the beginning, the middle and the end alike
      for (i = 0; i < want; ++i) print line[int(i * NR / want) + 1] }'
}

for model in reverse numbers-zh en-zh; do
  number=0 before=$failed
  while IFS= read -r text; do
    lesson=${lessons[number++ % ${#lessons[@]}]}
    for page in "model --weights $model" "decode --model $model" "$lesson --model $model"; do
      read -ra arguments <<<"$page"
      run "${arguments[@]}" --text "$text" --lang en
      if ((status != 0)); then
        not_ok "tfx $page" "status $status for \"$text\": $(grep -m 2 '✗' "$work/out") $(head -n 1 "$work/err")"
      fi
    done
  done < <(texts "$model")
  check "500 texts for $model" test "$number" = 500 -a $failed = "$before"
  count "texts to $model, each checked on three pages" $number
done

finish
