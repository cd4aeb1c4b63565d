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
  static DrawnExample drawn(Example example, std::string key);

private:
  virtual DrawnExample draw(DataStream& stream) const = 0;
};

class CopyTask : public GeneratedTask {
public:
  CopyTask();

private:
  DrawnExample draw(DataStream& stream) const override;
};

class ReverseTask : public GeneratedTask {
public:
  ReverseTask();

private:
  DrawnExample draw(DataStream& stream) const override;
};

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
