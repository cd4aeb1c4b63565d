#include "bench/ladder.hpp"

#include "bench/case.hpp"
#include "bench/memory_taken.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"

namespace tfx::bench {

namespace {

/// Runs on so many threads until the end of the scope.
class OnThreads {
public:
  explicit OnThreads(std::size_t count) : before_(threads()) { set_threads(count); }
  ~OnThreads() { set_threads(before_); }
  OnThreads(const OnThreads&) = delete;
  OnThreads& operator=(const OnThreads&) = delete;

private:
  std::size_t before_;
};

} // namespace

std::vector<Climbed> climb(const std::vector<Rung>& rungs, const AttentionBlock& block,
                           const std::optional<Repeats>& repeats, const Watch& watch) {
  std::vector<Climbed> all;
  const Work work = attention_work(block.shape);
  arma::mat first;
  for (const Rung& rung : rungs) {
    if (watch) watch(rung.id);
    Climbed climbed;
    climbed.id = rung.id;
    climbed.threads = rung.threads == Rung::Threads::all ? threads() : 1;
    const std::size_t all_threads = threads();
    const OnThreads guard(climbed.threads);
    arma::fmat result;
    climbed.memory = memory_taken([&] { result = rung.run(block); });
    const arma::mat y = arma::conv_to<arma::mat>::from(result);
    if (all.empty()) first = y;
    climbed.difference = relative_difference(y, first);
    climbed.equal = climbed.difference <= rounding_bound;
    const MeasureLimits peak = [&] {
      const OnThreads on_all(all_threads);
      return limits_for(work);
    };
    if (climbed.equal && repeats) climbed.figure = figure_of([&] { rung.run(block); }, work, *repeats, peak);
    all.push_back(std::move(climbed));
  }
  return all;
}

std::vector<Grown> grow(std::size_t d_k, std::size_t first, std::size_t last, const Repeats& repeats,
                        const Watch& watch) {
  std::vector<Grown> all;
  const std::vector<Rung> two{rung("heads"), rung("fused")};
  for (std::size_t n = first; n <= last; n *= 2) {
    if (watch) watch("n = " + std::to_string(n));
    try {
      const AttentionBlock block = drawn_block({1, n, d_k, 1, 1, Mask::causal}, 42);
      std::vector<Climbed> climbed = climb(two, block, repeats);
      all.push_back({n, std::move(climbed[0]), std::move(climbed[1])});
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::no_memory) throw;
      break;
    }
  }
  return all;
}

} // namespace tfx::bench
