#include "cli/grade/roster.hpp"

#include "core/error.hpp"
#include "options/parse.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <limits>

namespace tfx {

namespace {

[[noreturn]] void refuse(const std::string& file, std::size_t line, const std::string& key,
                         const std::string& cell) {
  const std::map<std::string, std::string> values = {
      {"file", escape_controls(file)}, {"line", std::to_string(line)}, {"cell", escape_controls(cell)}};
  throw Error(ErrorKind::bad_data, Message::given(in_words(key, values)),
              Message::given(in_words("roster.hint")));
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells{""};
  for (const char c : line)
    if (c == ',')
      cells.emplace_back();
    else if (c != '\r')
      cells.back() += c;
  for (std::string& cell : cells) {
    const std::size_t first = cell.find_first_not_of(" \t\"");
    cell = first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(" \t\"") - first + 1);
  }
  return cells;
}

bool is_plain_name(const std::string& id) {
  return !id.empty() && id.front() != '.' && id.front() != '-' &&
         id.find_first_of("/\\\"") == std::string::npos && escape_controls(id) == id;
}

bool is_header(const std::vector<std::string>& cells) {
  return cells.size() >= 2 && cells[0] == "id" && cells[1] == "seed";
}

std::optional<std::uint32_t> seed_in(const std::string& cell) {
  const bool digits = !cell.empty() && cell.size() <= 10 &&
                      std::ranges::all_of(cell, [](char c) { return c >= '0' && c <= '9'; });
  const std::uint64_t seed = digits ? std::stoull(cell) : std::numeric_limits<std::uint64_t>::max();
  if (seed > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(seed);
}

} // namespace

std::vector<Student> parse_roster(std::string_view text, const std::string& file) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<Student> students;
  std::size_t number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::vector<std::string> cells = cells_of(text.substr(start, end - start));
    start = end + 1, ++number;
    if ((cells.size() == 1 && cells[0].empty()) || (students.empty() && is_header(cells))) continue;
    if (!is_plain_name(cells[0])) refuse(file, number, "roster.id", cells[0]);
    if (std::ranges::count(students, cells[0], &Student::id)) refuse(file, number, "roster.twice", cells[0]);
    const auto seed = seed_in(cells.size() > 1 ? cells[1] : "");
    if (!seed) refuse(file, number, "roster.seed", cells.size() > 1 ? cells[1] : "");
    Student& student = students.emplace_back(Student{cells[0], *seed, {}});
    if (cells.size() < 3 || cells[2].empty()) continue;
    if (cells[2] != "en" && cells[2] != "zh") refuse(file, number, "roster.language", cells[2]);
    student.language = cells[2] == "zh" ? Language::zh : Language::en;
  }
  if (students.empty()) refuse(file, std::max<std::size_t>(number, 1), "roster.empty", "");
  return students;
}

} // namespace tfx
