// Every choice that a model has, alone and as published models combine them, against PyTorch's numbers.

#include "model/counts.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/model_parts.hpp"
#include "support/small_model.hpp"
#include "train/gradient_descent.hpp"

#include <fmt/format.h>

using namespace tfx;

namespace {

/// What PyTorch says of a case.
class PartsReference {
public:
  explicit PartsReference(const PartsCase& part) : file_(parts_folder + part.name + ".safetensors") {
    for (std::size_t i = 0; i < file_.entries().size(); ++i) places_[file_.entries()[i].name] = i;
  }

  bool has(const std::string& name) const { return places_.contains(name); }
  Shape shape(const std::string& name) const { return file_.entries()[places_.at(name)].shape; }
  std::vector<double> cells(const std::string& name) const { return file_.read(places_.at(name)); }
  std::size_t count(const std::string& prefix) const {
    std::size_t found = 0;
    for (const auto& [name, place] : places_) found += name.starts_with(prefix);
    return found;
  }

private:
  TensorFile file_;
  std::map<std::string, std::size_t> places_;
};

template <class Real>
Transformer<Real> load_part(const PartsCase& part, const PartsReference& torch) {
  Transformer<Real> model(part.spec);
  each_parameter(
      [&](const std::string& name, auto& tensor) {
        INFO(name);
        REQUIRE(torch.has("params/" + name));
        REQUIRE(torch.shape("params/" + name) == torch_shape(tensor));
        const std::vector<double> cells = torch.cells("params/" + name);
        std::transform(cells.begin(), cells.end(), tensor.begin(),
                       [](double cell) { return static_cast<Real>(cell); });
      },
      "", model);
  return model;
}

/// The largest difference, relative to numbers above 1.
template <class Cells>
double worst_of(const Cells& ours, const std::vector<double>& theirs) {
  REQUIRE(ours.n_elem == theirs.size());
  double worst = 0;
  for (std::size_t i = 0; i < theirs.size(); ++i)
    worst = std::max(worst,
                     std::abs(static_cast<double>(ours[i]) - theirs[i]) / std::max(1.0, std::abs(theirs[i])));
  return worst;
}

template <class Real>
struct PartsBounds {
  double forward = 1e-11, gradient = 1e-9;
};
/// Floats: a model of this size rounds some hundred times on the way.
template <>
struct PartsBounds<float> {
  double forward = 2e-5, gradient = 2e-4;
};

/// The largest differences of a case.
struct PartsWorst {
  double forward = 0, gradient = 0;
};

template <class Real>
PartsWorst check_part(const PartsCase& part) {
  INFO(part.name);
  const PartsReference torch(part);
  const Transformer<Real> model = load_part<Real>(part, torch);
  CHECK(torch.count("params/") == parameter_shapes(model).size());
  const Batch src = part.src.empty() ? Batch{} : part.batch(part.src),
              tgt = part.tgt.empty() ? Batch{} : part.batch(part.tgt);
  const Inputs inputs(src, tgt);
  ModelSaved<Real> saved;
  arma::Mat<Real> out = logits(model, inputs, {}, saved);
  const PartsBounds<Real> bounds;
  PartsWorst worst{worst_of(out, torch.cells(part.tgt.empty() ? "memory" : "logits"))};
  CHECK(worst.forward <= bounds.forward);

  Transformer<Real> gradient = zeros_like(model);
  if (part.tgt.empty()) {
    const std::vector<double> d_memory = torch.cells("d_memory");
    std::transform(d_memory.begin(), d_memory.end(), out.begin(),
                   [](double cell) { return static_cast<Real>(cell); });
  } else {
    const Smoothing none{0, part.padding.value_or(static_cast<std::uint32_t>(-1))};
    TokenIds labels;
    for (TokenIds row : part.labels) {
      if (part.padding) row.resize(tgt.sequences.longest(), *part.padding);
      labels.insert(labels.end(), row.begin(), row.end());
    }
    const double count = static_cast<double>(count_tokens(labels, none.pad));
    const Loss loss = loss_and_gradient(out, labels, none, count);
    CHECK(std::abs(loss.mean() - torch.cells("loss")[0]) <= 10 * bounds.forward);
  }
  for (const int passes : {1, 2}) { // what a pass finds is added to what was there
    backward<Real>({model, gradient}, saved, inputs, out, {});
    each_parameter(
        [&](const std::string& name, const auto& tensor) {
          INFO(name << ", pass " << passes);
          const double off =
              worst_of((tensor / static_cast<Real>(passes)).eval(), torch.cells("grads/" + name));
          CHECK(off <= bounds.gradient);
          worst.gradient = std::max(worst.gradient, off);
        },
        "", gradient);
  }
  return worst;
}

} // namespace

TEST_CASE("every part of a model, forward and backward, is PyTorch's", "[parts]") {
  const std::vector<PartsCase> cases = parts_cases();
  CHECK(cases.size() >= 54);
  for (const PartsCase& part : cases) check_part<double>(part), check_part<float>(part);
}

// The table at the end of docs/model.md: tfx_tests "[parity-table]".
TEST_CASE("the largest difference of every part, as a table", "[.][parity-table]") {
  std::string table = "| case | double, logits | double, gradients | float, logits | float, gradients |\n"
                      "|---|---|---|---|---|\n";
  for (const PartsCase& part : parts_cases()) {
    const PartsWorst exact = check_part<double>(part), rounded = check_part<float>(part);
    table += fmt::format("| `{}` | {:.0e} | {:.0e} | {:.0e} | {:.0e} |\n", part.name, exact.forward,
                         exact.gradient, rounded.forward, rounded.gradient);
  }
  WARN(table);
}

TEST_CASE("parts that do not fit are refused", "[parts]") {
  const auto refused = [](const std::string& what, const std::function<void(ModelSpec&)>& change) {
    ModelSpec spec = small_spec();
    change(spec);
    CHECK_THROWS_WITH(Transformer<ShapesOnly>(spec), Catch::Matchers::ContainsSubstring(what));
  };
  refused("3 heads cannot share 2 heads of keys and values evenly", [](ModelSpec& s) { s.kv_heads = 2; });
  refused("rotary positions turn pairs, and a head has 3 numbers",
          [](ModelSpec& s) { s.positions = Positions::rotary, s.head_width = 3; });
  refused("T5's relative positions", [](ModelSpec& s) { s.positions = Positions::relative; });
}

TEST_CASE("where no token is padding, all others share what smoothing takes", "[parts]") {
  arma::mat logits(5, 1, arma::fill::zeros); // so that every p is 1/5
  const Loss loss = loss_and_gradient(logits, {2}, {0.1, static_cast<std::uint32_t>(-1)}, 1);
  CHECK(std::abs(loss.sum - (0.9 * std::log(0.9) + 0.1 * std::log(0.1 / 4) + std::log(5.0))) <= 1e-12);
  CHECK(std::abs(logits(0, 0) - (0.2 - 0.1 / 4)) <= 1e-12);
}
