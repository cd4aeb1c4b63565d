#include "exercise/own_exercise.hpp"

#include "core/resource.hpp"
#include "exercise/skeleton.hpp"
#include "io/file.hpp"
#include "io/foreign_file.hpp"
#include "io/npz.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace tfx {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz", capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                           digits = "0123456789";
const std::string wrong_section = "wrong.";
constexpr std::size_t longest_name = 40, most_cases = 100, most_bytes = 32 << 20, longest_text = 10'000;

bool consists_of(std::string_view text, std::initializer_list<std::string_view> sets) {
  return !text.empty() && text.size() <= longest_name && std::ranges::all_of(text, [&](char c) {
    return std::ranges::any_of(sets, [&](std::string_view set) { return set.find(c) != set.npos; });
  });
}

// A name in Python and in C++: no word of either language.
bool is_identifier(const std::string& name) {
  static const std::set<std::string> taken{"given", "arma", "tfx", "std", "np"}; // of the frames
  const auto is_keyword = [&](ProgramLanguage language) { return keywords_of(language).contains(name); };
  return consists_of(name, {letters, capitals, digits, "_"}) && digits.find(name[0]) == digits.npos &&
         !taken.contains(name) && !is_keyword(ProgramLanguage::numpy) && !is_keyword(ProgramLanguage::cpp);
}

/// "small" of "small/x", and "x"; empty where nothing is behind it.
std::string before_slash(const std::string& name) {
  return name.substr(0, name.find('/'));
}
std::string behind_slash(const std::string& name) {
  const std::size_t slash = name.find('/');
  return slash == name.npos ? "" : name.substr(slash + 1);
}

class Folder {
public:
  explicit Folder(const std::string& folder) : folder_(folder) {
    exercise_.name = fs::weakly_canonical(folder).filename().string();
    if (!is_identifier(exercise_.name) || !consists_of(exercise_.name, {letters, digits, "_"}))
      throw refusal("own.folder", exercise_.name);
    if (is_python_module(exercise_.name)) throw refusal("own.module", exercise_.name);
  }

  std::shared_ptr<const Exercise> exercise() {
    read_words();
    task_.inputs = arrays("inputs.npz"), task_.outputs = arrays("outputs.npz");
    take_cases();
    exercise_.given = slots(task_.inputs, "inputs.npz");
    exercise_.results = slots(task_.outputs, "outputs.npz");
    for (const Slot& slot : exercise_.results)
      if (std::ranges::count(exercise_.given, slot.name, &Slot::name)) throw refusal("own.both", slot.name);
    take_mistakes();
    exercise_.own = std::make_shared<const OwnTask>(std::move(task_));
    return std::make_shared<const Exercise>(std::move(exercise_));
  }

private:
  std::string path(const std::string& file) const { return (fs::path(folder_) / file).string(); }

  Error refusal(const std::string& key, const std::string& what, const std::string& file = {}) const {
    return data_error(key, {{"file", escape_controls(file.empty() ? folder_ : path(file))},
                            {"what", escape_controls(what.substr(0, 2 * longest_name))}});
  }

  bool has(const std::string& file) const {
    std::error_code error;
    return fs::exists(fs::status(path(file), error));
  }

  std::optional<Words> words(const std::string& file) const {
    if (!has(file)) return std::nullopt;
    const std::string text = read_text(path(file));
    // A docstring could end, a line of a comment go on: then the rest would be code.
    if (text.size() > longest_text || text.find("\"\"\"") != text.npos || text.find('\\') != text.npos)
      throw refusal("own.text", "", file);
    Words words = Words::parse(text);
    for (const auto& [key, value] : words.sections()) {
      // What is said of a mistake stands in no program, and may have lines.
      const std::vector<std::string> lines =
          key.starts_with(wrong_section) ? split_lines(value) : std::vector<std::string>{value};
      if (std::ranges::any_of(lines, [](const std::string& line) { return escape_controls(line) != line; }))
        throw refusal("own.text", "", file);
    }
    for (const char* key : {"title", "exercise"})
      if (!words.find(key)) throw refusal("own.section", key, file);
    return words;
  }

  void read_words() {
    const auto en = words("en.md"), zh = words("zh.md");
    if (!en && !zh) throw refusal("own.words", "");
    task_.en = en ? *en : *zh, task_.zh = zh ? *zh : *en;
  }

