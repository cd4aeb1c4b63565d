#include "lessons/trained.hpp"

#include "core/memory.hpp"
#include "core/tensor.hpp"
#include "input/own_input.hpp"
#include "lessons/known_models.hpp"
#include "lessons/model/page.hpp"
#include "lessons/neighbours.hpp"
#include "model/counts.hpp"
#include "model/head_roles.hpp"
#include "model/search.hpp"
#include "text/names.hpp"
#include "text/tokens.hpp"
#include "words/in_words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tfx {

namespace {

using Names = std::vector<std::string>;

/// What a lesson looks at.
enum class Part { embedding, encoder, decoder, cross };

Part part_of(const InputRules& lesson) {
  if (!lesson.takes(Input::W_QKV)) return Part::embedding;
  if (lesson.takes(Input::memory)) return Part::cross;
  return lesson.causal_by_default() || takes<Input::cache, Input::rotary>(lesson) ? Part::decoder
                                                                                  : Part::encoder;
}

/// Of a decoder's rows, each of which reads a token and writes the next: "击→红". What the last one writes is
/// given.
Names reads_and_writes(const Names& read, const std::string& last) {
  Names both;
  for (std::size_t i = 0; i < read.size(); ++i)
    both.push_back(read_and_written(read[i], i + 1 < read.size() ? read[i + 1] : last));
  return both;
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
    if (part_ != Part::decoder || !is_decoder_alone(file)) require_encoder_decoder(file);
    const auto model = load_model<double>(file, given_style(o_, file));
    if (lesson_.takes(Input::todays_block))
      require_block(model.spec);
    else if (lesson_.takes(Input::rotary))
      require_rotary(model.spec);
    else if (model.spec.has_encoder())
      require_annotated_parts(file, model.spec);
    else
      require_plain_attention(model.spec);
    input_.notes = notes_on(file);
    if (const std::string assumed = assumed_style(o_, file, model.spec); !assumed.empty())
      input_.notes.push_back(
          in_words("note.model_style", {{"file", *o_.model}, {"style", assumed.substr(1)}}));
    card_ = card_or_ids(file, model.spec);
    choose_place(model.spec);
    read(model);
    run(model);
  }

  LessonInput take() {
    if (part_ == Part::embedding)
      lesson_.takes(Input::X) ? vectors() : tokens();
    else
      lesson_.takes(Input::todays_block)   ? block()
      : lesson_.takes(Input::feed_forward) ? layer()
                                           : attention();
    input_.named_words = input_.positioned = true;
    state();
    return std::move(input_);
  }

private:
  bool is_decoder_alone(const TensorFile& file) const {
    const auto no_source = [](const TensorFile::Entry& one) {
      return one.name.find("src_") == std::string::npos && !one.name.starts_with("encoder.");
    };
    return (o_.heads || file.metadata().contains("heads")) && std::ranges::all_of(file.entries(), no_source);
  }

  /// What the lessons on one attention compute: no rotation, and a head of keys for each of queries.
  void require_plain_attention(const ModelSpec& spec) const {
    const bool is_plain = spec.positions != Positions::rotary && spec.key_heads() == spec.heads &&
                          !spec.qk_norm && spec.window == 0 && spec.has_decoder();
    if (!is_plain) throw usage_error("attention_parts", {{"name", *o_.model}});
  }

  /// Of a decoder alone, whose block is as Llama's.
  void require_block(const ModelSpec& spec) const {
    const bool is_llamas = !spec.has_encoder() && spec.positions == Positions::rotary && spec.gated &&
                           spec.norm.rule == Norm::rms && spec.norm.gain && spec.d_ff > 0 &&
                           spec.norm.placement == NormPlacement::pre_norm;
    if (!is_llamas)
      throw usage_error("block_model",
                        {{"name", *o_.model}, {"command", std::string("tfx ") + trains_rotary}});
  }

  /// Of a decoder alone, whose queries and keys turn and nothing else is done to them.
  void require_rotary(const ModelSpec& spec) const {
    if (spec.has_encoder() || spec.positions != Positions::rotary || spec.qk_norm)
      throw usage_error("rotary_model",
                        {{"name", *o_.model}, {"command", std::string("tfx ") + trains_rotary}});
  }

