#include "cli/check/arrays.hpp"

#include "cli/lesson/save.hpp"
#include "io/message.hpp"
#include "text/names.hpp"

#include <algorithm>

namespace tfx {

namespace {

std::string list_of(std::vector<std::string> names) {
  for (std::string& name : names) name = printable(name);
  return listed(names);
}

std::string names_of(const std::vector<NamedArray>& arrays) {
  std::vector<std::string> names;
  for (const NamedArray& one : arrays) names.push_back(one.name);
  return list_of(names);
}

bool is_given(const Step& step) {
  return step.role == Role::input || step.role == Role::parameter;
}

[[noreturn]] void refuse_names(const Content& content, const std::string& path, const Trace& right) {
  const std::map<std::string, std::string> values = {{"file", shown_name(path)},
                                                     {"lesson", right.lesson},
                                                     {"names", names_of(content.arrays)},
                                                     {"name", right.main}};
  const std::string key = content.arrays.empty() ? "check.no_arrays" : "check.no_names";
  throw error_in_words(ErrorKind::bad_data, key, values);
}

} // namespace

FileArrays arrays_in(Content content, const std::string& path, const std::optional<std::string>& tensor,
                     const Trace& right) {
  const std::string wanted = tensor_named(right, tensor.value_or(right.main));
  const FromText text = content.text ? FromText::yes : FromText::no;
  FileArrays found;
  const auto named = std::ranges::find(content.arrays, wanted, &NamedArray::name);
  if (tensor && named != content.arrays.end()) {
    found.arrays.push_back({wanted, std::move(named->array), text});
    return found;
  }
  const bool alone = content.arrays.size() == 1;
  for (NamedArray& one : content.arrays) {
    if (!tensor && right.has(one.name))
      found.arrays.push_back({one.name, std::move(one.array), text});
    else if (alone)
      found.arrays.push_back({wanted, std::move(one.array), text});
    else
      found.unknown.push_back(one.name);
  }
  if (found.arrays.empty()) refuse_names(content, path, right);
  return found;
}

void require_answer(const std::vector<std::string>& wanted, const FileArrays& file, const std::string& path,
                    const Lesson& lesson, const Trace& right) {
  std::vector<std::string> compared, missing;
  bool any_computed = false;
  for (const HandedIn& one : file.arrays) {
    compared.push_back(one.tensor);
    any_computed |= !is_given(*right.find(one.tensor));
  }
  for (const std::string& name : wanted)
    if (!std::ranges::count(compared, name)) missing.push_back(name);
  if (missing.empty() && any_computed) return;
  std::map<std::string, std::string> values = {{"file", shown_name(path)},
                                               {"lesson", lesson.command},
                                               {"compared", list_of(compared)},
                                               {"names", missing.empty() ? lesson.result : list_of(missing)},
                                               {"name", missing.empty() ? "" : missing.front()},
                                               {"near", ""}};
  const std::string key = missing.empty() ? "check.only_given" : "check.no_result";
  std::string hint = key + ".hint";
  if (!missing.empty() && !file.unknown.empty()) {
    hint = "check.no_result.unknown";
    values["unknown"] = list_of(file.unknown);
    for (const std::string& name : file.unknown)
      if (const auto near = nearest(name, missing)) {
        values["unknown"] = printable(name), values["near"] = suggestion(near);
        break;
      }
  }
  throw Error(ErrorKind::bad_data, Message::given(in_words(key, values)),
              Message::given(in_words(hint, values)));
}

} // namespace tfx
