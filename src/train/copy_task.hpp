#pragma once
// copy: the first example of The Annotated Transformer. Sequences of ten ids, each of 1 … 10 as likely, the
// first one always 1; the target is the source. Id 0 is padding, which no sequence needs. There is no end:
// decoding starts with 1 and stops at ten tokens. Source: data_gen(V=11, …) of the notebook: randint(1, V,
// size=(batch, 10)), data[:, 0] = 1.

#include "train/generated_task.hpp"

namespace tfx {

class CopyTask : public GeneratedTask {
public:
  CopyTask();

private:
  DrawnExample draw(DataStream& stream) const override;
};

} // namespace tfx
