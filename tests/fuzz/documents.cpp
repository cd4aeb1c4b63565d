// A learner's text, cut into documents, and the models that count on its bytes.
#include "train/documents.hpp"
#include "fuzz.hpp"
#include "ngram/kneser_ney.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tfx::fuzz {

namespace {

/// Few tokens, which repeat themselves in a short input. One order of seven: an input of another length takes
/// another.
void count_tokens(const std::vector<std::string>& documents) {
  constexpr std::uint32_t end = 5;
  std::vector<std::vector<std::uint32_t>> ids;
  for (const std::string& document : documents) {
    ids.emplace_back();
    for (const unsigned char byte : document) ids.back().push_back(byte % end);
  }
  const KneserNey counted(ids, end + 1, end, 1 + ids[0].size() % KneserNey::max_order);
  const Tensor log_probs = counted.log_probs(ids[0]);
  for (const double one : log_probs.data) require(std::isfinite(one) && one <= 1e-9, "a probability is one");
  const std::vector<double> next = counted.next(ids[0], 1 + documents.size() % counted.order());
  require(std::abs(std::accumulate(next.begin(), next.end(), 0.0) - 1) < 1e-9, "they sum to 1");
}

} // namespace

void one_input(std::string_view bytes) {
  if (bytes.empty()) return;
  const Documents rule = documents_words()[bytes[0] % 3U].second;
  const std::string text(bytes.substr(1));
  const auto documents = read_or_refuse("x.txt", [&] { return documents_of(text, rule, "x.txt"); });
  if (!documents) return;
  std::string joined;
  for (const std::string& document : *documents) {
    require(!document.empty(), "no document is empty");
    if (rule == Documents::line) require(document.find('\n') == std::string::npos, "a line is one line");
    joined += document + (rule == Documents::file ? "" : "\n\n");
  }
  if (joined.starts_with("\uFEFF")) return; // it would be taken off
  require(documents_of(joined, rule, "x.txt") == *documents, "the documents come back");
  count_tokens(*documents);
}

} // namespace tfx::fuzz
