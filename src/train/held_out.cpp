#include "train/held_out.hpp"

#include "random/stream.hpp"

namespace tfx {

double held_out_place(std::string_view key) {
  return RandomStream(0, stream_number(key), 0).uniform(0); // FNV alone leaves neighbours near each other
}

bool is_held_out(std::string_view key) {
  constexpr double share = 0.1;
  return held_out_place(key) < share;
}

} // namespace tfx
