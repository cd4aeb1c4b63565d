#include "render/html/html.hpp"

#include "support/catch.hpp"

using namespace tfx;

TEST_CASE("what means something in markup is written as an entity", "[render][html]") {
  CHECK(html_escape("a < b & c > d") == "a &lt; b &amp; c &gt; d");
  CHECK(html_escape("\"'") == "&quot;&#39;");
  CHECK(html_escape("<script>alert('x')</script>") == "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;");
  CHECK(html_escape("&amp;") == "&amp;amp;"); // an entity that somebody typed stays what it was
  CHECK(html_escape("") == "");
}

TEST_CASE("letters of every script and the signs of formulas stay", "[render][html]") {
  CHECK(html_escape("Σ Q·Kᵀ/√d_k 我爱 −∞ שלום") == "Σ Q·Kᵀ/√d_k 我爱 −∞ שלום");
}

TEST_CASE("what could drive a terminal or turn a line round is written out", "[render][html]") {
  CHECK(html_escape("a\x1b[2Jb") == "a\\x1b[2Jb");
  CHECK(html_escape("a\nb\tc\r") == "a\\nb\\tc\\r");
  CHECK(html_escape(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(html_escape("\u202egnp.exe\u2066") == "\\u202egnp.exe\\u2066");
  CHECK(html_escape("\u2028") == "\\u2028");
  CHECK(html_escape("a\xff") == "a\\xff");
}

TEST_CASE("an element has its attributes, escaped, and its content as it is", "[render][html]") {
  CHECK(element("p", "1 < 2").markup() == "<p>1 &lt; 2</p>");
  CHECK(element("a", {{"href", "#x\" onclick=\"y"}}, Html::text("go")).markup() ==
        "<a href=\"#x&quot; onclick=&quot;y\">go</a>");
  CHECK(element("div", element("p", "a") + element("p", "b")).markup() == "<div><p>a</p><p>b</p></div>");
  CHECK(lone_element("input", {{"type", "radio"}, {"checked", ""}}).markup() ==
        "<input type=\"radio\" checked>");
}