  void choose_place(const ModelSpec& spec) {
    const auto require = [&](const char* option, const std::optional<std::size_t>& asked, std::size_t count) {
      if (asked && *asked >= count)
        throw usage_error("count", {{"name", option},
                                    {"least", "0"},
                                    {"most", std::to_string(count - 1)},
                                    {"text", std::to_string(*asked)}});
    };
    require("--layer", o_.layer, spec.layers), require("--head", o_.head, spec.heads);
    layer_ = o_.layer.value_or(spec.layers - 1), head_ = o_.head.value_or(0);
    layers_ = spec.layers, heads_ = spec.heads, d_k_ = spec.width_of_head();
    key_heads_ = spec.key_heads(), key_head_ = head_ / (spec.heads / key_heads_);
    const bool encodes = part_ == Part::encoder;
    place_ = fmt::format("{}.layers.{}", encodes ? "encoder" : "decoder", layer_);
    attention_ = place_ + (part_ == Part::cross ? ".src_attn" : ".self_attn");
  }

  /// The text, and what the model answers to it.
  void read(const Transformer<double>& model) {
    if (!model.spec.has_encoder()) return begin(model);
    try {
      src_ = card_.src.encode(o_.text.value_or(short_example(card_)));
    } catch (const Error& error) {
      throw Error(error.kind(), said("{option}: {what}", {{"option", "--text"}, {"what", error.message()}}),
                  error.hint());
    }
    if (card_.src.id_of(std::string(unknown_token)) == unknown_id && std::ranges::count(src_, unknown_id))
      input_.notes.push_back(in_words(
          std::ranges::count(src_, unknown_id) == std::ssize(src_) ? "note.nothing_known"
                                                                   : "note.unknown_tokens",
          {{"model", *o_.model}, {"text", card_.src.decode(src_)}, {"example", short_example(card_)}}));
    tgt_ = {card_.start};
    const bool answers = part_ == Part::decoder || part_ == Part::cross;
    const std::size_t longest = !answers ? 0 : card_.max_tokens > 1 ? card_.max_tokens - 1 : src_.size();
    require_page(model, longest);
    if (!answers) return;
    const TokenIds answer = greedy(model, ragged_batch({src_}), {card_.start, card_.end, longest}).front();
    tgt_.insert(tgt_.end(), answer.begin(), answer.end());
    has_ended_ = card_.end && answer.size() < longest;
  }

  /// A decoder alone reads the text itself.
  void begin(const Transformer<double>& model) {
    tgt_ = {card_.start};
    try {
      const TokenIds ids = card_.tgt.encode(o_.text.value_or(example_begun(card_)));
      tgt_.insert(tgt_.end(), ids.begin(), ids.end());
    } catch (const Error& error) {
      throw Error(error.kind(), said("{option}: {what}", {{"option", "--text"}, {"what", error.message()}}),
                  error.hint());
    }
    if (tgt_.size() > model.spec.max_len)
      throw usage_error("gpt_too_long", {{"count", std::to_string(tgt_.size())},
                                         {"most", std::to_string(model.spec.max_len)},
                                         {"name", *o_.model}});
    require_page(model, tgt_.size());
  }

  /// Before the answer is looked for. The page comes first; then what leads to the lesson's X stands in its
  /// input and in its run, beside the lesson's own matrices.
  void require_page(const Transformer<double>& model, std::size_t longest) const {
    const bool decodes = part_ == Part::decoder || part_ == Part::cross;
    const PageTokens tokens{static_cast<double>(src_.size()), static_cast<double>(1 + longest)};
    const double n_q = decodes ? tokens.tgt : tokens.src,
                 n_k = part_ == Part::decoder ? tokens.tgt : tokens.src, heads = static_cast<double>(heads_),
                 of_one =
                     static_cast<double>(lesson_.squares.kept + std::size_t{lesson_.causal_by_default()}),
                 passing = static_cast<double>(lesson_.squares.passing);
    const double own = ((lesson_.takes(Input::heads) ? heads : 1) * of_one + passing) * n_q * n_k,
                 parameters = static_cast<double>(count_parameters(model)),
                 passing_on_page = heads * tokens.src * tokens.src;
    require_memory(sizeof(double) *
                       (std::max(page_cells(model.spec, tokens), 2 * cells_before(model.spec, tokens) + own) +
                        passing_on_page + 2 * parameters),
                   said("the model's page"));
  }

  /// Cells of the page that lead to the lesson's X and memory, rather more than less.
  double cells_before(ModelSpec spec, const PageTokens& tokens) const {
    if (part_ == Part::embedding) return 0;
    if (part_ == Part::encoder) spec.layers = layer_;
    return page_cells(spec, tokens);
  }

