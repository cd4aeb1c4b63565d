#pragma once
// `tfx bench --worker`: one side of a comparison that another program leads (tools/peers). It prints READY,
// then answers each line VARIANT CONFIG REPS of standard input with one line of JSON:
//
//   {"ms":[…],"check":[first, middle, last, mean |x|],"rss_mb":…}       or {"error":"…"}
//
// What a config computes with is built at its first line and kept. The only variant is "own".

#include <cstdint>
#include <optional>
#include <string>

namespace tfx {

struct WorkerOptions {
  std::optional<std::string> inputs;  ///< DIR/CONFIG.npz: weights and ids, float32; else they are drawn
  std::optional<std::string> outputs; ///< DIR/own.CONFIG.npy: what the first run gave
  std::uint32_t seed = 42;
};

/// Until the end of standard input. Throws Error(io) where an answer cannot be written.
void serve(const WorkerOptions& options);

} // namespace tfx
