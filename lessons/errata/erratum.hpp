#pragma once
// A line of a tutorial that its own numbers contradict: as the page has it and as it should be, both
// executed, and one check of both. The words (en.md, zh.md) are keyed by the id; each tutorial has its own
// list.

#include "trace/trace.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tfx::errata {

/// What running both forms gave.
struct Findings {
  /// One thing measured of both. Its name is a key of the words ("measure.NAME"); the words quote it as
  /// {page.NAME} and {instead.NAME}.
  struct Measure {
    std::string name;
    Fact page, instead;
  };
  std::vector<Measure> measures;
  std::map<std::string, Fact> facts; ///< what else the words quote

  /// Whether each form passes the check; neither is set where the line can only be read.
  std::optional<bool> page_passes, instead_passes;

  void measure(const std::string& name, Fact page, Fact instead) {
    measures.push_back({name, std::move(page), std::move(instead)});
  }

  /// The same check of what the page's form and the other gave.
  template <class Value, class Check>
  void verdict(const Value& page, const Value& instead, const Check& check) {
    page_passes = check(page), instead_passes = check(instead);
  }

  bool executed() const { return instead_passes.has_value(); }
  /// What the exit status asks: the form to write instead holds, wherever it can be run.
  bool holds() const { return !executed() || *instead_passes; }
};

/// Of a line that can only be read: nothing was run.
inline Findings read_only() {
  return {};
}

struct Erratum {
  const char* id;       ///< "softmax_overflow"
  const char* tutorial; ///< "fun-transformer"
  Findings (*run)();
};

/// All of them, tutorial by tutorial, in the order of their pages.
const std::vector<Erratum>& all();

/// The tutorials that have any, in order.
std::vector<std::string> tutorials();

// The errata of each tutorial; erratum.cpp puts them together.

std::vector<Erratum> of_fun_transformer();
std::vector<Erratum> of_scaled_dot_product();
std::vector<Erratum> of_attention_block();          ///< the block and its weights
std::vector<Erratum> of_attention_block_training(); ///< loss, backward, measurements
std::vector<Erratum> of_annotated();                ///< what it says about attention and the layer
std::vector<Erratum> of_annotated_code();           ///< how its classes fit together
std::vector<Erratum> of_happy_llm();                ///< what it says
std::vector<Erratum> of_happy_llm_code();           ///< its class

} // namespace tfx::errata