  void run(const Transformer<double>& model) {
    // Nothing is padding: an id that is none of the vocabulary's.
    const Batch src = src_.empty() ? Batch() : ragged_batch({src_});
    ModelPage page = page_of(model, src, ragged_batch({tgt_}),
                             static_cast<std::uint32_t>(model.spec.src_vocab + model.spec.tgt_vocab));
    page.src_tokens = tokens_of(card_.src, src_), page.tgt_tokens = tokens_of(card_.tgt, tgt_);
    const NormStyle& norm = model.spec.norm;
    input_.norm = norm.rule, input_.norm_first = norm.placement == NormPlacement::pre_norm;
    input_.activation = model.spec.activation;
    input_.pairs = model.spec.pairs, input_.rotary_base = model.spec.rotary_base;
    input_.window = model.spec.window, input_.epsilon = norm.epsilon;
    page_ = run_model_page(std::move(page));
  }

  /// A step of the page and the way to it, under another name where one is given. What the model learned on
  /// the way is given here: only the lesson's own parameters count. What the page has computed is handed
  /// over, as the scores of a long text would be held twice.
  void copy(const std::string& name, const std::string& as = {}) {
    Trace& given = input_.given;
    if (given.has(as.empty() ? name : as)) return;
    Step& from = *std::ranges::find(page_.steps, name, &Step::name);
    for (const std::string& source : from.operation.inputs) copy(source);
    Step step = from;
    const bool is_parameter = step.role == Role::parameter;
    if (!is_parameter) from.value = {};
    if (!as.empty()) step.name = as;
    step.role = as.empty() ? Role::before : step.operation.is(op::given) ? Role::input : Role::recap;
    if (step.role == Role::before && is_parameter) step.formula = source_of(name);
    if (name == "src") step.formula = "--text";
    if (name == "tgt") step.formula = src_.empty() ? "--text" : "greedy";
    given.steps.push_back(std::move(step));
  }

  std::string source_of(const std::string& name) const { return *o_.model + ": " + name; }

  void parameter(const std::string& name, Tensor value, const std::string& source) {
    input_.given.add_input(name, source_of(source), std::move(value), {}, Role::parameter);
  }

  /// W (d_in, d_out) and b of a torch.nn.Linear: all of it, or one head's columns.
  void linear(const std::string& W, const std::string& b, const std::string& name, bool of_head,
              std::size_t head = 0) {
    const Tensor& weight = page_[name + ".weight"];
    const std::size_t first = head * d_k_;
    const std::string columns = of_head ? fmt::format("{}:{}", first, first + d_k_) : "";
    parameter(W, transposed(of_head ? rows(weight, first, d_k_) : weight),
              name + ".weight.T" + (of_head ? "[:, " + columns + "]" : ""));
    if (!page_.has(name + ".bias")) return;
    const Tensor& bias = page_[name + ".bias"];
    parameter(b, of_head ? rows(bias, first, d_k_) : bias,
              name + ".bias" + (of_head ? "[" + columns + "]" : ""));
  }

  void projections(bool of_head) {
    const char* letters[] = {"Q", "K", "V"};
    for (std::size_t i = 0; i < 3; ++i)
      linear(std::string("W_") + letters[i], std::string("b_") + letters[i],
             attention_ + ".linears." + std::to_string(i), of_head, i == 0 ? head_ : key_head_);
    if (!of_head) linear("W_O", "b_O", attention_ + ".linears.3", false);
  }

  /// The step whose rows the linear layer reads.
  const std::string& read_by(const std::string& linear_layer) const {
    return page_.step_named(linear_layer).operation.inputs[0];
  }

