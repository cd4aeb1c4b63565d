#include "core/memory.hpp"
#include "lessons/known_models.hpp"
#include "lessons/learned.hpp"
#include "lessons/lens/lens.hpp"
#include "lessons/model/intervention.hpp"
#include "lessons/model/page.hpp"
#include "model/search.hpp"
#include "model/shipped.hpp"
#include "text/names.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

namespace {

using Names = std::vector<std::string>;

/// Beside the usual sentence: the same but for one word.
constexpr const char* other_sentence = "click the blue cell";

class AnswerAsked {
public:
  explicit AnswerAsked(const InputOptions& options)
      : o_(options), name_(which_model()), file_(model_file(name_)) {
    const GivenStyle style = given_style(o_, file_);
    const ModelSpec spec = spec_in(file_, style);
    if (!spec.has_decoder()) throw usage_error("lens_no_decoder", {{"name", name_}});
    input_.notes = notes_on(file_);
    if (const std::string assumed = assumed_style(o_, file_, spec); !assumed.empty() && !has_style())
      input_.notes.push_back(in_words("note.model_style", {{"file", name_}, {"style", assumed.substr(1)}}));
    card_ = card_or_ids(file_, spec);
    choose_texts();
    model_ = load_model<double>(file_, style);
  }

  LessonInput take() {
    text_ = read(text_of(text_), "--text");
    if (from_) other_ = read(*from_, "--from");
    choose_place();
    choose_tokens();
    run();
    choose_parts();
    state();
    return std::move(input_);
  }

  /// Whether it is the translator on its two sentences.
  bool is_translators() const { return name_ == translator && from_; }

private:
  /// A text with what the model reads of it, and what it says behind each of the target's tokens.
  struct Read {
    std::string text;
    TokenIds src, tgt, says; ///< says[i] stands behind tgt[i]; of a decoder alone what comes next in the text
  };

  bool has_style() const { return file_.metadata().contains("norm"); }

  std::string which_model() const {
    if (o_.model) return *o_.model;
    if (o_.text)
      if (const auto reader = model_that_reads(*o_.text)) return *reader;
    if (std::ranges::count(shipped_models(), translator)) return translator;
    const Names all = shipped_names();
    if (all.empty()) throw usage_error("no_models", {{"name", std::string(translator)}});
    return all.front();
  }

  // The sentence that the boxes of the first lessons have, beside another, where the model knows both and
  // nothing else is asked for.
  void choose_texts() {
    text_.text = o_.text.value_or("");
    from_ = o_.from;
    if (o_.text || card_.src.tokenizer != Tokenizer::sentences || !knows(card_, usual_sentence)) return;
    text_.text = usual_sentence;
    if (!from_ && knows(card_, other_sentence)) from_ = other_sentence;
  }

  bool has_source() const { return model_.spec.has_encoder(); }

  std::string text_of(const Read& given) const {
    if (o_.text || !given.text.empty()) return given.text;
    return has_source() ? short_example(card_) : example_begun(card_);
  }

  Read read(const std::string& text, const char* option) {
    Read read{text, {}, {card_.start}, {}};
    try {
      if (has_source())
        read.src = card_.src.encode(text);
      else if (!text.empty())
        for (const std::uint32_t id : card_.tgt.encode_as_written(text)) read.tgt.push_back(id);
    } catch (const Error& error) {
      throw Error(error.kind(), said("{option}: {what}", {{"option", option}, {"what", error.message()}}),
                  error.hint());
    }
    const std::size_t longest = !has_source()          ? read.tgt.size()
                                : card_.max_tokens > 1 ? card_.max_tokens - 1
                                                       : read.src.size();
    const std::size_t most = std::max(read.src.size(), read.tgt.size());
    if (most > model_.spec.max_len)
      throw usage_error("lens_too_long", {{"option", option},
                                          {"count", std::to_string(most)},
                                          {"most", std::to_string(model_.spec.max_len)},
                                          {"name", name_}});
    const double pages = from_ ? 3 : 2; // the lesson adds its own steps to a copy
    require_memory(pages * page_bytes(model_.spec, {static_cast<double>(read.src.size()),
                                                    static_cast<double>(1 + longest)}),
                   said("the model's page"));
    if (has_source()) {
      read.says = greedy(model_, ragged_batch({read.src}), {card_.start, card_.end, longest}).front();
      read.tgt.insert(read.tgt.end(), read.says.begin(), read.says.end());
      if (card_.end && read.says.size() < longest)
        read.says.push_back(*card_.end);
      else if (read.tgt.size() > 1)
        read.tgt.pop_back(); // what comes behind the last is not known
      if (card_.src.holds_unknown(read.src))
        input_.notes.push_back(in_words(
            "note.unknown_tokens",
            {{"model", name_}, {"text", card_.src.decode(read.src)}, {"example", short_example(card_)}}));
    } else {
      read.says.assign(read.tgt.begin() + 1, read.tgt.end());
    }
    return read;
  }

