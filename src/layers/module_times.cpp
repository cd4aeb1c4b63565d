#include "layers/module_times.hpp"

#include <algorithm>

namespace tfx {

void ModuleTimes::mark(const std::string& part, Pass pass) {
  auto found =
      std::find_if(parts_.begin(), parts_.end(), [&](const PartTime& one) { return one.part == part; });
  if (found == parts_.end()) found = parts_.insert(found, {part});
  (pass == Pass::forward ? found->forward : found->backward) += watch_.seconds();
  watch_ = {};
}

} // namespace tfx
