#include "cli/params/report.hpp"

#include "support/catch.hpp"
#include "words/in_words.hpp"

using namespace tfx;
using namespace tfx::params;

namespace {

/// Two equal layers of a matrix of 2 × 3 and a buffer of 4, and a table of 1 × 3 that is there twice.
Counted small_file() {
  const auto layer = [](const std::string& name) {
    return Module{name,
                  ModuleKind::layer,
                  {},
                  {},
                  {Module{"linear", ModuleKind::unit, {{"weight", {2, 3}}}},
                   Module{"mask", ModuleKind::unit, {{"table", {4}, TensorKind::buffer}}}}};
  };
  Counted model;
  model.name = "small.npz";
  model.root =
      Module{"",
             ModuleKind::group,
             {},
             {},
             {layer("layers.0"), layer("layers.1"), Module{"embed", ModuleKind::unit, {{"weight", {1, 3}}}},
              Module{"head", ModuleKind::unit, {{"weight", {1, 3}, TensorKind::parameter, "embed.weight"}}}}};
  model.sum = totals(model.root);
  return model;
}

std::string page_of(By by) {
  CountRequest request;
  request.by = by;
  const Report report = count_report(small_file(), request);
  return render_screen(report, words_in(report.frame.folder), Style());
}

} // namespace

TEST_CASE("equal layers are one row with what they hold below, and 12 of 15 numbers are 80 %",
          "[cli][params]") {
  const std::string page = page_of(By::module);
  for (const char* shown :
       {"\nlayers.0 … 1          12  80.0 %\n", "\n  linear              12  80.0 %\n",
        "\n  mask                            8 in buffers\n", "\nembed                  3  20.0 %\n",
        "\nhead                              tied: counted once\n", "\ntotal                 15\n",
        "memory   weights 60 bytes"}) {
    INFO(page << "\nlacks: " << shown);
    CHECK(page.find(shown) != std::string::npos);
  }
}

TEST_CASE("by layer each stands alone, by tensor each array with its shape", "[cli][params]") {
  const std::string layers = page_of(By::layer), tensors = page_of(By::tensor);
  INFO(layers << tensors);
  CHECK(layers.find("\nlayers.1           6  40.0 %\n") != std::string::npos);
  CHECK(layers.find("linear              ") == std::string::npos);
  for (const char* shown : {"\nlayers.1.linear.weight    2×3           6  40.0 %\n",
                            "\nlayers.1.mask.table         4                      4 in buffers\n",
                            "\nhead.weight               1×3                      = embed.weight\n"})
    CHECK(tensors.find(shown) != std::string::npos);
}

TEST_CASE("the tree of a JSON document has every module, and no work of a file", "[cli][params]") {
  const Report report = count_report(small_file(), {});
  const std::string json = render_json(report, words_in(report.frame.folder));
  for (
      const char* shown :
      {R"("total": 15,)",
       R"("kv_cache":null,"config":null,"index":null,"tensors":[],"modules":[{"name":"layers.0")",
       R"("name":"layers.1.linear","parameters":6,"formula":"6","buffers":0,"macs":null,"flops":null,)",
       R"("tensors":[{"name":"layers.1.mask.table","shape":[4],"kind":"buffer","tied_to":null}],"children":[]})",
       R"({"name":"head.weight","shape":[1,3],"kind":"parameter","tied_to":"embed.weight"})",
       R"("weight_bytes":60,"gradient_bytes":60,"adam_bytes":120,)"}) {
    INFO(json << "\nlacks: " << shown);
    CHECK(json.find(shown) != std::string::npos);
  }
}
