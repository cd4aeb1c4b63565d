#pragma once
// What the value of an option may be: how the help calls it, how it is read, how it is typed again.

#include "text/names.hpp"
#include "words/in_words.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tfx {

template <class T>
struct Value {
  std::string type; ///< "N", "FILE", "en|zh"
  /// Throws Error(usage) naming the option.
  std::function<T(const std::string& option, const std::string& text)> read;
  std::function<std::string(const T&)> written;
};

namespace value {

/// Larger counts could not be held anyway; the memory check has the last word below this.
inline constexpr std::size_t max_count = 1'000'000'000;

/// Any text: "TEXT", "FILE", "DIR".
Value<std::string> text(const std::string& type);
Value<std::size_t> count(std::size_t min = 1, std::size_t max = max_count);
/// A token's: any number of 32 bits.
Value<std::size_t> id(const std::string& type = "N");
Value<std::uint32_t> seed();
/// In [0, 1).
Value<double> share(const std::string& type);
Value<double> number(const std::string& type, double min, double max);
/// What divides logits: above 0.
Value<double> temperature();
/// "1,2,3;4,5": rows of ids.
Value<std::vector<std::vector<std::uint32_t>>> ids();
/// Ids, and the labels that are ignored: −100 as PyTorch has it, −1 as nanoGPT.
Value<std::vector<std::vector<std::int64_t>>> labels();
/// "Q,K".
Value<std::vector<std::string>> names();

/// One of a few words, each with what it means.
template <class T>
Value<T> choice(std::vector<std::pair<std::string, T>> words) {
  std::string list;
  for (const auto& [word, meaning] : words) list += (list.empty() ? "" : "|") + word;
  const auto read = [=](const std::string& option, const std::string& given) {
    for (const auto& [word, meaning] : words)
      if (given == word) return meaning;
    throw usage_error("choice", {{"name", option}, {"choices", list}, {"text", given}});
  };
  const auto written = [=](const T& value) {
    for (const auto& [word, meaning] : words)
      if (value == meaning) return word;
    return std::string();
  };
  return {list, read, written};
}

/// One of the words, which stands for itself.
Value<std::string> one_of(const std::vector<std::string>& words);

} // namespace value

} // namespace tfx
