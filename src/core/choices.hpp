#pragma once
// Words for the values of an enum: what an option takes, what a file's metadata say, what a screen prints.

#include <string>
#include <utility>
#include <vector>

namespace tfx {

template <class Value>
using Choices = std::vector<std::pair<std::string, Value>>;

/// The word of a value that is among them.
template <class Value>
const std::string& word_of(const Choices<Value>& choices, Value value) {
  auto one = choices.begin();
  while (one->second != value) ++one;
  return one->first;
}

} // namespace tfx
