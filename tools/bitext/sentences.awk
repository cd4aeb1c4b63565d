# From paragraphs to pairs of sentences: a document, a source and a target a line, in and out. -v language= is the
# target's, "own" of files whose languages nobody names. Bytes, not characters, so that every awk does the same
# (LC_ALL=C); the rules for what is left out stand in docs/training.md.

# Entities and invisible characters of a text, and its blanks.
function cleaned(text) {
  gsub(/&lt;/, "<", text)
  gsub(/&gt;/, ">", text)
  gsub(/&quot;/, "\"", text)
  gsub(/&nbsp;|\302\240/, " ", text)
  gsub(/&amp;/, "\\&", text)
  gsub(/\302\255|\342\200\213|\342\200\216|\342\200\217|\357\273\277/, "", text) # soft hyphen, no width, direction, BOM
  gsub(/[ \t]+/, " ", text)
  gsub(/^ | $/, "", text)
  return text
}

# Cuts a text behind the ends of its sentences, into `parts`; → how many. An end is a full stop, with what closes after
# it, before a blank and a capital; not one behind a number or a single letter ("3. Mai", "z. B. Kopien").
function cut(text, parts,    count, at, head) {
  count = 0
  gsub(/(\343\200\202|\357\274\201|\357\274\237)(\343\200\215|\342\200\235|\357\274\211)?/, "&\001", text) # 。！？ 」”）
  while (match(text, /\001|[.!?]["\047)]?(\342\200[\234\235])? ["(A-Z\303]/)) {
    at = RSTART
    if (substr(text, at, 1) == "\001") {
      parts[++count] = parts_of_line substr(text, 1, at - 1)
      text = substr(text, at + 1)
    } else {
      head = parts_of_line substr(text, 1, at + RLENGTH - 3)
      text = substr(text, at + RLENGTH - 1)
      if (head ~ /(^|[ (])([0-9]+|[A-Za-z])\.$/) {
        parts_of_line = head " "
        continue
      }
      parts[++count] = head
    }
    parts_of_line = ""
  }
  text = parts_of_line text
  parts_of_line = ""
  if (text !~ /^ *$/) parts[++count] = text
  for (at = 1; at <= count; ++at) parts[at] = cleaned(parts[at])
  return count
}

# How many matches a text has.
function matches(text, pattern) { return gsub(pattern, "&", text) }

function words(text) { return split(text, any_words, " ") }

# Whether two texts say the same, as far as their looks can tell.
function is_pair(source, target,    length_, characters) {
  if (source target ~ /[{}\\|_<>=$%@#*^~\001-\037\177]|\(\)|::|\/\/|\302[\200-\237]/) return 0 # code, controls
  if (language != "own" && (source !~ /[A-Za-z][A-Za-z]/ || source == target)) return 0
  length_ = words(source)
  if (length_ > most_words || words(target) > 2 * most_words) return 0
  if (language != "zh") return length(target) <= 3 * length(source) + 20 && length(source) <= 3 * length(target) + 20
  characters = matches(target, "[\344-\351][\200-\277][\200-\277]")
  if (characters < words(target) || characters < matches(target, "[A-Za-z]+")) return 0 # left in English
  return characters <= 4 * length_ + 4 && length_ <= 2 * characters + 3
}

BEGIN {
  FS = "\t"
  most_words = 25
}

{
  source_count = cut(cleaned($2), source)
  target_count = cut(cleaned($3), target)
  if (source_count != target_count) next
  for (i = 1; i <= source_count; ++i)
    if (is_pair(source[i], target[i])) print $1 "\t" source[i] "\t" target[i]
}
