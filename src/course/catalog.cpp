#include "course/catalog.hpp"

#include "core/resource.hpp"

#include <algorithm>

namespace tfx {

namespace {
std::string file_in(const std::string& folder, Language language) {
  return folder + (language == Language::zh ? "/zh.md" : "/en.md");
}
} // namespace

Words common_words(Language language) {
  return Words::parse(resource(file_in("lessons", language)));
}

const std::vector<Chapter>& chapters() {
  static const std::vector<Chapter> all = [] {
    std::vector<Chapter> list;
    for (const Lesson& lesson : lessons()) list.push_back({lesson.number, lesson.command, lesson.folder});
    list.push_back({12, "model", "lessons/12_model"});
    list.push_back({14, "train", "lessons/14_train"});
    list.push_back({15, "decode", "lessons/15_decode"});
    list.push_back({16, "cache", "lessons/16_cache"});
    list.push_back({17, "params", "lessons/17_params"});
    list.push_back({18, "bench", "lessons/18_bench"});
    list.push_back({19, "errata", "lessons/19_errata"});
    std::ranges::stable_sort(list, {}, &Chapter::number);
    return list;
  }();
  return all;
}

Words words_in(const std::string& folder, Language language) {
  Words words = Words::parse(resource(file_in(folder, language)));
  words.add(common_words(language));
  return words;
}

std::string title_in(const std::string& folder, Language language) {
  return section_of(resource(file_in(folder, language)), "title").value_or(folder);
}

std::string command_after(const std::string& command) {
  const std::vector<Chapter>& all = chapters();
  for (std::size_t i = 0; i + 1 < all.size(); ++i)
    if (all[i].command == command) return all[i + 1].command;
  return {};
}

} // namespace tfx
