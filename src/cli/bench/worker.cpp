#include "cli/bench/worker.hpp"

#include "bench/case.hpp"
#include "bench/measure.hpp"
#include "cli/terminal_lines.hpp"
#include "core/error.hpp"
#include "io/file.hpp"
#include "io/json_writer.hpp"
#include "io/npy.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>

#include <sys/resource.h>

namespace tfx {

using namespace bench;

namespace {

struct Order {
  std::string variant, config;
  std::size_t reps = 0;
};

/// Throws Error(usage) with what is wrong.
Order parse(const std::string& line) {
  std::istringstream words(line);
  Order order;
  std::string reps, more;
  words >> order.variant >> order.config >> reps;
  const auto [end, error] = std::from_chars(reps.data(), reps.data() + reps.size(), order.reps);
  if (error != std::errc() || end != reps.data() + reps.size() || order.reps == 0 || words >> more)
    throw usage(said("a line is VARIANT CONFIG REPS, not \"{line}\"", {{"line", line}}));
  if (order.variant != "own")
    throw usage(said("there is no variant \"{name}\": own", {{"name", order.variant}}));
  return order;
}

/// The shape that other programs give the same output.
Shape shape_of(const WorkPreset& preset) {
  if (const auto* s = std::get_if<AttentionShape>(&preset.shape)) return {s->batch, s->seq, s->d_model};
  const auto& s = std::get<TransformerShape>(preset.shape);
  switch (preset.what) {
  case What::train: return {1};
  case What::decode: return {s.batch, s.tgt};
  default: return {s.batch, s.tgt, s.spec.tgt_vocab};
  }
}

/// One line, whatever the writer makes of the outermost members.
std::string one_line(std::string json) {
  for (std::size_t at; (at = json.find('\n')) != std::string::npos;)
    json.erase(at, json.find_first_not_of(" \n", at) - at);
  return json;
}

class Worker {
public:
  explicit Worker(const WorkerOptions& options) : options_(options) {}

  std::string answer(const std::string& line) {
    try {
      const Order order = parse(line);
      return timed(order, case_of(order.config));
    } catch (const std::exception& error) {
      JsonWriter json;
      json.begin_object();
      json.key("error"), json.value(error.what());
      json.end_object();
      return one_line(json.take());
    }
  }

private:
  const Case& case_of(const std::string& config) {
    if (const auto known = cases_.find(config); known != cases_.end()) return known->second;
    const WorkPreset* const preset = find_preset(config);
    if (!preset) throw usage(said("there is no config \"{name}\"", {{"name", config}}));
    Case work = options_.inputs ? load_case(*preset, *options_.inputs + "/" + config + ".npz", options_.seed)
                                : make_case(*preset, options_.seed);
    if (options_.outputs) {
      const arma::fmat y = work.run();
      const Tensor output(shape_of(*preset), std::vector<double>(y.begin(), y.end()));
      write_file_atomically(*options_.outputs + "/own." + config + ".npy", write_npy(output, DType::f32));
    }
    return cases_.emplace(config, std::move(work)).first->second;
  }

  static std::string timed(const Order& order, const Case& work) {
    arma::fmat y;
    const std::vector<double> seconds = measure([&] { y = work.run(); }, {0, order.reps});
    double sum = 0;
    for (const float number : y) sum += std::abs(number);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);

    JsonWriter json;
    json.begin_object();
    json.key("ms");
    json.begin_array();
    for (const double one : seconds) json.value(1e3 * one);
    json.end_array();
    json.key("check");
    json.begin_array();
    for (const arma::uword i : {arma::uword{0}, y.n_elem / 2, y.n_elem - 1})
      json.value(static_cast<double>(y[i]));
    json.value(sum / static_cast<double>(y.n_elem));
    json.end_array();
    json.key("rss_mb"), json.value(static_cast<double>(usage.ru_maxrss) / 1024);
    json.end_object();
    return one_line(json.take());
  }

  WorkerOptions options_;
  std::map<std::string, Case> cases_;
};

void write_line(const std::string& line) {
  if (std::fputs((line + "\n").c_str(), stdout) < 0 || std::fflush(stdout) != 0)
    throw Error(ErrorKind::io, said("cannot write to standard output"));
}

} // namespace

void serve(const WorkerOptions& options) {
  end_progress(); // who leads the comparison says how far it is
  Worker worker(options);
  write_line("READY");
  for (std::string line; std::getline(std::cin, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos) write_line(worker.answer(line));
  if (std::cin.bad()) throw std::bad_alloc(); // getline tells so where a line does not fit in memory
}

} // namespace tfx
