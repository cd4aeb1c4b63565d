// The quiz for programs: a grader reads the verdicts, a page of exercises the questions and their answers.

#include "render/json.hpp"
#include "cli/quiz/question_text.hpp"
#include "words/in_words.hpp"

namespace tfx {

namespace {

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
  else
    json.value(std::get<ShapeAnswer>(answer).shape);
  json.key("text"), json.value(text_of(answer));
}

void write_diagnosis(JsonWriter& json, const std::optional<AnswerDiagnosis>& found) {
  json.key("diagnosis");
  if (!found) return json.null();
  json.begin_object();
  json.key("id"), json.value(found->id);
  json.key("mistake"), json.text_or_null(found->mistake);
  json.key("tensor"), json.text_or_null(found->tensor);
  json.key("index"), json.value(found->index);
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
  begin_command(json, "quiz");
  json.key("lesson"), json.value(quiz.lesson);
  json.key("seed"), json.value(static_cast<std::size_t>(quiz.seed));
  json.key("count"), json.value(quiz.items.size());
  json.key("right"), json.value(quiz.right());
  json.key("questions");
  json.begin_array();
  for (const QuizItem& item : quiz.items) {
    json.begin_object();
    json.key("lesson"), json.value(item.lesson->command);
    json.key("tutorial"), json.value(item.trace->tutorial);
    json.key("kind"), json.value(tfx::name_of(item.question.kind));
    json.key("question"), json.value(QuestionText(*item.trace, item.question, context, words).ask());
    json.key("tensor"), json.value(item.question.tensor);
    json.key("index"), json.value(item.question.index);
    write_answer(json, item.question.answer);
    json.key("given"), json.value(item.typed);
    json.key("verdict"), json.value(name_of(item.verdict));
    write_diagnosis(json, item.diagnosis);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take() + "\n";
}

} // namespace tfx
