#include "model/microgpt.hpp"

#include "core/resource.hpp"
#include "io/csv.hpp"

namespace tfx {

namespace {

std::string_view table(const std::string& name) {
  return resource("data/tutorials/microgpt-" + name + ".csv");
}

} // namespace

const MicrogptFacts& microgpt_facts() {
  static const MicrogptFacts facts = [] {
    MicrogptFacts all;
    const Csv text = read_labelled_csv(table("text"), "microgpt-text.csv"),
              steps = read_labelled_csv(table("steps"), "microgpt-steps.csv");
    all.sha256 = text.labels.at(0), all.documents = static_cast<std::size_t>(text.values.at({0, 0}));
    all.names = steps.labels, all.losses = steps.values.data;
    all.samples = read_lines(table("samples"), "microgpt-samples.csv");
    return all;
  }();
  return facts;
}

} // namespace tfx
