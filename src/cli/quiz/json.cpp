// The quiz for programs: a grader reads the verdicts, a page of exercises the questions and their answers.

#include "cli/quiz/quiz.hpp"
#include "io/json_writer.hpp"
#include "words/lesson_words.hpp"

namespace tfx {

namespace {

void write_index(JsonWriter& json, const std::string& key, const Index& index) {
  json.key(key);
  json.begin_array();
  for (const std::size_t at : index) json.value(at);
  json.end_array();
}

void write_answer(JsonWriter& json, const Answer& answer) {
  json.key("answer");
  if (const auto* number = std::get_if<NumberAnswer>(&answer))
    json.value(number->value);
  else if (const auto* count = std::get_if<CountAnswer>(&answer))
    json.value(count->value);
  else if (const auto* mask = std::get_if<MaskAnswer>(&answer))
    json.value(std::size_t{mask->open});
  else if (const auto* word = std::get_if<WordAnswer>(&answer))
    json.value(word->right.front());
  else {
    json.begin_array();
    for (const std::size_t extent : std::get<ShapeAnswer>(answer).shape) json.value(extent);
    json.end_array();
  }
  json.key("text");
  json.value(text_of(answer));
}

void write_diagnosis(JsonWriter& json, const std::optional<AnswerDiagnosis>& found) {
  json.key("diagnosis");
  if (!found) return json.null();
  json.begin_object();
  json.key("id");
  json.value(found->id);
  json.key("mistake");
  if (found->mistake.empty())
    json.null();
  else
    json.value(found->mistake);
  json.key("tensor");
  if (found->tensor.empty())
    json.null();
  else
    json.value(found->tensor);
  write_index(json, "index", found->index);
  json.end_object();
}

const char* name_of(const std::optional<Verdict>& verdict) {
  if (!verdict) return "unanswered";
  return *verdict == Verdict::right ? "right" : *verdict == Verdict::wrong ? "wrong" : "unreadable";
}

} // namespace

std::string quiz_json(const Quiz& quiz, const Context& context) {
  const Words words = course_words();
  JsonWriter json;
  json.begin_object();
  json.key("schema_version");
  json.value(std::size_t{1});
  json.key("command");
  json.value("quiz");
  json.key("lesson");
  if (quiz.lesson)
    json.value(*quiz.lesson);
  else
    json.null();
  json.key("seed");
  json.value(static_cast<std::size_t>(quiz.seed));
  json.key("count");
  json.value(quiz.items.size());
  json.key("right");
  json.value(quiz.right());
  json.key("questions");
  json.begin_array();
  for (const QuizItem& item : quiz.items) {
    json.begin_object();
    json.key("lesson");
    json.value(item.lesson->command);
    json.key("tutorial");
    json.value(item.trace->tutorial);
    json.key("kind");
    json.value(tfx::name_of(item.question.kind));
    json.key("question");
    json.value(QuestionText(*item.trace, item.question, context, words).ask());
    json.key("tensor");
    json.value(item.question.tensor);
    write_index(json, "index", item.question.index);
    write_answer(json, item.question.answer);
    json.key("given");
    if (item.typed)
      json.value(*item.typed);
    else
      json.null();
    json.key("verdict");
    json.value(name_of(item.verdict));
    write_diagnosis(json, item.diagnosis);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take() + "\n";
}

} // namespace tfx
