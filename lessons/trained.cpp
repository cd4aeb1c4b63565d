#include "lessons/trained.hpp"

#include "core/broadcast.hpp"
#include "core/memory.hpp"
#include "input/own_words.hpp"
#include "lessons/12_model/page.hpp"
#include "lessons/neighbours.hpp"
#include "model/checkpoint.hpp"
#include "model/head_roles.hpp"
#include "model/parameters.hpp"
#include "model/search.hpp"
#include "model/shipped.hpp"
#include "text/suggest.hpp"
#include "words/in_words.hpp"
#include "words/refusals.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tfx {

namespace {

using Names = std::vector<std::string>;

/// What a lesson looks at.
enum class Part { embedding, encoder, decoder, cross };

Part part_of(const InputRules& lesson) {
  if (lesson.stage == Stage::tokens || lesson.stage == Stage::vectors) return Part::embedding;
  if (lesson.stage == Stage::memory) return Part::cross;
  return lesson.causal_by_default() || lesson.stage == Stage::decoding ? Part::decoder : Part::encoder;
}

Names tokens_of(const Vocabulary& vocabulary, const TokenIds& ids) {
  Names names;
  for (const std::uint32_t id : ids) {
    const std::string text = vocabulary.decode({id});
    names.push_back(text.empty() ? vocabulary.tokens[id] : text); // a mark of capitals has no text
  }
  return names;
}

/// Rows of a matrix, or numbers of a vector: torch.nn.Linear keeps a head's in its rows.
Tensor rows(const Tensor& W, std::size_t first, std::size_t count) {
  Shape shape = W.shape;
  const std::size_t width = W.size() / shape[0];
  shape[0] = count;
  const auto begin = W.data.begin() + static_cast<std::ptrdiff_t>(first * width);
  return Tensor(std::move(shape),
                std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count * width)));
}

class TrainedInput {
public:
  TrainedInput(const InputOptions& options, const InputRules& lesson)
      : o_(options), lesson_(lesson), part_(part_of(lesson)) {
    const TensorFile file = model_file(*o_.model);
    const auto model = load_model<double>(file);
    card_ = card_or_ids(file, model.config);
    choose_place(model.config);
    read(model);
    run(model);
  }

  LessonInput take() {
    switch (lesson_.stage) {
    case Stage::tokens: tokens(); break;
    case Stage::vectors: copy("src_embed.rows", "X"), neighbours(); break;
    case Stage::layer: layer(); break;
    default: attention(); break;
    }
    input_.named_words = input_.positioned = true;
    state();
    return std::move(input_);
  }

private:
  void choose_place(const Config& config) {
    const auto require = [&](const char* option, const std::optional<std::size_t>& asked, std::size_t count) {
      if (asked && *asked >= count)
        throw usage_error("count", {{"name", option},
                                    {"least", "0"},
                                    {"most", std::to_string(count - 1)},
                                    {"text", std::to_string(*asked)}});
    };
    require("--layer", o_.layer, config.layers), require("--head", o_.head, config.heads);
    layer_ = o_.layer.value_or(config.layers - 1), head_ = o_.head.value_or(0);
    heads_ = config.heads, d_k_ = config.d_model / config.heads;
    const bool encodes = part_ == Part::encoder;
    place_ = fmt::format("{}.layers.{}", encodes ? "encoder" : "decoder", layer_);
    attention_ = place_ + (part_ == Part::cross ? ".src_attn" : ".self_attn");
  }

