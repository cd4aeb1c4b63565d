#pragma once
// A run as an HTML document, as --save FILE.html writes it, and what tfx report shares with it.

#include "cli/context.hpp"
#include "render/html/bilingual.hpp"
#include "render/html/document.hpp"
#include "render/terminal.hpp"

namespace tfx {

/// The words of a lesson's folder and of HTML documents, in both languages; without a folder, the documents'
/// alone.
BothWords both_words(const std::string& folder = {});

/// The run of a lesson as a whole document.
std::string html_of_run(const Trace& trace, const Screen& screen, const Context& context);

/// The sections as a whole document that begins in the run's language.
std::string document_of(const Both& title, const Html& sections);

} // namespace tfx
