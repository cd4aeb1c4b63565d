#include "cli/bpe/options.hpp"

#include "text/suggest.hpp"
#include "tokens/byte_pair_files.hpp"

#include <algorithm>

namespace tfx {

namespace {

bool learns(const BpeAction& action) {
  return action == BpeAction::train;
}
bool merges(const BpeAction& action) {
  return learns(action) || action == BpeAction::page;
}
bool applies(const BpeAction& action) {
  return action == BpeAction::encode || action == BpeAction::decode;
}
bool cuts(const BpeAction& action) {
  return action == BpeAction::encode || action == BpeAction::page;
}
bool joins(const BpeAction& action) {
  return action == BpeAction::decode;
}

} // namespace

const std::vector<std::string>& bpe_actions() {
  static const std::vector<std::string> names{"train", "encode", "decode"}; // in the order of the enum
  return names;
}

const std::vector<Option<BpeOptions, BpeAction>>& bpe_options() {
  using O = BpeOptions;
  using Row = Option<O, BpeAction>;
  static const std::vector<Row> table{
      Row("--merges", &O::merges, value::count(1, max_merges)).when(merges),
      Row("--out", &O::out, value::text("FILE.txt")).when(learns).described("bpe--out"),
      Row("--vocab-out", &O::vocab_out, value::text("FILE.json")).when(learns),
      Row("--all", &O::all).when(learns).described("bpe--all"),
      Row("--text", &O::text, value::text("TEXT")).when(cuts).described("bpe--text"),
      Row("--ids", &O::ids, value::ids()).when(joins).described("bpe--ids"),
      Row("--file", &O::lines, value::text("FILE"))
          .when(applies)
          .without({"--text", "--ids"})
          .described("bpe--file"),
      Row("--vocab", &O::vocab, value::text("FILE.json")).when(applies).described("bpe--vocab"),
      Row("--json", &O::json).without({"--file"})};
  return table;
}

BpeAction bpe_action(const BpeOptions& o) {
  const auto& names = bpe_actions();
  const auto found = std::ranges::find(names, o.action);
  if (found == names.end() && !o.action.empty())
    throw usage_error(
        "bpe_action",
        {{"name", o.action}, {"near", suggestion(nearest(o.action, names))}, {"names", alternatives(names)}});
  const auto action = static_cast<BpeAction>(found - names.begin());
  if (const auto* row = first_unfit(bpe_options(), o, action))
    throw usage_error("bpe_option", {{"name", row->name}, {"action", o.action.empty() ? "step" : o.action}});
  const auto require = [&](bool given, const std::vector<std::string>& options) {
    if (!given) throw usage_error("bpe_needs", {{"action", o.action}, {"options", alternatives(options)}});
  };
  if (action == BpeAction::page) return action;
  if (o.file.empty())
    throw usage_error("missing", {{"command", "tfx bpe"},
                                  {"help", "tfx bpe --help"},
                                  {"name", "FILE"},
                                  {"what", in_words("bpe.file")}});
  if (action == BpeAction::train) require(o.merges.has_value(), {"--merges N"});
  if (action == BpeAction::encode) require(o.text || o.lines, {"--text TEXT", "--file FILE"});
  if (action == BpeAction::decode) require(o.ids || o.lines, {"--ids 1,2,3", "--file FILE"});
  return action;
}

} // namespace tfx
