#include "cli/save.hpp"

#include "core/error.hpp"
#include "io/csv.hpp"
#include "io/file.hpp"
#include "io/npz.hpp"
#include "render/json.hpp"
#include "text/suggest.hpp"

#include <filesystem>

namespace tfx {

std::string tensor_named(const Trace& trace, const std::string& name) {
  std::vector<std::string> names;
  std::string list;
  for (const Step& step : trace.steps) {
    if (step.name == name) return name;
    names.push_back(step.name);
    list += (list.empty() ? "" : ", ") + step.name;
  }
  const auto near = nearest(name, names);
  throw Error(ErrorKind::usage,
              "lesson " + trace.lesson + " has no tensor \"" + name + "\"" +
                  (near ? "; did you mean " + *near + "?" : ""),
              "it has: " + list);
}

namespace {

std::string csv_of(const Trace& trace, const std::set<std::string>& only, const std::string& path) {
  if (only.size() > 1)
    throw Error(ErrorKind::usage, path + ": a .csv file holds one tensor",
                "name one: --show " + trace.main + " --save " + path);
  const Step& step = *trace.find(only.empty() ? trace.main : *only.begin());
  if (step.value.rank() > 2)
    throw Error(ErrorKind::usage,
                path + ": " + step.name + " has shape " + to_string(step.value.shape) +
                    "; a .csv file holds a matrix",
                "save it as .npz or .json");
  return write_csv(step.value);
}

} // namespace

void save_trace(const Trace& trace, const std::string& path, const std::set<std::string>& only,
                bool with_time) {
  const std::string kind = std::filesystem::path(path).extension().string();
  if (kind == ".npz") {
    std::vector<NpzEntry> entries;
    for (const Step& step : trace.steps) entries.push_back({step.name, &step.value});
    write_file_atomically(path, write_npz(entries));
  } else if (kind == ".json") {
    write_file_atomically(path, render_json(trace, {with_time, {}}));
  } else if (kind == ".csv") {
    write_file_atomically(path, csv_of(trace, only, path));
  } else if (path.empty()) {
    write_file_atomically(path, {}); // says so
  } else {
    throw Error(ErrorKind::usage, "--save does not know what to write to \"" + path + "\"",
                "end the name in .npz, .json or .csv");
  }
}

} // namespace tfx
