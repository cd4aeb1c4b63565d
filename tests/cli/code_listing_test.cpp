#include "cli/code/listing.hpp"
#include "core/resource.hpp"
#include "lessons/catalogue.hpp"
#include "support/catch.hpp"
#include "text/display_width.hpp"

#include <algorithm>
#include <cctype>
#include <map>

using namespace tfx;

namespace {

struct Listed {
  std::string path, folder;
  CodeLanguage language;
  std::string_view code;
};

std::vector<Listed> all_code() {
  std::vector<Listed> all;
  for (const Lesson& lesson : lessons())
    if (offers(lesson, "code"))
      for (const auto& [file, language] : {std::pair{"/numpy.py", CodeLanguage::python},
                                           {"/torch.py", CodeLanguage::python},
                                           {"/formula.cpp", CodeLanguage::cpp}})
        all.push_back({lesson.folder + file, lesson.folder, language, resource(lesson.folder + file)});
  return all;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (; !text.empty(); text.remove_prefix(std::min(text.find('\n') + 1, text.size())))
    lines.emplace_back(text.substr(0, text.find('\n')));
  return lines;
}

Words chinese_of(const std::string& folder) {
  return Words::parse(resource(folder + "/code.zh.md"));
}

/// The program without its comments, docstrings and white space.
std::string program_of(const Listed& one, const std::string& listing) {
  std::string program;
  bool in_docstring = false;
  for (std::string line : lines_of(listing)) {
    if (one.language == CodeLanguage::python) {
      const auto marks = [&] {
        std::size_t count = 0;
        for (std::size_t at = 0; (at = line.find("\"\"\"", at)) != std::string::npos; at += 3) ++count;
        return count;
      }();
      if (in_docstring || marks > 0) {
        in_docstring = marks == 1 ? !in_docstring : in_docstring;
        continue;
      }
    }
    const std::string sign = one.language == CodeLanguage::cpp ? "//" : "# ";
    line = line.substr(0, line.find(sign)); // none of them has it in a string
    for (const char c : line)
      if (!std::isspace(static_cast<unsigned char>(c)) && c != '\\') program += c; // Python's continued lines
  }
  return program;
}

bool has_words(const std::string& comment) {
  std::size_t words = 0, letters = 0;
  for (const char c : comment + " ") {
    if (std::islower(static_cast<unsigned char>(c))) {
      ++letters;
      continue;
    }
    words = letters >= 2 && c == ' ' ? words + 1 : c == ' ' ? words : 0;
    letters = 0;
    if (words >= 2) return true;
  }
  return false;
}

} // namespace

TEST_CASE("every lesson's code fits its screen and stays the same program", "[code]") {
  REQUIRE(all_code().size() > 30);
  for (const Listed& one : all_code())
    for (const std::size_t columns : {60, 80, 200})
      for (const Words& comments : {Words(), chinese_of(one.folder)}) {
        const std::string listing = code_listing(one.code, one.language, columns, comments);
        INFO(one.path << " in " << columns);
        for (const std::string& line : lines_of(listing)) {
          INFO(line);
          CHECK(display_width(line) <= columns);
        }
        CHECK(program_of(one, listing) == program_of(one, std::string(one.code)));
      }
}

TEST_CASE("a wide screen shows a file as it is", "[code]") {
  for (const Listed& one : all_code()) {
    INFO(one.path);
    CHECK(code_listing(one.code, one.language, 1000, {}) == one.code);
  }
}

TEST_CASE("comments speak Chinese", "[code]") {
  for (const Listed& one : all_code())
    for (const std::string& line :
         lines_of(code_listing(one.code, one.language, 1000, chinese_of(one.folder)))) {
      const std::string sign = one.language == CodeLanguage::cpp ? "// " : "# ";
      const std::size_t at = std::min(line.find(sign), line.find("\"\"\""));
      INFO(one.path << ": " << line);
      if (at != std::string::npos && line.find("namespace") == std::string::npos)
        CHECK_FALSE(has_words(line.substr(at)));
    }
}

TEST_CASE("no translation is of a comment that no file has", "[code]") {
  std::map<std::string, std::string> code;
  for (const Listed& one : all_code()) code[one.folder] += one.code;
  for (const auto& [folder, all] : code) {
    const Words words = chinese_of(folder);
    for (const auto& [comment, chinese] : words.sections()) {
      INFO(folder << ": " << comment);
      CHECK(all.find(comment) != std::string::npos);
      CHECK_FALSE(chinese.empty());
    }
  }
}
