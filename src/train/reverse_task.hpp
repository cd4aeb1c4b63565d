#pragma once
// reverse: one to ten letters → the same letters from the last to the first. Each length is as likely, and
// each letter of a … z at each place. Sequences of three letters and more can be held out: of the shorter
// ones there are too few.

#include "train/generated_task.hpp"

namespace tfx {

class ReverseTask : public GeneratedTask {
public:
  ReverseTask();

private:
  DrawnExample draw(DataStream& stream) const override;
};

} // namespace tfx
