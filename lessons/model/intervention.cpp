#include "lessons/model/intervention.hpp"

#include "text/names.hpp"
#include "trace/trace.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace tfx {

namespace {

constexpr std::string_view head_mark = ".head.";

bool is_attention(const std::string& place) {
  return place.ends_with("self_attn") || place.ends_with("src_attn");
}

struct Place {
  std::string name; ///< "encoder.layers.0.self_attn"
  std::optional<std::size_t> head;
};

Place place_of(const std::string& part) {
  const std::size_t mark = part.find(head_mark);
  if (mark == std::string::npos) return {part, {}};
  return {part.substr(0, mark), std::stoul(part.substr(mark + head_mark.size()))};
}

/// The sublayers of the model, or of one of its layers: "encoder.layers.0.self_attn".
std::vector<std::string> sublayers(const Trace& page, const std::string& inside = {}) {
  std::vector<std::string> all;
  constexpr std::string_view end = ".output";
  for (const Step& step : page.steps) {
    if (!step.name.ends_with(end) || !step.name.starts_with(inside)) continue;
    const std::string place = step.name.substr(0, step.name.size() - end.size());
    if (is_attention(place) || place.ends_with("feed_forward")) all.push_back(place);
  }
  return all;
}

std::size_t heads_of(const Trace& page, const std::string& attention) {
  const Shape& shape = page[attention + ".weights"].shape;
  return shape[shape.size() - 3];
}

void add_heads(std::vector<std::string>& parts, const Trace& page, const std::string& attention) {
  for (std::size_t head = 0; head < heads_of(page, attention); ++head)
    parts.push_back(attention + std::string(head_mark) + std::to_string(head));
}

/// Calls `change` for the first cell and the length of a head's matrix in every sentence; of all heads where
/// none is named.
template <class Change>
void each_head(const Tensor& T, const std::optional<std::size_t>& head, const Change& change) {
  const std::size_t rank = T.rank(), heads = T.shape[rank - 3], size = T.shape[rank - 2] * T.shape[rank - 1];
  for (std::size_t k = 0; k < T.size() / size; ++k)
    if (!head || k % heads == *head) change(k * size, size);
}

Replacement nothing() {
  return [](const Tensor& right) { return Tensor(right.shape); };
}

Replacement nothing_of(std::size_t head) {
  return [head](const Tensor& right) {
    Tensor changed = right;
    each_head(changed, head, [&](std::size_t first, std::size_t size) {
      std::fill_n(changed.data.begin() + static_cast<std::ptrdiff_t>(first), size, 0.0);
    });
    return changed;
  };
}

/// What stands there in another run; of one head alone where one is named.
Replacement taken_from(const Tensor& other, const std::optional<std::size_t>& head) {
  return [&other, head](const Tensor& right) {
    if (!head) return other;
    Tensor changed = right;
    each_head(changed, head, [&](std::size_t first, std::size_t size) {
      std::copy_n(other.data.begin() + static_cast<std::ptrdiff_t>(first), size,
                  changed.data.begin() + static_cast<std::ptrdiff_t>(first));
    });
    return changed;
  };
}

/// The steps that are a part's own; of a head its row of the mixtures.
std::vector<std::string> written_by(const Trace& page, const Place& part) {
  if (part.head) return {part.name + ".heads"};
  if (page.has(part.name)) return {part.name}; // memory, src_embed.pe, decoder.angles
  if (page.has(part.name + ".output")) return {part.name + ".output"};
  std::vector<std::string> steps;
  for (const std::string& sublayer : sublayers(page, part.name + ".")) steps.push_back(sublayer + ".output");
  return steps;
}

/// A row without any key stays 0. `mask`: of the shape of the weights, or nullptr.
Replacement uniform(const Tensor* mask, const std::optional<std::size_t>& head) {
  return [mask, head](const Tensor& right) {
    Tensor changed = right;
    const std::size_t keys = right.shape.back();
    each_head(changed, head, [&](std::size_t first, std::size_t size) {
      for (std::size_t row = first; row < first + size; row += keys) {
        const auto seen = [&](std::size_t j) { return !mask || mask->data[row + j] != 0; };
        std::size_t count = 0;
        for (std::size_t j = 0; j < keys; ++j) count += seen(j);
        for (std::size_t j = 0; j < keys; ++j)
          changed.data[row + j] = seen(j) ? 1 / static_cast<double>(count) : 0;
      }
    });
    return changed;
  };
}

void add(std::map<std::string, Replacement>& instead, const std::string& name, const Replacement& next) {
  const auto [found, first] = instead.try_emplace(name, next);
  if (first) return;
  found->second = [before = found->second, next](const Tensor& right) { return next(before(right)); };
}

void add(std::map<std::string, Replacement>& instead, const Trace& page, const Intervention& one,
         const Trace* other) {
  const Place part = place_of(one.part);
  if (one.kind == Intervention::Kind::uniform) {
    const Step* mask = page.find(part.name + ".mask");
    return add(instead, part.name + ".weights", uniform(mask ? &mask->value : nullptr, part.head));
  }
  for (const std::string& step : written_by(page, part))
    add(instead, step,
        one.kind == Intervention::Kind::patched ? taken_from((*other)[step], part.head)
        : part.head                             ? nothing_of(*part.head)
                                                : nothing());
}

} // namespace

bool is_head(const std::string& part) {
  return part.find(".head.") != std::string::npos;
}

bool is_sublayer(const std::string& part) {
  return part.ends_with("attn") || part.ends_with("feed_forward");
}

void require_parts(const std::string& option, const std::vector<std::string>& parts,
                   const std::vector<std::string>& known) {
  for (const std::string& part : parts)
    if (std::ranges::count(known, part) == 0)
      throw usage_error("part", {{"option", option},
                                 {"name", part},
                                 {"near", suggestion(nearest(part, known))},
                                 {"example", known.size() > 2 ? known[known.size() - 2] : known.back()}});
}

std::vector<std::string> parts_to_leave_out(const Trace& page) {
  std::vector<std::string> parts;
  const auto add_present = [&](const std::vector<std::string>& names) {
    std::ranges::copy_if(names, std::back_inserter(parts), [&](const auto& name) { return page.has(name); });
  };
  std::string stack, layer;
  for (const std::string& sublayer : sublayers(page)) {
    const std::string own = sublayer.substr(0, sublayer.rfind('.')), side = own.substr(0, own.find('.'));
    if (side != stack) {
      stack = side;
      if (side == "encoder") add_present({"src_embed.pe", "encoder.angles"});
      if (side == "decoder") add_present({"memory", "tgt_embed.pe", "decoder.angles"});
    }
    if (own != layer) parts.push_back(layer = own);
    parts.push_back(sublayer);
    if (is_attention(sublayer)) add_heads(parts, page, sublayer);
  }
  return parts;
}

std::vector<std::string> parts_to_make_uniform(const Trace& page) {
  std::vector<std::string> parts;
  for (const std::string& sublayer : sublayers(page))
    if (is_attention(sublayer)) parts.push_back(sublayer), add_heads(parts, page, sublayer);
  return parts;
}

bool can_patch(const Trace& page, const Trace& other, const std::string& part) {
  return std::ranges::all_of(written_by(page, place_of(part)), [&](const std::string& step) {
    return other.has(step) && other[step].shape == page[step].shape;
  });
}

Tensor log_probs_with(const Trace& page, const std::vector<Intervention>& made, const Trace* other) {
  std::map<std::string, Replacement> instead;
  for (const Intervention& one : made) add(instead, page, one, other);
  return Rerun(page, instead)[page.main];
}

} // namespace tfx
