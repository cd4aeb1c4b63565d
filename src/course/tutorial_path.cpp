#include "course/tutorial_path.hpp"

#include "core/error.hpp"

#include <algorithm>

namespace tfx {

const std::vector<TutorialPath>& tutorial_paths() {
  constexpr bool page = true; // a drawing, a listing, a table: more than the rows of a point
  static const std::vector<TutorialPath> paths = {
      {"fun-transformer",
       {
           {"vectors",
            "1",
            {"words --tutorial fun-transformer --show X,look", "words --tutorial fun-transformer"}},
           {"projections",
            "2",
            {"qkv --tutorial fun-transformer --show Q,K,V,equals_reference",
             "qkv --tutorial fun-transformer"}},
           {"scores",
            "3",
            {"scores --tutorial fun-transformer --show scores,look", "scores --tutorial fun-transformer"}},
           {"softmax",
            "4",
            {"softmax --tutorial fun-transformer --show scaled,weights,large_scores_are_finite",
             "softmax --tutorial fun-transformer", "break softmax --with softmax.no_scale"}},
           {"output",
            "5",
            {"attention --tutorial fun-transformer --precision 8 --show output",
             "attention --tutorial fun-transformer"}},
           {"class",
            "",
            {"multihead --tutorial fun-transformer:2 --show steps", "sdpa --tutorial fun-transformer:2",
             "multihead --tutorial fun-transformer:2 --dropout 0.1"}},
           {"test", "", {"multihead --tutorial fun-transformer:2 --show output"}},
           {"backward",
            "",
            {"multihead --tutorial fun-transformer:2 --grad --show gradients",
             "multihead --tutorial fun-transformer:2 --grad", "loss weights"}},
           {"errata", "", {"errata fun-transformer --brief", "errata fun-transformer"}},
       }},
      {"scaled-dot-product",
       {
           {"formulas",
            "",
            {"sdpa --tutorial scaled-dot-product --show steps",
             "explain sdpa output 0 0 0 --tutorial scaled-dot-product --depth 3",
             "sdpa --tutorial scaled-dot-product"}},
           {"function",
            "",
            {"code sdpa --in numpy", "sdpa --tutorial scaled-dot-product --full", "code sdpa"},
            page},
           {"shapes",
            "",
            {"sdpa --tutorial scaled-dot-product --show shapes,weights",
             "sdpa --tutorial scaled-dot-product --n-q 2 --n-k 6 --show shapes,weights"}},
           {"errata", "", {"errata scaled-dot-product --brief", "errata scaled-dot-product"}},
       }},
      {"attention-block",
       {
           {"init",
            "",
            {"multihead --d-model 64 --init xavier --show data",
             "multihead --d-model 64 --init he --show data"}},
           {"softmax",
            "",
            {"softmax --tutorial attention-block --show steps", "softmax --tutorial attention-block"}},
           {"block",
            "",
            {"multihead --tutorial attention-block:1 --show steps", "multihead --tutorial attention-block:1",
             "masked --tutorial attention-block:1"}},
           {"embeddings",
            "",
            {"explain multihead X 0 1 0 --tutorial attention-block:2 --depth 2",
             "embed --tutorial attention-block", "multihead --tutorial attention-block:2"}},
           {"picture",
            "",
            {"multihead --tutorial attention-block:2 --picture tutorial --show picture",
             "softmax --model en-zh --text 'Select the cells that you want to copy.' --layer 0 --head 1 "
             "--picture tutorial --show picture"}},
           {"loss",
            "",
            {"loss --tutorial attention-block --show loss,look.1", "loss --tutorial attention-block",
             "errata log_probs_max"}},
           {"backward",
            "",
            {"multihead --tutorial attention-block:1 --grad --show gradients",
             "multihead --tutorial attention-block:1 --grad", "train step --tutorial attention-block:4"}},
           {"timing", "", {"bench --tutorial attention-block"}, page},
           {"parameters",
            "",
            {"params --tutorial attention-block", "multihead --tutorial attention-block:2 --quiet"},
            page},
           {"validity",
            "",
            {"multihead --tutorial attention-block:1 --show rows_sum_to_one,look.4",
             "multihead --tutorial attention-block:1 --full"}},
           {"gradient-flow",
            "",
            {"multihead --tutorial attention-block:2 --grad --show gradient_flow", "errata gradient_flow"}},
           {"errata", "", {"errata attention-block --brief", "errata attention-block"}, page},
       }},
      {"annotated",
       {
           {"projection",
            "一",
            {"words --tutorial annotated --show dots,cosines", "words --tutorial annotated"}},
           {"model", "二.1", {"map", "model --no-time"}, page},
           {"clones", "二.2", {"block --show clones_apart,look.3"}},
           {"encoder", "二.2", {"model --show memory --no-time"}},
           {"encoder-layer", "二.2", {"block --show residual_1,output", "block", "block --norm-last"}},
           {"sublayer",
            "二.2",
            {"block --dropout 0.1 --dropout-at sublayers --show dropped_1,residual_1",
             "block --show attention,residual_1,look.2", "block --dropout 0.1"}},
           {"layer-norm",
            "二.2",
            {"block --show norm_rules", "block --show mean_1,std_1,divisor_1,norm_1",
             "block --norm standard"}},
           {"decoder-task", "二.3", {"map cross"}, page},
           {"decoder-layer",
            "二.3",
            {"cross --show memory,weights", "cross", "model --show 'decoder.layers.0.*' --no-time"}},
           {"decoder",
            "二.3",
            {"model --show log_probs --no-time", "model --show decoder.output,logits --no-time"}},
           {"attention",
            "二.4",
            {"attention --tutorial annotated --show mixtures", "sdpa --tutorial annotated",
             "attention --tutorial annotated"}},
           {"multi-head",
            "二.4",
            {"multihead --tutorial annotated --show steps", "multihead --tutorial annotated"}},
           {"feed-forward",
            "二.5",
            {"block --show activated,feed_forward",
             "block --dropout 0.1 --dropout-at hidden --show activated,dropped_hidden"}},
           {"embeddings", "二.6", {"embed --show token_vectors,embedded"}},
           {"positions",
            "二.7",
            {"embed --show position_vectors,X", "embed --show angles",
             "embed --dropout 0.1 --show X,dropped"}},
           {"make-model",
            "二.8",
            {"model --preset annotated --quiet",
             "multihead --d-model 512 --heads 8 --init xavier-uniform --show data"}},
           {"flops",
            "二.9",
            {"params resnet18 transformer-base", "params resnet18", "params transformer-base"}},
           {"prediction", "二.9", {"decode --text at", "decode"}, page},
           {"view", "三.1", {"block --show memory_layout,strided_view"}},
           {"assert", "三.2", {"block --show whole_heads"}},
           {"buffer", "三.3", {"block --show state"}},
           {"norm-a-token", "三.4", {"explain block norm_1 0 2 --depth 2"}},
           {"masked-fill", "三.5", {"block --show masked_fill"}},
           {"listing",
            "",
            {"params annotated-listing annotated --no-time", "params annotated-listing",
             "model --family encoder --layers 6 --d-model 256 --heads 4 --d-ff 2048 --vocab 1000 --positions "
             "none --norm standard --norm-last --src 1,2,3,4,5 --quiet"},
            page},
           {"errata", "", {"errata annotated --brief", "errata annotated"}, page},
       }},
      {"happy-llm",
       {
           {"recurrence",
            "2.1.1",
            {"attention --tutorial happy-llm:2 --show recurrent",
             "masked --tutorial happy-llm:2 --show prefix,look.2"}},
           {"dictionary",
            "2.1.2",
            {"lookup --tutorial happy-llm:1 --show hard,weights,output", "lookup --tutorial happy-llm:1"}},
           {"fruit", "2.1.2", {"lookup --tutorial happy-llm:1 --show given_weights"}},
           {"eight", "2.1.2", {"explain lookup given_output 0 0 --tutorial happy-llm:1"}},
           {"similarity",
            "2.1.2",
            {"words --tutorial happy-llm:2 --show dots,cosines", "words --tutorial happy-llm:2",
             "errata unrelated_below_zero"}},
           {"scores", "2.1.2", {"explain lookup scores 1 0 --tutorial happy-llm:1"}},
           {"softmax",
            "2.1.2",
            {"softmax --tutorial happy-llm:2 --show weights,rows_sum_to_one",
             "softmax --tutorial happy-llm:2"}},
           {"one-query", "2.1.2", {"lookup --tutorial happy-llm:1 --show scores,weights,output"}},
           {"many-queries",
            "2.1.2",
            {"lookup --tutorial happy-llm:2 --show Q,scores", "lookup --tutorial happy-llm:2"}},
           {"scaled", "2.1.2", {"softmax --show sweep", "attention --tutorial happy-llm:2"}},
           {"function",
            "2.1.3",
            {"sdpa --tutorial happy-llm:2 --show steps,shapes", "sdpa --tutorial happy-llm:2", "code sdpa"}},
           {"two-sequences", "2.1.4", {"cross --show look", "cross", "errata cross_reversed"}},
           {"self-attention",
            "2.1.4",
            {"qkv --tutorial happy-llm:2 --show X,steps", "qkv --tutorial happy-llm:2",
             "attention --tutorial happy-llm:2"}},
           {"steps", "2.1.5", {"masked --tutorial happy-llm:2 --show passes"}},
           {"mask-rows", "2.1.5", {"masked --tutorial happy-llm:2 --show masked,weights"}},
           {"triu", "2.1.5", {"masked --tutorial happy-llm:2 --show triangle,additive_mask"}},
           {"add-mask",
            "2.1.5",
            {"explain masked weights 1 3 --tutorial happy-llm:2 --depth 0",
             "explain masked weights 1 3 --tutorial happy-llm:2"}},
           {"heads",
            "2.1.6",
            {"multihead --model en-zh --text 'Select the cells that you want to copy.' --layer 0 --show "
             "picture",
             "multihead --tutorial happy-llm:2 --show heads,concat,output"}},
           {"class",
            "2.1.6",
            {"multihead --tutorial happy-llm:2 --show steps", "multihead --tutorial happy-llm:2",
             "multihead --d-model 4 --heads 2"}},
           {"next-words",
            "",
            {"loss --tutorial happy-llm:4 --show probs,loss", "loss weights --tutorial happy-llm:4"}},
           {"errata", "", {"errata happy-llm --brief", "errata happy-llm"}, page},
       }},
      {"microgpt",
       {
           {"dataset", "", {"gpt --tutorial microgpt --show documents --no-time"}},
           {"tokenizer",
            "",
            {"gpt --tutorial microgpt --show tgt,labels", "explain gpt target 0 24 --tutorial microgpt"}},
           {"parameters",
            "",
            {"gpt --tutorial microgpt --show matrices", "params microgpt --no-time",
             "params count --model microgpt"}},
           {"autograd",
            "",
            {"gpt --tutorial microgpt --grad --show gradients",
             "explain gpt d.generator.proj.weight 24 0 --tutorial microgpt --grad",
             "gpt --tutorial microgpt --grad --no-time"}},
           {"embedding",
            "",
            {"explain gpt tgt_embed.sum 1 0 --tutorial microgpt",
             "gpt --tutorial microgpt --show tgt_embed.rows,tgt_embed.pe,tgt_embed.sum"}},
           {"rmsnorm",
            "",
            {"gpt --tutorial microgpt --show tgt_embed",
             "gpt --tutorial microgpt --show tgt_embed.norm.mean_square,tgt_embed.norm.divisor",
             "explain gpt tgt_embed 1 0 --tutorial microgpt --depth 3"}},
           {"attention",
            "",
            {"gpt --show picture", "gpt --tutorial microgpt --show picture",
             "explain gpt decoder.layers.0.self_attn.weights 0 2 1 --tutorial microgpt",
             "break gpt --with gpt.no_mask"}},
           {"residual",
            "",
            {"explain gpt decoder.layers.0.sublayer.0.output 1 0 --tutorial microgpt",
             "break gpt --with gpt.residual_normed --tutorial microgpt"}},
           {"mlp",
            "",
            {"gpt --tutorial microgpt --show decoder.layers.0.feed_forward.hidden",
             "explain gpt decoder.layers.0.feed_forward.output 0 0 --tutorial microgpt"}},
           {"head",
            "",
            {"gpt --tutorial microgpt --show answers",
             "explain gpt log_probs 0 24 --tutorial microgpt --depth 2"}},
           {"loss",
            "",
            {"gpt --tutorial microgpt --show loss,loss_is_mean,published_loss", "gpt --tutorial microgpt"}},
           {"adam", "", {"gpt --tutorial microgpt --show adam", "train step"}},
           {"losses", "", {"gpt --tutorial microgpt --show first_steps", "code gpt --in torch"}},
           {"training", "", {"gpt --show answers,look.2", "gpt", "gpt --text emma"}},
           {"inference",
            "",
            {"generate --model microgpt --count 15 --temperature 0.5",
             "decode step --model microgpt --text ann"},
            page},
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
