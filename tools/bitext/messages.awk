# The strings of a program's window from a catalogue of GNU gettext, which is binary: line 1 has all bytes of the .mo
# file, each NUL as \001 and what would break a line as a blank; then a line a string: the length and the place of the
# original, the length and the place of its translation. Prints a pair a line, after NAME (-v name=NAME).
#
# An original begins with its context and \004. A plural's forms stand one behind the other, with NUL between: the
# first is taken. "_" or "~" marks the letter of a shortcut, in Chinese in brackets behind the words: 确定(_O).

function string(length_, place) { return substr(bytes, place + 1, length_) }

function plain(text) {
  if (index(text, "\001")) text = substr(text, 1, index(text, "\001") - 1)
  sub(/ ?\([_~][A-Z0-9]\)/, "", text)
  if (gsub(/[_~]/, "&", text) == 1) sub(/[_~]/, "", text)
  sub(/ *(\.\.\.|\342\200\246)$/, "", text) # "Save as…" asks for more
  return text
}

NR == 1 {
  bytes = $0
  next
}

{
  original = string($1, $2)
  sub(/^[^\004]*\004/, "", original)
  if (original != "") print "ui/" name "\t" plain(original) "\t" plain(string($3, $4))
}