  /// The text, and what the model answers to it.
  void read(const EncoderDecoder<double>& model) {
    try {
      src_ = card_.src.encode(o_.text.value_or(short_example(card_)));
    } catch (const Error& error) {
      throw Error(error.kind(), "--text: " + in_learners_language(error.what()), error.hint());
    }
    if (card_.src.id_of(std::string(unknown_token)) == unknown_id && std::ranges::count(src_, unknown_id))
      input_.notes.push_back(in_words(
          std::ranges::count(src_, unknown_id) == std::ssize(src_) ? "note.nothing_known"
                                                                   : "note.unknown_tokens",
          {{"model", *o_.model}, {"text", card_.src.decode(src_)}, {"example", short_example(card_)}}));
    tgt_ = {card_.start};
    if (part_ != Part::decoder && part_ != Part::cross) return;
    const std::size_t longest = card_.max_tokens > 1 ? card_.max_tokens - 1 : src_.size();
    const TokenIds answer = greedy(model, ragged_batch({src_}), {card_.start, card_.end, longest}).front();
    tgt_.insert(tgt_.end(), answer.begin(), answer.end());
  }

  void run(const EncoderDecoder<double>& model) {
    constexpr double copies = 3; // the engine's, the page's, and what is taken from it
    require_memory(copies * sizeof(double) * static_cast<double>(count_parameters(model)),
                   "the model's page");
    // Nothing is padding: an id that is none of the vocabulary's.
    ModelPage page = page_of(model, ragged_batch({src_}), ragged_batch({tgt_}),
                             static_cast<std::uint32_t>(model.config.src_vocab + model.config.tgt_vocab));
    page.src_tokens = tokens_of(card_.src, src_), page.tgt_tokens = tokens_of(card_.tgt, tgt_);
    input_.norm = page.norm, input_.norm_first = page.norm_first, input_.activation = page.activation;
    page_ = run_model_page(std::move(page));
  }

  /// A step of the page and the way to it, under another name where one is given. What the model learned on
  /// the way is given here: only the lesson's own parameters count.
  void copy(const std::string& name, const std::string& as = {}) {
    Trace& given = input_.given;
    if (given.has(as.empty() ? name : as)) return;
    Step step = page_.step_named(name);
    for (const std::string& source : step.operation.inputs) copy(source);
    if (!as.empty()) step.name = as;
    step.role = as.empty() ? Role::before : step.operation.is(op::given) ? Role::input : Role::recap;
    if (step.role == Role::before && page_.step_named(name).role == Role::parameter)
      step.formula = source_of(name);
    if (name == "src") step.formula = "--text";
    if (name == "tgt") step.formula = "greedy";
    given.steps.push_back(std::move(step));
  }

  std::string source_of(const std::string& name) const { return *o_.model + ": " + name; }

  void parameter(const std::string& name, Tensor value, const std::string& source) {
    input_.given.add_input(name, source_of(source), std::move(value), {}, Role::parameter);
  }

  /// W (d_in, d_out) and b of a torch.nn.Linear: all of it, or one head's columns.
  void linear(const std::string& W, const std::string& b, const std::string& name, bool of_head) {
    const Tensor &weight = page_[name + ".weight"], &bias = page_[name + ".bias"];
    const std::size_t first = head_ * d_k_;
    const std::string columns = of_head ? fmt::format("{}:{}", first, first + d_k_) : "";
    parameter(W, transposed(of_head ? rows(weight, first, d_k_) : weight),
              name + ".weight.T" + (of_head ? "[:, " + columns + "]" : ""));
    parameter(b, of_head ? rows(bias, first, d_k_) : bias,
              name + ".bias" + (of_head ? "[" + columns + "]" : ""));
  }

  void projections(bool of_head) {
    const char* letters[] = {"Q", "K", "V"};
    for (std::size_t i = 0; i < 3; ++i)
      linear(std::string("W_") + letters[i], std::string("b_") + letters[i],
             attention_ + ".linears." + std::to_string(i), of_head);
    if (!of_head) linear("W_O", "b_O", attention_ + ".linears.3", false);
  }

  /// The step whose rows the linear layer reads.
  const std::string& read_by(const std::string& linear_layer) const {
    return page_.step_named(linear_layer).operation.inputs[0];
  }

  void attention() {
    const bool all_heads = lesson_.stage == Stage::heads;
    copy(read_by(attention_ + ".linears.0"), "X");
    if (part_ == Part::cross) copy(read_by(attention_ + ".linears.1"), "memory");
    projections(!all_heads);
    if (all_heads) input_.heads = heads_;
  }

