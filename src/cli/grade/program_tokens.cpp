#include "cli/grade/program_tokens.hpp"

#include <algorithm>
#include <cctype>

namespace tfx {

namespace {

bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool goes_on_name(char c) {
  return begins_name(c) || is_digit(c);
}

// What both languages share; where they differ the language is asked.
class Scanner {
public:
  Scanner(std::string_view text, ProgramLanguage language)
      : text_(text), is_cpp_(language == ProgramLanguage::cpp) {}

  ProgramTokens tokens() {
    while (at_ < text_.size()) next();
    end_line();
    return std::move(tokens_);
  }

private:
  bool sees(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  void take(ProgramToken::Kind kind, std::size_t end) {
    end = std::min(end, text_.size());
    const bool is_first = at_ == 0 || text_[at_ - 1] == '\n';
    tokens_.push_back({kind, std::string(text_.substr(at_, end - at_)), is_first});
    at_ = end;
  }

  void end_line() {
    if (!tokens_.empty() && tokens_.back().kind != ProgramToken::Kind::line_end)
      tokens_.push_back({ProgramToken::Kind::line_end, "\n", false});
  }

  std::size_t past(std::size_t found, std::size_t length) const {
    return found == text_.npos ? text_.size() : found + length;
  }

  void next() {
    const char c = text_[at_];
    if (c == '\n' || (!is_cpp_ && c == ';')) {
      if (is_cpp_ ? in_directive_ : depth_ == 0) end_line();
      in_directive_ = false;
      ++at_;
    } else if (c == '\\' && (sees("\\\n") || sees("\\\r"))) {
      at_ = past(text_.find('\n', at_), 1);
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      ++at_;
    } else if (is_cpp_ ? sees("//") : c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (is_cpp_ && sees("/*")) {
      at_ = past(text_.find("*/", at_ + 2), 2);
    } else if (const std::size_t quote = quote_after_prefix(); quote != text_.npos) {
      take(ProgramToken::Kind::text, end_of_text(quote));
    } else if (begins_name(c)) {
      take(ProgramToken::Kind::name, end_of_name());
    } else if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
      take(ProgramToken::Kind::number, end_of_number());
    } else {
      sign(c);
    }
  }

  std::size_t end_of_name() const {
    return static_cast<std::size_t>(
        std::find_if_not(text_.begin() + static_cast<std::ptrdiff_t>(at_), text_.end(), goes_on_name) -
        text_.begin());
  }

  std::size_t end_of_number() const {
    std::size_t end = at_;
    const auto goes_on = [&](char c) {
      const char before = end > at_ ? text_[end - 1] : ' ';
      return goes_on_name(c) || c == '.' || (is_cpp_ && c == '\'') ||
             ((c == '+' || c == '-') && (before == 'e' || before == 'E'));
    };
    while (end < text_.size() && goes_on(text_[end])) ++end;
    return end;
  }

  // Of r"…", f'…', u8"…" too.
  std::size_t quote_after_prefix() const {
    const std::size_t quote = begins_name(text_[at_]) ? end_of_name() : at_;
    if (quote - at_ > 3 || quote == text_.size() || (text_[quote] != '"' && text_[quote] != '\''))
      return text_.npos;
    return quote;
  }

  std::size_t end_of_text(std::size_t quote) const {
    const std::string_view prefix = text_.substr(at_, quote - at_);
    if (is_cpp_ && prefix.ends_with('R')) { // R"x(…)x"
      const std::size_t open = std::min(text_.find('(', quote), text_.size() - 1);
      const std::string close = ")" + std::string(text_.substr(quote + 1, open - quote - 1)) + "\"";
      return past(text_.find(close, open), close.size());
    }
    const std::string three(3, text_[quote]);
    const bool is_long = !is_cpp_ && text_.substr(quote).starts_with(three);
    const std::string_view close = is_long ? std::string_view(three) : text_.substr(quote, 1);
    for (std::size_t i = quote + close.size(); i < text_.size(); ++i) {
      if (text_[i] == '\\')
        ++i;
      else if (text_.substr(i).starts_with(close))
        return i + close.size();
      else if (text_[i] == '\n' && !is_long)
        return i; // it does not end
    }
    return text_.size();
  }

  void sign(char c) {
    if (c == '(' || c == '[' || c == '{') ++depth_;
    if (c == ')' || c == ']' || c == '}') depth_ -= depth_ > 0;
    if (is_cpp_ && c == '#') in_directive_ = true, end_line();
    for (const std::string_view longer :
         {"**=", "//=", ">>=", "<<=", "->", "::", ":=", "==", "!=", "<=", ">=", "+=", "-=",
          "*=",  "/=",  "%=",  "@=",  "&=", "|=", "^=", "**", "//", "&&", "||", "++", "--"})
      if (sees(longer)) return take(ProgramToken::Kind::sign, at_ + longer.size());
    take(ProgramToken::Kind::sign, at_ + 1);
  }

  std::string_view text_;
  bool is_cpp_;
  std::size_t at_ = 0, depth_ = 0;
  bool in_directive_ = false;
  ProgramTokens tokens_;
};

} // namespace

ProgramTokens tokens_of_program(std::string_view program, ProgramLanguage language) {
  constexpr std::string_view mark = "\xEF\xBB\xBF"; // of the byte order
  if (program.starts_with(mark)) program.remove_prefix(mark.size());
  return Scanner(program, language).tokens();
}

} // namespace tfx
