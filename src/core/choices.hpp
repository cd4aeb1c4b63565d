#pragma once
// Words for the values of an enum: what an option takes, what a file's metadata say, what a screen prints.
// Here stand those of the norm. The engine and the page each have an enum of its rules, and both speak these
// words.

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

template <class NormRule>
const Choices<NormRule>& norm_rules() {
  static const Choices<NormRule> all{{"annotated", NormRule::annotated}, {"standard", NormRule::standard}};
  return all;
}

/// `--norm-first` and `--norm-last`.
template <class NormPlacement>
const Choices<NormPlacement>& norm_placements() {
  static const Choices<NormPlacement> all{{"first", NormPlacement::pre_norm},
                                          {"last", NormPlacement::post_norm}};
  return all;
}

} // namespace tfx
