#pragma once
// The command line: parses, runs one command, prints its output, and turns every error into a message and a
// status.

namespace tfx {

struct Context;

/// The notes that there are, to stderr now: what cannot wait until the command has ended.
void write_notes(Context& context);

/// The exit status (see core/error.hpp). Never throws.
int run_app(int argc, char** argv);

} // namespace tfx
