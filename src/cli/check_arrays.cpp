#include "cli/check_arrays.hpp"

#include "cli/save.hpp"
#include "io/message.hpp"

#include <algorithm>

namespace tfx {

namespace {

std::string names_of(const std::vector<NamedArray>& arrays) {
  std::string list;
  for (const NamedArray& one : arrays) list += (list.empty() ? "" : ", ") + printable(one.name);
  return list;
}

[[noreturn]] void refuse_names(const Content& content, const std::string& path, const Trace& right,
                               const Context& context) {
  const std::map<std::string, std::string> values = {{"file", shown_name(path)},
                                                     {"lesson", right.lesson},
                                                     {"names", names_of(content.arrays)},
                                                     {"name", right.main}};
  const std::string key = content.arrays.empty() ? "check.no_arrays" : "check.no_names";
  throw Error(ErrorKind::bad_data, context.text(key, values), context.text(key + ".hint", values));
}

} // namespace

FileArrays arrays_in(Content content, const std::string& path, const std::optional<std::string>& tensor,
                     const Trace& right, const Context& context) {
  const std::string wanted = tensor_named(right, tensor.value_or(right.main), context);
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
  if (found.arrays.empty()) refuse_names(content, path, right, context);
  return found;
}

} // namespace tfx
