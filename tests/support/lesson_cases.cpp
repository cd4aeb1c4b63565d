#include "support/lesson_cases.hpp"

#include "core/error.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "lessons/tutorials.hpp"
#include "support/random_input.hpp"

#include <functional>
#include <limits>

namespace tfx {

namespace {

/// Where tokens or queries, keys and values come from.
struct Source {
  std::string name;
  InputOptions options;
  std::size_t n_q, n_k, batch; ///< batch 1: plain matrices
  std::function<bool(const Lesson&)> fits;
};

bool any_lesson(const Lesson&) {
  return true;
}
bool not_words(const Lesson& lesson) {
  return lesson.stage != Stage::vectors;
}
bool only_attention(const Lesson& lesson) {
  return lesson.stage == Stage::attention;
}

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

std::vector<Source> sources(const TemporaryFolder& folder) {
  std::vector<Source> all;
  const auto add = [&](std::string name, std::size_t n_q, std::size_t n_k, std::size_t batch,
                       auto fits) -> InputOptions& {
    all.push_back({std::move(name), {}, n_q, n_k, batch, fits});
    return all.back().options;
  };
  InputOptions& repeated = add("text", 6, 6, 1, any_lesson);
  repeated.text = "the cat sat on the mat", repeated.d_model = 6, repeated.heads = 2;

  InputOptions& own = add("x and weights", 5, 5, 2, any_lesson);
  own.x = write_array(folder, "x.npy", {2, 5, 6}, 11), own.weights = write_weights(folder), own.heads = 2;

  InputOptions& table = add("words", 3, 3, 1, any_lesson);
  table.words = folder.write("words.csv", "cat,1,0,-2,0.5\ndog,0,1,1,1\nfish,1,1,-1,1.5\n");

  InputOptions& triple = add("q, k, v", 3, 5, 2, not_words);
  triple.q = write_array(folder, "q.npy", {2, 3, 4}, 12), triple.k = write_array(folder, "k.npy", {5, 4}, 13);
  triple.v = write_array(folder, "v.npy", {2, 5, 4}, 14);

  InputOptions& random = add("random q, k, v", 3, 5, 2, only_attention);
  random.batch = 2, random.n_q = 3, random.n_k = 5, random.d_k = 4, random.d_v = 6, random.seed = 7;

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
  for (std::size_t j = 0; j < source.n_k; ++j)
    blocked.data[source.n_k + j] = 0; // the second query sees nothing
  Tensor one_row(Shape{1, source.n_k});
  for (std::size_t j = 0; j < source.n_k; j += 2) one_row.data[j] = 1;
  const std::string file = folder.write(source.name + " mask.npy", write_npy(mask));
  const std::string blocked_file = folder.write(source.name + " blocked.npy", write_npy(blocked));
  const std::string one_row_file = folder.write(source.name + " one row.npy", write_npy(one_row));
  return {{"causal", [](InputOptions& o) { o.causal = true; }},
          {"pad", [](InputOptions& o) { o.pad = 1; }},
          {"causal and pad", [](InputOptions& o) { o.causal = true, o.pad = 2; }},
          {"mask", [=](InputOptions& o) { o.mask = file; }},
          {"a mask of one row", [=](InputOptions& o) { o.mask = one_row_file; }},
          {"a mask of one row and causal", [=](InputOptions& o) { o.mask = one_row_file, o.causal = true; }},
          {"mask, causal and pad", [=](InputOptions& o) { o.mask = file, o.causal = true, o.pad = 1; }},
          {"a blocked row of zeros", [=](InputOptions& o) { o.mask = blocked_file; }},
          {"a blocked row of nan",
           [=](InputOptions& o) { o.mask = blocked_file, o.blocked_row = BlockedRow::nan; }}};
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
  for (const Lesson& lesson : lessons())
    for (const Run& run : runs()) {
      InputOptions options;
      options.tutorial = run.id + ":" + std::to_string(run.variant);
      try {
        find_run(*options.tutorial, lesson);
      } catch (const Error&) {
        continue; // does not fit; the tests count those that do
      }
      cases.push_back({lesson.command + ", " + *options.tutorial, &lesson, options});
    }
  return cases;
}

std::vector<LessonCase> own_cases(const TemporaryFolder& folder) {
  std::vector<LessonCase> cases;
  for (const Source& source : sources(folder)) {
    const std::vector<Masking> masks = maskings(folder, source);
    for (const Lesson& lesson : lessons()) {
      if (!source.fits(lesson)) continue;
      const std::string name = lesson.command + ", " + source.name;
      cases.push_back({name, &lesson, source.options});
      if (!lesson.masks) continue;
      for (const Masking& masking : masks) {
        cases.push_back({name + ", " + masking.name, &lesson, source.options});
        masking.apply(cases.back().options);
      }
    }
  }
  for (const Lesson& lesson : lessons())
    if (lesson.masks && only_attention(lesson))
      cases.push_back({lesson.command + ", NaN in padding", &lesson, nan_in_padding(folder)});
  return cases;
}

} // namespace tfx
