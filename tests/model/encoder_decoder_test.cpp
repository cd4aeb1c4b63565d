#include "model/encoder_decoder.hpp"

#include "core/parallel.hpp"
#include "io/error_of.hpp"
#include "kernels/gemm.hpp"
#include "model/checkpoint.hpp"
#include "model/init.hpp"
#include "model/parameters.hpp"
#include "support/catch.hpp"
#include "support/model_fixture.hpp"

#include <set>

using namespace tfx;

namespace {

template <class Real>
void check_against_torch(const std::string& name, double bound) {
  INFO(name << (sizeof(Real) == 4 ? " in float" : " in double"));
  const ModelFixture torch(name);
  const auto model = load_model<Real>(torch.weights);
  Recorder<Real> recorder;
  forward(model, torch.padded("src"), torch.padded("tgt"), Pass<Real>{&recorder});
  for (const std::string& activation : torch.names) {
    INFO(activation);
    REQUIRE(recorder.tensors.count(activation) == 1);
    REQUIRE(recorder.tensors[activation].size() == 1);
    CHECK(recorder.tensors[activation][0].shape == torch.tensors.at(activation).shape);
    CHECK(relative_difference(recorder.tensors[activation][0], torch.tensors.at(activation)) <= bound);
  }
}

} // namespace

TEST_CASE("every activation equals PyTorch's, with one to six layers, both norms, before and after",
          "[model]") {
  for (const char* name : {"layers-1", "layers-2", "layers-3", "layers-4", "layers-5", "layers-6"}) {
    check_against_torch<double>(name, 1e-11);
    check_against_torch<float>(name, 1e-5);
  }
}

TEST_CASE("torch.nn.Transformer's own weights give its own outputs", "[model]") {
  for (const char* name : {"torch-last", "torch-first"}) {
    check_against_torch<double>(name, 1e-11);
    check_against_torch<float>(name, 1e-5);
  }
}

TEST_CASE("activations are reported in PyTorch's order, each once", "[model]") {
  const ModelFixture torch("layers-2");
  const auto model = load_model<double>(torch.weights);
  Recorder<double> recorder;
  forward(model, torch.padded("src"), torch.padded("tgt"), Pass<double>{&recorder});
  CHECK(std::set<std::string>(recorder.names.begin(), recorder.names.end()).size() == recorder.names.size());
  CHECK(std::set<std::string>(recorder.names.begin(), recorder.names.end()) ==
        std::set<std::string>(torch.names.begin(), torch.names.end()));
}
