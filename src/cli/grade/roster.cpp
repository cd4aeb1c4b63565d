#include "cli/grade/roster.hpp"

#include "core/error.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace tfx {

namespace {

using Cells = std::vector<std::string>;

struct RosterRow {
  std::size_t line = 1; ///< where it begins, from 1
  Cells cells;
};

class Roster {
public:
  Roster(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::vector<Student> students() {
    require_utf8();
    choose_separator();
    for (const RosterRow& row : rows()) {
      const bool is_empty = std::ranges::all_of(row.cells, &std::string::empty);
      if (!is_empty && !is_header(row)) add(row);
    }
    if (students_.empty()) refuse(line_at(text_.size()), "roster.empty");
    return std::move(students_);
  }

private:
  [[noreturn]] void refuse(std::size_t line, const std::string& key, const std::string& cell = {}) const {
    const std::map<std::string, std::string> values = {
        {"file", escape_controls(file_)}, {"line", std::to_string(line)}, {"cell", escape_controls(cell)}};
    const std::string own = key + ".hint";
    throw Error(ErrorKind::bad_data, Message::given(in_words(key, values)),
                Message::given(in_words(find_words(own) ? own : "roster.hint")));
  }

  std::size_t line_at(std::size_t place) const {
    std::size_t line = 1;
    for (std::size_t i = 0; i + 1 < place; ++i) line += ends_line(i);
    return line;
  }

  // Of "\r\n" the second one.
  bool ends_line(std::size_t i) const {
    return text_[i] == '\n' || (text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n'));
  }

  // In China a spreadsheet's "CSV" is often GBK.
  void require_utf8() {
    if (const auto invalid = first_invalid_byte(text_)) refuse(line_at(*invalid + 1), "roster.no_utf8");
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    if (text_.starts_with(mark)) text_.remove_prefix(mark.size());
  }

  // What the first line has outside quotes, most of all. Excel's own line "sep=;" says it.
  void choose_separator() {
    std::map<char, std::size_t> counts;
    bool quoted = false;
    const std::size_t start = std::min(text_.find_first_not_of("\r\n"), text_.size());
    const std::string_view first = text_.substr(start, text_.find_first_of("\r\n", start) - start);
    if (first.size() == 5 && first.starts_with("sep=")) {
      separator_ = first.back();
      // Its line stays, so that the others keep their numbers.
      skipped_ = start + first.size();
      return;
    }
    for (const char c : first)
      if (c == '"')
        quoted = !quoted;
      else if (!quoted)
        ++counts[c];
    for (const char c : {';', '\t'})
      if (counts[c] > counts[separator_]) separator_ = c;
  }

  std::vector<RosterRow> rows() const {
    std::vector<RosterRow> rows;
    RosterRow row{line_at(skipped_), {""}};
    bool quoted = false, was_quoted = false; // the cell, now and before
    std::size_t line = row.line;
    const auto end_row = [&] {
      for (std::string& cell : row.cells) cell = trimmed(cell);
      rows.push_back(std::move(row));
      row = {line, {""}}, was_quoted = false;
    };
    for (std::size_t i = skipped_; i < text_.size(); ++i) {
      const char c = text_[i];
      if (ends_line(i)) ++line;
      if (quoted && c == '"' && text_.substr(i + 1).starts_with('"'))
        row.cells.back() += text_[++i];
      else if (quoted && c == '"')
        quoted = false;
      else if (quoted)
        row.cells.back() += c;
      else if (c == '"' && !was_quoted && trimmed(row.cells.back()).empty())
        quoted = was_quoted = true, row.cells.back().clear();
      else if (c == separator_)
        row.cells.emplace_back(), was_quoted = false;
      else if (ends_line(i))
        end_row();
      else if (c != '\r')
        row.cells.back() += c;
    }
    if (quoted) refuse(row.line, "roster.quote");
    end_row();
    return rows;
  }

  static std::string trimmed(const std::string& cell) {
    const std::size_t first = cell.find_first_not_of(" \t");
    return first == cell.npos ? "" : cell.substr(first, cell.find_last_not_of(" \t") - first + 1);
  }

  // Names of columns, one of which is "id", before the first student.
  bool is_header(const RosterRow& row) {
    if (has_header_ || !students_.empty()) return false;
    Cells names;
    for (const std::string& cell : row.cells) names.push_back(lower_case(cell));
    if (!std::ranges::count(names, "id")) return false;
    has_header_ = true, columns_ = names;
    for (const char* name : {"id", "seed", "lang"})
      if (std::ranges::count(names, name) > 1) refuse(row.line, "roster.column", name);
    return true;
  }

  std::string cell(const RosterRow& row, const char* name) const {
    const auto column = static_cast<std::size_t>(std::ranges::find(columns_, name) - columns_.begin());
    return column < row.cells.size() ? row.cells[column] : "";
  }

  void add(const RosterRow& row) {
    Student student{cell(row, "id"), std::nullopt, std::nullopt};
    if (!is_plain_name(student.id)) refuse(row.line, "roster.id", student.id);
    if (std::ranges::count(students_, student.id, &Student::id)) refuse(row.line, "roster.twice", student.id);
    if (const std::string seed = cell(row, "seed"); !seed.empty()) {
      student.seed = seed_in(seed);
      if (!student.seed) refuse(row.line, "roster.seed", seed);
    }
    if (const std::string language = lower_case(cell(row, "lang")); !language.empty()) {
      if (language != "en" && language != "zh") refuse(row.line, "roster.language", language);
      student.language = language == "zh" ? Language::zh : Language::en;
    }
    students_.push_back(std::move(student));
  }

  static bool is_plain_name(const std::string& id) {
    return !id.empty() && id.front() != '.' && id.front() != '-' && id.find_first_of("/\\\"") == id.npos &&
           escape_controls(id) == id;
  }

  static std::optional<std::uint32_t> seed_in(const std::string& cell) {
    const bool is_whole =
        cell.size() <= 10 && std::ranges::all_of(cell, [](char c) { return c >= '0' && c <= '9'; });
    const std::uint64_t seed = is_whole ? std::stoull(cell) : std::numeric_limits<std::uint64_t>::max();
    if (seed > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    return static_cast<std::uint32_t>(seed);
  }

  std::string_view text_;
  const std::string& file_;
  char separator_ = ',';
  std::size_t skipped_ = 0; ///< bytes at the beginning that are no row
  bool has_header_ = false;
  Cells columns_{"id", "seed", "lang"};
  std::vector<Student> students_;
};

} // namespace

std::vector<Student> parse_roster(std::string_view text, const std::string& file) {
  return Roster(text, file).students();
}

} // namespace tfx
