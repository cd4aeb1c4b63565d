#include "render/html/html.hpp"

#include "text/utf8.hpp"

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

} // namespace tfx
