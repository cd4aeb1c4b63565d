#include "course/tutorial_path.hpp"

#include "core/error.hpp"

#include <algorithm>

namespace tfx {

const std::vector<TutorialPath>& tutorial_paths() {
  static const std::vector<TutorialPath> paths = {
      {"fun-transformer",
       {
           {"vectors", "1", {"words --tutorial fun-transformer"}},
           {"projections", "2", {"qkv --tutorial fun-transformer"}},
           {"scores", "3", {"scores --tutorial fun-transformer"}},
           {"softmax", "4", {"softmax --tutorial fun-transformer", "break softmax --with softmax.no_scale"}},
           {"output", "5", {"attention --tutorial fun-transformer --precision 8"}},
           {"class",
            "",
            {"multihead --tutorial fun-transformer:2", "sdpa --tutorial fun-transformer:2",
             "multihead --tutorial fun-transformer:2 --dropout 0.1"}},
           {"test", "", {"multihead --tutorial fun-transformer:2 --show output"}},
           {"backward", "", {"multihead --tutorial fun-transformer:2 --grad", "loss"}},
           {"errata", "", {"errata fun-transformer"}},
       }},
      {"scaled-dot-product",
       {
           {"formulas",
            "",
            {"sdpa --tutorial scaled-dot-product",
             "explain sdpa output 0 0 0 --tutorial scaled-dot-product --depth 3"}},
           {"function", "", {"code sdpa", "sdpa --tutorial scaled-dot-product --full"}},
           {"shapes",
            "",
            {"sdpa --tutorial scaled-dot-product --show weights,output",
             "sdpa --tutorial scaled-dot-product --n-q 2 --n-k 6"}},
           {"errata", "", {"errata scaled-dot-product"}},
       }},
      {"attention-block",
       {
           {"init",
            "",
            {"multihead --d-model 64 --init xavier --quiet", "multihead --d-model 64 --init he --quiet"}},
           {"softmax", "", {"softmax --tutorial attention-block"}},
           {"block", "", {"multihead --tutorial attention-block:1", "masked --tutorial attention-block:1"}},
           {"embeddings",
            "",
            {"embed --tutorial attention-block", "multihead --tutorial attention-block:2",
             "explain multihead X 0 1 0 --tutorial attention-block:2 --depth 2"}},
           {"picture",
            "",
            {"multihead --tutorial attention-block:2 --picture tutorial",
             "softmax --model en-zh --text 'Select the cells that you want to copy.' --layer 0 --head 1 "
             "--picture "
             "tutorial"}},
           {"loss", "", {"loss --tutorial attention-block", "errata log_probs_max"}},
           {"backward",
            "",
            {"multihead --tutorial attention-block:1 --grad", "train step --tutorial attention-block:4"}},
           {"timing", "", {"bench --tutorial attention-block"}},
           {"parameters",
            "",
            {"params --tutorial attention-block", "multihead --tutorial attention-block:2 --quiet"}},
           {"validity", "", {"multihead --tutorial attention-block:1 --full"}},
           {"gradient-flow", "", {"multihead --tutorial attention-block:2 --grad", "errata gradient_flow"}},
           {"errata", "", {"errata attention-block"}},
       }},
      {"annotated",
       {
           {"projection", "一", {"words --tutorial annotated"}},
           {"model", "二.1", {"map", "model --no-time"}},
           {"clones", "二.2", {"block --full"}},
           {"encoder", "二.2", {"model --show memory --no-time"}},
           {"encoder-layer", "二.2", {"block", "block --norm-last"}},
           {"sublayer", "二.2", {"block --show norm_1,attention,residual_1", "block --dropout 0.1"}},
           {"layer-norm", "二.2", {"block --show mean_1,std_1,divisor_1,norm_1", "block --norm standard"}},
           {"decoder-task", "二.3", {"map cross"}},
           {"decoder-layer", "二.3", {"cross", "model --show 'decoder.layers.0.*' --no-time"}},
           {"decoder", "二.3", {"model --show decoder.output,logits,log_probs --no-time"}},
           {"attention", "二.4", {"sdpa --tutorial annotated", "attention --tutorial annotated"}},
           {"multi-head", "二.4", {"multihead --tutorial annotated"}},
           {"feed-forward", "二.5", {"block --show hidden,activated,feed_forward"}},
           {"embeddings", "二.6", {"embed --show token_vectors,embedded"}},
           {"positions", "二.7", {"embed --show angles,position_vectors,X"}},
           {"make-model",
            "二.8",
            {"model --preset annotated --quiet",
             "multihead --d-model 512 --heads 8 --init xavier-uniform --quiet"}},
           {"flops", "二.9", {"params resnet18", "params transformer-base"}},
           {"prediction", "二.9", {"decode"}},
           {"view", "三.1", {"block --full"}},
           {"assert", "三.2", {"block --full"}},
           {"buffer", "三.3", {"block --full"}},
           {"norm-a-token", "三.4", {"explain block norm_1 0 2 --depth 5"}},
           {"masked-fill", "三.5", {"block --full"}},
           {"listing", "", {"model --no-time"}},
           {"errata", "", {"errata annotated"}},
       }},
      {"happy-llm",
       {
           {"recurrence",
            "2.1.1",
            {"attention --tutorial happy-llm:2", "masked --tutorial happy-llm:2 --full"}},
           {"dictionary", "2.1.2", {"lookup --tutorial happy-llm:1"}},
           {"fruit", "2.1.2", {"lookup --tutorial happy-llm:1 --show given_weights"}},
           {"eight", "2.1.2", {"explain lookup given_output 0 0 --tutorial happy-llm:1"}},
           {"similarity", "2.1.2", {"words --tutorial happy-llm:2"}},
           {"scores", "2.1.2", {"explain lookup scores 1 0 --tutorial happy-llm:1"}},
           {"softmax", "2.1.2", {"softmax --tutorial happy-llm:2"}},
           {"one-query", "2.1.2", {"lookup --tutorial happy-llm:1 --show scores,weights,output"}},
           {"many-queries", "2.1.2", {"lookup --tutorial happy-llm:2"}},
           {"scaled", "2.1.2", {"attention --tutorial happy-llm:2", "softmax --full"}},
           {"function", "2.1.3", {"sdpa --tutorial happy-llm:2", "code sdpa"}},
           {"two-sequences", "2.1.4", {"cross", "errata cross_reversed"}},
           {"self-attention", "2.1.4", {"qkv --tutorial happy-llm:2", "attention --tutorial happy-llm:2"}},
           {"steps", "2.1.5", {"masked --tutorial happy-llm:2 --full"}},
           {"mask-rows", "2.1.5", {"masked --tutorial happy-llm:2 --show mask,masked,weights"}},
           {"triu", "2.1.5", {"masked --tutorial happy-llm:2 --full"}},
           {"add-mask", "2.1.5", {"explain masked weights 1 3 --tutorial happy-llm:2"}},
           {"heads",
            "2.1.6",
            {"multihead --model en-zh --text 'Select the cells that you want to copy.' --layer 0",
             "multihead --tutorial happy-llm:2 --show heads,concat,output"}},
           {"class", "2.1.6", {"multihead --tutorial happy-llm:2", "multihead --d-model 4 --heads 2"}},
           {"next-words", "", {"loss --tutorial happy-llm:4"}},
           {"errata", "", {"errata happy-llm"}},
       }},
  };
  return paths;
}

const TutorialPath* tutorial_path(const std::string& id) {
  const auto found = std::ranges::find(tutorial_paths(), id, &TutorialPath::id);
  return found == tutorial_paths().end() ? nullptr : &*found;
}

namespace {

BlockWords words_under(const std::string& key, const Words& words) {
  const std::string* text = words.find(key);
  if (!text) throw defect("there are no words for the block " + key);
  const std::size_t line = std::min(text->find('\n'), text->size());
  return {text->substr(0, line), text->substr(std::min(line + 1, text->size()))};
}

/// Whether the progress has it for the tutorial or one of its blocks.
bool is_of(const TutorialPath& path, const std::string& name) {
  return name == path.id || std::ranges::any_of(path.blocks, [&](const TutorialBlock& block) {
           return name == progress_name(path, block);
         });
}

} // namespace

BlockWords words_of(const TutorialPath& path, const TutorialBlock& block, const Words& words) {
  return words_under(path.id + "." + block.id, words);
}

BlockWords words_of(const TutorialPath& path, const Words& words) {
  return words_under(path.id, words);
}

std::string progress_name(const TutorialPath& path, const TutorialBlock& block) {
  return path.id + "-" + block.id;
}

bool is_seen(const CourseProgress& progress, const TutorialPath& path, const TutorialBlock& block) {
  return progress.mark(progress_name(path, block)) != Mark::none;
}

std::optional<std::size_t> next_block(const CourseProgress& progress, const TutorialPath& path) {
  const auto& blocks = path.blocks;
  const auto unseen = [&](const TutorialBlock& block) { return !is_seen(progress, path, block); };
  auto behind = blocks.begin();
  for (const CourseProgress::Entry& entry : progress.entries()) // the last of them counts
    for (auto block = blocks.begin(); block != blocks.end(); ++block)
      if (entry.lesson == progress_name(path, *block)) behind = block + 1;
  auto found = std::find_if(behind, blocks.end(), unseen);
  if (found == blocks.end()) found = std::ranges::find_if(blocks, unseen);
  if (found == blocks.end()) return std::nullopt;
  return static_cast<std::size_t>(found - blocks.begin());
}

const TutorialPath* path_on(const CourseProgress& progress) {
  const auto& entries = progress.entries();
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry)
    for (const TutorialPath& path : tutorial_paths())
      if (is_of(path, entry->lesson)) return next_block(progress, path) ? &path : nullptr;
  return nullptr;
}

bool forget(CourseProgress& progress, const TutorialPath& path) {
  bool any = progress.forget(path.id);
  for (const TutorialBlock& block : path.blocks) any = progress.forget(progress_name(path, block)) || any;
  return any;
}

} // namespace tfx
