#include "model/config.hpp"

#include "core/error.hpp"

#include <string>

namespace tfx {

void require_valid(const Config& config) {
  const auto require = [](std::size_t size, const char* name) {
    if (size == 0)
      throw Error(ErrorKind::bad_data, std::string("a model with ") + name + " 0 computes nothing",
                  "give a size of at least 1");
  };
  require(config.layers, "layers");
  require(config.d_model, "d_model");
  require(config.d_ff, "d_ff");
  require(config.src_vocab, "source vocabulary");
  require(config.tgt_vocab, "target vocabulary");
  require(config.max_len, "max_len");
  require(config.heads, "heads");
  if (config.d_model % config.heads != 0)
    throw Error(ErrorKind::bad_data,
                std::to_string(config.heads) + " heads do not divide d_model " +
                    std::to_string(config.d_model),
                "the width of a head is d_model / heads, a whole number");
}

} // namespace tfx
