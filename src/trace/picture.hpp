#pragma once
// The first picture of a page: its idea, in bars with the learner's words on the rows, before the tensors.

#include <string>
#include <vector>

namespace tfx {

/// A part of a bar: how much of the column's width it takes, and whether it is drawn light.
struct Stretch {
  double share = 0; ///< 0 … 1; those of a bar sum to 1 at most
  bool is_light = false;
};

struct PictureBar {
  std::vector<Stretch> stretches = {};
  std::string text = {}; ///< behind the bar
};

struct PictureRow {
  std::string name = {};
  std::vector<PictureBar> bars = {}; ///< one a column
};

/// The words "idea" of the lesson stand above it, "idea.so" below.
struct BarPicture {
  std::vector<std::string> columns =
      {}; ///< what heads them, where the lesson has words "column." of it these
  std::vector<PictureRow> rows = {};
};

} // namespace tfx
