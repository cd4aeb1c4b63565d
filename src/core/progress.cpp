#include "core/progress.hpp"

#include <utility>

namespace tfx {

namespace {

std::function<void(std::string_view, Part)> told;

} // namespace

void tell_progress(std::string_view what, Part part) {
  if (told) told(what, part);
}

void tell_progress_to(std::function<void(std::string_view what, Part part)> listener) {
  told = std::move(listener);
}

} // namespace tfx
