#include "render/html/document.hpp"

#include "core/base64.hpp"
#include "core/resource.hpp"
#include "core/sha256.hpp"

namespace tfx {

namespace {

/// "'sha256-…'": how a policy names an inline block.
std::string source_of(std::string_view block) {
  return "'sha256-" + base64(sha256(block)) + "'";
}

std::string policy(std::string_view style, std::string_view script) {
  return "default-src 'none'; style-src " + source_of(style) + "; script-src " + source_of(script) +
         "; base-uri 'none'; form-action 'none'";
}

class Frame {
public:
  Frame(const HtmlDocument& document, const BothWords& words) : document_(document), words_(words) {}

  Html head(std::string_view style, std::string_view script) const {
    const std::string title = document_.language == "zh" ? document_.title.zh : document_.title.en;
    return element(
        "head",
        lone_element("meta", {{"charset", "utf-8"}}) +
            Html::trusted("\n<meta http-equiv=\"Content-Security-Policy\" content=\"" +
                          policy(style, script) + "\">\n") +
            lone_element("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}}) +
            lone_element("meta", {{"name", "color-scheme"}, {"content", "light dark"}}) +
            lone_element("meta", {{"name", "generator"}, {"content", document_.generator}}) +
            element("title", title) + Html::trusted("\n<style>" + std::string(style) + "</style>"));
  }

  // The switch works without a script: the style looks which of the two is chosen.
  Html top() const {
    Html radios, labels;
    for (const auto& [value, name, tag] :
         {std::tuple{"en", "English", "en-GB"}, std::tuple{"zh", "中文", "zh-Hans"}}) {
      const std::string id = std::string("lang-") + value;
      Attributes radio{{"class", "language"},   {"type", "radio"}, {"name", "language"},
                       {"autocomplete", "off"}, {"id", id},        {"value", value}};
      if (document_.language == value) radio.emplace_back("checked", "");
      radios += lone_element("input", radio);
      labels += element("label", {{"for", id}, {"lang", tag}}, Html::text(name));
    }
    return radios + element("header", {{"class", "top"}},
                            element("p", {{"class", "brand"}}, Html::text("tfx")) +
                                element("div", {{"class", "switch"}}, labels));
  }

  // Filled by the script.
  Html explanation() const {
    const auto button = [&](const char* id, const char* key) {
      return element("button", {{"type", "button"}, {"id", id}}, word(key));
    };
    return element(
        "aside", {{"id", "explanation"}, {"hidden", ""}},
        element("div", {{"class", "tools"}},
                button("back", "ui.page.back") + button("close", "ui.page.close")) +
            element("p", {{"id", "lines"}, {"class", "arithmetic"}, {"aria-live", "polite"}}, Html()) +
            element("div", {{"class", "sources"}},
                    element("span", word("ui.page.sources")) +
                        element("span", {{"class", "sources"}, {"id", "sources"}}, Html())));
  }

  Html hint() const { return element("p", {{"class", "hint"}}, word("ui.page.hint")); }

private:
  Html word(const char* key) const {
    const std::string *en = words_.en.find(key), *zh = words_.zh.find(key);
    return en && zh ? in_both({*en, *zh}) : Html::text(key);
  }

  const HtmlDocument& document_;
  const BothWords& words_;
};

} // namespace

std::string html_document(const HtmlDocument& document, const BothWords& words) {
  const std::string_view style = resource("src/render/html/document.css"),
                         script = resource("src/render/html/document.js");
  const Frame frame(document, words);
  const bool has_cells =
      document.body.markup().find(" data-t=") != std::string::npos; // that can be asked for
  const Html body = frame.top() + element("main", (has_cells ? frame.hint() : Html()) + document.body) +
                    frame.explanation() + element("footer", document.generator) +
                    Html::trusted("\n<script>" + std::string(script) + "</script>");
  const Html html = element(
      "html", {{"lang", document.language}, {"data-en", document.title.en}, {"data-zh", document.title.zh}},
      frame.head(style, script) + Html::trusted("\n") + element("body", body));
  return "<!DOCTYPE html>\n" + html.markup() + "\n";
}

} // namespace tfx
