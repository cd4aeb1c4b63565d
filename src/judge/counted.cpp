#include "judge/counted.hpp"

#include "trace/mistake.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tfx {

namespace {

// What is counted of one kind: a matrix or its bias, so often at each place.
struct CountedKind {
  std::string name;
  double each = 0;
  std::vector<double> copies;
};

// A number of each kind in the table, (kinds, 1), beside how often each place has it, (kinds, places).
void add_kinds(const Trace& t, const std::string& each, const std::string& copies, const std::string& before,
               std::vector<CountedKind>& kinds) {
  const Step& table = t.step_named(copies);
  const std::size_t places = table.value.shape.back();
  for (std::size_t k = 0; k < t[each].size(); ++k) {
    const auto row = table.value.data.begin() + static_cast<std::ptrdiff_t>(k * places);
    kinds.push_back(
        {before + table.labels[0][k], t[each].data[k], {row, row + static_cast<std::ptrdiff_t>(places)}});
  }
}

using Kinds = std::vector<CountedKind>;

// Sets of which some may be missing, or counted twice: weights and biases together and each alone.
std::vector<Kinds> kinds_of(const Trace& t, bool products) {
  std::vector<Kinds> all(products ? 2 : 3);
  if (products) {
    add_kinds(t, "weight_count", "passes", "", all[0]);
    add_kinds(t, "mixed", "attentions", "", all[0]);
    // What multiplies nothing may be counted all the same: tables, norms.
    add_kinds(t, "weight_count", "copies", "", all[1]);
  } else {
    add_kinds(t, "parameters", "copies", "", all[0]);
    add_kinds(t, "bias", "copies", "b: ", all[1]);
    add_kinds(t, "weight_count", "copies", "weights: ", all[2]);
  }
  for (Kinds& kinds : all) std::erase_if(kinds, [](const CountedKind& kind) { return kind.each == 0; });
  return all;
}

// How much of each kind one place has, or all of them.
std::vector<double> counts_at(const Kinds& kinds, const std::vector<double>& repeats, std::size_t place,
                              bool one_copy) {
  std::vector<double> counts;
  for (const CountedKind& kind : kinds) {
    double count = 0;
    for (std::size_t p = 0; p < repeats.size(); ++p)
      if (place == repeats.size() || place == p)
        count += kind.each * (one_copy ? std::min(kind.copies[p], 1.0) : kind.copies[p]) * repeats[p];
    counts.push_back(count);
  }
  return counts;
}

// Each set of kinds that together count so much: their names, and how many they are.
std::vector<std::pair<std::string, std::size_t>> sets_of(const Kinds& kinds,
                                                         const std::vector<double>& counts, double wanted) {
  std::vector<std::pair<std::string, std::size_t>> found;
  for (std::size_t set = 1; set < std::size_t{1} << kinds.size(); ++set) {
    double sum = 0;
    std::string names;
    bool is_there = true;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      if (!(set >> k & 1)) continue;
      sum += counts[k];
      is_there = is_there && counts[k] > 0;
      names += (names.empty() ? "" : ", ") + kinds[k].name;
    }
    if (is_there && std::abs(wanted - sum) <= 1e-9 * sum)
      found.emplace_back(names, static_cast<std::size_t>(std::popcount(set)));
  }
  return found;
}

} // namespace

std::vector<CountedOtherwise> counted_otherwise(const Trace& right, const std::string& tensor, double yours) {
  const bool products = tensor == "macs" || tensor == "flops";
  if (right.lesson != "params" || !(products || tensor == "total" || tensor == "training_bytes")) return {};
  // What one of what is counted adds to the tensor: two FLOP a MAC, so many bytes a parameter.
  const double unit = right[tensor].data[0] / right[products ? "macs" : "total"].data[0];
  const double difference = (yours - right[tensor].data[0]) / unit, heads = right["h"].data[0];
  const Step& repeats = right.step_named("repeats");
  const std::size_t places = repeats.value.size();
  std::vector<CountedOtherwise> found;
  const auto add = [&](const auto& sets, const std::string& behind, const std::string& where) {
    for (const auto& [names, size] : sets) found.push_back({names + behind, where, difference > 0, size});
  };
  for (const Kinds& kinds : kinds_of(right, products))
    for (std::size_t place = 0; place <= places; ++place)
      for (const bool one_copy : {false, true}) {
        const std::vector<double> counts = counts_at(kinds, repeats.value.data, place, one_copy);
        const std::string where = place < places ? repeats.labels.back()[place] : "",
                          behind = one_copy ? " × 1" : "";
        add(sets_of(kinds, counts, std::abs(difference)), behind, where);
        if (difference > 0 && heads > 1) // each head has all of it
          add(sets_of(kinds, counts, difference / (heads - 1)), behind + " × h", where);
      }
  std::ranges::stable_sort(found, {}, &CountedOtherwise::size);
  return found;
}

} // namespace tfx
