#pragma once
// `tfx errata`: what the tutorials got wrong.

#include "lessons/errata/erratum.hpp"
#include "render/style.hpp"
#include "render/terminal.hpp"
#include "words/in_words.hpp"

#include <string>
#include <vector>

namespace tfx {

// The screens of `tfx errata`: all in a line each, or each with both forms; and the same as JSON.

/// An erratum that has been run.
struct Executed {
  const errata::Erratum* erratum;
  errata::Findings findings;
};

enum class ErrataForm { lines, whole };

std::string render_errata(const std::vector<Executed>& items, ErrataForm form, const Screen& screen,
                          const Words& words, const Style& style);

/// The sentences are the words', with the numbers in full.
std::string errata_json(const std::vector<Executed>& items, const Words& words);

} // namespace tfx
