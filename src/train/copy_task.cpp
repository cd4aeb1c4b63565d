#include "train/copy_task.hpp"

#include "model/presets.hpp"

namespace tfx {

namespace {

constexpr std::size_t length = 10;
constexpr std::uint32_t first_id = 1;

} // namespace

CopyTask::CopyTask()
    : GeneratedTask({.name = "copy",
                     .src_vocabulary = Vocabulary::of_ids(copy_task_vocabulary),
                     .tgt_vocabulary = Vocabulary::of_ids(copy_task_vocabulary),
                     .start = first_id,
                     .end = std::nullopt,
                     .max_tokens = length,
                     .max_src_tokens = length}) {}

GeneratedTask::DrawnExample CopyTask::draw(DataStream& stream) const {
  TokenIds ids(length, first_id);
  for (std::size_t i = 1; i < length; ++i)
    ids[i] = static_cast<std::uint32_t>(1 + stream.below(copy_task_vocabulary - 1));
  return {{ids, ids}, src_vocabulary().decode(ids)};
}

} // namespace tfx
