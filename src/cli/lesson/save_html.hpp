#pragma once
// --save FILE.html: a run as an HTML document.

#include "cli/context.hpp"
#include "render/html/document.hpp"
#include "render/terminal.hpp"

namespace tfx {

/// The run of a lesson as a whole document.
std::string html_of_run(const Trace& trace, const Screen& screen, const Context& context);

/// The sections as a whole document that begins in the run's language.
std::string document_of(const Both& title, const Html& sections);

} // namespace tfx