  // Each as CASE/NAME, behind WRONG/ where there is one before it.
  enum class Before { nothing, wrong };
  std::vector<NamedArray> arrays(const std::string& file, Before before = Before::nothing) const {
    const std::string bytes = read_file(path(file));
    if (bytes.size() > most_bytes) throw refusal("own.size", "", file);
    std::vector<NamedArray> arrays = read_npz(bytes, path(file));
    if (arrays.empty()) throw refusal("own.empty", "", file);
    for (const NamedArray& one : arrays) {
      const auto begins_well = [](const std::string& name) {
        return consists_of(before_slash(name), {letters, capitals, digits, "_-"});
      };
      const bool is_wrong = before == Before::wrong;
      const std::string name = is_wrong ? behind_slash(one.name) : one.name;
      if (!is_identifier(behind_slash(name)) || !begins_well(name) || (is_wrong && !begins_well(one.name)))
        throw refusal(is_wrong ? "own.wrong_array" : "own.array", one.name, file);
      if (one.array.values.size() == 0 || one.array.values.rank() > 4)
        throw refusal("own.shape", one.name, file);
    }
    return arrays;
  }

  static std::string case_of(const NamedArray& one) { return before_slash(one.name); }

  // What each WRONG returns is of a case and an output, wrong somewhere, and has words; and none has words
  // alone.
  void take_mistakes() {
    const std::string file = "wrong.npz";
    if (has(file)) task_.wrong = arrays(file, Before::wrong);
    std::map<std::string, bool> differs;
    for (const NamedArray& one : task_.wrong) {
      const auto right = std::ranges::find(task_.outputs, behind_slash(one.name), &NamedArray::name);
      if (right == task_.outputs.end()) throw refusal("own.wrong_case", one.name, file);
      const Tensor &wrong = one.array.values, &values = right->array.values;
      const bool is_other =
          wrong.shape != values.shape || !equal_within(wrong, values, tolerance_of(DType::f32));
      differs[before_slash(one.name)] = differs[before_slash(one.name)] || is_other;
    }
    for (const auto& [wrong, is_other] : differs) {
      if (!is_other) throw refusal("own.wrong_right", wrong, file);
      for (const auto& [said, language] : {std::pair(&task_.en, "en.md"), std::pair(&task_.zh, "zh.md")})
        if (const std::string* text = said->find(wrong_section + wrong); !text || text->empty())
          throw refusal("own.section", wrong_section + wrong, has(language) ? language : "en.md, zh.md");
    }
    for (const Words* said : {&task_.en, &task_.zh})
      for (const auto& [key, text] : said->sections())
        if (key.starts_with(wrong_section) && !differs.contains(key.substr(wrong_section.size())))
          throw refusal("own.no_wrong", key.substr(wrong_section.size()));
  }

  static bool is_real(DType dtype) {
    return dtype == DType::f16 || dtype == DType::f32 || dtype == DType::f64 || dtype == DType::bf16;
  }

  void take_cases() {
    for (const NamedArray& one : task_.inputs) {
      const auto known = std::ranges::find(exercise_.series, case_of(one), &CaseRule::id);
      if (known == exercise_.series.end()) exercise_.series.push_back({case_of(one), ""});
    }
    if (exercise_.series.size() > most_cases) throw refusal("own.size", "", "inputs.npz");
    for (const NamedArray& one : task_.outputs)
      if (!std::ranges::count(exercise_.series, case_of(one), &CaseRule::id))
        throw refusal("own.case", case_of(one), "inputs.npz");
    // In float32 where any of its numbers is: more digits are not known.
    for (CaseRule& rule : exercise_.series)
      for (const auto& arrays : {task_.inputs, task_.outputs})
        for (const NamedArray& one : arrays)
          if (case_of(one) == rule.id && is_real(one.array.dtype) && one.array.dtype != DType::f64)
            rule.dtype = DType::f32;
  }

