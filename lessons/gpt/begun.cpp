#include "lessons/gpt/gpt.hpp"

#include "core/memory.hpp"
#include "input/tutorials.hpp"
#include "lessons/known_models.hpp"
#include "lessons/model/page.hpp"
#include "model/microgpt.hpp"
#include "model/shipped.hpp"
#include "model/weights.hpp"
#include "words/in_words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tfx {

namespace {

constexpr double no_label = -1; ///< what comes after the last token is not known

std::string token_named(const Vocabulary& vocabulary, std::uint32_t id) {
  const std::string text = vocabulary.shown(id);
  return text.empty() && id < vocabulary.size() ? vocabulary.tokens[id] : text;
}

class Begun {
public:
  explicit Begun(const InputOptions& options) : o_(options) {}

  LessonInput take() {
    for (const auto& [name, given] :
         {std::pair("--text", o_.text.has_value()), {"--model", o_.model.has_value()}})
      if (o_.tutorial && given) throw usage_error("contradict", {{"one", "--tutorial"}, {"other", name}});
    o_.tutorial ? first_step() : trained();
    return std::move(input_);
  }

private:
  /// A trained model, and the learner's text or one that it knows.
  void trained() {
    const std::string name = o_.model.value_or(shipped_writers().front());
    const TensorFile file = model_file(name);
    const GivenStyle style = given_style(o_, file);
    const ModelSpec spec = spec_in(file, style);
    if (spec.stacks != Stacks::decoder) throw usage_error("gpt_has_encoder", {{"name", name}});
    card_ = card_or_ids(file, spec);
    TokenIds ids = read(o_.text.value_or(example_begun(card_)));
    if (!o_.text && ids.size() > spec.max_len) {
      ids.resize(spec.max_len);
      input_.given.facts["begun"] = card_.tgt.decode({ids.begin() + 1, ids.end()});
    }
    if (spec.max_len < ids.size())
      throw usage_error(
          "gpt_too_long",
          {{"count", std::to_string(ids.size())}, {"most", std::to_string(spec.max_len)}, {"name", name}});
    require_memory(2 * page_bytes(spec, {0, static_cast<double>(ids.size())}), said("the model's page"));
    input_.notes = notes_on(file);
    if (const std::string assumed = assumed_style(o_, file, spec); !assumed.empty() && !has_style(file))
      input_.notes.push_back(in_words("note.model_style", {{"file", name}, {"style", assumed.substr(1)}}));
    input_.given.facts["trained"] = name;
    tokens(ids, std::vector<double>(ids.begin() + 1, ids.end()), "--text", "tgt[1:] + [?]");
    parameters(load_model<double>(file, style), name + ": ");
  }

  static bool has_style(const TensorFile& file) { return file.metadata().contains("norm"); }

  /// microgpt's first document with the weights that it begins with.
  void first_step() {
    const InputRules rules{.command = "gpt", .inputs = {Input::begun}};
    input_.given.tutorial = input_.reference = find_run(*o_.tutorial, rules).name();
    const TensorFile file = shipped_model(shipped_writers().front());
    const MicrogptFacts& facts = microgpt_facts();
    Transformer<double> model(spec_in(file));
    initialize(model, WeightInit::microgpt, tutorial_seed, facts.documents);
    card_ = card_or_ids(file, model.spec);
    const TokenIds ids = read(facts.names.front());
    std::vector<double> labels(ids.begin() + 1, ids.end());
    labels.push_back(*card_.end);
    const double published = facts.losses.front();
    input_.given.facts["published_loss"] = published;
    input_.given.facts["printed_loss"] = fmt::format("{:.4f}", published);
    tokens(ids, labels, "microgpt-steps.csv", "tgt[1:] + [end]");
    parameters(model, "random.gauss(0, 0.08): ");
  }

  TokenIds read(const std::string& text) {
    input_.given.facts["begun"] = text;
    TokenIds ids{card_.start};
    if (text.empty()) return ids;
    try {
      const TokenIds rest = card_.tgt.encode_as_written(text);
      if (card_.tgt.holds_unknown(rest)) input_.given.facts["begun"] = card_.tgt.decode(rest);
      ids.insert(ids.end(), rest.begin(), rest.end());
    } catch (const Error& error) {
      throw Error(error.kind(), said("{option}: {what}", {{"option", "--text"}, {"what", error.message()}}),
                  error.hint());
    }
    return ids;
  }

  void tokens(const TokenIds& ids, std::vector<double> labels, const std::string& source,
              const std::string& labels_source) {
    if (card_.end) input_.given.facts["end"] = token_named(card_.tgt, *card_.end);
    std::vector<std::string> names;
    for (const std::uint32_t id : ids) names.push_back(token_named(card_.tgt, id));
    Trace& given = input_.given;
    given.add_input("tgt", source, Tensor({ids.size()}, {ids.begin(), ids.end()}), {names});
    labels.resize(ids.size(), no_label);
    given.add_input("labels", labels_source, Tensor({ids.size()}, std::move(labels)), {names});
    input_.named_words = true;
  }

  void parameters(const Transformer<double>& model, const std::string& source) {
    std::vector<std::string> words;
    for (std::uint32_t id = 0; id < model.spec.tgt_vocab; ++id) words.push_back(token_named(card_.tgt, id));
    give_decoder(input_, model, words, source);
  }

  const InputOptions& o_;
  ModelCard card_;
  LessonInput input_;
};

} // namespace

void give_decoder(LessonInput& input, const Transformer<double>& model, const std::vector<std::string>& words,
                  const std::string& source) {
  each_parameter(
      [&](const std::string& name, const auto& tensor) {
        const bool is_of_words = name == "tgt_embed.0.lut.weight" || name.starts_with("generator.");
        input.given.add_input(name, source + name,
                              Tensor(torch_shape(tensor), std::vector<double>(tensor.begin(), tensor.end())),
                              is_of_words ? Labels{words} : Labels{}, Role::parameter);
      },
      "", model);
  input.heads = model.spec.heads;
  input.decoder = std::make_shared<const ModelSpec>(model.spec);
}

LessonInput reading_of(LessonInput input, std::vector<double> ids) {
  std::vector<double> labels(ids.begin() + 1, ids.end());
  labels.push_back(no_label);
  const Shape shape{ids.size()};
  for (Step& step : input.given.steps) {
    if (step.name != "tgt" && step.name != "labels") continue;
    step.value = Tensor(shape, step.name == "tgt" ? ids : labels);
    step.labels = {numbered("x", ids.size())};
  }
  return input;
}

LessonInput text_begun(const InputOptions& options, const InputRules&) {
  return Begun(options).take();
}

} // namespace tfx
