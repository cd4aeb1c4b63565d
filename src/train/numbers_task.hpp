#pragma once
// numbers-zh: English number words → Chinese numerals, 0 … 999,999,999. Each number of digits is as likely,
// so that small numbers are not one in a million, and half of the numbers have their zeros drawn on purpose
// (NumberDraws): digits that are drawn evenly hardly ever make "one million". The English is spelled with or
// without "and", with or without hyphens. Numbers of three digits and more can be held out: below 100 they
// are the words themselves.

#include "train/english.hpp"
#include "train/generated_task.hpp"

#include <vector>

namespace tfx {

class NumbersTask : public GeneratedTask {
public:
  explicit NumbersTask(NumberDraws draws);

  /// A number's spelling and its numeral. Throws Error(usage) above max_spelled.
  Example example(std::uint32_t n, const EnglishStyle& style) const;

private:
  DrawnExample draw(DataStream& stream) const override;

  NumberDraws draws_;
};

/// What people say most of large numbers: a digit and zeros, and all of 1 … 999 million. In order, each once.
std::vector<std::uint32_t> round_numbers();

/// Whether every training with the task leaves the number out.
bool is_held_out_number(std::uint32_t n);

} // namespace tfx