  // What each case has under a name, in the order of the first case.
  std::vector<Slot> slots(const std::vector<NamedArray>& arrays, const std::string& file) {
    std::vector<std::string> names;
    for (const NamedArray& one : arrays)
      if (const std::string name = one.name.substr(one.name.find('/') + 1); !std::ranges::count(names, name))
        names.push_back(name);
    std::vector<Slot> slots;
    for (const std::string& name : names) {
      std::vector<const Array*> all;
      for (const CaseRule& rule : exercise_.series) {
        const auto found = std::ranges::find(arrays, rule.id + "/" + name, &NamedArray::name);
        if (found == arrays.end()) throw refusal("own.missing", rule.id + "/" + name, file);
        all.push_back(&found->array);
      }
      slots.push_back({name, shape_of(all), type_of(all)});
    }
    return slots;
  }

  static DType type_of(const std::vector<const Array*>& all) {
    const auto are = [&](const auto& kind) {
      return std::ranges::all_of(all, [&](const Array* one) { return kind(one->dtype); });
    };
    return are([](DType type) { return type == DType::boolean; }) ? DType::boolean
           : are([](DType type) { return !is_real(type); })       ? DType::i64
                                                                  : DType::f64;
  }

  // "(n, 3)": a letter for an extent that varies, the same one wherever it varies alike.
  std::string shape_of(const std::vector<const Array*>& all) {
    std::size_t least = all[0]->values.rank(), most = least;
    for (const Array* one : all)
      least = std::min(least, one->values.rank()), most = std::max(most, one->values.rank());
    if (most == 0) return "";
    std::string text = most > least ? "…" : "";
    for (std::size_t axis = least; axis > 0; --axis) {
      std::vector<std::size_t> extents;
      for (const Array* one : all) extents.push_back(one->values.shape[one->values.rank() - axis]);
      const bool varies = std::ranges::count(extents, extents[0]) != std::ssize(extents);
      text += (text.empty() ? "" : ", ") + (varies ? letter_of(extents) : std::to_string(extents[0]));
    }
    return "(" + text + ")";
  }

  std::string letter_of(const std::vector<std::size_t>& extents) {
    static constexpr std::string_view usual = "nmkpqrst";
    const std::size_t count = extents_.size();
    const std::string next =
        count < usual.size() ? std::string(1, usual[count]) : "n" + std::to_string(count);
    return extents_.emplace(extents, next).first->second;
  }

  std::string folder_;
  Exercise exercise_;
  OwnTask task_;
  std::map<std::vector<std::size_t>, std::string> extents_;
};

} // namespace

std::shared_ptr<const Exercise> own_exercise(const std::string& folder) {
  return Folder(folder).exercise();
}

Case own_case(const Exercise& exercise, const CaseRule& rule) {
  Case one{&rule, {}, {}};
  for (const auto* arrays : {&exercise.own->inputs, &exercise.own->outputs})
    for (const NamedArray& array : *arrays)
      if (array.name.starts_with(rule.id + "/"))
        one.run.add_input(array.name.substr(rule.id.size() + 1), "", array.array.values, {}, Role::recap);
  return one;
}

bool is_python_module(const std::string& name) {
  const std::vector<std::string> lines = split_lines(resource("data/exercise/python_modules.txt"));
  return std::ranges::count(lines, name) > 0;
}

std::vector<std::string> own_mistakes(const OwnTask& task, const std::vector<GradedCase>& cases) {
  const auto is_returned = [](const GradedCase& graded, const NamedArray& wrong) {
    const std::string name = behind_slash(behind_slash(wrong.name));
    const auto own = std::ranges::find(graded.tensors, name, &CheckedTensor::name);
    if (own == graded.tensors.end()) return false;
    const HandedIn returned{name, {own->dtype, own->yours, {}}, FromText::no};
    return compared(returned, wrong.array.values, own->tolerance).difference.equal();
  };
  const auto gives_all = [&](const std::string& id) {
    bool is_wrong = false;
    for (const GradedCase& graded : cases)
      for (const NamedArray& one : task.wrong) {
        if (!one.name.starts_with(id + "/" + graded.id + "/")) continue;
        if (!is_returned(graded, one)) return false;
        is_wrong = is_wrong || !graded.pass();
      }
    return is_wrong;
  };
  std::vector<std::string> all;
  for (const NamedArray& one : task.wrong)
    if (const std::string id = before_slash(one.name); !std::ranges::count(all, id) && gives_all(id))
      all.push_back(id);
  return all;
}

} // namespace tfx
