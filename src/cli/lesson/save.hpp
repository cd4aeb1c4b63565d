#pragma once
// --save: every tensor of a run as .npz, .json or .html, one tensor as .csv; and what becomes of a Report.

#include "cli/options.hpp"
#include "render/html/document.hpp"
#include "render/html/html.hpp"
#include "render/report.hpp"

#include <functional>
#include <string>

namespace tfx {

// A run as an HTML document, as --save FILE.html writes it, and what tfx report shares with it.

/// The words of a folder, what it quotes of others (words_quoting) and those of HTML documents, in both
/// languages; without a folder, the documents' alone.
BothWords both_words(const std::string& folder = {}, const std::set<std::string>& quoted = {});

/// The sections as a whole document that begins in the run's language.
std::string document_of(const Both& title, const Html& sections);

/// The extension decides the format. A .csv takes the one tensor in `screen.only`, else the lesson's main
/// one; a .html is about the command that `screen` names. Throws Error(usage) for another extension,
/// and what writing throws.
/// A .json is what --json prints, and a .html has the section `html`, where the command has its own, else the
/// trace.
void save_trace(const Trace& trace, const std::string& path, const Screen& screen, const Context& context,
                const std::function<std::string()>& json = {}, const std::function<Html()>& html = {});

/// That a page can be saved there: checked before a run that takes long. Throws Error(usage) for another
/// extension than .html or .json, and what require_writable throws.
void require_page(const std::string& path);

/// Throws as save_trace does.
void save_report(const Report& report, const std::string& path, const Context& context);

/// Saves the report where that is asked for, and puts it out: its page, or its JSON. Throws as save_trace
/// does.
void show(const Report& report, const ShowOptions& options, Context& context);

/// Saves it. What cannot be saved becomes a note, and that error's status.
void save_or_note(const Report& report, const std::string& path, Context& context);

/// The same as show() of a run that took long: a page that cannot be saved leaves the screen.
void show_before_saving(const Report& report, ShowOptions options, Context& context);

/// `name` itself; Error(usage) with a suggestion and the list where the run has no such tensor.
std::string tensor_named(const Trace& trace, const std::string& name);

/// The same of what --show takes: a table's, a check's or a part's name too.
std::string part_named(const Trace& trace, const std::string& name);

} // namespace tfx
