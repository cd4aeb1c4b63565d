#pragma once
// An option of the command line as one row of a table: its name, the values it takes, what it is for, and the
// member of a struct that keeps it. The parser, the help, the refusals, a command as it would be typed again,
// the completions and the man page all read the row. What it means stands in src/words under "option" and its
// name.
//
//   const std::vector<Option<CopyOptions>> table{
//       {"--times", &CopyOptions::times, value::count(1, 100)},
//       {"--force", &CopyOptions::force}};

#include "options/value.hpp"

#include <algorithm>
#include <concepts>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace tfx {

/// Where nothing decides whether an option applies.
struct Anything {};

template <class Options, class Subject = Anything>
class Option {
public:
  /// With a value: of a member that may be empty, where `otherwise` is what holds then; or of one that holds
  /// it.
  template <class T, class Member>
  requires(std::same_as<Member, T> || std::same_as<Member, std::optional<T>>)
      Option(std::string name_, Member Options::*member, Value<T> value,
             std::type_identity_t<std::optional<T>> otherwise = {})
      : name(std::move(name_)),
        type(value.type),
        read([member, value, n = name](Options& o, const std::string& text) {
          o.*member = value.read(n, text);
        }),
        given([member, value](const Options& o) -> std::optional<std::string> {
          if (o.*member == Options().*member) return std::nullopt;
          if constexpr (std::same_as<Member, T>)
            return value.written(o.*member);
          else
            return value.written(*(o.*member));
        }),
        clear([member](Options& o) { o.*member = Options().*member; }) {
    if constexpr (std::same_as<Member, T>) otherwise = Options().*member;
    if (otherwise) usual = facts["usual"] = value.written(*otherwise);
  }

  /// A flag, which sets the member to `to`: two flags may share one.
  template <class Member, class T>
  requires(std::same_as<Member, T> || std::same_as<Member, std::optional<T>>)
      Option(std::string name_, Member Options::*member, T to)
      : name(std::move(name_)),
        read([member, to](Options& o, const std::string&) { o.*member = to; }),
        given([member, to](const Options& o) {
          const bool is_set = o.*member != Options().*member && o.*member == to;
          return is_set ? std::optional<std::string>("") : std::nullopt;
        }),
        clear([member](Options& o) { o.*member = Options().*member; }) {}
  Option(std::string name_, bool Options::*member) : Option(std::move(name_), member, true) {}

  /// Only where `fits` says so.
  Option when(bool (*fits)(const Subject&)) const {
    Option row = *this;
    row.fits = fits;
    return row;
  }
  /// And where `fits` says so, but there only beside `other`.
  Option also(bool (*fits)(const Subject&), std::string other) const {
    Option row = *this;
    row.fits_beside = fits, row.companion = std::move(other);
    return row;
  }
  /// Not beside these.
  Option without(std::vector<std::string> others) const {
    Option row = *this;
    row.excluded = std::move(others);
    return row;
  }
  /// Only beside one of these.
  Option beside(std::vector<std::string> others) const {
    Option row = *this;
    row.needed = std::move(others);
    return row;
  }
  /// Described by other words than those of its name, in which {name} is facts["name"].
  Option described(std::string key, std::map<std::string, std::string> facts = {}) const {
    Option row = *this;
    row.words = std::move(key), row.facts.merge(facts);
    return row;
  }

  /// Beside `source` too, an option that gives the input and that few others go with.
  Option with(std::string source) const {
    Option row = *this;
    row.sources.push_back(std::move(source));
    return row;
  }
  /// Whatever it is, the numbers stay as they are.
  Option inert() const {
    Option row = *this;
    row.is_inert = true;
    return row;
  }
  /// A flag that holds without it too, where `holds` says so (everywhere where it is nullptr).
  Option usually(bool (*holds)(const Subject&) = nullptr) const {
    Option row = *this;
    row.usual = "", row.holds = holds;
    return row;
  }
  /// Values to try where an answer is none of this run: perhaps it is one of another.
  Option tried(std::vector<std::string> values) const {
    Option row = *this;
    row.to_try = std::move(values);
    return row;
  }

