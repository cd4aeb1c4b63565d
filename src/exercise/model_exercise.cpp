#include "exercise/model_exercise.hpp"

#include "lessons/gpt/gpt.hpp"
#include "lessons/induction/induction.hpp"
#include "lessons/run.hpp"
#include "model/model_spec.hpp"
#include "model/shipped.hpp"
#include "text/vocabulary.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tfx {

namespace {

constexpr const char* speaker = "numbers-zh";
constexpr const char* last_layer = "generator.proj.weight";

Step& step_in(LessonInput& input, const std::string& name) {
  return *std::ranges::find(input.given.steps, name, &Step::name);
}

Tensor ids_of(const std::vector<std::uint32_t>& ids) {
  return {{ids.size()}, {ids.begin(), ids.end()}};
}

void read_and_write(LessonInput& input, const std::vector<std::uint32_t>& src,
                    const std::vector<std::uint32_t>& tgt) {
  step_in(input, "src").value = ids_of(src), step_in(input, "tgt").value = ids_of(tgt);
}

// As training leaves them: no gain is 1, no shift 0.
void vary_norms(LessonInput& input, double phase) {
  double place = 0;
  for (Step& step : input.given.steps)
    if (step.name.ends_with(".a_2") || step.name.ends_with(".b_2"))
      for (double& x : step.value.data) x += 0.4 * std::sin(1.7 * ++place + phase);
}

// Without padding, and with another length on each side.
void vary_model(LessonInput& input, double phase) {
  vary_norms(input, phase);
  read_and_write(input, {7, 3, 9, 5, 4}, {start_id, 8, 6});
}

void single_tokens(LessonInput& input, double phase) {
  vary_norms(input, phase);
  read_and_write(input, {6}, {start_id});
}

// Scores and logits near 1000.
void enlarge_model(LessonInput& input, double phase) {
  constexpr double of_queries = 1000, of_logits = 300;
  vary_norms(input, phase);
  for (Step& step : input.given.steps) {
    const double factor = step.name.ends_with("attn.linears.0.weight") ? of_queries
                          : step.name == last_layer                    ? of_logits
                                                                       : 1;
    for (double& x : step.value.data) x *= factor;
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The trained model reads `source` and as many tokens of padding, and has written `written`.
void load_speaker(LessonInput& input, const std::string& source, std::size_t padding,
                  const std::string& written) {
  const TensorFile file = shipped_model(speaker);
  const Vocabulary src(Tokenizer::words, lines_of(file.metadata().at("src_tokens"))),
      tgt(Tokenizer::characters, lines_of(file.metadata().at("tgt_tokens")));
  std::vector<std::uint32_t> read = src.encode(source), wrote{start_id};
  read.resize(read.size() + padding, pad_id);
  if (!written.empty()) std::ranges::copy(tgt.encode(written), std::back_inserter(wrote));
  input.heads = std::stoul(file.metadata().at("heads"));
  input.given = {};
  input.given.add_input("src", "", ids_of(read), {});
  input.given.add_input("tgt", "", ids_of(wrote), {});
  for (std::size_t i = 0; i < file.entries().size(); ++i) {
    const TensorFile::Entry& entry = file.entries()[i];
    const Labels labels = entry.name == last_layer ? Labels{tgt.tokens, {}} : Labels{};
    input.given.add_input(entry.name, "", Tensor(entry.shape, file.read(i)), labels, Role::parameter);
  }
}

} // namespace

Exercise model_exercise() {
  const std::string l = "(n_tgt, vocabulary)", s = "(n_src, d_model)", t = "(n_tgt, d_model)";
  const auto says = [](std::string id, Change change) { return CaseRule{std::move(id), "", change}; };
  return {"model",
          {{"w", Slot::parameters},
           whole("src", "(n_src)"),
           whole("tgt", "(n_tgt)"),
           whole("heads"),
           whole("start"),
           whole("end"),
           whole("longest")},
          {{"log_probs", l}, whole("greedy", "(n)").weighing(final_points)},
          {{"src_embed", s},
           {"encoder.layers.0.self_attn.weights", "(heads, n_src, n_src)"},
           {"encoder.layers.0.self_attn.output", s},
           {"encoder.layers.0.feed_forward.output", s},
           {"memory", s},
           {"tgt_embed", t},
           {"decoder.layers.0.self_attn.weights", "(heads, n_tgt, n_tgt)"},
           {"decoder.layers.0.src_attn.weights", "(heads, n_tgt, n_src)"},
           {"decoder.output", t},
           {"logits", l}},
          {{"widths", "--d-model 6 --heads 3 --d-ff 10 --seed 171", vary_model},
           {"padded", "--d-model 8 --heads 2 --d-ff 12 --seed 172", vary_norms},
           says("three_hundred_and_five",
                [](LessonInput& input, double) { load_speaker(input, "three hundred and five", 0, "三百"); }),
           {"one", "--d-model 4 --heads 2 --d-ff 6 --seed 173", single_tokens},
           {"large", "--d-model 6 --heads 2 --d-ff 5 --seed 174", enlarge_model},
           says("ten_million", [](LessonInput& input, double) {
             load_speaker(input, "ten million nine hundred thousand and seventy four", 3, "一千零九十");
           })}};
}

void add_answer(const LessonInput& input, Trace& run) {
  const Lesson& lesson = find_lesson("model");
  LessonInput next = input;
  std::vector<double> written{start_id};
  while (written.size() <= longest_answer) {
    step_in(next, "tgt").value = Tensor({written.size()}, written);
    const Tensor log_probs = lesson.run(next)["log_probs"];
    const auto row = log_probs.data.end() - static_cast<std::ptrdiff_t>(log_probs.shape.back());
    const auto best = std::max_element(row, log_probs.data.end()) - row;
    if (best == end_id) break;
    written.push_back(static_cast<double>(best));
  }
  written.erase(written.begin());
  const Labels words = input.given.step_named(last_layer).labels;
  if (!words.empty())
    for (Step& step : run.steps)
      if (step.name == "logits" || step.name == "log_probs") step.labels = {{}, words[0]};
  run.add_input("greedy", "", Tensor({written.size()}, written), {}, Role::recap);
}

namespace {

// Not a trained model: other numbers, so many heads.
void draw_decoder(LessonInput& input, std::size_t heads, double phase) {
  input.given.facts.erase(of_the_lesson);
  double place = 0;
  for (Step& step : input.given.steps)
    if (step.role == Role::parameter)
      for (double& x : step.value.data)
        ++place, x = 0.6 * std::sin(1.3 * place + 0.001 * place * place + phase);
  ModelSpec spec = *input.decoder;
  spec.heads = input.heads = heads;
  input.decoder = std::make_shared<const ModelSpec>(spec);
}

void draw_two_heads(LessonInput& input, double phase) {
  draw_decoder(input, 2, phase);
}

// Scores and logits near 1000.
void enlarge_decoder(LessonInput& input, double) {
  for (Step& step : input.given.steps) {
    const double factor = step.name.ends_with("attn.linears.0.weight") ? 1000
                          : step.name == last_layer                    ? 300
                                                                       : 1;
    for (double& x : step.value.data) x *= factor;
  }
}

} // namespace

Exercise gpt_exercise() {
  const std::string l = "(n, vocabulary)", x = "(n, d_model)", layer = "decoder.layers.0.";
  return {"gpt",
          {{"w", Slot::parameters},
           whole("tgt", "(n)"),
           whole("labels", "(n)"),
           whole("heads"),
           whole("mark"),
           whole("context")},
          {{"log_probs", l}, {"loss", "()"}, whole("greedy", "(m)").weighing(final_points)},
          {{"tgt_embed", x},
           {layer + "self_attn.weights", "(heads, n, n)"},
           {layer + "self_attn.output", x},
           {layer + "sublayer.0.output", x},
           {layer + "feed_forward.output", x},
           {"decoder.output", x},
           {"logits", l}},
          {{"begun", "--text emma"},
           {"first_step", "--tutorial microgpt"},
           {"drawn", "--text samatha", draw_two_heads},
           {"large", "--text phia", enlarge_decoder},
           {"one", "--text k"},
           {"long", "--text callalilyhollan", draw_two_heads}}};
}

Exercise induction_exercise() {
  const std::string l = "(n, vocabulary)", x = "(n, d_model)", layer = "decoder.layers.0.",
                    last = "decoder.layers.1.";
  return {"induction",
          {{"w", Slot::parameters}, whole("tgt", "(n)"), whole("heads")},
          {{"log_probs", l}, Slot{"score", "(heads)"}.weighing(final_points)},
          {{"tgt_embed", x},
           {layer + "self_attn.weights", "(heads, n, n)"},
           {layer + "sublayer.0.output", x},
           {last + "self_attn.weights", "(heads, n, n)"},
           {"decoder.output", x},
           {"logits", l}},
          {{"repeated", "--text 春夏秋冬日月春夏秋冬日"},
           {"drawn_heads", "--text 大小多大小大大", draw_two_heads},
           {"new_alone", "--text 一二三"},
           {"large", "--text 左右左右右", enlarge_decoder},
           {"long", "--text 东南西北前后上下里东南西北前后上下里东南西北", draw_two_heads}}};
}

void add_written(const LessonInput& input, Trace& run) {
  const Lesson& lesson = find_lesson("gpt");
  std::vector<double> read = input.given["tgt"].data;
  const std::size_t begun = read.size();
  const double mark = read.front();
  while (read.size() <= input.decoder->max_len) {
    const Tensor log_probs = lesson.run(reading_of(input, read))["log_probs"];
    const auto row = log_probs.data.end() - static_cast<std::ptrdiff_t>(log_probs.shape.back());
    const auto best = static_cast<double>(std::max_element(row, log_probs.data.end()) - row);
    if (best == mark) break;
    read.push_back(best);
  }
  run.add_input(
      "greedy", "",
      Tensor({read.size() - begun}, {read.begin() + static_cast<std::ptrdiff_t>(begun), read.end()}), {},
      Role::recap);
}

std::string spoken(const Trace& run, const Tensor& ids) {
  const Step* log_probs = run.find("log_probs");
  if (!log_probs || log_probs->labels.empty()) return {};
  const std::vector<std::string>& words = log_probs->labels.back();
  std::string text;
  for (const double id : ids.data) {
    if (!(id >= 0 && id < static_cast<double>(words.size()) && id == std::floor(id))) return {};
    text += words[static_cast<std::size_t>(id)];
  }
  return text;
}

} // namespace tfx
