// A table of options given to the parser: rows that name each other.

#include "cli/add_option.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"

#include <CLI/CLI.hpp>

using namespace tfx;

namespace {

struct Flags {
  bool all = false, json = false;
};

using Row = Option<Flags>;

std::string refusal(const std::vector<Row>& rows) {
  CLI::App app("", "tfx");
  Flags flags;
  try {
    add_options(app, rows, flags);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::internal);
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("a row may name one that stands after it, and none that is not there", "[cli]") {
  const Row all("--all", &Flags::all), json("--json", &Flags::json);
  CHECK(refusal({all.without({"--json"}), json}).empty());
  CHECK(refusal({all.beside({"--json"}), json}).empty());
  CHECK(refusal({all.without({"--jsn"}), json}) == "--all names --jsn, which tfx does not have");
  CHECK(refusal({all.beside({"--jsn"}), json}) == "--all names --jsn, which tfx does not have");
}
