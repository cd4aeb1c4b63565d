#pragma once
// numbers-zh: English number words → Chinese numerals, 0 … 999,999,999. Each number of digits is as likely,
// so that small numbers are not one in a million; the English is spelled with or without "and", with or
// without hyphens. Numbers of three digits and more can be held out: below 100 they are the words themselves.

#include "train/generated_task.hpp"

namespace tfx {

class NumbersTask : public GeneratedTask {
public:
  NumbersTask();

private:
  DrawnExample draw(DataStream& stream) const override;
};

} // namespace tfx
