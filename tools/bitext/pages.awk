# The paragraphs of LibreOffice's help pages: awk -v RS='<' -f pages.awk PAGE.html…  A line each: the page, the
# paragraph's id, which is the same in every language, and its text. A record is a tag with what follows it, up to the
# next "<". What is set as code is left out: nobody translates it.

function begin(tag) {
  end()
  if (!match(tag, /id="(par|hd)_id[^"]*"/)) return
  id = substr(tag, RSTART + 4, RLENGTH - 5)
  if (tag ~ /class="[a-z]*code[a-z]*"/) id = ""
}

function end() {
  gsub(/[ \t\r\n]+/, " ", text)
  gsub(/^ | $/, "", text)
  if (id != "" && text != "") print page "\t" id "\t" text
  id = text = ""
}

FNR == 1 {
  end()
  page = FILENAME
  sub(/^.*\/text\//, "", page)
  sub(/\.html$/, "", page)
}

{
  bracket = index($0, ">")
  tag = substr($0, 1, bracket - 1)
  if (tag ~ /^(p|h[1-6])[ \t\n]/) begin(tag)
  else if (tag ~ /^\/(p|h[1-6])/) end()
  if (id != "") text = text substr($0, bracket + 1)
}

END { end() }
