#pragma once
// What this machine can do at most, measured and not looked up: fused multiply-adds a second without memory,
// and bytes a second from memory. Clocks change with the load, and a virtual machine does not say which ones
// it has; each measurement takes a tenth of a second at most.

namespace tfx::bench {

/// Multiplies and adds a second on threads() threads, in float, two FLOP each: independent fused
/// multiply-adds on the widest vectors of the CPU, without memory. The best of several short runs.
double fma_peak();

/// Bytes a second that threads() threads read from memory: the sum over an array larger than the caches. The
/// best of several runs. 0 where the memory for the array is not there.
double read_bandwidth();

/// Both of them, of one run.
struct MachineLimits {
  double flops = 0; ///< a second
  double bytes = 0; ///< a second
};

MachineLimits measure_limits();

/// The higher of each. Limits are measured before and after a run, lest a moment in which another program had
/// the processor be taken for the limit.
MachineLimits better(const MachineLimits& before, const MachineLimits& after);

} // namespace tfx::bench