  void attention() {
    const bool all_heads = lesson_.takes(Input::heads);
    copy(read_by(attention_ + ".linears.0"), "X");
    if (part_ == Part::cross) {
      const std::string last = has_ended_ ? card_.tgt.tokens[*card_.end] : "…";
      input_.given.steps.back().labels.end()[-2] = reads_and_writes(tokens_of(card_.tgt, tgt_), last);
      copy(read_by(attention_ + ".linears.1"), "memory");
    }
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

  /// gain_NUMBER, and shift_NUMBER where the norm has one.
  void norm(const std::string& number, const std::string& name) {
    parameter("gain_" + number, page_[name + ".a_2"], name + ".a_2");
    if (page_.has(name + ".b_2")) parameter("shift_" + number, page_[name + ".b_2"], name + ".b_2");
  }

  /// A block as Llama has it: what its first norm reads, and all of its matrices.
  void block() {
    const std::string first = place_ + ".sublayer.0.", second = place_ + ".sublayer.1.";
    copy(page_.step_named(first + "output").operation.inputs[0], "X");
    projections(false);
    const std::string mlp = place_ + ".feed_forward.";
    linear("W_1", "b_1", mlp + "w_1", false), linear("W_3", "b_3", mlp + "w_3", false);
    linear("W_2", "b_2", mlp + "w_2", false);
    norm("1", first + "norm"), norm("2", second + "norm");
    input_.heads = heads_, input_.kv_heads = key_heads_;
    input_.qk_norm = page_.has(attention_ + ".q_norm.a_2");
    if (input_.qk_norm) norm("Q", attention_ + ".q_norm"), norm("K", attention_ + ".k_norm");
  }

  void tokens() {
    copy("src", "token_ids");
    const std::string table = "src_embed.0.lut.weight";
    parameter("token_embedding", page_[table], table);
    input_.given.steps.back().labels[0] = card_.src.tokens;
    add_positions(input_, src_.size(), tokens_of(card_.src, src_));
  }

  void vectors() {
    copy("src_embed.rows", "X");
    const std::string table = "src_embed.0.lut.weight";
    add_neighbours(input_.given, page_[table], card_.src, src_, source_of(table));
    if (*o_.model == "en-zh")
      input_.given.facts["help_model"] = *o_.model; // what its words mean is the corpus's
  }

  /// What the page says of where its numbers come from.
  void state() {
    auto& facts = input_.given.facts;
    facts["trained"] = *o_.model;
    if (!card_.task.empty()) facts["trained_task"] = card_.task;
    if (lesson_.takes(Input::rotary)) facts["rotary"] = word_of(rotary_words(), input_.pairs);
    facts["trained_layer_range"] = range_of(layers_), facts["trained_head_range"] = range_of(heads_);
    if (part_ == Part::embedding) {
      facts["trained_table"] = std::string("src_embed");
    } else if (takes<Input::feed_forward, Input::todays_block>(lesson_)) {
      facts["trained_layer"] = place_;
      if (src_.empty()) facts["decoder_alone"] = *o_.model;
    } else {
      facts["trained_place"] = attention_;
      const bool all_heads = lesson_.takes(Input::heads);
      facts[all_heads ? "trained_heads" : "trained_head"] = std::to_string(all_heads ? heads_ : head_);
      if (src_.empty())
        facts["decoder_alone"] = *o_.model;
      else
        state_roles();
    }
    if (src_.empty()) {
      facts["trained_read"] = card_.tgt.decode({tgt_.begin() + 1, tgt_.end()});
      return;
    }
    const bool answers = tgt_.size() > 1;
    facts[answers ? "trained_asked" : "trained_read"] = card_.src.decode(src_);
    if (answers) {
      facts["trained_answer"] = card_.tgt.decode({tgt_.begin() + 1, tgt_.end()});
      const Names names = tokens_of(card_.tgt, tgt_);
      facts["trained_start"] = names[0], facts["trained_first"] = names[1];
    }
    for (const auto& [fact, mark] :
         {std::pair("trained_capital", capital_mark), {"trained_capitals", capitals_mark}})
      if (has_token(mark)) facts[fact] = std::string(mark);
  }

  /// "0 … 3", what --layer or --head takes.
  static std::string range_of(std::size_t count) {
    return count == 1 ? "0" : fmt::format("0 … {}", count - 1);
  }

  bool has_token(std::string_view mark) const {
    const auto among = [&](const Vocabulary& vocabulary, const TokenIds& ids) {
      return std::ranges::any_of(ids, [&](std::uint32_t id) { return vocabulary.tokens[id] == mark; });
    };
    return among(card_.src, src_) || among(card_.tgt, tgt_);
  }

  /// What the head looks at in this text; of lessons on all heads, what each of them does.
  void state_roles() {
    Tensor weights = page_[attention_ + ".weights"];
    weights.shape.erase(weights.shape.begin(), weights.shape.end() - 3); // one sentence
    HeadMeter meter;
    meter.add(attention_, weights, {src_, tgt_, tokens_of(card_.src, src_), tokens_of(card_.tgt, tgt_)});
    auto& facts = input_.given.facts;
    if (lesson_.takes(Input::heads)) {
      Names all;
      for (const HeadScores& head : meter.heads()) all.push_back(head.said());
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
  TokenIds src_, tgt_;
  bool has_ended_ = false; ///< whether the answer is whole
  std::size_t layer_ = 0, head_ = 0, key_head_ = 0, key_heads_ = 0, layers_ = 0, heads_ = 0, d_k_ = 0;
  std::string place_, attention_; ///< "encoder.layers.1", and its ".self_attn"
  Trace page_;
  LessonInput input_;
};

} // namespace

LessonInput trained_input(const InputOptions& options, const InputRules& lesson) {
  return TrainedInput(options, lesson).take();
}

} // namespace tfx
