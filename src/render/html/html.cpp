#include "render/html/html.hpp"

#include "text/utf8.hpp"

#include <algorithm>

namespace tfx {

namespace {

std::string start_tag(std::string_view tag, const Attributes& attributes) {
  std::string text = "<" + std::string(tag);
  for (const auto& [name, value] : attributes) {
    text += " ";
    text += name;
    if (!value.empty()) text += "=\"" + html_escape(value) + "\"";
  }
  return text + ">";
}

} // namespace

std::string html_escape(std::string_view text) {
  std::string escaped;
  for (const char c : escape_controls(text)) switch (c) {
    case '&': escaped += "&amp;"; break;
    case '<': escaped += "&lt;"; break;
    case '>': escaped += "&gt;"; break;
    case '"': escaped += "&quot;"; break;
    case '\'': escaped += "&#39;"; break;
    default: escaped += c;
    }
  return escaped;
}

Html element(std::string_view tag, const Attributes& attributes, const Html& content) {
  return Html::trusted(start_tag(tag, attributes) + content.markup() + "</" + std::string(tag) + ">");
}

Html element(std::string_view tag, const Html& content) {
  return element(tag, {}, content);
}

Html element(std::string_view tag, std::string_view plain_text) {
  return element(tag, {}, Html::text(plain_text));
}

Html lone_element(std::string_view tag, const Attributes& attributes) {
  return Html::trusted(start_tag(tag, attributes));
}

namespace {

/// A fact may have several lines.
Html inline_of(const std::string& text) {
  Html all;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    if (start > 0) all += lone_element("br", {});
    all += Html::text(text.substr(start, end - start));
    start = end + 1;
  }
  return all;
}

Html paragraphs_of(const std::string& text) {
  Html all, items;
  const auto close_list = [&] {
    if (!items.empty()) all += element("ul", items);
    items = {};
  };
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string line = text.substr(start, end - start);
    if (line.starts_with("- ")) {
      items += element("li", line.substr(2));
    } else {
      close_list();
      all += element("p", line);
    }
    start = end + 1;
  }
  close_list();
  return all;
}

} // namespace

Html in_language(const char* tag, const char* language, const Html& content) {
  return element(tag, {{"lang", language}}, content);
}

Html in_both(const Both& text) {
  if (text.en == text.zh) return inline_of(text.en);
  return in_language("span", "en", inline_of(text.en)) + in_language("span", "zh", inline_of(text.zh));
}

Html paragraphs_in_both(const Both& text) {
  return in_language("div", "en", paragraphs_of(text.en)) + in_language("div", "zh", paragraphs_of(text.zh));
}

Html Bilingual::paragraph(const std::string& key, const std::map<std::string, std::string>& values) const {
  const auto en = en_.word(key, values), zh = zh_.word(key, values);
  return en && zh ? paragraphs_in_both({*en, *zh}) : Html();
}

Html Bilingual::word(const std::string& key) const {
  const auto en = en_.word(key), zh = zh_.word(key);
  return en && zh ? in_both({*en, *zh}) : Html();
}

Html Bilingual::ui(const std::string& key, const std::map<std::string, std::string>& values) const {
  return in_both({en_.ui(key, values), zh_.ui(key, values)});
}

Both Bilingual::source(const std::string& formula) const {
  return {en_.source(formula), zh_.source(formula)};
}

} // namespace tfx
