#include "render/cell_address.hpp"

#include "text/display_width.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <charconv>
#include <map>

namespace tfx {

namespace {

constexpr std::size_t most_labels = 12; // in a hint

// Never asks for a label.
bool is_number(const std::string& text) {
  const std::size_t start = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  return text.size() > start && text.find_first_not_of("0123456789", start) == std::string::npos;
}

std::vector<std::size_t> places_of(const LabelledTensor& tensor, std::size_t axis, const std::string& label) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < tensor.labels[axis].size(); ++i)
    if (tensor.labels[axis][i] == label || escape_controls(place_name(tensor, axis, i)) == label)
      places.push_back(i);
  return places;
}

// Where a row reads and writes, "击→红", it may be called by what it reads.
std::vector<std::size_t> places_that_read(const LabelledTensor& tensor, std::size_t axis,
                                          const std::string& token) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < tensor.labels[axis].size(); ++i)
    if (tensor.labels[axis][i].starts_with(read_and_written(token, ""))) places.push_back(i);
  return places;
}

std::string listed_numbers(const std::vector<std::size_t>& numbers) {
  std::vector<std::string> texts;
  for (const std::size_t number : numbers) texts.push_back(std::to_string(number));
  return listed(texts);
}

std::size_t index_in(const LabelledTensor& tensor, std::size_t axis, const std::string& text) {
  const std::size_t size = tensor.value.shape[axis];
  const std::vector<std::string>& labels = tensor.labels[axis];
  std::map<std::string, std::string> values{{"name", tensor.name},
                                            {"shape", to_string(tensor.value.shape)},
                                            {"axis", std::to_string(axis)},
                                            {"last", std::to_string(size - 1)},
                                            {"index", text}};
  if (labels.empty() || is_number(text)) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error != std::errc() || end != text.data() + text.size() || (text.size() > 1 && text[0] == '0'))
      throw usage_error("no_index", values);
    if (index >= size) throw usage_error("outside", values);
    return index;
  }
  std::vector<std::size_t> places = places_of(tensor, axis, text);
  if (const std::size_t arrow = text.find("->"); places.empty() && arrow != std::string::npos) // with --ascii
    places = places_of(tensor, axis, std::string(text).replace(arrow, 2, "→"));
  if (places.empty()) places = places_that_read(tensor, axis, text);
  if (places.size() == 1) return places.front();
  if (!places.empty()) {
    values["places"] = listed_numbers(places);
    throw usage_error("label_twice", values);
  }
  std::vector<std::string> known;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (std::string name = place_name(tensor, axis, i); std::ranges::count(known, name) == 0)
      known.push_back(std::move(name));
  values["near"] = suggestion(nearest(text, known));
  if (known.size() > most_labels) known.resize(most_labels), known.push_back("…");
  values["labels"] = listed(known);
  throw usage_error("no_label", values);
}

} // namespace

Index cell_at(const LabelledTensor& tensor, const std::vector<std::string>& address) {
  const Shape& shape = tensor.value.shape;
  if (address.size() != shape.size())
    throw usage_error("rank", {{"name", tensor.name},
                               {"shape", to_string(shape)},
                               {"rank", std::to_string(shape.size())},
                               {"count", std::to_string(address.size())}});
  Index index;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    index.push_back(index_in(tensor, axis, address[axis]));
  return index;
}

std::vector<std::string> cell_places(const LabelledTensor& tensor, const Index& index) {
  std::vector<std::string> places;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    const std::vector<std::string>& labels = tensor.labels[axis];
    std::string& place = places.emplace_back(std::to_string(index[axis]));
    if (!labels.empty())
      if (const std::string& label = labels[index[axis]];
          !label.empty() && !is_number(label) && !label.starts_with('-') && escape_controls(label) == label &&
          label == place_name(tensor, axis, index[axis]) && std::ranges::count(labels, label) == 1)
        place = shell_quoted(label);
  }
  return places;
}

std::string cell_address(const LabelledTensor& tensor, const Index& index) {
  const std::vector<std::string> places = cell_places(tensor, index);
  return places.empty() ? "" : " " + join(places, " ");
}

} // namespace tfx
