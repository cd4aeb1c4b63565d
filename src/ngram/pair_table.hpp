#pragma once
// Pairs of numbers, numbered in the order in which they come: a hash table with linear probing, as the counts
// of a megabyte of text ask it some ten million times.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tfx {

class PairTable {
public:
  /// The pair's number; a new pair gets the next one.
  std::uint32_t insert(std::uint32_t first, std::uint32_t second);
  std::optional<std::uint32_t> find(std::uint32_t first, std::uint32_t second) const;
  std::size_t size() const { return size_; }

private:
  struct Slot {
    std::uint64_t pair = 0;
    std::uint32_t number = none;
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// Where the pair stands, or would.
  std::size_t place(std::uint64_t pair) const;
  void grow();

  std::vector<Slot> slots_ = std::vector<Slot>(64); ///< a power of 2, at most half of them taken
  std::size_t size_ = 0;
};

} // namespace tfx
