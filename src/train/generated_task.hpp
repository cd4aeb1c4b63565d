#pragma once
// Tasks whose examples are drawn by a rule: copy, reverse, numbers-zh. One in ten of what can be held out is
// (is_held_out): where training draws such an example, it draws again. copy is the first example of The
// Annotated Transformer, data_gen(V=11, …): ten ids, each of 1 … 10 as likely, the first one always 1, and no
// end; reverse has one to ten letters, of which three and more can be held out; numbers-zh has 0 …
// 999,999,999, each number of digits as likely, half with their zeros drawn on purpose (NumberDraws), of
// which three digits and more can be held out.

#include "train/number_words.hpp"
#include "train/task.hpp"

#include <vector>

namespace tfx {

// A task whose examples are drawn by a rule. One in ten of what can be held out is (train/task.hpp):
// where training draws such an example, it draws again.

class GeneratedTask : public Task {
public:
  using Task::Task;

  std::vector<Example> batch(std::size_t size, std::uint64_t seed, std::uint64_t step) const final;
  std::vector<Example> held_out(std::size_t count) const final;

protected:
  struct DrawnExample {
    Example example;
    std::string key; ///< what it is about: examples of one key are held out together; empty: never held out
  };

private:
  virtual DrawnExample draw(DataStream& stream) const = 0;
};

// copy: the first example of The Annotated Transformer. Sequences of ten ids, each of 1 … 10 as likely, the
// first one always 1; the target is the source. Id 0 is padding, which no sequence needs. There is no end:
// decoding starts with 1 and stops at ten tokens. Source: data_gen(V=11, …) of the notebook: randint(1, V,
// size=(batch, 10)), data[:, 0] = 1.

class CopyTask : public GeneratedTask {
public:
  CopyTask();

private:
  DrawnExample draw(DataStream& stream) const override;
};

// reverse: one to ten letters → the same letters from the last to the first. Each length is as likely, and
// each letter of a … z at each place. Sequences of three letters and more can be held out: of the shorter
// ones there are too few.

class ReverseTask : public GeneratedTask {
public:
  ReverseTask();

private:
  DrawnExample draw(DataStream& stream) const override;
};

// numbers-zh: English number words → Chinese numerals, 0 … 999,999,999. Each number of digits is as likely,
// so that small numbers are not one in a million, and half of the numbers have their zeros drawn on purpose
// (NumberDraws): digits that are drawn evenly hardly ever make "one million". The English is spelled with or
// without "and", with or without hyphens. Numbers of three digits and more can be held out: below 100 they
// are the words themselves.

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
