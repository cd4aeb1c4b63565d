#include "course/model_map.hpp"

#include "core/error.hpp"
#include "text/names.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

const std::vector<PartGroup>& model_map() {
  static const std::vector<PartGroup> groups = [] {
    using enum PartOrder;
    const ModelPart embedding{"embedding", {"words", "embed"}}, norm{"add_norm", {"block"}, true},
        feed_forward{"feed_forward", {"block"}, true};
    return std::vector<PartGroup>{
        {{"attention", {"lookup", "sdpa"}},
         {{"vectors", {"words"}},
          {"projections", {"qkv"}},
          {"scores", {"scores"}},
          {"mask", {"masked"}},
          {"softmax", {"softmax"}},
          {"mixture", {"attention"}},
          {"heads", {"multihead"}}},
         flow},
        {{"model", {"model"}},
         {{"loss", {"loss"}},
          {"training", {"train"}},
          {"decoding", {"decode"}},
          {"cache", {"cache"}},
          {"size", {"params"}}},
         list},
        {{"since"},
         {{"decoder_alone", {"gpt"}},
          {"rotary_positions", {"rope"}},
          {"todays_block", {"modern"}},
          {"induction_head", {"induction"}},
          {"logit_lens", {"lens"}}},
         list},
        {{"appendices"}, {{"errata", {"errata"}}, {"speed", {"bench"}}}, list},
        {{"encoder"},
         {{"source_tokens", {"bpe"}},
          embedding,
          {"self_attention", {"qkv", "scores", "softmax", "attention", "sdpa", "masked", "multihead"}, true},
          norm,
          feed_forward,
          norm},
         flow},
        {{"decoder"},
         {{"written_tokens", {"bpe"}},
          embedding,
          {"masked_self_attention", {"masked", "multihead"}, true},
          norm,
          {"cross_attention", {"cross"}, true},
          norm,
          feed_forward,
          norm,
          {"generator", {"loss"}},
          {"next_token", {"decode"}}},
         flow},
    };
  }();
  return groups;
}

const PartGroup& part_group(const std::string& id) {
  for (const PartGroup& group : model_map())
    if (group.whole.id == id) return group;
  throw defect("the map of the model has no group " + id);
}

bool teaches(const ModelPart& part, const Lesson& lesson) {
  return std::ranges::count(part.lessons, lesson.command) > 0;
}

const PartGroup* group_of(const Lesson& lesson) {
  const auto is_here = [&](const ModelPart& part) { return teaches(part, lesson); };
  for (const PartGroup& group : model_map())
    if (is_here(group.whole) || std::ranges::any_of(group.parts, is_here)) return &group;
  return nullptr;
}

std::string lesson_numbers(const ModelPart& part, Language language) {
  std::vector<int> numbers;
  for (const std::string& command : part.lessons)
    if (const auto number = lesson_named(command)->number) numbers.push_back(*number);
  std::ranges::sort(numbers);
  std::vector<std::string> runs;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (last < first + 2) last = first; // two stand better beside each other
    runs.push_back(std::to_string(numbers[first]) +
                   (last > first ? "–" + std::to_string(numbers[last]) : ""));
    first = last + 1;
  }
  return listed(runs, language);
}

std::string between(const PartGroup& group) {
  return group.order == PartOrder::flow ? " → " : " · ";
}

std::string name_of(const ModelPart& part, const Words& course) {
  const std::string* name = course.find("part." + part.id);
  if (!name) throw defect("there is no name for the part " + part.id);
  return *name;
}

namespace {

// norm → sublayer → add, in the place of sublayer → add & norm.
std::vector<ModelPart> with_norms_first(const std::vector<ModelPart>& parts) {
  std::vector<ModelPart> list;
  for (const ModelPart& part : parts) {
    const auto sum = std::ranges::find(parts, "add_norm", &ModelPart::id);
    if (part.id == sum->id)
      list.emplace_back("add", part.lessons, true);
    else if (part.is_repeated)
      list.insert(list.end(), {{"norm", sum->lessons, true}, part});
    else
      list.push_back(part);
  }
  return list;
}

} // namespace

std::string place_in_model(const Lesson& lesson, NormPlacement norm) {
  const PartGroup* const found = group_of(lesson);
  if (!found) return "";
  const PartGroup& group = *found;
  const Words course = course_words();
  const std::string layers = *course.find("map.layers");
  const auto marked = [&](const ModelPart& part) {
    const std::string name = name_of(part, course);
    return teaches(part, lesson) ? "[" + name + "]" : name;
  };
  // Inside the repeated layer its parts alone are shown; from outside it is one part of the whole.
  const bool is_inside = std::ranges::any_of(
      group.parts, [&](const ModelPart& part) { return part.is_repeated && teaches(part, lesson); });
  std::vector<std::string> names;
  for (const ModelPart& part :
       is_inside&& norm == NormPlacement::pre_norm ? with_norms_first(group.parts) : group.parts) {
    if (part.is_repeated == is_inside)
      names.push_back(marked(part));
    else if (part.is_repeated && names.back() != layers)
      names.push_back(layers);
  }
  return marked(group.whole) + in_words("label.colon") + (language() == Language::en ? " " : "") +
         join(names, between(group));
}

} // namespace tfx
