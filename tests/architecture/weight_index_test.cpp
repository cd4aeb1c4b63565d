// The index of a model in several files: names, files, bytes, and whether it is the blueprint's.

#include "architecture/weight_index.hpp"

#include "architecture/configs.hpp"
#include "core/error.hpp"
#include "support/catch.hpp"

using namespace tfx;
using namespace tfx::params;

namespace {

WeightIndex index_in(const std::string& text) {
  return read_weight_index(read_json(text, "i.json"), "i.json");
}

/// Of all tensors that the blueprint keeps itself, as a file has them.
WeightIndex index_of(const ModelShape& shape, const std::string& prefix = "") {
  WeightIndex index{"i.json", {}, {}};
  for (const NamedTensor& one : tensors_of(blueprint(shape)))
    if (one.tensor.tied_to.empty()) index.tensors.push_back({prefix + one.name, "a"});
  return index;
}

} // namespace

TEST_CASE("an index gives names, files and bytes", "[architecture][config]") {
  const WeightIndex index = index_in(
      R"({"metadata":{"total_size":26},"weight_map":{"a.0.w":"1.safetensors","a.1.w":"2.safetensors","b":"2.safetensors"}})");
  CHECK(index.bytes == 26);
  CHECK(index.files == 2);
  REQUIRE(index.tensors.size() == 3);
  CHECK(index.tensors[1].name == "a.1.w");
  CHECK(index.tensors[1].file == "2.safetensors");
  CHECK(totals(tree_of(index)).tensors == 3);
  CHECK(totals(tree_of(index)).parameters.value() == 0);
  CHECK(index_in(R"({"metadata":{"total_size":1.3e10},"weight_map":{"a":"1"}})").bytes == 13'000'000'000);
  CHECK_FALSE(index_in(R"({"weight_map":{"a":"1"}})").bytes);
  const std::pair<const char*, const char*> cases[] = {
      {R"({"weight_map":[]})", "no weight_map"},
      {R"({"weight_map":{}})", "names no tensor"},
      {R"({"weight_map":{"a":1}})", "tensor \"a\" stands in 1"},
      {R"({"metadata":{"total_size":-1},"weight_map":{"a":"1"}})", "total_size is -1"},
      {R"({"metadata":{"total_size":"x"},"weight_map":{"a":"1"}})", "total_size is \"x\""},
      {R"({"metadata":{"total_size":1.5},"weight_map":{"a":"1"}})", "total_size is 1.5"}};
  for (const auto& [text, part] : cases) {
    std::string message;
    try {
      index_in(text);
    } catch (const Error& error) {
      message = error.what();
    }
    INFO(message);
    CHECK(message.find(part) != std::string::npos);
  }
}

TEST_CASE("an index of the model has each of its names, with a prefix more or less",
          "[architecture][config]") {
  for (const char* name : {"llama-3-8b", "gpt2", "opt-125m", "bert-base-uncased", "t5-small", "pythia-70m"}) {
    INFO(name);
    const ModelShape shape = config_of_file(name).shape;
    const Module root = blueprint(shape);
    for (const char* prefix : {"", "transformer."}) {
      const IndexComparison found = compare(root, index_of(shape, prefix));
      CHECK(found.missing.empty());
      CHECK(found.besides.empty());
    }
  }
  const ModelShape bert = config_of_file("bert-base-uncased").shape;
  WeightIndex bare = index_of(bert);
  for (WeightIndex::Tensor& one : bare.tensors) one.name = one.name.substr(5); // "bert."
  CHECK(compare(blueprint(bert), bare).missing.empty());
  bare.tensors.back().name = "cls.bias";
  CHECK(compare(blueprint(bert), bare).missing == std::vector<std::string>{"bert.pooler.dense.bias"});
  CHECK(compare(blueprint(bert), bare).besides == std::vector<std::string>{"cls.bias"});
}
