#!/bin/bash
# tools/corpus on packages of our own with a few pages each, which a stand-in for apt-get hands out: what it takes from
# them, what it leaves out, and that the parts are apart. Prints "ok NAME" or "not ok NAME: why" for every test.
set -uo pipefail
self=$(readlink -f -- "${BASH_SOURCE[0]}")
corpus=${self%/tests/*}/tools/corpus
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/debs"
cd "$work" || exit

# expect NAME CONDITION…: one test.
expect() {
  local name=$1
  shift
  if "$@"; then echo "ok $name"; else echo "not ok $name: not ($*); $(tail -5 said 2>/dev/null | tr '\n' ';')"; fi
}
is() { [[ $1 == "$2" ]]; }
has() { grep -qxF -- "$2" "$work/made/$1"; }
lacks() { ! grep -qF -- "$1" "$work"/made/*.tsv; }
said() { grep -qF -- "$1" "$work/said"; }

# page LANGUAGE FILE PARAGRAPH…: a help page; a paragraph is "TAG ATTRIBUTES>TEXT".
page() {
  local file=$work/tree-$1/usr/share/libreoffice/help/$1/text/$2.html paragraph
  mkdir -p "${file%/*}"
  {
    echo '<!DOCTYPE html><html><head><title>no text</title></head><body><p id="bm_module">no paragraph</p>'
    for paragraph in "${@:3}"; do echo "<${paragraph%%>*} dir=\"auto\">${paragraph#*>}</${paragraph%% *}>"; done
    echo '</body></html>'
  } >"$file"
}

# number N: as four bytes, the lowest first, in printf's octal.
number() { printf '\\%03o\\%03o\\%03o\\%03o' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) 0; }

# catalogue LANGUAGE [ORIGINAL TRANSLATION]…: a .mo file; \1 stands for what parts the forms of a plural.
catalogue() {
  local file=$work/tree-l10n-$1/usr/lib/libreoffice/program/resource/$1/LC_MESSAGES/sw.mo count=$((($# - 1) / 2))
  local originals="" translations="" bytes="" place=$((28 + 16 * count)) side i text
  mkdir -p "${file%/*}"
  for side in 2 3; do
    for ((i = 0; i < count; ++i)); do
      text=$(printf '%b' "${@:side+2*i:1}")
      size=$(printf %s "$text" | wc -c)
      if ((side == 2)); then
        originals+=$(number "$size")$(number $place)
      else
        translations+=$(number "$size")$(number $place)
      fi
      bytes+="$text"$'\002'
      place=$((place + size + 1))
    done
  done
  {
    printf '%b' "$(number 2500072158 | sed 's/.\{4\}$/\\225/')$(number 0)$(number $count)$(number 28)"
    printf '%b' "$(number $((28 + 8 * count)))$(number 0)$(number 0)$originals$translations"
    printf %s "$bytes" | tr '\001\002' '\000\000'
  } >"$file"
}

# package NAME TREE
package() {
  mkdir -p "$2/DEBIAN"
  printf '%s\n' "Package: $1" "Version: 1:2-3" Architecture:\ all Maintainer:\ nobody Description:\ ours >"$2/DEBIAN/control"
  dpkg-deb -b "$2" "debs/$1_1%3a2-3_all.deb" >/dev/null
}

animals=(cat dog cow pig hen fox bat bee ant owl)
animals_zh=(猫 狗 牛 猪 鸡 狐 蝠 蜂 蚁 鸮)
places=(house garden field river forest street mountain school)
places_zh=(房子 花园 田野 河边 森林 街上 山上 学校)
for i in "${!animals[@]}"; do
  for j in "${!places[@]}"; do
    page en-US "zoo/$i$j" "p id=\"par_id$i$j\" class=\"paragraph\">The ${animals[i]} sleeps near the ${places[j]}." \
      "h2 id=\"hd_id1\">Animals and $((i * 8 + j)) places"
    page zh-CN "zoo/$i$j" "p id=\"par_id$i$j\" class=\"paragraph\">${animals_zh[i]}睡在${places_zh[j]}附近。" \
      "h2 id=\"hd_id1\">动物和 $((i * 8 + j)) 个地方"
  done
done
page en-US guide/copy 'h1 id="hd_id1"><a name="x"></a>Copying&nbsp;<span class="emph">Only</span> Cells' \
  'p id="par_id2" class="paragraph">Choose A &amp; More. Then select the
    cells. See e. g. Cells too.' \
  'p id="par_id3" class="codeintable">Print cells now' 'p id="par_id4">This was never translated.' \
  'p id="par_id5">One sentence stands here. And another one.' 'p id="par_id6">Use the name MAX_SIZE here.' \
  'p id="par_id7">Here &lt;b&gt; is markup.' 'p id="par_id8">Only in English.' 'p id="par_id9">4711'
page zh-CN guide/copy 'h1 id="hd_id1"><a name="x"></a>仅复制<span class="emph">单元格</span>' \
  'p id="par_id2" class="paragraph">选择 A &amp; 更多。然后选择单元格。也请参阅例如单元格。' \
  'p id="par_id3" class="codeintable">打印单元格' 'p id="par_id4">This was never translated!' \
  'p id="par_id5">这里有一句话，还有另一句。' 'p id="par_id6">在此使用名称 MAX_SIZE。' \
  'p id="par_id7">这里 &lt;b&gt; 是标记。' 'p id="par_id9">4711'
catalogue zh-CN '' 'Language: zh_CN' 'ctx|ok\04_Open file…' '打开文件(_O)…' '%d pages' '%d 页' \
  'ctx\04a page\01many pages' '一页'
package libreoffice-help-en-us tree-en-US
package libreoffice-help-zh-cn tree-zh-CN
package libreoffice-l10n-zh-cn tree-l10n-zh-CN
cat >bin/apt-get <<END
#!/bin/bash
echo "\$*" >>"$work/calls"
[[ ! -e "$work/offline" ]] && cp "$work/debs/\${*: -1}"_* .
END
chmod +x bin/apt-get

# run [ARG…]
run() {
  status=0
  PATH=$work/bin:$PATH "$corpus" "$@" </dev/null >out 2>said || status=$?
}

run en-zh made
expect "it makes a corpus" is "$status" 0
expect "and prints nothing where data would stand" is "$(<out)" ""
expect "three packages are downloaded" is "$(grep -c download calls)" 3
expect "markup and entities go" has training.tsv "Copying Only Cells	仅复制单元格"
expect "a paragraph is cut into sentences" has training.tsv "Then select the cells.	然后选择单元格。"
expect "not behind a single letter" has training.tsv "See e. g. Cells too.	也请参阅例如单元格。"
expect "the strings of windows lose context and shortcut" has training.tsv "Open file	打开文件"
expect "of a plural the first form is taken" has training.tsv "a page	一页"
expect "code is left out" lacks "Print cells now"
expect "what was left in English too" lacks "never translated"
expect "what has another number of sentences" lacks "And another one"
expect "identifiers" lacks MAX_SIZE
expect "markup that is shown" lacks "is markup"
expect "paragraphs of one language" lacks "Only in English"
expect "numbers alone" lacks 4711
expect "placeholders" lacks "%d"
expect "no sentence is lost or doubled" is "$(cat made/{training,validation,test}.tsv | grep -c sleeps)" 80
expect "no document is in two parts: a page's heading is trained on where its sentence is" \
  is "$(grep -c '^Animals and' made/training.tsv)" "$(grep -c sleeps made/training.tsv)"
expect "the test has sentences alone" is "$(grep -vc sleeps made/test.tsv)" 0
expect "there is a test and validation" test -s made/test.tsv -a -s made/validation.tsv
expect "near copies and the others are the test" is "$(sort made/test-{near,far}.tsv)" "$(sort made/test.tsv)"
# "The cat sleeps near the house." has 4 of its 5 words in common with the same animal elsewhere: 4/6; all are near.
expect "near copies are found" is "$(wc -l <made/test-far.tsv)" 0
expect "it says from what" grep -q 'libreoffice-l10n-zh-cn 1:2-3' made/ABOUT.txt
expect "and under which licence" grep -q 'Mozilla Public' made/ABOUT.txt

before=$(cat made/*.tsv made/ABOUT.txt | cksum)
: >calls
rm made/test.tsv made/parts/parts.tsv
touch made/training.tsv.part # of a run that was stopped
touch offline
run en-zh made
expect "what is missing is made again without a network" is "$status:$(<calls)" 0:
expect "with the same bytes" is "$(cat made/*.tsv made/ABOUT.txt | cksum)" "$before"
PATH=$work/bin:$PATH LC_ALL=C.UTF-8 "$corpus" en-zh made2 >/dev/null 2>said
expect "where packages cannot be downloaded it says what to do" said "run apt-get update"
mkdir -p made2/packages && cp debs/* made2/packages
LC_ALL=C.UTF-8 run en-zh made2
expect "packages that lie there serve, in any locale" is "$(cat made2/*.tsv made2/ABOUT.txt | cksum)" "$before"
mkdir few
for program in bash readlink env mkdir grep dirname; do ln -s "$(command -v $program)" few; done
status=0
PATH=$work/few "$corpus" en-zh made3 >out 2>said || status=$?
expect "without a package manager it names the packages" said "libreoffice-help-en-us libreoffice-help-zh-cn"
expect "and ends with 70" is "$status" 70

cut -f1 made/training.tsv >own.en
cut -f2 made/training.tsv >own.zh
run own.en own.zh own
expect "two files of one's own are split too" is "$status" 0
expect "all of them" is "$(($(cat own/{training,validation,test}.tsv | wc -l) > 60))" 1
sed -i 1d own.zh
run own.en own.zh own2
expect "files that are not parallel are refused" is "$status" 2
expect "with both counts" said "$(wc -l <own.en) lines"
run en-xx made4
expect "so is a pair that there is not" is "$status" 2
run
expect "and no arguments" is "$status" 2
