#include "input/options.hpp"

#include "core/error.hpp"
#include "input/draws.hpp"
#include "input/files.hpp"
#include "input/logits_input.hpp"
#include "input/model_input.hpp"
#include "input/own_input.hpp"
#include "input/parameters.hpp"
#include "input/tutorials.hpp"
#include "io/load.hpp"
#include "io/message.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <set>

namespace tfx {

namespace {

// --- which source do the options name?
// -------------------------------------------------------------------------

struct Source {
  bool tutorial = false; ///< a tutorial's data, named or the lesson's own
  bool tokens = false;   ///< X from --text, --words, --x or at random; otherwise Q, K, V themselves
};

template <class T>
void refuse(const std::optional<T>& option, const char* name, const Message& why) {
  if (option) throw usage(said("{option} does not apply: {why}", {{"option", name}, {"why", why}}));
}

// A tutorial's data at other sizes: what it draws, drawn at these. Else the options as they are. Throws
// Error(usage) where the tutorial gives its data.
InputOptions at_own_sizes(InputOptions o, const InputRules& lesson) {
  const std::pair<const char*, const std::optional<std::size_t>*> asked[] = {
      {"--batch", &o.batch}, {"--n-q", &o.n_q}, {"--n-k", &o.n_k}, {"--d-k", &o.d_k}, {"--d-v", &o.d_v}};
  const auto* other = std::ranges::find_if(asked, [](const auto& one) { return one.second->has_value(); });
  if (!o.tutorial || other == std::end(asked)) return o;
  const Run& run = find_run(*o.tutorial, lesson);
  const bool is_width = o.d_k || o.d_v;
  const auto fits = [&](const Run& one) {
    return one.sizes && one.fits(lesson) && !(is_width && one.sizes->d_model);
  };
  if (!fits(run)) {
    const char* option = run.sizes ? (o.d_k ? "--d-k" : "--d-v") : other->first;
    std::vector<std::string> names;
    for (const Run& one : runs())
      if (fits(one)) names.push_back(one.name());
    throw usage(run.sizes ? said("{option} does not fit {tutorial}: its heads share the width of a token",
                                 {{"option", option}, {"tutorial", run.name()}})
                          : said("{option} does not fit {tutorial}: its data have sizes of their own",
                                 {{"option", option}, {"tutorial", run.name()}}),
                names.empty() ? said("drop {option}", {{"option", option}})
                              : said("drop {option}, or take a run that is drawn at any size: {names}",
                                     {{"option", option}, {"names", listed(names)}}));
  }
  if (o.d_model) // a width of one's own would be another model
    throw usage(said("{option} does not fit {tutorial}: its data have sizes of their own",
                     {{"option", std::string("--d-model")}, {"tutorial", run.name()}}),
                said("drop {option}", {{"option", std::string("--d-model")}}));
  const Sizes& sizes = *run.sizes;
  o.tutorial.reset();
  if (sizes.batch > 1) o.batch = o.batch.value_or(sizes.batch);
  o.n_q = o.n_q.value_or(o.n_k.value_or(sizes.n_q));
  if (sizes.d_model) {
    o.d_model = sizes.d_model, o.init = o.init.value_or(sizes.init),
    o.causal = o.causal || (sizes.causal && lesson.takes_tutorial_mask());
    if (lesson.takes(Input::heads)) o.heads = o.heads.value_or(sizes.heads);
    return o;
  }
  o.n_k = o.n_k.value_or(sizes.n_k);
  o.d_k = o.d_k.value_or(sizes.d_k), o.d_v = o.d_v.value_or(sizes.d_v);
  return o;
}

Source choose_source(const InputOptions& o, const InputRules& lesson) {
  const bool names_rows = o.text && o.x && !o.words; // the words of the matrix
  const int token_sources = int{o.text.has_value()} + o.words.has_value() + o.x.has_value() - names_rows;
  const bool triple = o.q || o.k || o.v;
  const bool random =
      o.source || o.d_model || o.init || o.batch || o.n_q || o.n_k || o.d_k || o.d_v || o.d_ff || o.memory;
  if (token_sources > 1)
    throw usage(said("--text, --words and --x all give the tokens"), said("give one of them"));
  if (token_sources && triple)
    throw usage(said("--q, --k, --v and --text, --words, --x contradict each other"),
                said("give one kind of input"));
  if (o.tutorial && (token_sources || triple || random))
    throw usage(
        said("--tutorial fixes the data; it cannot be combined with input or size options of your own"),
        said("drop --tutorial, or the other options"));
  Source source;
  source.tutorial = !token_sources && !triple && !random && lesson.text.empty();
  source.tokens = lesson.takes(Input::QKV)
                      ? token_sources || (o.d_model && !triple) ||
                            (o.init && !o.n_q && !o.n_k && !o.d_k && !o.d_v && !triple && !o.batch)
                      : !triple;
  if (source.tokens) {
    const bool self = !lesson.takes(Input::memory);
    if (self && o.n_k && o.n_q && *o.n_k != *o.n_q)
      throw usage(said("tokens that attend to themselves have n_q = n_k"),
                  said("drop one of --n-q and --n-k, or give --q, --k, --v"));
    if (token_sources) {
      const Message why = said("the tokens are given");
      refuse(o.n_q, "--n-q", why), refuse(o.batch, "--batch", why);
      if (self) refuse(o.n_k, "--n-k", why);
    }
    if (o.words) refuse(o.d_model, "--d-model", said("--words gives the vectors"));
    if (o.x) refuse(o.d_model, "--d-model", said("--x gives the vectors"));
  } else {
    refuse(o.d_model, "--d-model", said("the width comes from --q, --k, --v or --d-k"));
    if (o.q) refuse(o.n_q, "--n-q", said("--q gives the queries"));
    if (o.q || o.k)
      refuse(o.d_k, "--d-k",
             said("{other} gives the width of queries and keys", {{"other", o.q ? "--q" : "--k"}}));
    if (o.k) refuse(o.n_k, "--n-k", said("--k gives the keys"));
    if (o.v) refuse(o.n_k, "--n-k", said("every key needs a value, and --v gives the values"));
    if (o.v) refuse(o.d_v, "--d-v", said("--v gives the width of the values"));
    if (o.q && o.k && o.v) refuse(o.batch, "--batch", said("--q, --k and --v give the tokens"));
  }
  return source;
}

// Beside --model stands what asks for its part, what is done to its numbers, and what its file may leave
// unsaid.
void refuse_beside_model(const InputOptions& o) {
  for (const auto& row : input_options())
    if (row.name != "--model" && row.given(o) && !row.goes_with("--model"))
      throw usage_error("beside_model", {{"name", row.name}});
}

// A tutorial's data with the learner's own weights. A module of another program's has its own biases, or
// none.
void replace_weights(LessonInput& input, const InputOptions& options, const InputRules& lesson) {
  const std::string& path = *options.weights;
  Weights weights = load_weights(options, lesson);
  input.notes.insert(input.notes.end(), weights.notes.begin(), weights.notes.end());
  const auto is_bias = [](const std::string& name) {
    return name.starts_with("b_") || name.starts_with("shift_");
  };
  for (Step& step : input.given.steps)
    if (weights.is_module() && !options.draw_rest && is_bias(step.name) &&
        !weights.tensors.contains(step.name))
      step.value = Tensor(step.value.shape),
      step.formula = "np.zeros(" + std::to_string(step.value.size()) + ")";
  for (auto& [name, tensor] : weights.tensors) {
    const Step* step = input.given.find(name);
    const std::string of = "W_" + name.substr(2);
    if (!step && weights.is_module() && is_bias(name) && input.given.has(of)) {
      input.given.add_input(name, shown_name(path), tensor, {}, Role::parameter);
      continue;
    }
    if (!step) {
      weights.ignored.push_back(weights.names.contains(name) ? weights.names.at(name) : name);
      continue;
    }
    if (step->value.shape != tensor.shape)
      refuse_file(shown_name(path),
                  said("{name} has shape {shape}, the tutorial's has {other}",
                       {{"name", weights.shown(name)},
                        {"shape", to_string(tensor.shape)},
                        {"other", to_string(step->value.shape)}}),
                  {});
    for (Step& target : input.given.steps)
      if (target.name == name) target.value = tensor, target.formula = shown_name(path);
  }
  if (!weights.ignored.empty()) input.notes.push_back(not_used(path, weights.ignored));
}

void choose_optimizer(const InputOptions& o, LessonInput& input) {
  input.optimizer = o.optimizer.value_or(input.optimizer);
  page::AdamStep& step = input.optimizer_step;
  step.learning_rate = o.learning_rate.value_or(step.learning_rate);
  if (input.optimizer == Optimizer::adamw)
    step.decay = o.weight_decay.value_or(usual_decay);
  else if (o.weight_decay)
    throw usage_error("decay_of_adamw", {});
}

// A place for each row of X, and how queries and keys turn there.
void choose_rotation(const InputOptions& o, LessonInput& input) {
  input.pairs = o.pairs.value_or(input.pairs);
  input.rotary_base = o.rotary_base.value_or(input.rotary_base);
  const Step& X = input.given.step_named(input.has("X") ? "X" : "X_Q");
  const std::size_t axis = X.value.rank() - 2, n = X.value.shape[axis];
  add_positions(input, n, X.labels[axis].empty() ? numbered("x", n) : X.labels[axis]);
}

// The recipe for NumPy has a line for every draw.
bool is_drawn(const LessonInput& input) {
  return std::ranges::any_of(input.given.numpy, [](const std::string& line) {
    return line.find("= np.random.") != std::string::npos || line.starts_with("import zlib");
  });
}

void check_heads(const LessonInput& input) {
  for (const char* name : {"W_Q", "W_K", "W_V"}) {
    const std::size_t width = input.given[name].shape[1];
    if (width % input.heads != 0)
      throw usage(said("--heads {heads} does not divide the {width} columns of {name}",
                       {{"heads", input.heads}, {"width", width}, {"name", name}}),
                  said("every head gets d_model / heads columns"));
  }
}

// X and what it follows from: the weights that a tutorial draws besides are nothing to a lesson on vectors.
void keep_vectors(Trace& given) {
  std::set<std::string> kept{"X", "X_Q"};
  for (auto step = given.steps.rbegin(); step != given.steps.rend(); ++step)
    if (kept.count(step->name)) kept.insert(step->operation.inputs.begin(), step->operation.inputs.end());
  // NumPy's lines stay up to the last draw that is kept: what was drawn before it moved the stream on.
  // Whether a seed is of use is read from those that are left.
  const auto last =
      std::ranges::find_if(given.numpy.rbegin(), given.numpy.rend(), [&](const std::string& line) {
        return kept.count(line.substr(0, line.find(' '))) > 0;
      });
  given.numpy.erase(last.base(), given.numpy.end());
  std::erase_if(given.steps, [&](const Step& step) { return !kept.count(step.name); });
}

} // namespace

std::uint32_t seed_of(const InputOptions& options) {
  return options.seed.value_or(options.usual_seed);
}

bool is_usual_run(const InputOptions& options, const InputRules& lesson) {
  InputOptions asked = options;
  if (asked.epsilon == usual_epsilon(asked.norm.value_or(Norm::annotated))) asked.epsilon.reset();
  return seed_of(asked) == tutorial_seed && !changes_run(input_options(), asked, lesson);
}

LessonInput resolve_input(const InputOptions& given, const InputRules& lesson) {
  if (const auto* unread = first_unfit(input_options(), given, lesson))
    throw usage(
        said("{option} has no use for {lesson}", {{"option", unread->name}, {"lesson", lesson.command}}));
  InputOptions options = at_own_sizes(given, lesson);
  const bool says_nothing =
      !given.text && !given.x && !given.words && !given.n_q && !given.batch && !given.model;
  const bool on_words_of_ours = !lesson.text.empty() && says_nothing;
  if (on_words_of_ours) options.text = lesson.text;
  if (lesson.own_input && options.model) refuse_beside_model(options);
  if (lesson.own_input) return (options.model ? lesson.from_model : lesson.own_input)(options, lesson);
  if (options.memory || options.source)
    refuse(options.n_k, "--n-k",
           said("{lesson} takes its keys from {other}",
                {{"lesson", lesson.command}, {"other", options.memory ? "--memory" : "--source"}}));
  const Source source = options.logits || options.model ? Source{} : choose_source(options, lesson);
  const bool pads = options.pad > 0;
  LessonInput input;
  if (options.logits) {
    input = given_logits(options);
  } else if (options.model) {
    refuse_beside_model(options);
    input = lesson.from_model(options, lesson);
  } else if (source.tutorial) {
    const Run& run = find_run(options.tutorial.value_or(lesson.tutorial), lesson);
    input = run.make(seed_of(options));
    // Reseeded or with other weights it is no longer the tutorial's run, and is not compared with it.
    const bool own = options.weights || seed_of(options) != tutorial_seed;
    input.given.tutorial = own ? "" : run.name();
    if (options.weights) replace_weights(input, options, lesson);
    if (!lesson.takes_tutorial_mask()) input.causal = false;
    if (options.heads) input.heads = *options.heads;
    if (!own && is_usual_run(options, lesson)) input.reference = input.given.tutorial;
  } else {
    input = lesson.takes(Input::token_ids) ? own_words(options, lesson)
            : source.tokens                ? own_tokens(options, lesson)
                                           : own_triple(options, lesson);
  }
  if (!takes<Input::W_QKV, Input::token_ids>(lesson) && !options.model) keep_vectors(input.given);
  if (lesson.takes(Input::labels)) finish_loss(options, input);
  if (lesson.takes(Input::rotary)) choose_rotation(options, input);
  if (lesson.takes(Input::todays_block)) {
    input.window = options.window.value_or(input.window);
    input.qk_norm = input.qk_norm || options.qk_norm;
    input.as_2017 = options.as_2017.value_or(input.as_2017);
  }
  if (lesson.takes(Input::optimizer)) choose_optimizer(options, input);
  give_mask(options, lesson, input);
  const bool causal = options.causal || options.causal_align, masks_given = options.mask || causal || pads;
  if (!lesson.causal_by_default())
    input.causal = input.causal || causal;
  else
    input.causal = causal || !masks_given;
  input.causal_align = options.causal_align.value_or(input.causal_align);
  if (lesson.takes(Input::labels) && !input.causal && pads && !options.mask)
    input.notes.push_back(in_words("note.sees_labels"));
  input.pad = options.pad;
  input.masked_row = options.masked_row.value_or(input.masked_row);
  input.norm = options.norm.value_or(input.norm);
  input.norm_first = options.norm_first.value_or(input.norm_first);
  input.activation = options.activation.value_or(input.activation);
  if (options.epsilon) input.epsilon = options.epsilon;
  if (on_words_of_ours && is_usual_run(given, lesson)) input.reference = lesson.reference;
  const Message why = said("no number of this input is drawn");
  if (!is_drawn(input)) refuse(options.init, "--init", why);
  if (lesson.takes(Input::heads)) {
    check_heads(input);
  }
  if (takes<Input::heads, Input::token_ids>(lesson)) draw_dropout(options, input);
  if (!is_drawn(input)) refuse(options.seed, "--seed", why);
  return input;
}

} // namespace tfx
