#include "lessons/neighbours.hpp"

#include "text/tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace tfx {

bool names_word(const std::string& token) {
  const std::string_view marks[] = {pad_token,     start_token,  end_token,
                                    unknown_token, capital_mark, capitals_mark};
  return std::ranges::count(marks, token) == 0;
}

Neighbours::Neighbours(const Tensor& table, const std::function<bool(std::size_t)>& is_word) : table_(table) {
  for (std::size_t row = 0; row < table.shape[0]; ++row)
    if (is_word(row)) words_.push_back(row);
}

std::vector<Neighbour> Neighbours::of(std::size_t row, std::size_t most) const {
  const std::size_t width = table_.shape[1];
  const double* x = table_.data.data() + row * width;
  std::vector<Neighbour> all;
  for (const std::size_t other : words_) {
    if (other == row) continue;
    const double* y = table_.data.data() + other * width;
    double dot = 0, xx = 0, yy = 0, squares = 0;
    for (std::size_t j = 0; j < width; ++j)
      dot += x[j] * y[j], xx += x[j] * x[j], yy += y[j] * y[j], squares += (x[j] - y[j]) * (x[j] - y[j]);
    const double lengths = std::sqrt(xx) * std::sqrt(yy);
    all.push_back({other, lengths == 0 ? 0 : dot / lengths, std::sqrt(squares), 0});
  }
  std::vector<double> distances;
  for (const Neighbour& one : all) distances.push_back(one.distance);
  std::ranges::sort(distances);
  std::ranges::stable_sort(all, std::greater{}, &Neighbour::cosine);
  all.resize(std::min(all.size(), most));
  for (Neighbour& one : all)
    one.distance_rank =
        static_cast<std::size_t>(std::ranges::lower_bound(distances, one.distance) - distances.begin()) + 1;
  return all;
}

void add_neighbours(Trace& given, const Tensor& table, const Vocabulary& words,
                    const std::vector<std::uint32_t>& text, const std::string& source) {
  constexpr std::size_t most = 5;
  const Neighbours found(table, [&](std::size_t id) { return names_word(words.tokens[id]); });
  Experiment nearest{"neighbours", {"cosine", "distance", "rank"}, {}, {}};
  std::vector<std::size_t> ids;
  std::vector<double> cells;
  const auto add = [&](std::size_t id) {
    if (!std::ranges::count(ids, id)) ids.push_back(id);
  };
  std::set<std::uint32_t> asked;
  std::string first; // of each word its nearest, for whoever reads one line
  for (const std::uint32_t id : text) {
    if (!asked.insert(id).second) continue;
    if (!names_word(words.tokens[id])) continue;
    add(id);
    const std::vector<Neighbour> near = found.of(id, most);
    if (!near.empty())
      first += fmt::format("{}{} → {} {:.2f}", first.empty() ? "" : ", ", words.tokens[id],
                           words.tokens[near[0].row], near[0].cosine);
    for (const Neighbour& one : near) {
      add(one.row);
      nearest.rows.push_back(words.tokens[id] + " → " + words.tokens[one.row]);
      cells.insert(cells.end(), {one.cosine, one.distance, static_cast<double>(one.distance_rank)});
    }
  }
  if (nearest.rows.empty()) return;
  nearest.values = Tensor({nearest.rows.size(), 3}, std::move(cells));
  given.experiments.push_back(std::move(nearest));
  given.facts["vocabulary"] = static_cast<double>(found.count());
  given.facts["nearest"] = first;
  const std::size_t width = table.shape[1];
  Tensor near({ids.size(), width});
  std::vector<std::string> names;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::copy_n(table.data.begin() + static_cast<std::ptrdiff_t>(ids[i] * width), width,
                near.data.begin() + static_cast<std::ptrdiff_t>(i * width));
    names.push_back(words.tokens[ids[i]]);
  }
  given.add_input("near", source, std::move(near), {names, {}}, Role::input);
}

} // namespace tfx
