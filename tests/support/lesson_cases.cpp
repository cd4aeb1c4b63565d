#include "support/lesson_cases.hpp"

#include "core/error.hpp"
#include "input/tutorials.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "lessons/induction/induction.hpp"
#include "lessons/run.hpp"
#include "model/checkpoint.hpp"
#include "support/random_input.hpp"
#include "support/small_model.hpp"

#include <functional>
#include <limits>

namespace tfx {

namespace {

/// Where tokens or queries, keys and values come from.
struct Source {
  std::string name;
  InputOptions options;
  std::size_t n_q, n_k, batch; ///< batch 1: plain matrices
  bool (*fits)(const InputRules&);
};

// Tokens that attend to themselves, if at all.
bool any_lesson(const InputRules& lesson) {
  return lesson.takes(Input::X) && !lesson.takes(Input::memory);
}
bool before_layers(const InputRules& lesson) {
  return any_lesson(lesson) && !lesson.takes(Input::feed_forward);
}
constexpr auto only_attention = takes<Input::QKV>, only_cross = takes<Input::memory>,
               only_embed = takes<Input::token_ids>, only_block = takes<Input::feed_forward>;

Tensor random_tensor(const Shape& shape, std::uint32_t seed) {
  RandomInput random(seed);
  Tensor tensor(shape);
  for (double& value : tensor.data) value = random.number(2);
  return tensor;
}

std::string write_array(const TemporaryFolder& folder, const std::string& name, const Shape& shape,
                        std::uint32_t seed) {
  return folder.write(name, write_npy(random_tensor(shape, seed)));
}

// Six numbers a token, four a query and a key, six a value, seven an output; biases for all.
std::string write_weights(const TemporaryFolder& folder) {
  const Tensor W_Q = random_tensor({6, 4}, 1), W_K = random_tensor({6, 4}, 2), W_V = random_tensor({6, 6}, 3),
               W_O = random_tensor({6, 7}, 4), b_Q = random_tensor({4}, 5), b_K = random_tensor({4}, 6),
               b_V = random_tensor({6}, 7), b_O = random_tensor({7}, 8);
  return folder.write("weights.npz", write_npz({{"W_Q", &W_Q},
                                                {"W_K", &W_K},
                                                {"W_V", &W_V},
                                                {"W_O", &W_O},
                                                {"b_Q", &b_Q},
                                                {"b_K", &b_K},
                                                {"b_V", &b_V},
                                                {"b_O", &b_O}}));
}

// Every parameter of a layer of width 6, with seven numbers inside the feed-forward.
std::string write_layer(const TemporaryFolder& folder) {
  const std::vector<std::pair<std::string, Shape>> shapes = {
      {"W_Q", {6, 4}}, {"W_K", {6, 4}}, {"W_V", {6, 8}}, {"W_O", {8, 6}},  {"b_O", {6}},    {"W_1", {6, 7}},
      {"b_1", {7}},    {"W_2", {7, 6}}, {"gain_1", {6}}, {"shift_1", {6}}, {"gain_2", {6}}, {"shift_2", {6}}};
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    tensors.push_back(random_tensor(shapes[i].second, static_cast<std::uint32_t>(50 + i)));
  std::vector<NpzEntry> named;
  for (std::size_t i = 0; i < shapes.size(); ++i) named.push_back({shapes[i].first, &tensors[i]});
  return folder.write("layer.npz", write_npz(named));
}

template <class Add>
void add_layer_sources(const Add& add, const TemporaryFolder& folder) {
  InputOptions& asked = add("text and memory", 3, 4, 1, only_cross);
  asked.text = "I like you", asked.d_model = 5, asked.memory = write_array(folder, "memory.npy", {4, 3}, 41);
  InputOptions& batched = add("x and random memory", 5, 2, 2, only_cross);
  batched.x = write_array(folder, "cross x.npy", {2, 5, 6}, 42), batched.n_k = 2, batched.d_k = 3;
  InputOptions& even = add("as many keys as queries", 4, 4, 2, only_cross);
  even.batch = 2, even.n_k = 4;
  even.weights = write_weights(folder), even.d_model = 6;

  InputOptions& odd = add("odd width", 6, 6, 1, only_embed);
  odd.text = "the cat sat on the mat", odd.d_model = 5;
  InputOptions& learned = add("learned positions", 3, 3, 1, only_embed);
  const Tensor words = random_tensor({70, 3}, 43), positions = random_tensor({4, 3}, 44);
  learned.text = "a b a";
  learned.weights = folder.write(
      "tables.npz", write_npz({{"token_embedding", &words}, {"position_embedding", &positions}}));
  add("one word", 1, 1, 1, only_embed).text = "cat";

  for (const bool first : {true, false})
    for (const Norm rule : {Norm::annotated, Norm::layer}) {
      const std::string name = std::string(first ? "pre-norm " : "post-norm ") +
                               (rule == Norm::annotated ? "annotated" : "standard");
      InputOptions& layer = add(name, 5, 5, 2, only_block);
      layer.x = write_array(folder, name + " x.npy", {2, 5, 6}, 45), layer.weights = write_layer(folder);
      layer.heads = 2, layer.norm_first = first, layer.norm = rule;
      if (!first) layer.dropout = 0.4;
      if (rule == Norm::layer) layer.activation = first ? Activation::gelu : Activation::silu;
    }
  InputOptions& drawn = add("a drawn layer", 4, 4, 1, only_block);
  drawn.d_model = 6, drawn.heads = 3, drawn.d_ff = 5, drawn.dropout = 0.25;
}

// A trained model's numbers: of the last layer and the first, of either place of the norm.
void add_model_cases(std::vector<LessonCase>& cases, const TemporaryFolder& folder) {
  for (const NormPlacement placement : {NormPlacement::pre_norm, NormPlacement::post_norm}) {
    ModelSpec spec = small_spec();
    spec.norm.placement = placement;
    InputOptions options;
    options.model =
        folder.path(placement == NormPlacement::pre_norm ? "pre.safetensors" : "post.safetensors");
    save_model(small_model<double>(5, spec), *options.model);
    options.text = "3 1 4 1 5";
    for (const Lesson& lesson : page_lessons()) {
      if (!lesson.from_model || reads_decoder_alone(lesson)) continue;
      const std::string name = lesson.command + ", of a model";
      cases.push_back({name, &lesson, options});
      InputOptions first = options;
      first.layer = 0, first.head = 2, first.pad = 1;
      cases.push_back({name + ", first layer, last head", &lesson,
                       fitting<InputOptions, InputRules>(input_options(), first, lesson)});
    }
  }
}

// The same of a decoder alone, for the lessons that read none but it.
void add_decoder_cases(std::vector<LessonCase>& cases, const TemporaryFolder& folder) {
  ModelSpec spec = small_spec();
  spec.stacks = Stacks::decoder, spec.src_vocab = 0, spec.max_len = 9;
  spec.positions = Positions::learned, spec.tied = true;
  InputOptions options;
  options.model = folder.path("decoder.safetensors");
  save_model(small_model<double>(6, spec), *options.model);
  for (const RotaryPairs pairs : {RotaryPairs::neighbours, RotaryPairs::halves}) {
    ModelSpec turning = spec;
    turning.positions = Positions::rotary, turning.pairs = pairs, turning.kv_heads = 1;
    turning.rotary_base = 500'000;
    InputOptions rotary = options;
    rotary.model = folder.path(word_of(rotary_words(), pairs) + ".safetensors");
    save_model(small_model<double>(7, turning), *rotary.model);
    rotary.text = "3 1 4 1 5";
    cases.push_back({"rope, of a decoder", &find_lesson("rope"), rotary});
    rotary.layer = 0, rotary.head = 2, rotary.rotary_base = 100;
    cases.push_back({"rope, of a decoder's first layer", &find_lesson("rope"), rotary});
  }
  for (const char* command : {"decode", "params"}) {
    const Lesson& lesson = find_lesson(command);
    cases.push_back({lesson.command + ", of a decoder", &lesson, options});
    InputOptions other = options;
    other.text = "3 1 4", other.temperature = 1.5, other.top_p = 0.4, other.seq = 4;
    cases.push_back({lesson.command + ", of a decoder otherwise", &lesson,
                     fitting<InputOptions, InputRules>(input_options(), other, lesson)});
  }
}

std::vector<Source> sources(const TemporaryFolder& folder) {
  std::vector<Source> all;
  const auto add = [&](std::string name, std::size_t n_q, std::size_t n_k, std::size_t batch,
                       auto fits) -> InputOptions& {
    all.push_back({std::move(name), {}, n_q, n_k, batch, fits});
    return all.back().options;
  };
  InputOptions& repeated = add("text", 6, 6, 1, any_lesson);
  repeated.text = "the cat sat on the mat", repeated.d_model = 6, repeated.heads = 2;

  InputOptions& own = add("x and weights", 5, 5, 2, before_layers);
  own.x = write_array(folder, "x.npy", {2, 5, 6}, 11), own.weights = write_weights(folder), own.heads = 2;

  InputOptions& table = add("words", 3, 3, 1, any_lesson);
  table.words = folder.write("words.csv", "cat,1,0,-2,0.5\ndog,0,1,1,1\nfish,1,1,-1,1.5\n");

  InputOptions& triple = add("q, k, v", 3, 5, 2, takes<Input::QKV, Input::X_QKV>);
  triple.q = write_array(folder, "q.npy", {2, 3, 4}, 12), triple.k = write_array(folder, "k.npy", {5, 4}, 13);
  triple.v = write_array(folder, "v.npy", {2, 5, 4}, 14);

  InputOptions& random = add("random q, k, v", 3, 5, 2, only_attention);
  random.batch = 2, random.n_q = 3, random.n_k = 5, random.d_k = 4, random.d_v = 6, random.seed = 7;

  add_layer_sources(add, folder);

  InputOptions& sizes = add("sizes", 1, 1, 1, takes<Input::sizes>);
  sizes.d_model = 6, sizes.heads = 3, sizes.d_ff = 10, sizes.layers = 2, sizes.vocab = 7, sizes.seq = 5;

  const std::vector<std::pair<const char*, Init>> kinds = {{"randint", Init::randint},
                                                           {"normal", Init::normal},
                                                           {"xavier", Init::xavier},
                                                           {"xavier-uniform", Init::xavier_uniform},
                                                           {"he", Init::he}};
  for (const auto& [name, init] : kinds) {
    InputOptions& drawn = add(name, 4, 4, 2, any_lesson);
    drawn.init = init, drawn.batch = 2, drawn.d_model = 8, drawn.heads = 4;
  }
  return all;
}

struct Masking {
  std::string name;
  std::function<void(InputOptions&)> apply;
};

std::vector<Masking> maskings(const TemporaryFolder& folder, const Source& source) {
  RandomInput random(21);
  Tensor mask(source.batch > 1 ? Shape{source.batch, source.n_q, source.n_k} : Shape{source.n_q, source.n_k});
  for (double& cell : mask.data) cell = random.coin() ? 1 : 0;
  for (std::size_t i = 0; i < mask.size(); i += source.n_k) mask.data[i] = 1;
  Tensor blocked = mask;
  const std::size_t sees_nothing = source.n_q > 1 ? 1 : 0; // the second query, or the only one
  for (std::size_t j = 0; j < source.n_k; ++j) blocked.data[sees_nothing * source.n_k + j] = 0;
  Tensor one_row(Shape{1, source.n_k});
  for (std::size_t j = 0; j < source.n_k; j += 2) one_row.data[j] = 1;
  const std::string file = folder.write(source.name + " mask.npy", write_npy(mask));
  const std::string blocked_file = folder.write(source.name + " blocked.npy", write_npy(blocked));
  const std::string one_row_file = folder.write(source.name + " one row.npy", write_npy(one_row));
  return {{"causal", [](InputOptions& o) { o.causal = true; }},
          {"at the lower right", [](InputOptions& o) { o.causal_align = CausalAlign::lower_right; }},
          {"pad", [](InputOptions& o) { o.pad = 1; }},
          {"causal and pad", [](InputOptions& o) { o.causal = true, o.pad = 2; }},
          {"mask", [=](InputOptions& o) { o.mask = file; }},
          {"a mask of one row", [=](InputOptions& o) { o.mask = one_row_file; }},
          {"a mask of one row and causal", [=](InputOptions& o) { o.mask = one_row_file, o.causal = true; }},
          {"mask, causal and pad", [=](InputOptions& o) { o.mask = file, o.causal = true, o.pad = 1; }},
          {"a blocked row of zeros", [=](InputOptions& o) { o.mask = blocked_file; }},
          {"a blocked row of nan",
           [=](InputOptions& o) { o.mask = blocked_file, o.masked_row = FullyMaskedRow::nan; }}};
}

// Nobody sees the last key: what stands there, even NaN, must not matter.
InputOptions nan_in_padding(const TemporaryFolder& folder) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                   inf = std::numeric_limits<double>::infinity();
  InputOptions options;
  options.q = write_array(folder, "nan q.npy", {2, 3}, 31);
  options.k = folder.write("nan k.npy", write_npy(Tensor({3, 3}, {1, 2, 0, 0, 1, 1, nan, 1, inf})));
  options.v = folder.write("nan v.npy", write_npy(Tensor({3, 2}, {1, 2, 0, 1, nan, -inf})));
  options.pad = 1;
  return options;
}

} // namespace