  arma::mat log_probs(const Read& read, const TokenIds& tgt) const {
    const Batch src = read.src.empty() ? Batch() : ragged_batch({read.src}), target = ragged_batch({tgt});
    return forward(model_, Inputs(src, target));
  }

  void choose_place() {
    const std::size_t count = text_.tgt.size();
    if (o_.place) {
      if (*o_.place >= count)
        throw usage_error("count", {{"name", "--place"},
                                    {"least", "0"},
                                    {"most", std::to_string(count - 1)},
                                    {"text", std::to_string(*o_.place)}});
      place_ = *o_.place;
    } else if (!has_source()) {
      place_ = count - 1;
    } else if (const auto parted = first_difference()) {
      place_ = *parted;
    } else {
      place_ = arma::max(log_probs(text_, text_.tgt), 0).index_min(); // where it is least sure
    }
    text_.tgt.resize(place_ + 1);
    if (!from_) return;
    if (has_source()) {
      other_.tgt = text_.tgt; // another source, and so far the same answer
    } else if (other_.tgt.size() <= place_ || (!o_.place && other_.tgt.size() != count)) {
      throw usage_error("lens_lengths",
                        {{"count", std::to_string(count)}, {"other", std::to_string(other_.tgt.size())}});
    } else {
      other_.tgt.resize(place_ + 1);
    }
  }

  std::optional<std::size_t> first_difference() const {
    if (!from_) return std::nullopt;
    const auto [one, other] = std::ranges::mismatch(text_.says, other_.says);
    if (one == text_.says.end() || other == other_.says.end()) return std::nullopt;
    return static_cast<std::size_t>(one - text_.says.begin());
  }

  void choose_tokens() {
    const arma::vec here = log_probs(text_, text_.tgt).col(place_);
    token_ = o_.token ? token_named(*o_.token, "--token") : static_cast<std::uint32_t>(here.index_max());
    if (o_.against) {
      against_ = token_named(*o_.against, "--against");
      if (*against_ == token_) throw usage_error("lens_same_token", {{"text", *o_.against}});
      return;
    }
    if (here.n_elem < 2) return;
    if (from_) against_ = static_cast<std::uint32_t>(log_probs(other_, other_.tgt).col(place_).index_max());
    if (from_ && *against_ != token_) return;
    arma::vec others = here;
    others(token_) = -arma::datum::inf;
    against_ = static_cast<std::uint32_t>(others.index_max());
  }

  std::string word(std::uint32_t id) const { return tokens_of(card_.tgt, {id}).front(); }

  std::uint32_t token_named(const std::string& text, const char* option) const {
    for (std::uint32_t id = 0; id < card_.tgt.size(); ++id)
      if (!text.empty() && (card_.tgt.tokens[id] == text || card_.tgt.shown(id) == text)) return id;
    throw usage_error("lens_token", {{"option", option},
                                     {"text", text},
                                     {"name", name_},
                                     {"near", suggestion(nearest(text, card_.tgt.tokens))}});
  }

  Trace page_on(const Read& read) const {
    const Batch src = read.src.empty() ? Batch() : ragged_batch({read.src});
    // Nothing is padding: an id that is none of the vocabulary's.
    ModelPage page = page_of(model_, src, ragged_batch({read.tgt}),
                             static_cast<std::uint32_t>(model_.spec.src_vocab + model_.spec.tgt_vocab));
    page.src_tokens = tokens_of(card_.src, read.src), page.tgt_tokens = tokens_of(card_.tgt, read.tgt);
    return run_model_page(std::move(page));
  }

