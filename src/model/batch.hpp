#pragma once
// Token ids as the model takes them: rows one after another.

#include "layers/tokens.hpp"

#include <cstdint>
#include <vector>

namespace tfx {

using TokenIds = std::vector<std::uint32_t>;

/// Rows one after another, as a batch's labels stand.
TokenIds flat(const std::vector<TokenIds>& rows);

/// The rows without their `pad`: a ragged batch of them has the same tokens as padded_batch(rows, pad),
/// without the padding.
std::vector<TokenIds> without_padding(std::vector<TokenIds> rows, std::uint32_t pad);

struct Batch {
  TokenIds ids;
  Sequences sequences;
};

/// Rows as they are. Throws Error(bad_data) where one is empty, or there is none.
Batch ragged_batch(const std::vector<TokenIds>& rows);

/// Rows filled up with `pad` to the longest. Wherever `pad` stands, nobody may see it as a key (the
/// notebook's src != pad); as a query it is computed like any token.
Batch padded_batch(const std::vector<TokenIds>& rows, std::uint32_t pad);

} // namespace tfx
