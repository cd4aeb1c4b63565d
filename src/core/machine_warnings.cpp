// The judgement of core/machine.hpp.

#include "core/machine.hpp"
#include "core/number.hpp"

#include <algorithm>

namespace tfx {

namespace {

using Grade = MachineWarning::Grade;

class Judgement {
public:
  explicit Judgement(const Machine& machine) : machine_(machine) {}

  std::vector<MachineWarning> all() {
    isa();
    blas();
    if (machine_.quota && *machine_.quota < static_cast<double>(machine_.threads) && *machine_.quota > 0)
      add("processors.quota", {{"quota", format_number(*machine_.quota, 2)},
                               {"threads", std::to_string(machine_.threads)},
                               {"fewer", std::to_string(std::max(1, static_cast<int>(*machine_.quota)))}});
    if (machine_.huge_pages == "never") add("huge_pages.never");
    memory();
    return std::move(warnings_);
  }

private:
  void isa() {
    const auto wanted = variable("TFX_ISA");
    if (!wanted) return;
    const std::optional<Isa> named = isa_named(*wanted);
    const std::map<std::string, std::string> values = {{"wanted", *wanted},
                                                       {"isa", std::string(name(machine_.isa))},
                                                       {"widest", std::string(name(machine_.widest_isa))}};
    if (!named)
      add("isa.unknown", values);
    else if (*named > machine_.widest_isa)
      add("isa.missing", values);
    else if (*named < machine_.widest_isa)
      add("isa.weaker", values);
  }

  void blas() {
    if (!machine_.blas.is_openblas) add("blas.other_library", {{"file", machine_.blas.file}});
    const auto wanted = variable("OPENBLAS_CORETYPE");
    const auto used = vectors_of_core(machine_.blas.core);
    const Vectors has = machine_.processor.widest();
    const std::map<std::string, std::string> values = {{"core", machine_.blas.core},
                                                       {"wanted", wanted.value_or("")},
                                                       {"uses", used ? std::string(name(*used)) : ""},
                                                       {"has", std::string(name(has))}};
    if (used && *used > has)
      add("blas.missing_instructions", values, Grade::unusable);
    else if (wanted && !is_core(*wanted, machine_.blas.core))
      add("blas.unknown_core", values); // OpenBLAS then chooses as if nothing had been asked for
    else if (used && *used < has)
      add(wanted ? "blas.weaker_core" : "blas.old", values);
    for (const char* name : {"OPENBLAS_L2_SIZE", "OPENBLAS_BLOCK_FACTOR"})
      if (const auto value = variable(name)) add("blas.blocks", {{"name", name}, {"value", *value}});
  }

  void memory() {
    constexpr double full_model =
        1e9; // what make_model's size takes for 8 × (64 + 64) tokens: docs/testing.md
    const std::map<std::string, std::string> values = {
        {"free", format_bytes(machine_.free_memory)},
        {"workspace", format_bytes(static_cast<double>(blas_workspace_bytes()))},
        {"model", format_bytes(full_model)}};
    if (machine_.free_memory < static_cast<double>(blas_workspace_bytes()))
      add("memory.workspace", values, Grade::unusable);
    else if (machine_.free_memory < full_model)
      add("memory.little", values);
  }

  /// Set to something: OpenBLAS and tfx take an empty variable as none.
  std::optional<std::string> variable(const char* name) const {
    const auto found = machine_.environment.find(name);
    if (found == machine_.environment.end() || found->second.empty()) return {};
    return found->second;
  }

  void add(const char* id, std::map<std::string, std::string> values = {}, Grade grade = Grade::slower) {
    warnings_.push_back({id, grade, std::move(values)});
  }

  const Machine& machine_;
  std::vector<MachineWarning> warnings_;
};

} // namespace

std::vector<MachineWarning> warnings_of(const Machine& machine) {
  return Judgement(machine).all();
}

std::string_view name(Vectors vectors) {
  switch (vectors) {
  case Vectors::avx: return "AVX";
  case Vectors::avx2: return "AVX2";
  case Vectors::avx512: return "AVX-512";
  case Vectors::baseline: break;
  }
  return "SSE2";
}

} // namespace tfx
