#include "cli/grade/likeness.hpp"

#include "cli/grade/program_tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace tfx {

namespace {

using Names = std::set<std::string>;

// How much deeper in brackets it leads.
int step(const ProgramToken& token) {
  if (token.is("(") || token.is("[") || token.is("{")) return 1;
  return token.is(")") || token.is("]") || token.is("}") ? -1 : 0;
}

// What a program names itself: what another name in its place leaves as it is.
class OwnNames {
public:
  OwnNames(const ProgramTokens& tokens, ProgramLanguage language)
      : tokens_(tokens), words_(keywords_of(language)) {
    language == ProgramLanguage::cpp ? find_in_cpp() : find_in_python();
  }

  bool is_own(const std::string& name) const { return names_.contains(name); }
  /// A function: the keywords of its calls are its own parameters.
  bool is_function(const std::string& name) const { return functions_.contains(name); }

private:
  const ProgramToken& token(std::size_t i) const {
    static const ProgramToken none{ProgramToken::Kind::line_end, "\n", false};
    return i < tokens_.size() ? tokens_[i] : none;
  }

  bool is_free_name(std::size_t i) const { return token(i).is_name() && !words_.contains(token(i).text); }

  void add(std::size_t i) {
    if (is_free_name(i) &&
        !(i > 0 && (token(i - 1).is(".") || token(i - 1).is("->") || token(i - 1).is("::"))))
      names_.insert(token(i).text);
  }

  void find_in_python() {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const ProgramToken& one = tokens_[i];
      if (one.kind == ProgramToken::Kind::line_end) {
        assigned(begin, i);
        begin = i + 1;
      } else if (one.is("def") || one.is("class")) {
        add(i + 1);
        if (one.is("def")) functions_.insert(token(i + 1).text), parameters(i + 2, ")");
      } else if (one.is("lambda")) {
        parameters(i, ":");
      } else if (one.is("for")) {
        for (std::size_t j = i + 1; !token(j).is("in") && token(j).kind != ProgramToken::Kind::line_end; ++j)
          add(j);
      } else if (one.is("as")) {
        add(i + 1);
      } else if (one.is(":=") && i > 0) {
        add(i - 1);
      }
    }
  }

  // Behind the word or bracket at `begin`, up to `end`: names behind it, a comma or a star.
  void parameters(std::size_t begin, std::string_view end) {
    int depth = 0;
    for (std::size_t i = begin + 1; token(i).kind != ProgramToken::Kind::line_end; ++i) {
      if (depth == 0 && token(i).is(end)) return;
      const ProgramToken& before = token(i - 1);
      if (depth == 0 && (i == begin + 1 || before.is(",") || before.is("*") || before.is("**"))) add(i);
      depth += step(token(i));
    }
  }

  // What stands before the last "=" of a statement, or before "+=", but for what picks a part of it.
  void assigned(std::size_t begin, std::size_t end) {
    int depth = 0;
    std::size_t last = begin;
    for (std::size_t i = begin; i < end; ++i) {
      depth += step(tokens_[i]);
      static const Names assigning{
          "=", "+=", "-=", "*=", "/=", "//=", "%=", "@=", "&=", "|=", "^=", "**=", ">>=", "<<="};
      if (depth == 0 && tokens_[i].kind == ProgramToken::Kind::sign && assigning.contains(tokens_[i].text))
        last = i;
    }
    depth = 0;
    for (std::size_t i = begin; i < last; ++i) {
      const bool picks =
          tokens_[i].is("[") && i > begin && (tokens_[i - 1].is_name() || tokens_[i - 1].is("]"));
      if (picks || depth > 0) depth += step(tokens_[i]);
      if (depth == 0) add(i);
    }
  }

  void find_in_cpp() {
    int depth = 0;
    int declares = -1; ///< the depth at which further names may follow behind a comma
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const ProgramToken& one = tokens_[i];
      depth += step(one);
      if (one.is(";") || one.is("{") || one.is("}")) declares = -1;
      if (one.is("auto")) structured(i);
      if (one.is("[") &&
          !(i > 0 && (tokens_[i - 1].is_name() || tokens_[i - 1].is("]") || tokens_[i - 1].is(")"))))
        captured(i);
      if (!is_free_name(i)) continue;
      const ProgramToken& before = token(i - 1);
      if (is_declared(i)) {
        add(i);
        if (token(i + 1).is("(")) functions_.insert(one.text);
        declares = depth;
      } else if (before.is(",") && depth == declares && ends_declarator(i)) {
        add(i);
      }
    }
  }

  // A name behind a type.
  bool is_declared(std::size_t i) const {
    if (i == 0) return false;
    std::size_t type = i - 1;
    const bool behind_sign = token(type).is("&") || token(type).is("*") || token(type).is("&&");
    while (type > 0 && (token(type).is("&") || token(type).is("*") || token(type).is("&&"))) --type;
    if (token(type).is("define")) return true;
    const bool is_called = token(i + 1).is("(");
    if (is_called ? behind_sign : !ends_declarator(i)) return false;
    if (token(type).is(">")) return !behind_sign || token(i + 1).is(",") || token(i + 1).is(")");
    static const Names no_types{"return", "else",     "throw",     "new",   "delete", "goto",
                                "case",   "operator", "namespace", "using", "do",     "sizeof",
                                "public", "private",  "this",      "true",  "false"};
    if (!token(type).is_name() || no_types.contains(token(type).text)) return false;
    if (!behind_sign) return true;
    // "a * b" is a product but where a declaration begins.
    const ProgramToken& first = token(type - 1);
    const bool is_word = words_.contains(first.text) && !no_types.contains(first.text);
    static const Names before{";", "{", "}", "(", ",", "::"};
    return type == 0 || before.contains(first.text) || is_word || words_.contains(token(type).text);
  }

  bool ends_declarator(std::size_t i) const {
    static const Names ends{"=", ";", ",", ")", "{", "[", ":"};
    return token(i + 1).kind == ProgramToken::Kind::sign && ends.contains(token(i + 1).text);
  }

  // auto [a, b] = …
  void structured(std::size_t i) {
    while (token(i + 1).is("&") || token(i + 1).is("&&")) ++i;
    if (!token(i + 1).is("[")) return;
    for (std::size_t j = i + 2; j < tokens_.size() && !token(j).is("]"); ++j) add(j);
  }

  // [n = 3](…)
  void captured(std::size_t i) {
    for (std::size_t j = i + 1; j < tokens_.size() && !token(j).is("]"); ++j)
      if (token(j + 1).is("=")) add(j);
  }

  const ProgramTokens& tokens_;
  const Names& words_;
  Names names_, functions_;
};

