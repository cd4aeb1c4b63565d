// npz files: the archive, and the npy files in it.
#include "io/npz.hpp"
#include "fuzz.hpp"
#include "io/known_programs.hpp"

namespace tfx::fuzz {

void one_input(std::string_view bytes) {
  (void)read_or_refuse("x.npz", [&] { // with what is not read among them
    const TensorFile file("x.npz", std::string(bytes));
    return program_of(file.entries()).has_value() || !tied_tables(file).empty();
  });
  const auto arrays = read_or_refuse("x.npz", [&] { return read_npz(bytes, "x.npz"); });
  if (!arrays) return;
  const NpzReader reader(bytes, "x.npz");
  std::vector<NpzEntry> entries;
  for (const NamedArray& one : *arrays) {
    require(reader.has(one.name), "a name is known by which an array came");
    require(reader.header(one.name).shape == one.array.values.shape, "the header has the shape of the array");
    entries.push_back({one.name, &one.array.values});
  }
  const std::string written = write_npz(entries);
  const std::vector<NamedArray> again = read_npz(written, "x.npz");
  require(again.size() == arrays->size(), "as many arrays come back");
  for (std::size_t i = 0; i < again.size(); ++i) {
    require(again[i].name == entries[i].name, "the names come back in order");
    require(same(again[i].array.values, *entries[i].values), "the values come back");
  }
}

} // namespace tfx::fuzz
