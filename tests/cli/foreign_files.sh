#!/usr/bin/env bash
# Files that learners have of other programs: whatever reads a text, an array or a model says what such a file is, and
# how it is converted, in both languages.
#   tests/cli/foreign_files.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

printf 'PK\x03\x04\x00\x00\x08\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x10\x00\x00\x00archive/data.pkl...' >model.pt
printf '\x80\x04\x95\x05\x00\x00\x00\x00\x00\x00\x00]\x94.' >x.pkl
printf '{"version": "1.0", "added_tokens": [], "pre_tokenizer": null, "model": {"merges": []}}\n' >tokenizer.json
printf 'a\tb\n' | iconv -f UTF-8 -t UTF-16 >utf16.txt
printf 'a\tb\n' | gzip -c >text.gz
printf '\x89HDF\r\n\x1a\n\x00\x00' >x.h5
printf 'GGUF\x03\x00\x00\x00\x00' >model.gguf

# told COMMAND…: each of these files, at the end of the command, is told by what it is.
told() {
  local file text chinese
  while IFS='|' read -r file text chinese; do
    shows "$* $file" 65 "this is $text" "$@" "$file" --lang en
    shows "$* $file, in Chinese" 65 "$chinese" "$@" "$file" --lang zh
  done <<'FILES'
model.pt|a file of torch.save|这是 torch.save 存的文件
x.pkl|a pickle|这是 pickle 文件
tokenizer.json|a tokenizer.json|存的 tokenizer.json
utf16.txt|text in UTF-16|这是 UTF-16 编码的文本
text.gz|compressed by gzip|这是 gzip 压缩的
x.h5|an HDF5 file|这是 HDF5 文件
model.gguf|a GGUF file|GGUF 文件
FILES
}
told attention --x
told multihead --weights
told scores --words
told inspect
told check softmax
told decode --text a --model
told score --model numbers-zh --pairs
told train --pairs
told train --corpus
told decode --model reverse --file
printf "%s\n" ababab >letters.txt
"$tfx" bpe train letters.txt --merges 1 --out merges.txt >/dev/null
told bpe encode merges.txt --file
told bpe train --merges 2
told model --weights
told params

shows "what to do with torch's" 65 'safetensors.torch.save_file(t, "x.safetensors")' inspect model.pt --lang en --width 400
shows "with a pickle" 65 'np.save("x.npy", x)' inspect x.pkl --lang en --width 400
shows "with UTF-16" 65 "iconv -f UTF-16 -t UTF-8" inspect utf16.txt --lang en
printf 'abc\n' | iconv -f UTF-8 -t UTF-16 >letters16.txt
iconv -f UTF-16 -t UTF-8 letters16.txt >converted.txt
shows "and that does it" 0 "" decode --model reverse --file converted.txt
shows "a roster in UTF-16" 65 "this is text in UTF-16" grade softmax --class . --roster utf16.txt --out grades.csv --lang en
for file in model.pt x.h5; do
  cp "$file" named.npy
  shows "$file that is called npy" 65 "this is a" attention --x named.npy --lang en
done

finish
