#include "cli/code/listing.hpp"

#include "text/display_width.hpp"

#include <algorithm>

namespace tfx {

namespace {

constexpr std::string_view triple = "\"\"\""; // a docstring, in one line

/// A line of a program: what is indented, what is computed, what is said.
struct CodeLine {
  std::string indent, code, gap, comment; ///< gap: the blanks before the comment
  bool is_docstring = false;
};

class Listing {
public:
  Listing(CodeLanguage language, std::size_t columns, const Words& comments)
      : language_(language), columns_(columns), comments_(comments) {}

  void add(std::string_view text) {
    CodeLine line = parsed(text);
    const std::string said = line.comment.empty() ? "" : translated(line.comment);
    if (line.is_docstring) return say(line.indent, triple, said, triple);
    if (line.code.empty() && !said.empty()) return say(line.indent, sign(), said, "");
    const std::string beside = said.empty() ? "" : std::string(sign()) + said;
    for (const std::string& gap : {line.gap, std::string("  ")}) { // as it stands, else nearer
      const std::string whole = line.indent + line.code + (said.empty() ? "" : gap) + beside;
      if (display_width(whole) <= columns_) return put(whole, line.code);
    }
    if (!said.empty()) say(line.indent, sign(), said, "");
    compute(line);
  }

  std::string take() { return std::move(out_); }

private:
  std::string_view sign() const { return language_ == CodeLanguage::cpp ? "// " : "# "; }

  std::string translated(const std::string& comment) const {
    const std::string* found = comments_.find(comment);
    return found ? *found : comment;
  }

  CodeLine parsed(std::string_view text) const {
    CodeLine line;
    const std::size_t start = std::min(text.find_first_not_of(' '), text.size());
    line.indent = text.substr(0, start);
    text.remove_prefix(start);
    if (language_ == CodeLanguage::python && text.size() >= 6 && text.starts_with(triple) &&
        text.ends_with(triple)) {
      line.is_docstring = true;
      line.comment = text.substr(3, text.size() - 6);
      return line;
    }
    const std::size_t at = comment_in(text);
    line.code = text.substr(0, at);
    line.code.resize(line.code.find_last_not_of(' ') + 1);
    line.gap = std::string(at - line.code.size(), ' ');
    if (at < text.size()) line.comment = text.substr(std::min(at + sign().size(), text.size()));
    return line;
  }

  /// Where the comment begins, outside of strings.
  std::size_t comment_in(std::string_view text) const {
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (quote) {
        if (text[i] == quote) quote = 0;
      } else if (text[i] == '"' || (language_ == CodeLanguage::python && text[i] == '\'')) {
        quote = text[i];
      } else if (text.substr(i).starts_with(sign())) {
        return i;
      }
    }
    return text.size();
  }

  /// A comment on lines of its own.
  void say(const std::string& indent, std::string_view before, const std::string& text,
           std::string_view after) {
    const bool is_docstring = !after.empty();
    const std::size_t used = indent.size() + before.size() + after.size();
    const std::vector<std::string> lines = wrap(text, std::max<std::size_t>(columns_, used + 20) - used);
    for (std::size_t i = 0; i < lines.size(); ++i)
      out_ += indent + (is_docstring && i > 0 ? "" : std::string(before)) + lines[i] +
              (i + 1 == lines.size() ? std::string(after) : "") + "\n";
  }

  /// Where a line may end, and how far the next one is indented.
  struct Break {
    std::size_t at = std::string::npos, indent = 0;
    bool in_brackets = false;
  };

  void compute(const CodeLine& line) {
    std::string rest = line.indent + line.code;
    while (display_width(rest) > columns_) {
      const Break found = break_in(rest, line.indent.size());
      if (found.at == std::string::npos) break;
      const std::string head = rest.substr(0, found.at);
      put(head + (found.in_brackets ? "" : " \\"), head);
      rest = rest.substr(found.at + 1);
      const bool fits = found.indent + display_width(rest) <= columns_;
      rest.insert(0, fits ? found.indent : std::min(found.indent, line.indent.size() + 4), ' ');
    }
    put(rest, rest);
  }

  /// The last of the best blanks that fit, not inside a string: behind a comma of the outermost brackets
  /// rather than deeper ones, below what the brackets hold. Outside of brackets Python needs a backslash.
  Break break_in(const std::string& text, std::size_t indent) const {
    constexpr std::size_t step = 4, backslash = 2, least_room = 34, outside = 18, worst = 1000;
    char quote = 0;
    std::vector<std::size_t> open(static_cast<std::size_t>(depth_),
                                  indent); // what was open before stays aligned
    Break best;
    std::size_t rank = worst;
    const std::size_t first = text.find_first_not_of(' ');
    for (std::size_t i = first; i < text.size() && i <= columns_; ++i) {
      const char c = text[i];
      if (quote) {
        quote = c == quote ? 0 : quote;
      } else if (c == '"' || (language_ == CodeLanguage::python && c == '\'')) {
        quote = c;
      } else if (c == ' ' && i > first) {
        const bool is_inside = !open.empty() || language_ == CodeLanguage::cpp;
        const std::size_t own = !is_inside ? outside : 10 * open.size() + (text[i - 1] == ',' ? 0 : 5);
        const bool fits = is_inside || i + backslash <= columns_, is_early = best.at < columns_ / 2;
        if (!fits || (own > rank && !is_early)) continue;
        best = {i, open.empty() || open.back() + least_room > columns_ ? indent + step : open.back(),
                is_inside};
        rank = own;
      } else if (depth_change(c) > 0) {
        open.push_back(i + 1);
      } else if (depth_change(c) < 0 && !open.empty()) {
        open.pop_back();
      }
    }
    return best;
  }

  static int depth_change(char c) {
    return std::string_view("([{").find(c) != std::string_view::npos   ? 1
           : std::string_view(")]}").find(c) != std::string_view::npos ? -1
                                                                       : 0;
  }

  void put(const std::string& whole, const std::string& code) {
    out_ += whole + "\n";
    if (language_ == CodeLanguage::python)
      for (const char c : code) depth_ += depth_change(c);
  }

  CodeLanguage language_;
  std::size_t columns_;
  const Words& comments_;
  int depth_ = 0; ///< of Python's brackets that are open
  std::string out_;
};

} // namespace

std::string code_listing(std::string_view code, CodeLanguage language, std::size_t columns,
                         const Words& comments) {
  Listing listing(language, columns, comments);
  while (!code.empty()) {
    const std::size_t end = std::min(code.find('\n'), code.size());
    listing.add(code.substr(0, end));
    code.remove_prefix(std::min(end + 1, code.size()));
  }
  return listing.take();
}

} // namespace tfx
