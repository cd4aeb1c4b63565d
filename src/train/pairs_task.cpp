#include "train/pairs_task.hpp"

#include "core/error.hpp"
#include "io/message.hpp"
#include "text/byte_pairs.hpp"
#include "text/tokens.hpp"
#include "train/task.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace tfx {

namespace {

using Texts = std::vector<std::string>;

Texts side_of(const std::vector<Pair>& pairs, std::string Pair::*side) {
  Texts texts;
  for (const Pair& pair : pairs) texts.push_back(pair.*side);
  return texts;
}

Tokenizer tokenizer_of(const Texts& texts, std::optional<Tokenizer> wanted) {
  if (wanted == Tokenizer::ids)
    throw usage(said("pairs are not read as ids"), said("split them into words or characters"));
  if (wanted) return *wanted;
  const auto of_words = [](const std::string& text) { return split_at_white_space(text).size() > 1; };
  const auto count = static_cast<std::size_t>(std::count_if(texts.begin(), texts.end(), of_words));
  return 2 * count > texts.size() ? Tokenizer::words : Tokenizer::characters;
}

/// The most tokens that a text has.
std::size_t longest_of(const Texts& texts, const Vocabulary& vocabulary, std::size_t column,
                       const std::string& name) {
  const Tokenizer tokenizer = vocabulary.tokenizer;
  const auto& pairs = vocabulary.byte_pairs();
  std::size_t longest = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::size_t tokens = pairs ? pairs->encode(texts[i]).size() : split(texts[i], tokenizer).size();
    if (tokens > max_pair_tokens)
      refuse_file(name,
                  said("line {line}, column {column}: {count} {tokens}, a side has at most {most}",
                       {{"line", i + 1},
                        {"column", column},
                        {"count", tokens},
                        {"tokens", pairs ? "tokens" : to_string(tokenizer)},
                        {"most", max_pair_tokens}}),
                  said("cut the text into shorter pairs"));
    longest = std::max(longest, tokens);
  }
  return longest;
}

Vocabulary vocabulary_of(const Texts& texts, std::optional<Tokenizer> wanted,
                         const std::shared_ptr<const BytePairs>& pairs, std::size_t min_count) {
  if (pairs) return Vocabulary::of_byte_pairs(pairs);
  Vocabulary vocabulary =
      Vocabulary::of_texts(tokenizer_of(texts, wanted), texts, Vocabulary::Unknown::has_a_token, min_count);
  if (vocabulary.size() == unknown_id + 1)
    throw usage(said("no token of one side stands {count} times in the file: nothing but <unk> would be left",
                     {{"count", min_count}}),
                said("give a smaller --min-count"));
  return vocabulary;
}

TaskFacts facts_of(const std::vector<Pair>& pairs, const std::string& name, const TaskOptions& options,
                   const std::vector<Pair>& validation) {
  const Texts sources = side_of(pairs, &Pair::source), targets = side_of(pairs, &Pair::target);
  Vocabulary src = vocabulary_of(sources, options.src_tokens, options.src_byte_pairs, options.min_count),
             tgt = vocabulary_of(targets, options.tgt_tokens, options.tgt_byte_pairs, options.min_count);
  const std::size_t longest_source = longest_of(sources, src, 1, name);
  longest_of(side_of(validation, &Pair::source), src, 1, options.validation_file);
  const std::size_t longest =
      std::max(longest_of(targets, tgt, 2, name),
               longest_of(side_of(validation, &Pair::target), tgt, 2, options.validation_file));
  return {.name = "pairs",
          .src_vocabulary = std::move(src),
          .tgt_vocabulary = std::move(tgt),
          .max_tokens = longest + 2,
          .max_src_tokens = longest_source};
}

/// The sources that are held out, each with its place.
using HeldOutSources = std::set<std::pair<double, std::string>>;

HeldOutSources held_out_sources(const std::vector<Pair>& pairs) {
  HeldOutSources sources;
  for (const Pair& pair : pairs) sources.emplace(held_out_place(pair.source), pair.source);
  constexpr std::size_t one_in = 10;
  const auto kept = static_cast<std::ptrdiff_t>(sources.size() / one_in);
  sources.erase(std::next(sources.begin(), kept), sources.end());
  return sources;
}

} // namespace

PairsTask::PairsTask(const std::vector<Pair>& pairs, const std::string& name, const TaskOptions& options,
                     const std::vector<Pair>& validation)
    : Task(facts_of(pairs, name, options, validation)) {
  const auto example = [&](const Pair& pair) {
    return Example{src_vocabulary().encode(pair.source), target(tgt_vocabulary().encode(pair.target))};
  };
  for (const Pair& pair : validation) held_out_.push_back(example(pair));
  const auto kept_sources = validation.empty() ? held_out_sources(pairs) : HeldOutSources();
  std::set<std::pair<std::string, std::string>> seen; // a pair that stands twice is held out once
  for (const Pair& pair : pairs) {
    if (!kept_sources.contains({held_out_place(pair.source), pair.source}))
      trained_.push_back(example(pair));
    else if (seen.emplace(pair.source, pair.target).second)
      held_out_.push_back(example(pair));
  }
}

std::vector<Example> PairsTask::batch(std::size_t size, std::uint64_t seed, std::uint64_t step) const {
  DataStream stream(RandomStream(seed, stream_number("data"), step));
  std::vector<Example> examples;
  for (std::size_t i = 0; i < size; ++i) examples.push_back(trained_[stream.below(trained_.size())]);
  return examples;
}

std::vector<Example> PairsTask::held_out(std::size_t count) const {
  return {held_out_.begin(),
          std::next(held_out_.begin(), static_cast<std::ptrdiff_t>(std::min(count, held_out_.size())))};
}

} // namespace tfx
