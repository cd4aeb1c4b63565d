#pragma once
// The files of mutations that tools/reference/mutated_*.py make: edits of a few bases and NumPy's verdict on
// each.

#include "io/npz.hpp"
#include "support/catch.hpp"

#include <zlib.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tfx {

enum Verdict { refused = 0, numbers = 1, something_else = 2 };

/// Parts of messages, each with the reason that it is of.
using Reasons = std::vector<std::pair<const char*, const char*>>;

/// Why tfx refuses what NumPy reads, by its message; empty where that is none of the reasons.
inline std::string reason_of(const std::string& message, const Reasons& reasons) {
  for (const auto& [part, reason] : reasons)
    if (message.find(part) != std::string::npos) return reason;
  return "";
}

/// The columns of the file, each walked from its start to its end.
class Column {
public:
  Column(const NpzReader& file, const std::string& name) : values_(file.read(name).values.data) {}

  std::size_t size() const { return values_.size(); }
  std::size_t next() { return static_cast<std::size_t>(values_.at(at_++)); }
  std::string next_text(std::size_t length) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) text += static_cast<char>(next());
    return text;
  }

private:
  std::vector<double> values_;
  std::size_t at_ = 0;
};

/// CRC32, after what `digest` is of, of the shape as NumPy prints it and of the cells as float64.
inline std::uint32_t digest_of(const Tensor& tensor, std::uint32_t digest) {
  static_assert(std::endian::native == std::endian::little);
  const auto add = [](uLong crc, const void* bytes, std::size_t size) {
    return crc32(crc, static_cast<const Bytef*>(bytes), static_cast<uInt>(size));
  };
  const std::string shape = to_string(tensor.shape);
  uLong crc = add(digest, shape.data(), shape.size());
  for (double cell : tensor.data) {
    if (std::isnan(cell)) cell = std::numeric_limits<double>::quiet_NaN();
    crc = add(crc, &cell, sizeof cell);
  }
  return static_cast<std::uint32_t>(crc);
}

/// The mutations of such a file, one after the other.
class Mutations {
public:
  explicit Mutations(const NpzReader& file)
      : base_(file, "base"),
        edits_(file, "edits"),
        position_(file, "position"),
        removed_(file, "removed"),
        inserted_(file, "inserted"),
        fresh_(file, "bytes"),
        verdict_(file, "verdict"),
        digest_(file, "digest") {}

  struct Mutation {
    std::string bytes;
    std::size_t verdict, digest;
  };
  std::size_t size() const { return base_.size(); }
  Mutation next(const std::vector<std::string>& bases) {
    Mutation mutation{bases.at(base_.next()), verdict_.next(), digest_.next()};
    for (std::size_t edit = edits_.next(); edit > 0; --edit) {
      const std::size_t at = position_.next(), count = removed_.next();
      mutation.bytes.replace(at, count, fresh_.next_text(inserted_.next()));
    }
    return mutation;
  }

private:
  Column base_, edits_, position_, removed_, inserted_, fresh_, verdict_, digest_;
};

} // namespace tfx
