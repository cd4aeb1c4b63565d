#include "model/config.hpp"

#include "core/error.hpp"

namespace tfx {

void require_valid(const Config& config) {
  const auto require = [](std::size_t size, const Message& name) {
    if (size == 0)
      throw Error(ErrorKind::bad_data, said("a model with {name} 0 computes nothing", {{"name", name}}),
                  said("give a size of at least 1"));
  };
  require(config.layers, Message::given("layers"));
  require(config.d_model, Message::given("d_model"));
  require(config.d_ff, Message::given("d_ff"));
  require(config.src_vocab, said("source vocabulary"));
  require(config.tgt_vocab, said("target vocabulary"));
  require(config.max_len, Message::given("max_len"));
  require(config.heads, Message::given("heads"));
  if (config.d_model % config.heads != 0)
    throw Error(ErrorKind::bad_data,
                said("{heads} heads do not divide d_model {width}",
                     {{"heads", config.heads}, {"width", config.d_model}}),
                said("the width of a head is d_model / heads, a whole number"));
}

} // namespace tfx