  void layer() {
    const std::string X = input_.norm_first
                              ? page_.step_named(place_ + ".sublayer.0.output").operation.inputs[0]
                              : page_.step_named(place_ + ".sublayer.0.sum").operation.inputs[0];
    copy(X, "X");
    projections(false);
    input_.heads = heads_;
    const std::string feed_forward = place_ + ".feed_forward.";
    linear("W_1", "b_1", feed_forward + "w_1", false), linear("W_2", "b_2", feed_forward + "w_2", false);
    for (const std::string i : {"1", "2"}) {
      const std::string norm = place_ + ".sublayer." + (i == "1" ? "0" : "1") + ".norm.";
      parameter("gain_" + i, page_[norm + "a_2"], norm + "a_2");
      parameter("shift_" + i, page_[norm + "b_2"], norm + "b_2");
    }
  }

  void tokens() {
    copy("src", "token_ids");
    const std::string table = "src_embed.0.lut.weight";
    parameter("token_embedding", page_[table], table);
    input_.given.steps.back().labels[0] = card_.src.tokens;
    add_positions(input_, src_.size(), tokens_of(card_.src, src_));
  }

  /// The words nearest to each of the text's among all that the model has, by cosine; what a lesson computes
  /// of their vectors is in "near".
  void neighbours() {
    constexpr std::size_t most = 5;
    const std::string name = "src_embed.0.lut.weight";
    const Vocabulary& words = card_.src;
    const Neighbours found(page_[name], [&](std::size_t id) {
      const std::string& word = words.tokens[id];
      return word != pad_token && word != start_token && word != end_token && word != unknown_token;
    });
    Experiment table{"neighbours", {"cosine", "distance", "rank"}, {}, {}};
    std::vector<std::size_t> ids;
    std::vector<double> cells;
    const auto add = [&](std::size_t id) {
      if (!std::ranges::count(ids, id)) ids.push_back(id);
    };
    for (const std::uint32_t id : src_) {
      if (std::ranges::count(ids, id) && std::ranges::count(asked_, id)) continue;
      asked_.push_back(id), add(id);
      for (const Neighbour& one : found.of(id, most)) {
        add(one.row);
        table.rows.push_back(words.tokens[id] + " → " + words.tokens[one.row]);
        cells.insert(cells.end(), {one.cosine, one.distance, static_cast<double>(one.distance_rank)});
      }
    }
    if (table.rows.empty()) return;
    table.values = Tensor({table.rows.size(), 3}, std::move(cells));
    input_.given.experiments.push_back(std::move(table));
    input_.given.facts["vocabulary"] = static_cast<double>(found.count());
    const Tensor& lut = page_[name];
    const std::size_t width = lut.shape[1];
    Tensor near({ids.size(), width});
    std::vector<std::string> names;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      std::copy_n(lut.data.begin() + static_cast<std::ptrdiff_t>(ids[i] * width), width,
                  near.data.begin() + static_cast<std::ptrdiff_t>(i * width));
      names.push_back(words.tokens[ids[i]]);
    }
    input_.given.add_input("near", source_of(name), std::move(near), {names, {}}, Role::input);
  }

  /// What the page says of where its numbers come from.
  void state() {
    auto& facts = input_.given.facts;
    facts["trained"] = *o_.model;
    if (part_ == Part::embedding) {
      facts["trained_table"] = std::string("src_embed");
    } else if (lesson_.stage == Stage::layer) {
      facts["trained_layer"] = place_;
    } else {
      facts["trained_place"] = attention_;
      const char* key = lesson_.stage == Stage::heads ? "trained_heads" : "trained_head";
      facts[key] = std::to_string(lesson_.stage == Stage::heads ? heads_ : head_);
      state_roles();
    }
    const bool answers = tgt_.size() > 1;
    facts[answers ? "trained_asked" : "trained_read"] = card_.src.decode(src_);
    if (answers) facts["trained_answer"] = card_.tgt.decode({tgt_.begin() + 1, tgt_.end()});
  }

  /// What the head looks at in this text; of lessons on all heads, what each of them does.
  void state_roles() {
    Tensor weights = page_[attention_ + ".weights"];
    weights.shape.erase(weights.shape.begin(), weights.shape.end() - 3); // one sentence
    HeadMeter meter;
    meter.add(attention_, weights, {src_, tgt_, tokens_of(card_.src, src_), tokens_of(card_.tgt, tgt_)});
    auto& facts = input_.given.facts;
    std::vector<std::string> all;
    for (const HeadScores& head : meter.heads()) {
      const auto role = head.role();
      all.push_back(role ? word_of(head_rules(), *role) : "none");
    }
    if (lesson_.stage == Stage::heads) {
      facts["trained_roles"] = all;
      return;
    }
    const HeadScores& head = meter.heads()[head_];
    const auto best = head.best();
    if (!best) return;
    facts[head.role() ? "trained_role" : "trained_no_role"] = word_of(head_rules(), *best);
    facts["trained_weight"] = head.of(*best).weight, facts["trained_uniform"] = head.of(*best).uniform;
  }

  const InputOptions& o_;
  const InputRules& lesson_;
  Part part_;
  ModelCard card_;
  TokenIds src_, tgt_, asked_;
  std::size_t layer_ = 0, head_ = 0, heads_ = 0, d_k_ = 0;
  std::string place_, attention_; ///< "encoder.layers.1", and its ".self_attn"
  Trace page_;
  LessonInput input_;
};

} // namespace