  bool goes_with(const std::string& source) const {
    const auto has = [&](const auto& names) {
      return std::find(names.begin(), names.end(), source) != names.end();
    };
    return companion == source || has(needed) || has(sources);
  }
  /// Whether what is given makes another run than the subject's usual one.
  bool changes(const Options& options, const Subject& subject) const {
    const auto value = given(options);
    return value && !is_inert && !is_usual(*value, subject);
  }
  /// Whether `value` is what holds without the option.
  bool is_usual(const std::string& value, const Subject& subject) const {
    return usual == value && (!holds || holds(subject));
  }

  bool is_for(const Subject& subject) const {
    return is_for_alone(subject) || (fits_beside && fits_beside(subject));
  }
  /// The same of a command line with these options, of which `table` has the rows.
  bool is_for(const Subject& subject, const std::vector<Option>& table, const Options& options) const {
    const auto is_given = [&](const Option& row) { return row.name == companion && row.given(options); };
    return is_for_alone(subject) || (is_for(subject) && std::any_of(table.begin(), table.end(), is_given));
  }
  /// One of these has to stand beside it.
  std::vector<std::string> needed_for(const Subject& subject) const {
    return is_for_alone(subject) ? needed : std::vector<std::string>{companion};
  }

  std::string name; ///< "--pad"
  std::string type; ///< of its value: "N", "FILE", "en|zh"; empty for a flag
  std::function<void(Options&, const std::string&)> read; ///< throws Error(usage)
  /// Its value as one would type it, "" of a flag; nothing where all is as without the option.
  std::function<std::optional<std::string>(const Options&)> given;
  std::function<void(Options&)> clear; ///< makes it as without the option
  std::vector<std::string> excluded;   ///< what may not stand beside it
  std::vector<std::string> needed;     ///< one of these has to
  std::vector<std::string> sources;    ///< what it goes with, besides those
  std::optional<std::string> usual;    ///< what holds without it, "" of a flag: given, it changes nothing
  std::vector<std::string> to_try;     ///< values of another run that an answer may be of
  std::string words;                   ///< the key of its description, where it is not "option" and its name
  std::map<std::string, std::string> facts; ///< what its description leaves open: {usual} and others

private:
  bool is_for_alone(const Subject& subject) const { return !fits || fits(subject); }

  bool is_inert = false;
  bool (*holds)(const Subject&) = nullptr; ///< where `usual` does
  bool (*fits)(const Subject&) = nullptr;
  bool (*fits_beside)(const Subject&) = nullptr; ///< where the companion has to stand beside it
  std::string companion;
};

/// The options that were given, as the learner would type them again: " --text 'the cat' --causal". A value
/// with a dash before it could be taken for an option, but not in " --text=--causal".
template <class Options, class Subject>
std::string typed_again(const std::vector<Option<Options, Subject>>& table, const Options& options) {
  std::string text;
  for (const auto& row : table)
    if (const auto value = row.given(options)) {
      const bool dashed = value->size() > 1 && value->front() == '-';
      text += " " + row.name;
      if (!row.type.empty()) text += (dashed ? "=" : " ") + shell_quoted(*value);
    }
  return text;
}

/// The first option that was given and is not for `subject`, or nullptr.
template <class Options, class Subject>
const Option<Options, Subject>* first_unfit(const std::vector<Option<Options, Subject>>& table,
                                            const Options& options, const Subject& subject) {
  for (const auto& row : table)
    if (row.given(options) && !row.is_for(subject, table, options)) return &row;
  return nullptr;
}

/// Whether an option was given that makes another run than the subject's usual one.
template <class Options, class Subject>
bool changes_run(const std::vector<Option<Options, Subject>>& table, const Options& options,
                 const Subject& subject) {
  return std::any_of(table.begin(), table.end(),
                     [&](const auto& row) { return row.changes(options, subject); });
}

/// What is left without the options that are not for `subject`.
template <class Options, class Subject>
Options fitting(const std::vector<Option<Options, Subject>>& table, const Options& options,
                const Subject& subject) {
  Options left = options;
  for (const auto& row : table)
    if (!row.is_for(subject, table, options)) row.clear(left);
  return left;
}

} // namespace tfx