  void run() {
    Trace page = page_on(text_);
    input_.given.main = page.main;
    Names words;
    for (std::uint32_t id = 0; id < model_.spec.tgt_vocab; ++id) words.push_back(word(id));
    for (Step& step : page.steps) {
      if (step.role == Role::parameter) step.formula = name_ + ": " + step.name;
      if (step.name == "src") step.formula = "--text";
      if (step.name == "tgt") step.formula = has_source() ? "greedy" : "--text";
      const bool is_table = step.name == "tgt_embed.0.lut.weight" || step.name.starts_with("generator.proj.");
      if (is_table) step.labels[0] = words;
      if (step.name == "logits" || step.name == "log_probs") step.labels.back() = words;
      step.role = Role::before;
      input_.given.steps.push_back(std::move(step));
    }
    const auto give = [&](const char* name, std::size_t id, const std::string& label) {
      input_.given.add_input(name, std::string("--") + name, Tensor({1}, {static_cast<double>(id)}),
                             {{label}});
    };
    give("place", place_, word(text_.tgt[place_]));
    give("token", token_, word(token_));
    if (against_) give("against", *against_, word(*against_));
    input_.decoder = std::make_shared<const ModelSpec>(model_.spec);
    if (from_) input_.other = std::make_shared<const Trace>(page_on(other_));
    input_.named_words = true;
  }

  void choose_parts() {
    const Trace& page = input_.given;
    const Names known = parts_to_leave_out(page);
    const auto take = [&](const char* option, const std::optional<Names>& parts) {
      require_parts(option, parts.value_or(Names()), known);
      return parts.value_or(Names());
    };
    input_.left_out = take("--without", o_.left_out);
    input_.patched = take("--patch", o_.patched);
    for (const std::string& part : input_.patched)
      if (std::ranges::count(input_.left_out, part)) throw usage_error("lens_part_twice", {{"part", part}});
    if (input_.patched.empty()) return;
    if (!input_.other) throw usage_error("lens_patch_from", {});
    for (const std::string& part : input_.patched)
      if (!can_patch(page, *input_.other, part))
        throw usage_error("lens_patch_rows", {{"part", part},
                                              {"count", std::to_string(text_.src.size())},
                                              {"other", std::to_string(other_.src.size())}});
  }

  void state() {
    auto& facts = input_.given.facts;
    facts["trained"] = name_;
    if (!card_.task.empty()) facts["trained_task"] = card_.task;
    if (!has_source()) facts["decoder_alone"] = name_;
    facts["token"] = word(token_);
    if (against_) facts["against"] = word(*against_);
    facts["read_last"] = word(text_.tgt[place_]);
    const std::string read = card_.tgt.decode({text_.tgt.begin() + 1, text_.tgt.end()});
    if (has_source()) {
      facts["trained_asked"] = card_.src.decode(text_.src);
      TokenIds answer = text_.says;
      if (card_.end) std::erase(answer, *card_.end);
      facts["trained_answer"] = card_.tgt.decode(answer);
    } else {
      facts["trained_read"] = read;
    }
    if (from_)
      facts["other_text"] = has_source() ? card_.src.decode(other_.src)
                                         : card_.tgt.decode({other_.tgt.begin() + 1, other_.tgt.end()});
  }

  const InputOptions& o_;
  const std::string name_;
  const TensorFile file_;
  ModelCard card_;
  Transformer<double> model_;
  Read text_, other_;
  std::optional<std::string> from_;
  std::size_t place_ = 0;
  std::uint32_t token_ = 0;
  std::optional<std::uint32_t> against_;
  LessonInput input_;
};

} // namespace

LessonInput answer_asked(const InputOptions& options, const InputRules& lesson) {
  AnswerAsked asked(options);
  LessonInput input = asked.take();
  if (asked.is_translators() && is_usual_run(options, lesson)) input.reference = "en-zh:1";
  return input;
}

} // namespace tfx
