#pragma once
// What is being done now: told by those who do it, for whoever shows it; without one nobody hears it.

#include <cstddef>
#include <functional>
#include <string_view>

namespace tfx {

/// Of a whole with parts, the number that is under way, from 1; `of` is 0 where nobody knows how many there
/// are.
struct Part {
  std::size_t number = 0, of = 0;
};

/// "scores": that this begins. With a part: of something whose parts tell of themselves in turn.
void tell_progress(std::string_view what, Part part = {});

/// Who is told from here on; an empty function: nobody.
void tell_progress_to(std::function<void(std::string_view what, Part part)> listener);

} // namespace tfx
