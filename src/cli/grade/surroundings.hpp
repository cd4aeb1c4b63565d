#pragma once
// What a program of somebody else's finds around it: a folder, and an environment that does not say where tfx
// is, what else is graded and where.

#include <string>
#include <vector>

namespace tfx {

struct Surroundings {
  std::string scratch;       ///< the folder for its temporary files
  bool is_in_scratch = true; ///< it runs there; else where tfx runs
  std::string modules;       ///< a folder whose modules Python finds too, or empty
};

/// tfx's own environment, "NAME=value", without what is of tfx (TFX_…), of the shell that started it and,
/// where the program runs elsewhere, of the folder where tfx runs. TMPDIR is the scratch folder. PATH has no
/// folder that has a tfx, but for those of the system, where everything else is too.
std::vector<std::string> environment_in(const Surroundings& surroundings);

/// The command as it is to be said in another folder: a program that is given by its path keeps it.
std::vector<std::string> command_in(const Surroundings& surroundings, std::vector<std::string> command);

/// A new folder that nobody else can read, removed with all that is in it.
class PrivateFolder {
public:
  /// Throws Error(cannot_write).
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

private:
  std::string path_;
};

} // namespace tfx
