#!/usr/bin/env bash
# Pairs of the tasks reverse and numbers-zh by their rules, for tfx score: what docs/decoding.md measures on. The draws
# are the script's own (a Lehmer generator, exact in doubles), so any awk gives the same lines, and no batch of a training
# is asked: about one pair in ten is of those that are held out there.
#   tools/reference/make_pairs.sh reverse|numbers-zh COUNT >FILE.tsv
set -eu
if [[ ${1-} != reverse && ${1-} != numbers-zh || ! ${2-} =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: $0 reverse|numbers-zh COUNT" >&2
  exit 2
fi
LC_ALL=C awk -v task="$1" -v count="$2" '
  function draw(n) { state = state * 16807 % 2147483647; return int(state / 2147483647 * n) } # 0 … n − 1

  # Half of the numbers are said with "and".
  function hundreds(n, with_and,    text, rest) {
    text = n > 99 ? word[int(n / 100)] " hundred" : ""
    rest = n % 100
    if (rest == 0) return text
    if (text != "") text = text (with_and ? " and " : " ")
    return text (rest < 20 ? word[rest] : ten[int(rest / 10)] (rest % 10 ? " " word[rest % 10] : ""))
  }
  function english(n, with_and,    text, last) {
    if (n >= 1000000) text = hundreds(int(n / 1000000), with_and) " million"
    if (n % 1000000 >= 1000) text = text (text == "" ? "" : " ") hundreds(int(n % 1000000 / 1000), with_and) " thousand"
    last = n % 1000
    if (last == 0) return text
    return text (text == "" ? "" : last < 100 && with_and ? " and " : " ") hundreds(last, with_and)
  }

  # Every digit with its unit, each zero as 零; then the zeros are struck out that nobody says.
  function chinese(n,    digits, text, i, d) {
    digits = sprintf("%09d", n)
    for (i = 1; i <= 9; ++i) {
      d = substr(digits, i, 1) + 0
      text = text (d ? digit[d] unit[i] : digit[0])
      if (i == 5 && substr(digits, 2, 4) != "0000") text = text "万"
    }
    gsub("(零)+", "零", text)
    gsub("零万", "万", text)
    sub("^零", "", text)
    sub("零$", "", text)
    gsub("二千", "两千", text)
    sub("^二亿", "两亿", text)
    if (substr(digits, 2, 4) == "0002") sub("二万", "两万", text)
    sub("^一十", "十", text)
    return text
  }

  BEGIN {
    state = 42
    split("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen " \
          "eighteen nineteen", word, " ")
    split("ten twenty thirty forty fifty sixty seventy eighty ninety", ten, " ")
    split("一 二 三 四 五 六 七 八 九", digit, " ")
    digit[0] = "零"
    split("亿 千 百 十 - 千 百 十 -", unit, " ")
    unit[5] = unit[9] = ""
    letters = "abcdefghijklmnopqrstuvwxyz"
    for (i = 0; i < count; ++i) {
      if (task == "reverse") {
        source = target = ""
        for (n = 3 + draw(8); n > 0; --n) {
          letter = substr(letters, 1 + draw(26), 1)
          source = source letter
          target = letter target
        }
      } else {
        places = 3 + draw(7)
        number = 10 ^ (places - 1) + draw(9 * 10 ^ (places - 1))
        source = english(number, draw(2))
        target = chinese(number)
      }
      print source "\t" target
    }
  }'