bool is_docstring(const ProgramTokens& tokens, std::size_t i) {
  const bool begins = i == 0 || tokens[i - 1].kind == ProgramToken::Kind::line_end;
  const bool ends = i + 1 == tokens.size() || tokens[i + 1].kind == ProgramToken::Kind::line_end;
  return tokens[i].kind == ProgramToken::Kind::text && begins && ends;
}

// Where each function, class or other part of a program's outermost level ends.
std::vector<std::size_t> ends_of_parts(const ProgramTokens& tokens, bool is_cpp) {
  std::vector<std::size_t> ends;
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    depth += step(tokens[i]);
    const bool is_line = tokens[i].kind == ProgramToken::Kind::line_end;
    const bool is_end = is_cpp ? depth <= 0 && (is_line || tokens[i].is("}") || tokens[i].is(";"))
                               : is_line && i + 1 < tokens.size() && tokens[i + 1].is_at_margin;
    if (is_end) ends.push_back(i + 1);
  }
  ends.push_back(tokens.size());
  return ends;
}

// A program's tokens, its own names by their numbers: those of a function count in it alone, so that they may
// be called as something elsewhere.
class Renaming {
public:
  Renaming(ProgramTokens tokens, ProgramLanguage language)
      : language_(language), tokens_(std::move(tokens)), own_(tokens_, language) {}

  std::string text() {
    std::size_t begin = 0;
    for (const std::size_t end : ends_of_parts(tokens_, is_cpp())) {
      part({tokens_.begin() + static_cast<std::ptrdiff_t>(begin),
            tokens_.begin() + static_cast<std::ptrdiff_t>(end)});
      begin = end;
    }
    return std::move(text_);
  }

private:
  using Numbers = std::map<std::string, std::size_t>;

  bool is_cpp() const { return language_ == ProgramLanguage::cpp; }

  void part(const ProgramTokens& tokens) {
    const bool is_scope = std::ranges::any_of(tokens, [&](const ProgramToken& one) {
      return is_cpp() ? one.is("{") : one.is("def") || one.is("class");
    });
    const OwnNames inner(is_scope ? tokens : ProgramTokens(), language_);
    Numbers numbers;
    std::vector<bool> own_calls; // whether each open bracket is of a call of a function of its own
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const ProgramToken& one = tokens[i];
      if (one.kind == ProgramToken::Kind::line_end || (!is_cpp() && is_docstring(tokens, i))) continue;
      if (step(one) > 0)
        own_calls.push_back(i > 0 && tokens[i - 1].is_name() && own_.is_function(tokens[i - 1].text));
      if (step(one) < 0 && !own_calls.empty()) own_calls.pop_back();
      // axis=1 names a parameter of what is called.
      const bool is_keyword = !is_cpp() && !own_calls.empty() && !own_calls.back() && i + 1 < tokens.size() &&
                              tokens[i + 1].is("=");
      const bool is_foreign = !one.is_name() || is_keyword || (i > 0 && names_foreign(tokens[i - 1]));
      if (!is_foreign && inner.is_own(one.text) && !own_.is_function(one.text))
        text_ += number(numbers, one.text) + "_";
      else if (!is_foreign && own_.is_own(one.text))
        text_ += number(numbers_, one.text) + "__";
      else
        text_ += one.text;
      text_ += ' ';
    }
  }

  // A part of something else, or a module.
  bool names_foreign(const ProgramToken& before) const {
    return before.is(".") || before.is("->") || before.is("::") ||
           (!is_cpp() && (before.is("import") || before.is("from")));
  }

  static std::string number(Numbers& numbers, const std::string& name) {
    return std::to_string(numbers.emplace(name, numbers.size()).first->second);
  }

  ProgramLanguage language_;
  ProgramTokens tokens_;
  OwnNames own_;
  Numbers numbers_; ///< of what the whole program knows
  std::string text_;
};

} // namespace

std::string likeness_of(std::string_view program, ProgramLanguage language) {
  constexpr std::size_t most = 20'000;
  ProgramTokens tokens = tokens_of_program(program, language);
  return tokens.size() > most ? "" : Renaming(std::move(tokens), language).text();
}

std::string likeness_of(const std::vector<HandedIn>& arrays) {
  std::string text;
  for (const HandedIn& one : arrays) {
    const std::vector<double>& data = one.array.values.data;
    const std::string_view bytes(reinterpret_cast<const char*>(data.data()), data.size() * sizeof(double));
    text += fmt::format("{} {} {:x}\n", one.tensor, to_string(one.array.values.shape),
                        std::hash<std::string_view>()(bytes));
  }
  return text;
}

} // namespace tfx
