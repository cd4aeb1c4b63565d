#pragma once
// A learner's program in C++, compiled. Armadillo's headers are most of that work, and the same each time:
// they are compiled once and kept in the cache ($XDG_CACHE_HOME/tfx, else ~/.cache/tfx; 170 MB with GCC 12).
// A cache that is not there, broken or full is no error: it only takes longer.

#include "cli/grade/program.hpp"

#include <string>

namespace tfx {

struct CppSource {
  std::string name, text;  ///< the file stands under that name in `folder`
  std::string folder;      ///< where the compiler runs and leaves the program
  std::string own_headers; ///< a folder for #include "…" too, or empty
};

struct Compiled {
  ProgramEnd end;
  std::string compiler; ///< what was started
  std::string program;  ///< what it made, where `end` is well
};

/// With $CXX, or c++.
Compiled compiled(const CppSource& source, const ProgramLimits& limits, const StopSignals& signals);

} // namespace tfx
