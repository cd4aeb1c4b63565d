#include "course/taught.hpp"

#include "lessons/run.hpp"

#include <algorithm>

namespace tfx {

namespace {

// "weights" of "decoder.layers.0.src_attn.weights".
std::string last_name(const std::string& name) {
  return name.substr(name.rfind('.') + 1);
}

// "mean" of "mean_1".
std::string without_number(const std::string& name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  return end != std::string::npos && end + 1 < name.size() && name[end] == '_' ? name.substr(0, end) : name;
}

bool is_subject(const Step& step) {
  return step.role == Role::result || step.role == Role::gradient || step.role == Role::parameter;
}

// Whether the learner of that lesson hands it in: "Q,K,V".
bool is_result_of(const Lesson& lesson, const std::string& name) {
  return ("," + lesson.result + ",").find("," + name + ",") != std::string::npos;
}

struct Subject {
  const Lesson* lesson;
  std::string name;
  Operation operation;
};

// What every lesson is about, in the course's order, from its own run: the catalogue need not list it again.
const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all = [] {
    std::vector<Subject> list;
    for (const Lesson& lesson : page_lessons()) {
      const Trace run = run_lesson(lesson, {}, RunFor::values).trace;
      for (const Step& step : run.steps)
        if (is_subject(step)) list.push_back({&lesson, step.name, step.operation});
    }
    return list;
  }();
  return all;
}

// Whether the step is that subject again. A result that is computed from something else, as K from the
// memory, is new; a repeated one need not come about in the same way. Where a head of a whole model looks is
// that model's to show.
bool is_again(const Step& step, const Subject& subject) {
  const Operation &own = step.operation, &other = subject.operation;
  if (own.is(op::given) != other.is(op::given)) return false;
  if (own.kind->is_mask && own.kind == other.kind) return true;
  const bool has_place = step.name.find('.') != std::string::npos;
  if (has_place && own.is(op::softmax)) return false;
  if (has_place) return last_name(step.name) == without_number(subject.name);
  return step.name == subject.name && (step.role != Role::result || own.inputs == other.inputs);
}

} // namespace

const Lesson* taught_before(const Trace& trace, const Step& step) {
  const Lesson* own = lesson_named(trace.lesson);
  if (!own || is_result_of(*own, step.name)) return nullptr;
  // An operation that no lesson before has shown is new, by whatever name.
  const auto shown = std::ranges::find_if(
      subjects(), [&](const Subject& subject) { return subject.operation.kind == step.operation.kind; });
  if (shown == subjects().end() || shown->lesson >= own) return nullptr;
  const Lesson* first = nullptr;
  for (const Subject& subject : subjects()) {
    if (subject.lesson >= own || !is_again(step, subject)) continue; // they stand in one table, in order
    const Lesson* known = std::max(subject.lesson, shown->lesson);
    if (is_result_of(*subject.lesson, subject.name)) return known;
    if (!first) first = known;
  }
  return first;
}

bool is_new(const Trace& trace, const Step& step) {
  return is_subject(step) && !taught_before(trace, step);
}

} // namespace tfx
