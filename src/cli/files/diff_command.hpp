#pragma once
// `tfx diff`: two files of arrays, compared.

#include "cli/context.hpp"
#include "cli/files/difference.hpp"

namespace tfx {

// The result of `tfx diff` as a screen and as JSON.

struct Compared {
  const ArrayFile& a;
  const ArrayFile& b;
  FileTolerance tolerance;
  std::vector<ArrayDifference> arrays;

  bool equal() const;
};

enum class DiffList { different, all };

std::string diff_screen(const Compared& compared, DiffList list, const Context& context);
std::string diff_json(const Compared& compared);

} // namespace tfx
