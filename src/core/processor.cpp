#include "core/processor.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace tfx {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// The value of the first line "key : value".
std::string_view value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto colon = line.find(':');
    if (colon != std::string_view::npos && trimmed(line.substr(0, colon)) == key)
      return trimmed(line.substr(colon + 1));
  }
  return {};
}

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::string_view one = words.substr(0, words.find(' '));
    if (one == word) return true;
    words.remove_prefix(std::min(words.size(), one.size() + 1));
  }
  return false;
}

bool equal_letters(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

constexpr std::array<std::pair<std::string_view, Vectors>, 26> cores = {{
    {"Katmai", Vectors::baseline},
    {"Coppermine", Vectors::baseline},
    {"Northwood", Vectors::baseline},
    {"Prescott", Vectors::baseline},
    {"Banias", Vectors::baseline},
    {"Atom", Vectors::baseline},
    {"Core2", Vectors::baseline},
    {"Penryn", Vectors::baseline},
    {"Dunnington", Vectors::baseline},
    {"Nehalem", Vectors::baseline},
    {"Athlon", Vectors::baseline},
    {"Opteron", Vectors::baseline},
    {"Opteron_SSE3", Vectors::baseline},
    {"Barcelona", Vectors::baseline},
    {"Nano", Vectors::baseline},
    {"Bobcat", Vectors::baseline},
    {"Sandybridge", Vectors::avx},
    {"Bulldozer", Vectors::avx},
    {"Piledriver", Vectors::avx},
    {"Steamroller", Vectors::avx},
    {"Excavator", Vectors::avx},
    {"Haswell", Vectors::avx2},
    {"Zen", Vectors::avx2},
    {"SkylakeX", Vectors::avx512},
    {"Cooperlake", Vectors::avx512},
    {"SapphireRapids", Vectors::avx512},
}};

} // namespace

bool is_core(std::string_view core, std::string_view name) {
  return std::ranges::equal(core, name, equal_letters);
}

Vectors Processor::widest() const {
  if (avx512) return Vectors::avx512;
  if (avx2 && fma) return Vectors::avx2;
  return avx ? Vectors::avx : Vectors::baseline;
}

Processor processor_in(std::string_view cpuinfo) {
  Processor processor;
  for (const char* key : {"model name", "Model", "Hardware", "cpu model"}) // x86, then others
    if (processor.name.empty()) processor.name = value_of(cpuinfo, key);
  const std::string_view flags = value_of(cpuinfo, "flags");
  const auto has = [&](std::string_view flag) { return has_word(flags, flag); };
  processor.sse2 = has("sse2"), processor.avx = has("avx");
  processor.avx2 = has("avx2"), processor.fma = has("fma");
  processor.avx512 = has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl");
  return processor;
}

std::optional<Vectors> vectors_of_core(std::string_view core) {
  for (const auto& [name, vectors] : cores)
    if (is_core(core, name)) return vectors;
  return {};
}

} // namespace tfx
