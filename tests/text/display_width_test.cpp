#include "support/catch.hpp"
#include "text/display_width.hpp"

using namespace tfx;
using Lines = std::vector<std::string>;

TEST_CASE("width is counted in terminal columns", "[text]") {
  CHECK(display_width("") == 0);
  CHECK(display_width("abc") == 3);
  CHECK(display_width("中文，") == 6);
  CHECK(display_width("한글カナ") == 8);
  CHECK(display_width("\u1112\u1161\u11ab") == 2); // 한 of three jamo
  CHECK(display_width("\uff76\uff85") == 2);       // half-width katakana
  CHECK(display_width("e\u0301") == 1);            // combining accent
  CHECK(display_width("\u200b\ufeff") == 0);
  CHECK(display_width("αβ×·…─│█→√ᵀ—“”①") == 15); // ambiguous or narrow: one each
  CHECK(display_width("\x1b\x7f") == 0);
  CHECK(display_width("a\xff\xe4") == 3); // invalid bytes: a replacement sign each
}

TEST_CASE("an emoji takes two columns, whatever it is made of", "[text]") {
  CHECK(display_width("😀") == 2);
  CHECK(display_width("👍🏽") == 2);
  CHECK(display_width("👨‍👩‍👧") == 2);
  CHECK(display_width("🇨🇳🇫🇷") == 4);
  CHECK(display_width("❤️") == 2);
  CHECK(display_width("❤") == 1);
  CHECK(display_width("1️⃣") == 2);
  CHECK(display_width("\ufe0f") == 0);
}

TEST_CASE("padding fills up to a width", "[text]") {
  CHECK(pad_left("ab", 4) == "  ab");
  CHECK(pad_right("ab", 4) == "ab  ");
  CHECK(pad_left("中", 3) == " 中");
  CHECK(pad_right("中", 3) == "中 ");
  CHECK(pad_right("中文", 3) == "中文");
  CHECK(pad_left("", 2) == "  ");
  CHECK(pad_left("ab", 0) == "ab");
}

TEST_CASE("a shortened text ends at a grapheme", "[text]") {
  CHECK(shorten("abcd", 4) == "abcd");
  CHECK(shorten("abcde", 4) == "abc…");
  CHECK(shorten("中文字", 6) == "中文字");
  CHECK(shorten("中文字", 5) == "中文…");
  CHECK(shorten("中文字", 4) == "中…"); // half a character does not fit
  CHECK(shorten("e\u0301e\u0301e\u0301", 2) == "e\u0301…");
  CHECK(shorten("👨‍👩‍👧👨‍👩‍👧", 3) == "👨‍👩‍👧…");
  CHECK(shorten("abc", 1) == "…");
  CHECK(shorten("abc", 0) == "");
  CHECK(shorten("", 0) == "");
}

TEST_CASE("lines break at spaces", "[text]") {
  CHECK(wrap("", 10) == Lines{""});
  CHECK(wrap("the quick brown fox", 10) == Lines{"the quick", "brown fox"});
  CHECK(wrap("the quick brown fox", 9) == Lines{"the quick", "brown fox"});
  CHECK(wrap("the quick brown fox", 8) == Lines{"the", "quick", "brown", "fox"});
  CHECK(wrap("a  b ", 10) == Lines{"a  b"});
  CHECK(wrap("aaa  bbb", 4) == Lines{"aaa", "bbb"});
  CHECK(wrap("  a b", 3) == Lines{"  a", "b"});
  CHECK(wrap("one\n\ntwo\n", 10) == Lines{"one", "", "two", ""});
  CHECK(wrap("a\u00a0b c", 3) == Lines{"a\u00a0b", "c"}); // a no-break space does not break
}

TEST_CASE("a word wider than a line is broken between graphemes", "[text]") {
  CHECK(wrap("abcdefgh", 3) == Lines{"abc", "def", "gh"});
  CHECK(wrap("x abcdefgh y", 4) == Lines{"x", "abcd", "efgh", "y"});
  CHECK(wrap("e\u0301e\u0301e\u0301", 2) == Lines{"e\u0301e\u0301", "e\u0301"});
  CHECK(wrap("ab", 0) == Lines{"a", "b"});
  CHECK(wrap("中文", 1) == Lines{"中", "文"});
}

TEST_CASE("lines break between CJK characters, and punctuation keeps its place", "[text]") {
  CHECK(wrap("注意力机制", 4) == Lines{"注意", "力机", "制"});
  CHECK(wrap("注意力机制", 5) == Lines{"注意", "力机", "制"});
  CHECK(wrap("用softmax归一", 9) == Lines{"用softmax", "归一"});
  CHECK(wrap("用softmax归一", 7) == Lines{"用", "softmax", "归一"});
  for (const std::string mark :
       {"，", "。", "；", "：", "！", "？", "）", "」", "』", "”", "、", "》", "…", ",", "%"})
    CHECK(wrap("一二" + mark + "三", 4) == Lines{"一", "二" + mark, "三"});
  for (const std::string mark : {"（", "「", "『", "“", "《", "("})
    CHECK(wrap("一" + mark + "二三", 4).at(0) == "一");
  CHECK(wrap("一二？！三", 5) ==
        Lines{"一", "二？", "！三"}); // a run too wide for the line breaks all the same
  CHECK(wrap("说\"好\"吧", 4) == Lines{"说\"", "好\"", "吧"});
  CHECK(wrap("全角\u3000空格", 6) == Lines{"全角", "空格"});
}

TEST_CASE("a last line of one character is avoided", "[text]") {
  CHECK(wrap("它不会跑出范围。", 14) == Lines{"它不会跑出", "范围。"});
  CHECK(wrap("注意力机制好", 10) == Lines{"注意力机", "制好"});
  CHECK(wrap("注意力机制。好", 12) == Lines{"注意力机", "制。好"});
  CHECK(wrap("row q1 sums to 22, not to 1.", 26) == Lines{"row q1 sums to 22, not", "to 1."});
  CHECK(wrap("row q1 sums to 22, not to 10.", 26) == Lines{"row q1 sums to 22, not to", "10."});
  CHECK(wrap("row q1 sums to 22, not to 1.\nNext", 26) == Lines{"row q1 sums to 22, not", "to 1.", "Next"});
  CHECK(wrap("注意力机制", 8) == Lines{"注意力", "机制"});
  CHECK(wrap("注意力机", 6) == Lines{"注意力", "机"});                 // too short to give one away
  CHECK(wrap("a b c abcdefg h", 7) == Lines{"a b c", "abcdefg", "h"}); // no room for it below
}

TEST_CASE("no line is wider than asked, and only spaces are lost", "[text]") {
  const std::string text = "自注意力（self-attention）把 Q·Kᵀ 除以 √d_k，再做 softmax：“每一行之和为 "
                           "1”。👨‍👩‍👧 "
                           "The quick brown fox, 「引用」 and e\u0301 — done！";
  const auto without_spaces = [](std::string line) {
    std::erase(line, ' ');
    return line;
  };
  for (std::size_t columns = 2; columns < 100; ++columns) {
    std::string joined;
    for (const std::string& line : wrap(text, columns)) {
      INFO(columns << ": " << line);
      CHECK(display_width(line) <= columns);
      CHECK_FALSE(line.empty());
      joined += line;
    }
    CHECK(without_spaces(joined) == without_spaces(text));
  }
}
