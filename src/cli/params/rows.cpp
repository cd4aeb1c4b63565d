#include "cli/params/rows.hpp"

#include "text/utf8.hpp"

namespace tfx {

using namespace params;

namespace {

class ModuleRows {
public:
  explicit ModuleRows(By by) : by_(by) {}

  void below(const Module& parent, const std::string& prefix, std::size_t indent, std::uint64_t times) {
    own_tensors(parent, prefix, indent, times);
    for (std::size_t i = 0; i < parent.children.size();) {
      const Module& child = parent.children[i];
      const std::string name = join(prefix, child.name);
      if (child.kind == ModuleKind::group && indent == 0) {
        below(child, name, indent, times);
        ++i;
        continue;
      }
      const std::size_t alike = folded(parent, i);
      const std::string last = parent.children[i + alike - 1].name;
      add(alike > 1 ? name + " … " + last.substr(last.rfind('.') + 1) : name, indent, totals(child),
          times * alike);
      if (child.kind == ModuleKind::layer && by_ == By::module && indent == 0) below(child, "", 2, alike);
      i += alike;
    }
  }

  std::vector<ModuleRow> take() { return std::move(rows_); }

private:
  void add(const std::string& name, std::size_t indent, const Totals& sum, std::uint64_t times) {
    rows_.push_back({escape_controls(name), indent, sum, times});
  }

  void own_tensors(const Module& module, const std::string& prefix, std::size_t indent, std::uint64_t times) {
    for (const TensorSpec& tensor : module.tensors)
      add(join(prefix, tensor.name), indent, totals(Module{"", ModuleKind::unit, {tensor}}), times);
  }

  /// How many layers from child i on are equal; 1 where layers are not folded.
  std::size_t folded(const Module& parent, std::size_t i) const {
    const Module& first = parent.children[i];
    std::size_t alike = 1;
    if (first.kind != ModuleKind::layer || by_ != By::module) return alike;
    while (i + alike < parent.children.size() && equal_but_for_name(first, parent.children[i + alike]))
      ++alike;
    return alike;
  }

  By by_;
  std::vector<ModuleRow> rows_;
};

} // namespace

std::vector<ModuleRow> module_rows(const Module& root, By by) {
  ModuleRows rows(by);
  rows.below(root, "", 0, 1);
  return rows.take();
}

std::string formula_of(const Figure& figure, std::uint64_t times) {
  if (!figure.is_symbolic()) return "";
  const std::string one = figure.formula();
  if (one.find(" + ") == std::string::npos) return (figure * times).formula();
  return times == 1 ? one : std::to_string(times) + "·(" + one + ")";
}

} // namespace tfx
