#include "exercise/skeleton.hpp"

#include "core/resource.hpp"
#include "exercise/own_exercise.hpp"
#include "text/display_width.hpp"
#include "text/names.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace tfx {

const Lesson* lesson_of(const Exercise& exercise) {
  return exercise.own ? nullptr : lesson_named(exercise.name);
}

std::string heading_of(const Exercise& exercise) {
  if (exercise.own) return *exercise.own->words(language()).find("title");
  const Lesson& lesson = *lesson_of(exercise);
  return in_words(
      "exercise.title",
      {{"number", number_of(lesson)}, {"name", exercise.name}, {"title", title_in(lesson.folder)}});
}

std::string task_of(const Exercise& exercise, Language language) {
  return *(exercise.own ? exercise.own->words(language) : words_in(lesson_of(exercise)->folder, language))
              .find("exercise");
}

const std::set<std::string>& keywords_of(ProgramLanguage language) {
  static const std::set<std::string> python{
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"},
      cpp{"alignas",  "auto",      "bool",     "break",    "case",      "catch",    "char",      "class",
          "const",    "constexpr", "continue", "decltype", "default",   "delete",   "do",        "double",
          "else",     "enum",      "explicit", "extern",   "false",     "float",    "for",       "friend",
          "goto",     "if",        "inline",   "int",      "long",      "mutable",  "namespace", "new",
          "noexcept", "nullptr",   "operator", "private",  "protected", "public",   "return",    "short",
          "signed",   "sizeof",    "static",   "struct",   "switch",    "template", "this",      "throw",
          "true",     "try",       "typedef",  "typename", "union",     "unsigned", "using",     "virtual",
          "void",     "volatile",  "while",    "main"};
  return language == ProgramLanguage::cpp ? cpp : python;
}

namespace {

constexpr std::string_view marker = "tfx exercise ";

// The axes of one matrix: "(…, n_q, n_k)" has two, "()" and a number none.
std::size_t axes_of(const Slot& slot) {
  if (slot.shape.size() <= 2) return 0;
  const auto commas = static_cast<std::size_t>(std::ranges::count(slot.shape, ','));
  return commas + (slot.shape.find("…") == std::string::npos);
}

class Skeleton {
public:
  Skeleton(const Exercise& exercise, ProgramLanguage language) : exercise_(exercise), language_(language) {}

  std::string text() const {
    const std::map<std::string, std::string> values = {
        {"name", exercise_.name},
        {"title", heading_of(exercise_)},
        {"hold", wrapped(task_of(exercise_))},
        {"given_head", in_words(is_cpp() ? "exercise.given.cpp" : "exercise.given")},
        {"given", list(exercise_.given)},
        {"results_head", in_words(is_cpp() ? "exercise.results.cpp" : "exercise.results")},
        {"results", list(exercise_.results)},
        {"stages", exercise_.stages.empty() ? "" : stages()},
        {"arguments", arguments()},
        {"passed", passed()},
        {"hole", is_cpp() ? "not implemented: " + exercise_.name : exercise_.name},
        {"hole_note", in_words("exercise.hole")},
        {"returned", returned()},
        {"below", in_words("exercise.below")},
        {"precise", in_words("exercise.precise")},
        {"own", commented(in_words(is_cpp() ? "exercise.own.cpp" : "exercise.own"))},
        {"parameters_head", in_words("exercise.parameters.head")},
        {"parameters", parameters()}};
    return filled(resource(frame()), values);
  }

private:
  bool is_cpp() const { return language_ == ProgramLanguage::cpp; }

  // An exercise may have one of its own.
  std::string frame() const {
    const std::string folder = "data/exercise/";
    const std::string ending = is_cpp()                              ? "cpp.in"
                               : language_ == ProgramLanguage::torch ? "torch.py.in"
                                                                     : "numpy.py.in";
    const std::string own = folder + exercise_.name + "." + ending;
    return !exercise_.own && has_resource(own) ? own : folder + (is_cpp() ? "program." : "") + ending;
  }

  // The names of a model's parameters and their shapes, a line each.
  std::string parameters() const {
    const std::string file = "data/exercise/" + exercise_.name + ".parameters.txt";
    if (exercise_.own || !has_resource(file)) return {};
    std::string text = "\n" + std::string(resource(file));
    text.pop_back();
    replace_all(text, "\n", is_cpp() ? "\n//   " : "\n        ");
    return text.substr(1) + "\n";
  }

  // Every {name} once: a value may have braces of its own.
  static std::string filled(std::string_view frame, const std::map<std::string, std::string>& values) {
    std::string text;
    while (!frame.empty()) {
      const auto value = std::ranges::find_if(
          values, [&](const auto& one) { return frame.starts_with("{" + one.first + "}"); });
      text += value == values.end() ? std::string(frame.substr(0, 1)) : value->second;
      frame.remove_prefix(value == values.end() ? 1 : value->first.size() + 2);
    }
    return text;
  }

  static void replace_all(std::string& text, const std::string& what, const std::string& by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
      text.replace(at, what.size(), by);
  }

  static constexpr std::size_t columns = 88;
  std::string wrapped(const std::string& text) const {
    return join(wrap(text, columns), is_cpp() ? "\n// " : "\n");
  }
  std::string commented(const std::string& text) const {
    return join(wrap(text, columns), is_cpp() ? "\n// " : "\n# ");
  }

  std::string shape_of(const Slot& slot) const {
    if (slot.is_parameters()) return in_words(is_cpp() ? "exercise.parameters.cpp" : "exercise.parameters");
    if (slot.shape.size() <= 2) return in_words("exercise.number");
    std::string shape = slot.shape;
    if (is_cpp()) replace_all(shape, "…, ", "");
    if (slot.dtype == DType::boolean) {
      const std::string key = exercise_.own ? "exercise.boolean" : "exercise.truth";
      shape += "  " + in_words(is_cpp() ? key + ".cpp" : key);
    }
    if (slot.dtype == DType::i64) shape += "  " + in_words("exercise.whole");
    return shape;
  }

  // A line an array: its name and its shape.
  std::string list(const std::vector<Slot>& slots) const {
    std::size_t width = 0;
    for (const Slot& slot : slots) width = std::max(width, slot.name.size());
    std::string lines;
    for (const Slot& slot : slots)
      lines += (is_cpp() ? "//   " : "        ") + pad_right(slot.name, width + 2) + shape_of(slot) + "\n";
    return lines;
  }

  std::string stages() const {
    const std::string head = in_words("exercise.stages");
    return (is_cpp() ? "// " : "    ") + head + "\n" + list(exercise_.stages);
  }

  // How C++ writes it, and how it asks for it.
  struct Type {
    std::string name, getter;
  };
  static Type type_of(const Slot& slot) {
    const std::size_t axes = axes_of(slot);
    if (axes > 1) return {"const mat& ", "matrix"};
    if (axes == 1) return {"const rowvec& ", "row"};
    if (slot.dtype == DType::i64) return {"int ", "whole"};
    return {"double ", "number"};
  }

  std::string arguments() const {
    std::vector<std::string> names;
    for (const Slot& slot : exercise_.given)
      names.push_back((is_cpp() ? type_of(slot).name : "") + slot.name);
    return broken(names);
  }

  // Every result, to be filled in.
  std::string returned() const {
    std::vector<std::string> results;
    for (const Slot& slot : exercise_.results) {
      const std::size_t axes = axes_of(slot);
      const std::string value = axes == 0 ? "0.0" : axes == 3 ? "cube()" : "mat()";
      results.push_back(is_cpp() ? "{\"" + slot.name + "\", " + value + "}" : slot.name + "=...");
    }
    return broken(results);
  }

  std::string passed() const {
    std::vector<std::string> calls;
    for (const Slot& slot : exercise_.given)
      calls.push_back("given." + type_of(slot).getter + "(\"" + slot.name + "\")");
    return broken(calls);
  }

  // "a, b", on lines of at most 80 columns.
  static std::string broken(const std::vector<std::string>& items) {
    std::string text;
    std::size_t used = 24;
    for (const std::string& item : items) {
      const bool fits = used + item.size() + 2 <= 88;
      if (!text.empty()) text += fits ? ", " : ",\n        ";
      if (!fits) used = 8;
      text += item, used += item.size() + 2;
    }
    return text;
  }

  const Exercise& exercise_;
  ProgramLanguage language_;
};

} // namespace

std::vector<ProgramFile> skeleton(const Exercise& exercise, ProgramLanguage language) {
  const bool is_cpp = language == ProgramLanguage::cpp;
  std::vector<ProgramFile> files{
      {exercise.name + (is_cpp ? ".cpp" : ".py"), Skeleton(exercise, language).text()}};
  if (is_cpp) files.push_back({"tfx_exercise.hpp", std::string(resource("data/exercise/tfx_exercise.hpp"))});
  return files;
}

std::optional<std::string> exercise_of_program(std::string_view text) {
  constexpr std::size_t head = 400; // a licence or an encoding may stand before it
  const std::size_t at = text.substr(0, head).find(marker);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(at + marker.size());
  return std::string(
      rest.substr(0, std::min(rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"), rest.size())));
}

std::string signature_of(const Exercise& exercise) {
  const auto names = [](const std::vector<Slot>& slots) {
    std::vector<std::string> list;
    for (const Slot& slot : slots) list.push_back(slot.name);
    return join(list, ", ");
  };
  return exercise.name + "(" + names(exercise.given) + ") → " + names(exercise.results);
}

} // namespace tfx
