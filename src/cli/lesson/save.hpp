#pragma once
// --save FILE: every tensor of a run as .npz, .json or .html, one tensor as .csv.

#include "cli/context.hpp"
#include "render/terminal.hpp"

#include <functional>
#include <string>

namespace tfx {

/// The extension decides the format. A .csv takes the one tensor in `screen.only`, else the lesson's main
/// one; a .html is about the command that `screen` names. Throws Error(usage) for another extension,
/// and what writing throws.
/// A .json is what --json prints: `json`, where the command has a document of its own, else the trace.
void save_trace(const Trace& trace, const std::string& path, const Screen& screen, const Context& context,
                const std::function<std::string()>& json = {});

/// `name` itself; Error(usage) with a suggestion and the list where the run has no such tensor.
std::string tensor_named(const Trace& trace, const std::string& name);

} // namespace tfx