std::vector<LessonCase> tutorial_cases() {
  std::vector<LessonCase> cases;
  for (const Lesson& lesson : page_lessons()) {
    const bool is_trained = lesson.takes(Input::begun); // and no tutorial's
    if ((lesson.own_input && !is_trained) || !lesson.text.empty())
      cases.push_back({lesson.command, &lesson, {}});
    for (const Run& run : runs()) {
      InputOptions options;
      options.tutorial = run.name();
      if (!run.fits(lesson)) continue; // the tests count those that do
      cases.push_back({lesson.command + ", " + *options.tutorial, &lesson, options});
    }
  }
  return cases;
}

std::vector<LessonCase> own_cases(const TemporaryFolder& folder) {
  std::vector<LessonCase> cases;
  for (const Source& source : sources(folder)) {
    const std::vector<Masking> masks = maskings(folder, source);
    for (const Lesson& lesson : page_lessons()) {
      if (!source.fits(lesson)) continue;
      // Heads of a block since 2017 have an even width.
      const std::size_t heads = source.options.heads.value_or(2),
                        width = source.options.d_model.value_or(4 * heads);
      if (lesson.takes(Input::todays_block) &&
          (width % (2 * heads) != 0 || source.options.weights || source.options.words))
        continue;
      const std::string name = lesson.command + ", " + source.name;
      const auto add = [&](const std::string& more) -> InputOptions& {
        cases.push_back({name + more, &lesson,
                         fitting<InputOptions, InputRules>(input_options(), source.options, lesson)});
        const bool has_gradients = !takes<Input::cache, Input::sizes>(lesson);
        cases.back().options.grad = has_gradients && (more.empty() || cases.size() % 3 == 0);
        if (lesson.takes(Input::labels) && cases.size() % 2 == 0) cases.back().options.smoothing = 0.1;
        return cases.back().options;
      };
      add("");
      if (!lesson.masks()) continue;
      for (const Masking& masking : masks) {
        InputOptions& options = add(", " + masking.name);
        masking.apply(options);
        if ((options.causal || options.causal_align) && !lesson.may_be_causal()) {
          cases.pop_back();
          continue;
        }
        if (lesson.takes(Input::labels) && options.pad > 0 && options.pad + 2 > source.n_k) {
          cases.pop_back(); // nothing is left to predict
          continue;
        }
        if (options.masked_row != FullyMaskedRow::nan) continue;
        options.grad = false; // the mean of NaN has no gradient
        if (lesson.takes(Input::labels)) cases.pop_back();
      }
    }
  }
  for (const Lesson& lesson : page_lessons())
    if (lesson.masks() && only_attention(lesson))
      cases.push_back({lesson.command + ", NaN in padding", &lesson, nan_in_padding(folder)});
  add_model_cases(cases, folder), add_decoder_cases(cases, folder);
  InputOptions given;
  given.logits = write_array(folder, "logits.npy", {2, 3, 4}, 71);
  given.labels = {{1, 2, 0}, {3, 0, 0}}, given.smoothing = 0.2;
  cases.push_back({"loss, logits", &find_lesson("loss"), given});
  for (const RotaryPairs pairs : {RotaryPairs::neighbours, RotaryPairs::halves}) {
    InputOptions turning;
    turning.text = "the cat sat on the mat", turning.d_k = 6, turning.d_v = 3, turning.pairs = pairs;
    cases.push_back({"rope, " + word_of(rotary_words(), pairs), &find_lesson("rope"), turning});
    turning.rotary_base = 500'000;
    cases.push_back({"rope, slower", &find_lesson("rope"), turning});
  }
  for (const char* part : {"norm", "place", "gate", "groups", "positions", "biases", "all"}) {
    InputOptions block;
    block.text = "we read what we write", block.heads = 4, block.window = 3, block.as_2017 = {part};
    cases.push_back({std::string("modern, 2017's ") + part, &find_lesson("modern"), block});
  }
  InputOptions repeats;
  repeats.text = "a rose is a rose is a rose";
  cases.push_back({"induction, a short period", &find_lesson("induction"), repeats});
  repeats.text = "one two three";
  cases.push_back({"induction, nothing repeats", &find_lesson("induction"), repeats});
  repeats.text = "1 2 3 4 5 6 7 1 2 3 4", repeats.model = folder.path("two heads.safetensors");
  save_model(grown_model("two-heads"), *repeats.model);
  cases.push_back({"induction, two heads", &find_lesson("induction"), repeats});
  InputOptions choice;
  choice.seed = 7, choice.temperature = 1.5, choice.top_k = 3, choice.top_p = 0.5;
  cases.push_back({"decode, hot", &find_lesson("decode"), choice});
  choice.logits = write_array(folder, "a row of logits.npy", {1, 40}, 72), choice.top_k = 12;
  cases.push_back({"decode, logits", &find_lesson("decode"), choice});
  InputOptions cut;
  cut.text = "bc,bc,bc,ab,ab,abc aaaaa,aaa", cut.word = "abc aaaa", cut.merges = 6;
  cases.push_back({"bpe, two ways", &find_lesson("bpe"), cut});
  cut.text = "我爱你，我爱学习。学习", cut.word = "爱学", cut.merges = 20;
  cases.push_back({"bpe, Chinese", &find_lesson("bpe"), cut});
  return cases;
}

} // namespace tfx
