#pragma once
// What a shell can offer where a value or an argument of a command is expected, and `tfx complete`, which the
// shells ask for it (tools/completion).

#include <string>
#include <vector>

namespace tfx {

struct Offer {
  std::vector<std::string> words;
  bool files = false, folders = false;
};

/// For a value of the type "en|zh", "FILE|NAME": words that stand for themselves, and value names in
/// capitals.
Offer offer_of_value(const std::string& command, const std::string& option, const std::string& type);

/// For the argument that `command` calls `name`; `type` is "FILE" where it names one.
Offer offer_of_argument(const std::string& command, const std::string& name, const std::string& type);

} // namespace tfx
