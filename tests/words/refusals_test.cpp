#include "words/in_words.hpp"

#include "core/error.hpp"
#include "core/resource.hpp"
#include "io/csv.hpp"
#include "io/file.hpp"
#include "support/catch.hpp"

#include <cctype>
#include <cstring>
#include <filesystem>
#include <set>

using namespace tfx;

namespace {

/// Chinese as long as it lives.
struct InChinese {
  InChinese() { set_language(Language::zh); }
  ~InChinese() { set_language(Language::en); }
};

std::set<std::string> names_in(const std::string& text) {
  std::set<std::string> names;
  for (std::size_t open = 0; (open = text.find('{', open)) != std::string::npos; ++open)
    if (const std::size_t close = text.find('}', open); close != std::string::npos)
      names.insert(text.substr(open + 1, close - open - 1));
  return names;
}

/// Why a table with this text is refused, as a learner reads it.
std::string refusal_of(const std::string& text, const std::string& file) {
  try {
    read_matrix_csv(text, file);
  } catch (const Error& error) {
    return in_learners_language(error.message());
  }
  return "not refused";
}

/// The literal that begins at text[at], with those that follow it; empty where none does.
std::string literal_at(const std::string& text, std::size_t at) {
  std::string literal;
  while ((at = text.find_first_not_of(" \n", at)) != std::string::npos && text[at] == '"')
    for (++at;; ++at) {
      if (text[at] == '"') {
        ++at;
        break;
      }
      if (text[at] == '\\') ++at;
      literal += text[at];
    }
  return literal;
}

/// Every said("…") of the program.
std::set<std::string> said_sentences() {
  std::set<std::string> sentences;
  for (const std::string folder : {"/src", "/lessons"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(TFX_SOURCE_DIR + folder)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
      const std::string text = read_file(entry.path().string()), call = "said(";
      for (std::size_t at = 0; (at = text.find(call, at)) != std::string::npos;) {
        const bool is_call =
            at > 0 && !std::isalnum(static_cast<unsigned char>(text[at - 1])) && text[at - 1] != '_';
        const std::string sentence = literal_at(text, at += call.size());
        if (is_call && !sentence.empty()) sentences.insert(sentence);
      }
    }
  sentences.erase("…"); // of comments
  return sentences;
}

} // namespace

TEST_CASE("a refusal is said in the learner's language", "[words]") {
  const Message empty = said("the file is empty");
  CHECK(in_learners_language(empty) == "the file is empty");
  const InChinese chinese;
  CHECK(in_learners_language(empty) == "文件是空的");
  CHECK(in_learners_language(said("{file}: {what}", {{"file", "x.csv"}, {"what", empty}})) ==
        "x.csv：文件是空的");
  CHECK(in_learners_language(
            said("cannot open {file}: {why}", {{"file", "x.npy"}, {"why", why_not(ENOENT)}})) ==
        "打不开 x.npy：没有这个文件或目录");
}

TEST_CASE("names and values stay as they were given", "[words]") {
  const InChinese chinese;
  for (const std::string name : {"Permission denied", "the file is empty", "a: b.csv", "{why}", "{", ""})
    CHECK(
        in_learners_language(said("cannot open {file}: {why}", {{"file", name}, {"why", why_not(ENOENT)}})) ==
        "打不开 " + name + "：没有这个文件或目录");
  for (const std::string cell : {"Permission denied", "the cell is empty", "{what}"}) {
    const std::string said = refusal_of("1,2\n3," + cell + "\n", "No such file or directory");
    CHECK(said.starts_with("No such file or directory：第 2 行第 2 列：\"" + cell + "\" "));
  }
}

TEST_CASE("a sentence without Chinese, and a text as given, stay as they are", "[words]") {
  const InChinese chinese;
  CHECK(in_learners_language(Message::given("the file is empty")) == "the file is empty");
  CHECK(in_learners_language({"nobody translated {what}", {{"what", "this"}}}) == "nobody translated this");
  CHECK(in_learners_language({}).empty());
}

TEST_CASE("every sentence of a refusal has its Chinese, and no other has", "[words]") {
  const Words chinese = Words::parse(resource("src/words/refusals.zh.md"));
  const std::set<std::string> sentences = said_sentences();
  REQUIRE(sentences.size() > 400);
  for (const std::string& sentence : sentences) {
    INFO(sentence);
    CHECK(chinese.find(sentence));
  }
  std::set<std::string> of_system;
  for (int error = 1; error < 134; ++error) of_system.insert(std::strerror(error));
  for (const auto& [english, words] : chinese.sections()) {
    INFO(english);
    CHECK((sentences.contains(english) || of_system.contains(english)));
    CHECK_FALSE(words.empty());
    CHECK(names_in(english) == names_in(words));
  }
}
