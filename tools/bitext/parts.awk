# Who is trained on, and who is asked: awk -f parts.awk PASS=order SENTENCES | sort -n, then with PASS=parts and the
# sorted file before the sentences. A line of sentences: document, source, target.
#
# order: a line a document that can be kept apart, its place by a hash of its name before it, so that no list has to be
# kept and no neighbours go together. The strings of windows (ui/…) are no sentences: they are always trained on.
# parts: a line a pair: its part, its place in it, source, target. The first documents of that order are the test's, then
# come validation's. A source stands once. Whatever stands in a document that is trained on, in whatever case, is
# neither in the test nor in validation. These two have whole sentences of 3 to 14 words only; of files of one's own
# (-v language=own) whatever stands there.

function place_of(text,    hash, i) {
  hash = 0
  for (i = 1; i <= length(text); ++i) hash = (hash * 65599 + code[substr(text, i, 1)]) % prime
  return (hash * 1103515 + 12345) % prime
}

function is_sentence(text,    any) {
  if (language == "own") return 1
  return text ~ /^["(]?[A-Z]/ && text ~ /[.!?]["\047)]?$/ && split(text, any, " ") >= 3 && split(text, any, " ") <= 14
}

BEGIN {
  FS = "\t"
  prime = 2147483647
  test_share = 0.08
  validation_share = 0.05
  for (i = 1; i < 256; ++i) code[sprintf("%c", i)] = i
}

PASS == "order" {
  if (!($1 in seen) && $1 !~ /^ui\//) print place_of($1) "\t" $1
  seen[$1] = 1
  next
}

FILENAME == documents {
  name[++count] = $2
  next
}

FNR == 1 {
  tests = int(test_share * count + 0.999)
  others = tests + int(validation_share * count + 0.999)
  for (i = 1; i <= others; ++i) part[name[i]] = i <= tests ? "test" : "validation"
}

{
  key = tolower($2)
  if ($1 in part) {
    if (is_sentence($2)) kept[++kept_count] = part[$1] "\t" place_of(key) "\t" $2 "\t" $3
  } else if (!(key in trained)) {
    trained[key] = 1
    print "training\t" place_of(key) "\t" $2 "\t" $3
  }
}

END {
  for (i = 1; i <= kept_count; ++i) {
    split(kept[i], cell, "\t")
    key = tolower(cell[3])
    if (!(key in trained)) print kept[i]
    trained[key] = 1
  }
}