TensorFile model_file(const std::string& name) {
  const Names known = shipped_models();
  if (std::ranges::count(known, name)) return shipped_model(name);
  if (looks_like_file(name)) return TensorFile(name);
  if (known.empty()) throw usage_error("no_models", {{"name", name}});
  throw usage_error("model_name",
                    {{"name", name}, {"near", suggestion(nearest(name, known))}, {"names", listed(known)}});
}

std::optional<std::string> usual_model() {
  const std::string name = "reverse";
  return std::ranges::count(shipped_models(), name) ? std::optional(name) : std::nullopt;
}

std::optional<std::string> model_that_reads(const std::string& text) {
  for (const std::string& name : shipped_models()) {
    const TensorFile file = shipped_model(name);
    const auto card = card_of(file.metadata(), config_in(file), file.path());
    if (card && knows(*card, text)) return name;
  }
  return std::nullopt;
}

ModelCard card_or_ids(const TensorFile& file, const Config& config) {
  return card_of(file.metadata(), config, file.path()).value_or(card_of_ids(config));
}

bool knows(const ModelCard& card, const std::string& text) {
  const Vocabulary& src = card.src;
  try {
    return src.id_of(std::string(unknown_token)) == unknown_id
               ? !std::ranges::count(src.encode(text), unknown_id)
               : !src.encode(text).empty();
  } catch (const Error&) {
    return false;
  }
}

std::string example_text(const ModelCard& card) {
  const std::string sentence = "Select the cells that you want to copy.";
  if (card.src.tokenizer == Tokenizer::sentences && knows(card, sentence)) return sentence;
  if (card.task == "reverse") return "attention";
  if (card.task == "numbers-zh") return "three hundred and five";
  const Vocabulary& src = card.src;
  const std::size_t first = src.tokenizer == Tokenizer::ids ? 1 : std::size_t{unknown_id} + 1;
  TokenIds ids;
  for (std::size_t id = std::min(first, src.size() - 1); id < src.size() && ids.size() < 5; ++id)
    ids.push_back(static_cast<std::uint32_t>(id));
  return src.decode(ids);
}

std::string short_example(const ModelCard& card) {
  return card.task == "reverse" ? "star" : example_text(card);
}

LessonInput trained_input(const InputOptions& options, const InputRules& lesson) {
  return TrainedInput(options, lesson).take();
}

} // namespace tfx
