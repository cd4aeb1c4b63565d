#include "tokens/byte_pair_files.hpp"
#include "core/visible.hpp"

#include "core/memory.hpp"
#include "io/json_writer.hpp"
#include "io/limits.hpp"
#include "io/message.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <set>
#include <unordered_set>
#include <utility>

namespace tfx {

namespace {

Message merges_form() {
  return said("write a merge a line, two tokens with a blank between, as merges.txt of GPT-2 does");
}

// Files of worth_asking bytes alone are asked for. The peak of `tfx bpe encode`, by /usr/bin/time -v, was 18
// bytes a byte of a million merges in 18 MB, and 10 a byte of these with their vocabulary of 26 MB. Shorter
// lines take up to 63, but max_merges of them are no such file.
void require_memory_for(std::string_view bytes, const std::string& name) {
  constexpr double a_byte = 20;
  if (bytes.size() >= worth_asking)
    require_memory(a_byte * static_cast<double>(bytes.size()),
                   said("reading {file}", {{"file", FileName(name)}}));
}

class MergesReader {
public:
  explicit MergesReader(const std::string& name) : name_(name) {
    for (std::string& byte : byte_tokens()) known_.insert(std::move(byte));
  }

  void take(std::string_view line) {
    ++line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line_ == 1 && line.starts_with("#version")) return;
    if (line.empty()) {
      blank_ = blank_ ? blank_ : line_;
      return;
    }
    if (blank_) refuse(said("line {line}: a blank line stands between the merges", {{"line", blank_}}));
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos || blank == 0 || blank + 1 == line.size() ||
        line.find(' ', blank + 1) != std::string_view::npos)
      refuse(said("line {line}: {token} is not two tokens with a blank between",
                  {{"line", line_}, {"token", in_quotes(line)}}));
    if (merges.size() == max_merges)
      refuse(said("line {line}: there are more than {most} merges", {{"line", line_}, {"most", max_merges}}));
    Merge merge{token(line.substr(0, blank)), token(line.substr(blank + 1))};
    if (!seen_.insert({merge.left, merge.right}).second)
      refuse(
          said("line {line}: the merge {merge} stands twice", {{"line", line_}, {"merge", in_quotes(line)}}));
    known_.insert(merge.left + merge.right);
    merges.push_back(std::move(merge));
  }

  std::vector<Merge> merges;

private:
  std::string token(std::string_view letters) const {
    std::optional<std::string> bytes = read_bytes(letters);
    if (!bytes)
      refuse(said("line {line}: {token} holds a character that stands for no byte",
                  {{"line", line_}, {"token", in_quotes(letters)}}));
    if (!known_.contains(*bytes))
      refuse(said("line {line}: no line before it makes the token {token}",
                  {{"line", line_}, {"token", in_quotes(letters)}}));
    return *std::move(bytes);
  }

  [[noreturn]] void refuse(const Message& what) const { refuse_file(name_, what, merges_form()); }

  const std::string& name_;
  std::size_t line_ = 0, blank_ = 0;
  std::unordered_set<std::string> known_;
  std::set<std::pair<std::string, std::string>> seen_;
};

/// Event by event: a document in memory would keep the last of two equal keys.
class VocabularyReader : public nlohmann::json_sax<nlohmann::json> {
public:
  explicit VocabularyReader(const std::string& name) : name_(name) {}

  std::vector<std::pair<std::uint64_t, std::string>> entries; ///< id, bytes

  bool start_object(std::size_t) override {
    if (std::exchange(open_, true)) refuse_value();
    return true;
  }
  bool end_object() override { return true; }

  bool key(std::string& text) override {
    std::optional<std::string> bytes = read_bytes(text);
    if (!bytes || bytes->empty())
      refuse(
          said("the token {token} holds a character that stands for no byte", {{"token", in_quotes(text)}}));
    if (!seen_.insert(*bytes).second)
      refuse(said("the token {token} stands twice", {{"token", in_quotes(text)}}));
    if (entries.size() == max_merges)
      refuse(said("there are more than {most} tokens", {{"most", max_merges}}));
    key_ = text;
    entries.emplace_back(0, *std::move(bytes));
    return true;
  }

