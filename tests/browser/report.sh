#!/usr/bin/env bash
# The pages that --save x.html and tfx report write, in a real browser without a window: every explained cell is
# clicked and compared with what tfx explain says, its sources with what the page's data say; keyboard, both
# languages, contrast, width at 400 and 1400 pixels, light and dark; nothing may be reported on the console.
#   tests/browser/report.sh BINARY
# Needs Chromium (the group browser of tools/packages.txt). TFX_SHOTS=FOLDER keeps pictures of the pages there.
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=../cli/lib.sh
source "${self%/*}/../cli/lib.sh"
check_js=${self%/*}/check.js

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
  not_ok "a browser is installed" "there is no chromium"
  finish
}

# browse SCHEME WIDTH ARGUMENT…: 0 is dark, 1 is light. What the console says is left in $work/console.
browse() {
  local scheme=$1 width=$2
  shift 2
  timeout 240 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
    --disable-background-networking --disable-component-update --disable-sync --user-data-dir="$(mktemp -d -p "$work")" \
    --blink-settings=preferredColorScheme="$scheme" --window-size="$width",1000 --virtual-time-budget=200000 \
    --enable-logging=stderr --v=0 "$@" 2>"$work/console"
}

# A policy's name of a script: the base64 of its SHA-256.
hash_of() {
  local hex
  hex=$(sha256sum <"$1")
  # shellcheck disable=SC2059 # the digest is the format
  printf "$(sed 's/ .*//; s/../\\x&/g' <<<"$hex")" | base64
}

# json_text: stdin as a string of JSON that can stand in a page.
json_text() { sed -e 's/\\/\\\\/g; s/"/\\"/g; s/</\\u003c/g' | awk '{ printf "%s%s", (NR > 1 ? "\\n" : ""), $0 }'; }

# shapes LESSON ARGUMENT…: a line "NAME EXTENT…" for each tensor of the run.
shapes() { "$tfx" "$@" --json --no-time | sed 's/{"name":/\n&/g' | sed -nE 's/^\{"name":"([^"]*)","shape":\[([0-9,]*)\].*/\1 \2/p' | tr , ' '; }

# explained LANGUAGE LESSON ARGUMENT…: what tfx explain says of every cell, as an object.
explained() {
  local language=$1 lesson=$2 name rest
  shift 2
  echo '{'
  while read -r name rest; do
    # Every index of the shape: "0 0", "0 1", …
    awk -v shape="$rest" 'BEGIN { n = split(shape, s, " "); count = 1; for (i = 1; i <= n; i++) count *= s[i]
      for (c = 0; c < count; c++) { line = ""; r = c; for (i = n; i > 0; i--) { line = (r % s[i]) " " line; r = int(r / s[i]) }
        print line } }' | while read -r index; do
      printf '"%s": "' "$name $index"
      # shellcheck disable=SC2086 # the index is words
      "$tfx" explain "$lesson" "$name" $index --depth 0 --width 1000 --lang "$language" "$@" | sed 's/^ *//' | json_text
      printf '",\n'
    done
  done < <(shapes "$lesson" "$@")
  printf '"": ""}\n'
}

# with_check PAGE EXPECTED: a copy of the page that checks itself.
with_check() {
  {
    printf '<script type="application/json" id="expected">'
    cat "$2"
    printf '</script><script>'
    cat "$check_js"
    printf '</script>'
  } >"$work/insert"
  awk -v hash="'sha256-$(hash_of "$check_js")'" -v insert="$work/insert" '
    /^<meta http-equiv="Content-Security-Policy"/ { sub(/script-src /, "script-src " hash " ") }
    { print }
    /^<meta http-equiv="Content-Security-Policy"/ { while ((getline line < insert) > 0) print line }' "$1"
}

# A window is at least 500 pixels wide: the page stands in a frame of its width.
framed() {
  printf '<!DOCTYPE html><meta name="color-scheme" content="light dark"><style>body{margin:0}iframe{width:%spx;height:%spx;border:0}</style>' "$2" "$3"
  printf '<pre id="verdict"></pre><script>addEventListener("message",(e)=>{document.getElementById("verdict").textContent=e.data})</script>'
  printf '<iframe src="%s"></iframe>\n' "$1"
}

