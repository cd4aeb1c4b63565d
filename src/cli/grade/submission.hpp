#pragma once
// A learner's program and how it did: which exercise it is, the command that runs it, what it returned for
// every case of the series, all in one process, and what kept it from returning more.

#include "cli/grade/program.hpp"
#include "exercise/grading.hpp"
#include "exercise/skeleton.hpp"

namespace tfx {

/// What was handed in, and how to run it.
struct Submission {
  std::shared_ptr<const Exercise> exercise;
  std::string name; ///< as the learner calls it: the file, or the command
  std::string file; ///< empty where a command was given
  /// Without the program's own file and the two others at its end; empty for C++, which is compiled first.
  std::vector<std::string> command;
  ProgramLanguage language = ProgramLanguage::numpy; ///< of its advice
  std::string text;                                  ///< of the file: a copy of it is run
  bool sees_neighbours = true; ///< it may import what stands beside its file; not where others handed that in
};

/// A pipe's writer may never come, and what is handed in is read more than once. Throws Error(no_input) for
/// what is neither a file nor one that reading it refuses anyway.
void require_plain_file(const std::string& file);

/// A program by its extension, .py or .cpp; `python` runs the former. Throws Error(no_input) where it cannot
/// be read, Error(bad_data) where it is no exercise, or another one than `exercise`, where that is given.
Submission submission_of(const std::string& file, const std::string& python,
                         std::shared_ptr<const Exercise> exercise = {});

/// "python3 mine.py" as words, quotes kept together; no shell reads it. Throws Error(usage) where nothing is
/// in it.
Submission submission_of(std::shared_ptr<const Exercise> exercise, const std::string& command);

struct Graded {
  enum class Trouble {
    none,
    hole, ///< the line to replace is still there
    not_compiled,
    not_linked, ///< a function that the program calls is not in it, or its main
    no_program, ///< no such interpreter, compiler or program
    no_module,  ///< Python without numpy or torch
    crashed,
    timed_out, ///< it computed too long
    waited,    ///< it did not end, though it hardly computed
    too_large, ///< it took too much memory
    too_many,  ///< it started too many processes
    no_return, ///< its function has no return, or returns no dict
    flooded,
    no_results, ///< it ended well and wrote none
    bad_results ///< what it wrote cannot be read
  };
  Trouble trouble = Trouble::none;
  Message message;     ///< of the program, or of what reads its results
  std::string printed; ///< on its standard output
  Grading grading;
  int interrupted = 0; ///< the signal that ended it all

  bool pass() const { return trouble == Trouble::none && grading.pass(); }
};

/// `series` is the exercise's.
Graded grade(const Submission& submission, const std::vector<Case>& series, const ProgramLimits& limits,
             const StopSignals& signals);

} // namespace tfx
