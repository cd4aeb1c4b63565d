#include "model/batch.hpp"

#include "core/error.hpp"

#include <algorithm>

namespace tfx {

TokenIds flat(const std::vector<TokenIds>& rows) {
  TokenIds all;
  for (const TokenIds& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}

std::vector<TokenIds> without_padding(std::vector<TokenIds> rows, std::uint32_t pad) {
  for (TokenIds& row : rows) std::erase(row, pad);
  return rows;
}

Batch ragged_batch(const std::vector<TokenIds>& rows) {
  if (rows.empty())
    throw Error(ErrorKind::bad_data, said("the batch has no sequence"), said("give at least one"));
  Batch batch;
  for (std::size_t s = 0; s < rows.size(); ++s) {
    if (rows[s].empty())
      throw Error(ErrorKind::bad_data, said("sequence {index} has no token", {{"index", s}}),
                  said("give at least one token id a sequence"));
    batch.ids.insert(batch.ids.end(), rows[s].begin(), rows[s].end());
    batch.sequences.append(rows[s].size());
  }
  return batch;
}

Batch padded_batch(const std::vector<TokenIds>& rows, std::uint32_t pad) {
  std::size_t longest = 0;
  for (const TokenIds& row : rows) longest = std::max(longest, row.size());
  std::vector<TokenIds> filled = rows;
  for (TokenIds& row : filled)
    if (!row.empty()) row.resize(longest, pad);
  Batch batch = ragged_batch(filled);
  for (const std::uint32_t id : batch.ids) batch.sequences.valid.push_back(id != pad);
  return batch;
}

} // namespace tfx
