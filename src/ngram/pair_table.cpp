#include "ngram/pair_table.hpp"

#include <utility>

namespace tfx {

namespace {

std::uint64_t pair_of(std::uint32_t first, std::uint32_t second) {
  return std::uint64_t{first} << 32 | second;
}

} // namespace

std::size_t PairTable::place(std::uint64_t pair) const {
  std::uint64_t hash = pair * 0x9e3779b97f4a7c15u; // Fibonacci hashing: the golden ratio spreads neighbours
  hash ^= hash >> 32;
  std::size_t at = hash & (slots_.size() - 1);
  while (slots_[at].number != none && slots_[at].pair != pair) at = (at + 1) & (slots_.size() - 1);
  return at;
}

std::uint32_t PairTable::insert(std::uint32_t first, std::uint32_t second) {
  const std::uint64_t pair = pair_of(first, second);
  std::size_t at = place(pair);
  if (slots_[at].number != none) return slots_[at].number;
  if (2 * (size_ + 1) > slots_.size()) {
    grow();
    at = place(pair);
  }
  slots_[at] = {pair, static_cast<std::uint32_t>(size_)};
  return static_cast<std::uint32_t>(size_++);
}

std::optional<std::uint32_t> PairTable::find(std::uint32_t first, std::uint32_t second) const {
  const Slot& slot = slots_[place(pair_of(first, second))];
  if (slot.number == none) return std::nullopt;
  return slot.number;
}

void PairTable::grow() {
  const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
  for (const Slot& slot : before)
    if (slot.number != none) slots_[place(slot.pair)] = slot;
}

} // namespace tfx
