#pragma once
// Reads the markup of our HTML documents as a tree, strictly: every element closed in its order, every value
// in double quotes, no < or bare & in text. Style and script are text.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

struct Node {
  std::string tag; ///< empty for text
  std::map<std::string, std::string> attributes;
  std::vector<Node> children;
  std::string text; ///< of a text node, entities decoded
};

/// The document below a node without a tag. Throws std::runtime_error where the markup is not well-formed.
Node parse_markup(std::string_view markup);

/// All text below.
std::string text_of(const Node& node);

/// Every node below that `wanted` wants, in order.
std::vector<const Node*> all_of(const Node& node, const std::function<bool(const Node&)>& wanted);
std::vector<const Node*> all_tagged(const Node& node, const std::string& tag);

} // namespace tfx
