# How near the test is to what was trained on: awk -f near.awk TRAINING.tsv TEST.tsv. Each line of the test, behind the
# largest share of words in common that it has with a source of the training: |A ∩ B| / |A ∪ B| of their sets of words
# (Jaccard), in lower case, without punctuation.

# The distinct words of a text, into `list`; → how many.
function words_of(text, list,    all, n, i, count, have) {
  text = tolower(text)
  gsub(/[^a-z0-9\200-\377]+/, " ", text)
  n = split(text, all, " ")
  count = 0
  for (i = 1; i <= n; ++i)
    if (!(all[i] in have)) {
      have[all[i]] = 1
      list[++count] = all[i]
    }
  return count
}

BEGIN { FS = "\t" }

FNR == NR { # every word knows the lines it stands in
  sizes[FNR] = words_of($1, word)
  for (i = 1; i <= sizes[FNR]; ++i) lines[word[i]] = lines[word[i]] " " FNR
  next
}

{
  size = words_of($1, word)
  best = 0
  split("", common)
  for (i = 1; i <= size; ++i) {
    n = split(lines[word[i]], at, " ")
    for (j = 1; j <= n; ++j) {
      shared = ++common[at[j]]
      share = shared / (size + sizes[at[j]] - shared)
      if (share > best) best = share
    }
  }
  printf "%.3f\t%s\n", best, $0
}
