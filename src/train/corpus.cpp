#include "train/corpus.hpp"

#include "core/error.hpp"
#include "random/python_random.hpp"
#include "text/byte_pairs.hpp"

#include <algorithm>
#include <limits>

namespace tfx {

const Choices<HeldOut>& held_out_words() {
  static const Choices<HeldOut> all{{"tenth", HeldOut::tenth}, {"none", HeldOut::none}};
  return all;
}

const Choices<Reading>& reading_words() {
  static const Choices<Reading> all{{"pieces", Reading::pieces}, {"documents", Reading::documents}};
  return all;
}

bool is_held_out(std::size_t document, HeldOut rule) {
  constexpr std::size_t one_in = 10;
  return rule == HeldOut::tenth && document % one_in == one_in - 1;
}

namespace {

std::vector<std::string> trained_documents(const std::vector<std::string>& documents,
                                           const CorpusRule& rule) {
  std::vector<std::string> trained;
  for (std::size_t i = 0; i < documents.size(); ++i)
    if (!is_held_out(i, rule.held_out)) trained.push_back(documents[i]);
  return trained;
}

/// microgpt's: the characters in order, then one mark for a document's start and end.
TaskFacts alphabet_facts(std::vector<std::string> characters, const CorpusRule& rule, std::size_t documents,
                         const std::string& sha256) {
  std::ranges::sort(characters); // bytes of UTF-8 stand in the order of their code points
  characters.emplace_back(start_token);
  TaskFacts facts{.name = "corpus", .tgt_vocabulary = {Tokenizer::characters, std::move(characters)}};
  facts.start = static_cast<std::uint32_t>(facts.tgt_vocabulary.size() - 1);
  facts.end = facts.start, facts.pad = std::numeric_limits<std::uint32_t>::max();
  facts.max_tokens = rule.context, facts.documents = documents, facts.sha256 = sha256;
  return facts;
}

std::vector<std::string> characters_of(const std::vector<std::string>& documents) {
  const Vocabulary seen =
      Vocabulary::of_texts(Tokenizer::characters, documents, Vocabulary::Unknown::refused);
  return {seen.tokens.begin() + unknown_id, seen.tokens.end()};
}

TaskFacts facts_of(const Corpus& corpus, const CorpusRule& rule,
                   const std::shared_ptr<const BytePairs>& pairs) {
  const std::vector<std::string> trained = trained_documents(corpus.documents, rule);
  if (rule.reading == Reading::documents)
    return alphabet_facts(characters_of(trained), rule, trained.size(), corpus.sha256);
  TaskFacts facts{
      .name = "corpus", .max_tokens = rule.context, .documents = trained.size(), .sha256 = corpus.sha256};
  if (pairs) {
    facts.tgt_vocabulary = Vocabulary::of_byte_pairs(pairs);
  } else {
    facts.tgt_vocabulary = Vocabulary::of_texts(Tokenizer::characters, trained,
                                                Vocabulary::Unknown::has_a_token, rule.min_count);
    if (facts.tgt_vocabulary.size() == unknown_id + 1)
      throw usage(said("no character stands {count} times in the text: nothing but <unk> would be left",
                       {{"count", rule.min_count}}),
                  said("give a smaller --min-count"));
  }
  return facts;
}

} // namespace

CorpusRule corpus_rule_in(const std::map<std::string, std::string>& metadata) {
  CorpusRule rule;
  const auto take = [&](const char* key, const auto& choices, auto& value) {
    const auto found = metadata.find(key);
    for (const auto& [word, choice] : choices)
      if (found != metadata.end() && found->second == word) value = choice;
  };
  take(documents_key, documents_words(), rule.documents);
  take(held_out_key, held_out_words(), rule.held_out);
  return rule;
}

Example document_example(const TaskFacts& facts, const std::string& text) {
  const Vocabulary& vocabulary = facts.tgt_vocabulary;
  Example example{.tgt = vocabulary.encode_as_written(text), .bytes = text.size()};
  example.tgt.insert(example.tgt.begin(), facts.start);
  example.tgt.push_back(*facts.end);
  if (vocabulary.byte_pairs()) return example;
  for (const std::string& character : split(text, Tokenizer::characters))
    if (!vocabulary.id_of(character)) example.unknown_bytes += character.size();
  return example;
}

CorpusTask::CorpusTask(const Corpus& corpus, const CorpusRule& rule,
                       const std::shared_ptr<const BytePairs>& pairs)
    : Task(facts_of(corpus, rule, pairs)), rule_(rule) {
  const std::vector<std::string>& documents = corpus.documents;
  for (std::size_t i = 0; i < documents.size(); ++i)
    (is_held_out(i, rule.held_out) ? held_out_ : trained_).push_back(document_example(facts(), documents[i]));
  if (rule.reading == Reading::documents) PythonRandom(rule.seed).shuffle(trained_);
  double sum = 0;
  for (const Example& example : trained_)
    places_.push_back(sum += static_cast<double>(example.tgt.size() - 2 + rule.context));
}

CorpusTask::CorpusTask(const CorpusRule& rule, const std::vector<std::string>& first, std::size_t documents)
    : Task(alphabet_facts(
          [] {
            std::vector<std::string> letters;
            for (char letter = 'a'; letter <= 'z'; ++letter) letters.emplace_back(1, letter);
            return letters;
          }(),
          rule, documents, {})),
      rule_(rule) {
  for (const std::string& document : first) trained_.push_back(document_example(facts(), document));
}

// A piece may begin before its document and end behind it, and is cut there: so the tokens at both ends are
// read as often as those in the middle.
Example CorpusTask::piece(DataStream& draws) const {
  const double drawn = draws.unit() * places_.back();
  const auto found = std::upper_bound(places_.begin(), places_.end() - 1, drawn);
  const TokenIds& document = trained_[static_cast<std::size_t>(found - places_.begin())].tgt;
  const std::size_t end = 2 + draws.below(document.size() - 2 + rule_.context), // of context + 1 tokens
      begin = end > rule_.context + 1 ? end - rule_.context - 1 : 0;
  const auto at = [&](std::size_t i) { return document.begin() + static_cast<std::ptrdiff_t>(i); };
  return {.tgt = TokenIds(at(begin), at(std::min(end, document.size())))};
}

std::vector<Example> CorpusTask::batch(std::size_t size, std::uint64_t seed, std::uint64_t step) const {
  std::vector<Example> examples;
  DataStream draws(RandomStream(seed, stream_number("data"), step));
  for (std::size_t i = 0; i < size; ++i) {
    if (rule_.reading == Reading::pieces) {
      examples.push_back(piece(draws));
      continue;
    }
    Example document = trained_[(step * size + i) % trained_.size()];
    document.tgt.resize(std::min(document.tgt.size(), rule_.context + 1));
    examples.push_back(std::move(document));
  }
  return examples;
}

std::vector<Example> CorpusTask::held_out(std::size_t count) const {
  return {held_out_.begin(),
          std::next(held_out_.begin(), static_cast<std::ptrdiff_t>(std::min(count, held_out_.size())))};
}

} // namespace tfx