# judge NAME PAGE EXPECTED WIDTH SCHEME: the page says what it found; the console says nothing.
judge() {
  local name="$1, $4 pixels, $5" scheme verdict
  scheme=$([[ $5 == dark ]] && echo 0 || echo 1)
  with_check "$2" "$3" >"$work/here/checked.html"
  framed checked.html "$4" 1000 >"$work/here/frame.html"
  browse "$scheme" 1500 --dump-dom "file://$work/here/frame.html" >"$work/dom"
  verdict=$(sed -n '/<pre id="verdict">/,/<\/pre>/p' "$work/dom" | sed -E 's/.*<pre id="verdict">//; s/<\/pre>.*//')
  if [[ $verdict =~ ^"width $4, $5, "([0-9]+)" cells asked, 0 wrong" ]] && ((BASH_REMATCH[1] > 0)); then
    ok "$name: ${BASH_REMATCH[1]} cells"
  else
    not_ok "$name" "$(head -c 1500 <<<"$verdict" | tr '\n' '|')"
  fi
  if grep -E 'CONSOLE' "$work/console" >"$work/said"; then
    not_ok "$name: the console is silent" "$(first_lines "$work/said")"
  else
    ok "$name: the console is silent"
  fi
}

# laid_out NAME PAGE WIDTH screen|paper: nothing is cut on paper, and nothing scrolls on a screen that fits.
laid_out() {
  local verdict
  {
    echo "<script>"
    [[ $4 == paper ]] && echo 'document.documentElement.dataset.paper = "";'
    cat "${check_js%/*}/paper.js"
    echo "</script>"
    grep -v '^<meta http-equiv="Content-Security-Policy"' "$2" | if [[ $4 == paper ]]; then sed 's/^@media print {/@media all {/'; else cat; fi
  } >"$work/here/laid.html"
  framed laid.html "$3" 1000 >"$work/here/frame.html"
  browse 1 1500 --dump-dom "file://$work/here/frame.html" >"$work/dom"
  verdict=$(sed -n '/<pre id="verdict">/,/<\/pre>/p' "$work/dom" | sed -E 's/.*<pre id="verdict">//; s/<\/pre>.*//')
  if [[ $verdict =~ ^"$3 wide, "[0-9]{2,}" seen, 0 wrong" ]]; then
    ok "$1 on $4, $3 pixels"
  else
    not_ok "$1 on $4, $3 pixels" "$(head -c 1000 <<<"$verdict" | tr '\n' '|')"
  fi
}

# picture NAME PAGE WIDTH HEIGHT SCHEME
picture() {
  [[ -n ${TFX_SHOTS:-} ]] || return 0
  framed "$2" "$3" "$4" >"$work/here/shot.html"
  timeout 240 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
    --disable-background-networking --disable-component-update --disable-sync --user-data-dir="$(mktemp -d -p "$work")" \
    --blink-settings=preferredColorScheme="$([[ $5 == dark ]] && echo 0 || echo 1)" --hide-scrollbars \
    --window-size="$((${3} > 500 ? ${3} : 500)),$4" --screenshot="$TFX_SHOTS/$1.png" "file://$work/here/shot.html" 2>/dev/null
}

echo '{}' >"$work/nothing"
run scores --lang en --save scores.html
run masked --lang zh --save masked.html --text '</script> "a" <b> 我'
run report report.html --text "i like you" --causal --steps 30
for lesson in scores masked; do
  arguments=()
  if [[ $lesson == masked ]]; then arguments=(--text '</script> "a" <b> 我'); fi
  {
    printf '{"%s": {"en": ' "$lesson"
    explained en "$lesson" "${arguments[@]}"
    printf ', "zh": '
    explained zh "$lesson" "${arguments[@]}"
    printf '}}'
  } >"$work/$lesson.json"
done
for width in 400 1400; do
  for scheme in light dark; do
    for lesson in scores masked; do
      judge "$lesson" "$work/here/$lesson.html" "$work/$lesson.json" "$width" "$scheme"
      picture "$lesson-$width-$scheme" "$work/here/$lesson.html" "$width" 2400 "$scheme"
    done
    judge "the report" "$work/here/report.html" "$work/nothing" "$width" "$scheme"
    picture "report-$width-$scheme" "$work/here/report.html" "$width" 9000 "$scheme"
  done
done

# A4 and Letter between their margins.
run attention --save wide.html --text "the cat sat on the mat today"
run multihead --save wider.html --text "the quick brown fox jumps over it" --d-model 8 --heads 2 --precision 8
run block --save widest.html --text "a b c d e f g h i j k l m n o p" --d-model 16 --heads 2 --precision 17 --grad
for page in wide wider widest report scores; do
  for width in 718 740; do laid_out "$page" "$work/here/$page.html" "$width" paper; done
  for width in 400 1400; do laid_out "$page" "$work/here/$page.html" "$width" screen; done
done

# Markup, not data of the script: the arithmetic of one cell stands there without it.
check "without its script the page has its arithmetic" grep -q '<br>= 2·2 + 0·4 + 2·3<br>= 10<' "$work/here/scores.html"
finish