  bool number_unsigned(std::uint64_t id) override {
    if (!open_) refuse_value();
    entries.back().first = id;
    return true;
  }

  bool null() override { refuse_value(); }
  bool boolean(bool) override { refuse_value(); }
  bool number_integer(std::int64_t) override { refuse_value(); }
  bool number_float(double, const std::string&) override { refuse_value(); }
  bool string(std::string&) override { refuse_value(); }
  bool start_array(std::size_t) override { refuse_value(); }
  bool end_array() override { return true; }          // coverage: no array begins
  bool binary(binary_t&) override { refuse_value(); } // coverage: not in JSON
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    refuse(said("byte {byte}: the file is not valid JSON", {{"byte", position > 0 ? position - 1 : 0}}));
  }

  [[noreturn]] void refuse(const Message& what) const {
    refuse_file(name_, what, said("give vocab.json as it came with its merges: every token with its id"));
  }

private:
  [[noreturn]] void refuse_value() const {
    if (entries.empty()) refuse(said("the file is no JSON object of tokens"));
    refuse(said("the id of the token {token} is no whole number", {{"token", in_quotes(key_)}}));
  }

  const std::string& name_;
  bool open_ = false;
  std::string key_;
  std::unordered_set<std::string> seen_;
};

} // namespace

std::vector<Merge> read_merges(std::string_view bytes, const std::string& name) {
  bytes = without_byte_order_mark(bytes);
  require_memory_for(bytes, name);
  MergesReader reader(name);
  for (std::size_t begin = 0; begin < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    reader.take(bytes.substr(begin, end - begin));
    begin = end + 1;
  }
  if (reader.merges.empty()) refuse_file(name, said("the file holds no merge"), merges_form());
  return std::move(reader.merges);
}

std::vector<std::string> read_vocabulary(std::string_view bytes, const std::vector<Merge>& merges,
                                         const std::string& name) {
  require_memory_for(bytes, name);
  VocabularyReader reader(name);
  nlohmann::json::sax_parse(bytes.begin(), bytes.end(), &reader);
  std::ranges::sort(reader.entries);
  std::vector<std::string> tokens;
  for (auto& [id, token] : reader.entries) {
    if (id < tokens.size())
      reader.refuse(said("the id {id} stands twice, at {one} and {other}",
                         {{"id", id},
                          {"one", in_quotes(written_bytes(tokens[id]))},
                          {"other", in_quotes(written_bytes(token))}}));
    if (id > tokens.size()) reader.refuse(said("no token has the id {id}", {{"id", tokens.size()}}));
    tokens.push_back(std::move(token));
  }
  const std::unordered_set<std::string> known(tokens.begin(), tokens.end());
  for (const std::string& byte : byte_tokens())
    if (!known.contains(byte))
      reader.refuse(said("the byte {byte} has no id", {{"byte", in_quotes(written_bytes(byte))}}));
  for (const Merge& merge : merges)
    if (!known.contains(merge.left + merge.right))
      reader.refuse(said("what the merges make, {token}, has no id",
                         {{"token", in_quotes(written_bytes(merge.left + merge.right))}}));
  return tokens;
}

std::string write_merges(const std::vector<Merge>& merges) {
  std::string text = "#version: 0.2\n";
  for (const Merge& merge : merges)
    text += written_bytes(merge.left) + " " + written_bytes(merge.right) + "\n";
  return text;
}

std::string write_vocabulary(const std::vector<std::string>& tokens) {
  JsonWriter json;
  json.begin_object();
  for (std::size_t id = 0; id < tokens.size(); ++id) json.key(written_bytes(tokens[id])), json.value(id);
  json.end_object();
  return json.take() + "\n";
}

} // namespace tfx
