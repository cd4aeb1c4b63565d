#include "cli/model/module_costs.hpp"

#include "core/stopwatch.hpp"
#include "kernels/gemm.hpp"
#include "model/counts.hpp"

#include <algorithm>

namespace tfx {

namespace {

/// "encoder.layers.0" of an activation or parameter in that layer; else the module before the stacks' ends:
/// "memory" is what encoder.norm gives.
std::string module_of(const std::string& name) {
  if (name == "memory") return "encoder.norm";
  if (name == "decoder.output") return "decoder.norm";
  if (name == "logits" || name == "log_probs") return "generator";
  const std::size_t layers = name.find(".layers.");
  if (layers != std::string::npos) return name.substr(0, name.find('.', layers + 8));
  const bool of_stack = name.starts_with("encoder.") || name.starts_with("decoder.");
  return of_stack ? name.substr(0, name.find('.') + 5) : name.substr(0, name.find('.'));
}

/// "encoder.layers.0.self_attn"; empty for what a layer does itself.
std::string sublayer_around(const std::string& name) {
  const std::string layer = module_of(name);
  for (const char* part : {".self_attn", ".src_attn", ".feed_forward"})
    if (name.starts_with(layer + part + ".")) return layer + part;
  return {};
}

class Costs {
public:
  void add(const std::string& name, const ModuleCost& amount) {
    add_to(module_of(name), amount);
    if (const std::string sublayer = sublayer_around(name); !sublayer.empty()) add_to(sublayer, amount);
  }

  std::vector<ModuleCost> take() { return std::move(all_); }

private:
  void add_to(const std::string& module, const ModuleCost& amount) {
    auto found = std::ranges::find(all_, module, &ModuleCost::name);
    if (found == all_.end()) found = all_.insert(all_.end(), {module, 0, 0, 0});
    found->parameters += amount.parameters, found->macs += amount.macs, found->seconds += amount.seconds;
  }

  std::vector<ModuleCost> all_;
};

/// Is asked for each activation when it is there, or just before it is computed; wants none, and so changes
/// nothing of the pass. What was done since the last question belongs to the module of this one.
template <class Real>
class Meter : public Observer<Real> {
public:
  struct Reading {
    std::string name;
    std::uint64_t macs;
    double seconds;
  };

  bool wants(const std::string& name) override {
    const double now = watch_.seconds();
    readings.push_back({name, executed_macs() - macs_, now - seconds_});
    macs_ = executed_macs(), seconds_ = watch_.seconds();
    return false;
  }
  void report(const std::string&, const StridedView<Real>&) override {}

  std::vector<Reading> readings;

private:
  Stopwatch watch_;
  std::uint64_t macs_ = executed_macs();
  double seconds_ = 0;
};

} // namespace

template <class Real>
std::vector<ModuleCost> module_costs(const Transformer<Real>& model, const Batch& src, const Batch& tgt) {
  constexpr std::size_t counted = 5;
  std::vector<Meter<Real>> passes;
  for (std::size_t i = 0; i <= counted; ++i) {
    Meter<Real> meter;
    forward(model, {src, tgt}, ForwardContext<Real>{&meter});
    if (i > 0) passes.push_back(std::move(meter));
  }
  Costs costs;
  for (std::size_t i = 0; i < passes[0].readings.size(); ++i) {
    std::vector<double> seconds;
    for (const Meter<Real>& pass : passes) seconds.push_back(pass.readings[i].seconds);
    costs.add(passes[0].readings[i].name, {"", 0, passes[0].readings[i].macs, median_of(std::move(seconds))});
  }
  for (const NamedShape& parameter : parameter_shapes(model))
    costs.add(parameter.name, {"", element_count(parameter.shape), 0, 0});
  return costs.take();
}

template std::vector<ModuleCost> module_costs(const Transformer<float>&, const Batch&, const Batch&);
template std::vector<ModuleCost> module_costs(const Transformer<double>&, const Batch&, const Batch&);

} // namespace tfx
