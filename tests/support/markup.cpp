#include "support/markup.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace tfx {

namespace {

class MarkupReader {
public:
  explicit MarkupReader(std::string_view text) : text_(text) {}

  Node document() {
    Node root;
    if (text_.starts_with("<!DOCTYPE html>")) at_ = std::string_view("<!DOCTYPE html>").size();
    children(root);
    if (at_ != text_.size()) fail("more after the end");
    return root;
  }

private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(what + " at byte " + std::to_string(at_) + ": " +
                             std::string(text_.substr(at_, 60)));
  }
  bool next(std::string_view wanted) const { return text_.substr(at_).starts_with(wanted); }
  void take(std::string_view wanted) {
    if (!next(wanted)) fail("expected " + std::string(wanted));
    at_ += wanted.size();
  }
  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-'))
      ++at_;
    if (at_ == begin) fail("no name");
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string decoded(std::string_view end) {
    static constexpr std::array<std::pair<std::string_view, char>, 5> entities{
        {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}}};
    std::string plain;
    while (at_ < text_.size() && end.find(text_[at_]) == std::string_view::npos) {
      if (text_[at_] == '&') {
        const auto entity = std::ranges::find_if(entities, [&](const auto& e) { return next(e.first); });
        if (entity == entities.end()) fail("a bare &");
        plain += entity->second, at_ += entity->first.size();
      } else {
        if (text_[at_] == '<' || text_[at_] == '>') fail("a bare < or >");
        plain += text_[at_++];
      }
    }
    return plain;
  }

  void children(Node& parent) {
    while (at_ < text_.size() && !next("</")) {
      if (next("<")) {
        parent.children.push_back(element());
      } else {
        Node text;
        text.text = decoded("<");
        parent.children.push_back(std::move(text));
      }
    }
  }

  Node element() {
    Node node;
    take("<");
    node.tag = name();
    while (next(" ")) {
      take(" ");
      const std::string attribute = name();
      std::string value;
      if (next("=")) {
        take("=\"");
        const bool policy = attribute == "content";
        value = policy ? until("\"") : decoded("\"");
        take("\"");
      }
      if (!node.attributes.emplace(attribute, value).second) fail("an attribute twice");
    }
    take(">");
    if (node.tag == "meta" || node.tag == "input" || node.tag == "br") return node;
    if (node.tag == "style" || node.tag == "script") {
      Node text;
      text.text = until("</" + node.tag + ">");
      node.children.push_back(std::move(text));
    } else {
      children(node);
    }
    take("</" + node.tag + ">");
    return node;
  }

  std::string until(const std::string& end) {
    const std::size_t found = text_.find(end, at_);
    if (found == std::string_view::npos) fail("no " + end);
    const std::string text(text_.substr(at_, found - at_));
    at_ = found;
    return text;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

} // namespace

Node parse_markup(std::string_view markup) {
  return MarkupReader(markup).document();
}

std::string text_of(const Node& node) {
  std::string text = node.text;
  for (const Node& child : node.children) text += text_of(child);
  return text;
}

std::vector<const Node*> all_of(const Node& node, const std::function<bool(const Node&)>& wanted) {
  std::vector<const Node*> found;
  for (const Node& child : node.children) {
    if (wanted(child)) found.push_back(&child);
    const auto below = all_of(child, wanted);
    found.insert(found.end(), below.begin(), below.end());
  }
  return found;
}

std::vector<const Node*> all_tagged(const Node& node, const std::string& tag) {
  return all_of(node, [&](const Node& one) { return one.tag == tag; });
}

} // namespace tfx
