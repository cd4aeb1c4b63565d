#pragma once
// `tfx bpe`: byte-pair encoding of the learner's own text.

#include "cli/context.hpp"
#include "options/option.hpp"

namespace tfx {

// What `tfx bpe` takes: to learn merges from a text, or to cut a text by merges, or back; without an action
// the lesson's page, as `tfx bpe step` shows it.

enum class BpeAction { train, encode, decode, page };

struct BpeOptions {
  std::string action, file;
  std::optional<std::size_t> merges;
  std::optional<std::string> out, vocab_out, vocab, text, lines, save;
  std::optional<std::vector<std::vector<std::uint32_t>>> ids;
  bool all = false, json = false;
};

const std::vector<std::string>& bpe_actions();
const std::vector<Option<BpeOptions, BpeAction>>& bpe_options();

/// Throws Error(usage) for an action that there is not, an option that is for another one, and one that is
/// missing.
BpeAction bpe_action(const BpeOptions& options);

} // namespace tfx
