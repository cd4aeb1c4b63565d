#include "exercise/explanation.hpp"

#include "core/error.hpp"
#include "judge/counted.hpp"
#include "judge/instead.hpp"
#include "judge/other_options.hpp"
#include "lessons/run.hpp"
#include "text/names.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace tfx {

namespace {

// What makes two observations of different cases the same: numbers and places are a case's own.
std::string key_of(const Observation& one) {
  std::string key = one.id;
  for (const char* name : {"how", "where", "of", "name", "meaning", "order"})
    if (const auto fact = one.facts.find(name); fact != one.facts.end() && one.id != "rows_reordered")
      key += " " + std::get<std::string>(fact->second);
  return key;
}

bool says_a_cause(const Observation& one) {
  return kind_of(one).says_what_was_done || says_all(one);
}

std::string key_of(const Instead& one) {
  return join(one.steps) + " = " + one.formula;
}

// Mistakes of a case, and how far the others agree.
struct Account {
  Diagnosis diagnosis;
  std::size_t told = 0;  // the case
  std::size_t wrong = 0; // how many of the wrong cases it explains
};

// "3/4", "2", "−1"; empty where it is no fraction of small numbers.
std::string fraction_of(double value) {
  for (const int below : {1, 2, 3, 4, 5, 6, 8, 10, 12}) {
    const double above = value * below, whole = std::round(above);
    if (whole == 0 || std::abs(whole) > 100 || std::abs(above - whole) > 1e-9 * std::abs(above)) continue;
    const std::string number = std::to_string(std::abs(static_cast<int>(whole)));
    return (whole < 0 ? "−" : "") + number + (below == 1 ? "" : "/" + std::to_string(below));
  }
  return "";
}

class Inquiry {
public:
  Inquiry(Grading& grading, const Exercise& exercise, const std::vector<Case>& series)
      : grading_(grading), cases_(grading.cases), exercise_(exercise), series_(series) {
    for (std::size_t i = 0; i < series.size(); ++i)
      if (!cases_[i].pass() && cases_[i].wrong()) wrong_.push_back(i);
  }

  void explain() {
    grading_.told = grading_.first_wrong;
    if (wrong_.empty()) return; // nothing came back, or not all that was asked for
    for (const std::size_t i : wrong_) seen_[i] = observed(i);
    drop_accidents();
    Account account = by_mistakes();
    grading_.told = account.told;
    const bool sure = account.diagnosis.confidence == Confidence::sure;
    const bool blocked_rows = std::ranges::all_of(wrong_, [&](std::size_t i) {
      return std::ranges::count(seen_[i], "blocked_rows", &Observation::id) > 0;
    });
    if (const auto option = sure || blocked_rows ? std::nullopt : option_of()) {
      return tell_alone({"option", {{"option", *option}, {"of", std::string("exercise")}}});
    }
    if (!is_known(account.diagnosis) && (told_of_counts() || told_of_factor())) return;
    const Seen best = most_seen();
    if (!is_known(account.diagnosis) && best.votes > account.wrong) {
      account.diagnosis = {};
      grading_.told = best.told;
    }
    grading_.diagnosis = std::move(account.diagnosis);
    grading_.observations = seen_[*grading_.told];
    const std::size_t explained = best.says_all ? best.votes : 0;
    if (!is_known(grading_.diagnosis) && 2 * explained <= wrong_.size())
      add_formulas(std::max(account.wrong, explained));
    drop_what_is_known(grading_.observations, grading_.diagnosis);
    if (std::ranges::count(grading_.observations, "blocked_rows", &Observation::id)) grading_.diagnosis = {};
  }

private:
  const CheckedTensor& wrong_of(std::size_t i) const { return *cases_[i].wrong(); }

  static bool is_known(const Diagnosis& diagnosis) {
    return diagnosis.confidence == Confidence::sure || diagnosis.doubt == Doubt::several;
  }

  // What is right there; what was given out as it is says nothing.
  std::vector<std::string> right_ones(std::size_t i) const {
    std::vector<std::string> names;
    for (const CheckedTensor& own : cases_[i].tensors)
      if (own.difference.equal() && own.name != cases_[i].convention &&
          !series_[i].run.step_named(own.name).operation.is(op::given))
        names.push_back(own.name);
    return names;
  }

  double bits_of(std::size_t i) const {
    const CheckedTensor& wrong = wrong_of(i);
    return evidence(wrong.yours, series_[i].run[wrong.name], wrong.tolerance);
  }

  // Numbers enough for what explains the others to show itself.
  bool is_telling(std::size_t i) const {
    const std::vector<double>& yours = wrong_of(i).yours.data;
    return bits_of(i) >= enough_evidence &&
           std::ranges::all_of(yours, [](double x) { return !std::isnan(x); });
  }

  std::vector<Observation> observed(std::size_t i) const {
    const CheckedTensor& wrong = wrong_of(i);
    std::vector<Observation> seen = observations(series_[i].run, wrong.name, wrong.yours, wrong.tolerance);
    std::erase_if(seen, [](const Observation& one) {
      return one.id == "shape_of" || one.id == "input"; // no result is given to the learner
    });
    return seen;
  }

  std::size_t votes_of(const std::string& key) const {
    std::size_t votes = 0;
    for (const auto& [i, seen] : seen_)
      votes += std::ranges::any_of(seen, [&](const Observation& one) { return key_of(one) == key; });
    return votes;
  }

  // What one case shows, and none of the others that could.
  void drop_accidents() {
    std::map<std::size_t, std::vector<Observation>> kept = seen_;
    for (auto& [i, seen] : kept)
      std::erase_if(seen, [&, at = i](const Observation& one) {
        return says_a_cause(one) && votes_of(key_of(one)) == 1 &&
               std::ranges::any_of(wrong_,
                                   [&](std::size_t other) { return other != at && is_telling(other); });
      });
    seen_ = std::move(kept);
  }

  // A count that differs by the same parts in every case.
  bool told_of_counts() {
    const std::string& tensor = wrong_of(wrong_.front()).name;
    std::vector<CountedOtherwise> common;
    for (const std::size_t i : wrong_) {
      const CheckedTensor& wrong = wrong_of(i);
      if (wrong.name != tensor || wrong.yours.size() != 1) return false;
      std::vector<CountedOtherwise> found = counted_otherwise(series_[i].run, tensor, wrong.yours.data[0]);
      if (i != wrong_.front())
        std::erase_if(common, [&](const CountedOtherwise& one) { return !std::ranges::count(found, one); });
      else
        common = std::move(found);
    }
    if (wrong_.size() < 2 || common.empty()) return false;
    const std::string how = common.front().more ? "twice" : "left_out";
    std::vector<std::string> places; // as large here as there
    for (const CountedOtherwise& one : common)
      if (one.parts == common.front().parts && !one.place.empty()) places.push_back(one.place);
    std::string parts = common.front().parts;
    if (!common.front().place.empty()) parts += " (" + join(places, " | ") + ")";
    tell_alone({"counted", {{"how", how}, {"parts", parts}}});
    return true;
  }

  // A number that is the lesson's times the same factor in every case: of one case every number is.
  bool told_of_factor() {
    const std::string& tensor = wrong_of(wrong_.front()).name;
    std::optional<double> factor;
    for (const std::size_t i : wrong_) {
      const CheckedTensor& wrong = wrong_of(i);
      const Tensor& right = series_[i].run[tensor];
      if (wrong.name != tensor || wrong.yours.size() != 1 || right.size() != 1) return false;
      const double own = wrong.yours.data[0] / right.data[0];
      if (!std::isfinite(own) ||
          std::abs(own - factor.value_or(own)) > 10 * wrong.tolerance.relative * std::abs(own))
        return false;
      if (!factor) factor = own;
    }
    if (wrong_.size() < 2) return false;
    tell_alone({"factor", {{"value", *factor}, {"meaning", fraction_of(*factor)}}});
    return true;
  }

  void tell_alone(Observation seen) {
    grading_.told = wrong_.front();
    grading_.diagnosis = {};
    grading_.observations = {std::move(seen)};
  }

  struct Seen {
    std::size_t votes = 0, told = 0;
    bool says_all = false;
  };

  // The cause that most of the wrong cases show, and the first of them.
  Seen most_seen() const {
    Seen best;
    for (const std::size_t i : wrong_)
      for (const Observation& one : seen_.at(i))
        if (says_a_cause(one))
          if (const std::size_t votes = votes_of(key_of(one)); votes > best.votes)
            best = {votes, i, says_all(one)};
    return best;
  }

  // What was returned for the case, right or wrong, and the mistakes do not give.
  std::vector<std::string> contradicting(const Suspect& suspect, std::size_t i) const {
    const Case& one = series_[i];
    const WrongRun run = run_wrong(one.run, suspect.made, suspect.at);
    std::vector<std::string> names;
    for (const CheckedTensor& own : cases_[i].tensors)
      // Nor is a mistake made in what was given out as it is: the greedy answer of a whole model.
      if (own.name != cases_[i].convention && !one.run.step_named(own.name).operation.is(op::given) &&
          !gives(run, own))
        names.push_back(own.name);
    return names;
  }

  // What the wrong cases say together for the suspects, each by its first wrong tensor.
  bool is_evidence_enough(const std::vector<Suspect>& suspects) const {
    double bits = 0;
    std::size_t different = 0;
    for (const std::size_t i : wrong_) bits += bits_of(i), different += wrong_of(i).difference.different;
    const bool pairs =
        std::ranges::any_of(suspects, [](const Suspect& suspect) { return suspect.made.size() > 1; });
    return bits >= enough_evidence * (pairs ? 2 : 1) && different > 1;
  }

  Account by_mistakes() const {
    Account account = account_of(wrong_.front());
    if (account.diagnosis.confidence == Confidence::sure) return account;
    // Of the others the one that says most.
    std::vector<std::size_t> others(wrong_.begin() + 1, wrong_.end());
    std::erase_if(others, [&](std::size_t i) { return !is_telling(i); });
    if (others.empty()) return account;
    Account other =
        account_of(*std::ranges::max_element(others, {}, [&](std::size_t i) { return bits_of(i); }));
    return other.wrong > account.wrong ? other : account;
  }

  // Of mistakes that give the first wrong array of the case alike, those that explain the case, and of them
  // those that explain most cases. Sure is only one that explains all of them, right and wrong.
  Account account_of(std::size_t told) const {
    const CheckedTensor& wrong = wrong_of(told);
    Diagnosis diagnosis =
        diagnose(series_[told].run, wrong.name, wrong.yours, wrong.tolerance, right_ones(told));
    if (diagnosis.suspects.empty() || diagnosis.doubt == Doubt::rounding)
      return {diagnosis, told, diagnosis.suspects.empty() ? 0U : 1U};
    struct Judged {
      Suspect suspect;
      std::vector<std::string> fits, contradicts; // ids of cases
      std::vector<std::string> in_told;           // tensors of the told case that it does not give
      std::size_t wrong = 0;
    };
    std::vector<Judged> judged;
    for (Suspect& suspect : diagnosis.suspects) {
      Judged one{std::move(suspect), {}, {}, {}};
      for (std::size_t i = 0; i < series_.size(); ++i) {
        if (cases_[i].is_empty()) continue;
        const auto against = contradicting(one.suspect, i);
        if (i == told) one.in_told = against;
        (against.empty() ? one.fits : one.contradicts).push_back(cases_[i].id);
        one.wrong += against.empty() && std::ranges::count(wrong_, i);
      }
      judged.push_back(std::move(one));
    }
    const Judged best = *std::ranges::max_element(
        judged, {}, [](const Judged& one) { return std::pair(one.in_told.empty(), one.fits.size()); });
    diagnosis.suspects.clear();
    for (Judged& one : judged)
      if (one.fits == best.fits && one.in_told == best.in_told)
        diagnosis.suspects.push_back(std::move(one.suspect));
    diagnosis.doubt = !best.in_told.empty()                     ? Doubt::other_tensors
                      : !best.contradicts.empty()               ? Doubt::other_cases
                      : diagnosis.suspects.size() > 1           ? Doubt::several
                      : !is_evidence_enough(diagnosis.suspects) ? Doubt::few_numbers
                                                                : Doubt::none;
    if (diagnosis.doubt == Doubt::other_tensors) diagnosis.contradicts = best.in_told;
    if (diagnosis.doubt == Doubt::other_cases)
      diagnosis.fits = best.fits, diagnosis.contradicts = best.contradicts;
    diagnosis.confidence = diagnosis.doubt == Doubt::none ? Confidence::sure : Confidence::perhaps;
    return {std::move(diagnosis), told, best.wrong};
  }

  bool gives_all_of(const Case& other, std::size_t i) const {
    return std::ranges::all_of(cases_[i].tensors, [&](const CheckedTensor& own) {
      const Step* step = other.run.find(own.name);
      const auto yours = step ? fitted(own.yours, step->value.shape) : std::nullopt;
      return yours && equal_within(*yours, step->value, own.tolerance);
    });
  }

  // What was given stays what it is; then all that came back is right.
  bool is_right_of(const std::vector<Case>& others) const {
    bool computed = false;
    for (std::size_t i = 0; i < others.size(); ++i) {
      for (const Slot& slot : exercise_.given)
        if (slot.is_number() ? others[i].number(slot) != series_[i].number(slot)
                             : !slot.is_parameters() && others[i].run[slot.name] != series_[i].run[slot.name])
          return false;
      if (!gives_all_of(others[i], i)) return false;
      computed |= std::ranges::any_of(cases_[i].tensors, [&](const CheckedTensor& own) {
        return !others[i].run.step_named(own.name).operation.is(op::given);
      });
    }
    return computed;
  }

  // The option of the lesson with which every case is right.
  std::optional<std::string> option_of() const {
    if (exercise_.own || exercise_.is_model()) return {};
    for (const OtherOptions& other :
         other_options(series_.front().rule->options(), find_lesson(exercise_.name))) {
      Exercise asked = exercise_;
      asked.series.clear();
      for (const Case& one : series_) {
        asked.series.push_back(*one.rule);
        asked.series.back().typed += " " + other.typed;
      }
      try {
        Exercise first = asked;
        first.series = {asked.series[wrong_.front()]};
        if (!is_right_there(first, wrong_.front())) continue;
        if (is_right_of(series_of(asked, series_.front().seed))) return other.typed;
      } catch (const Error&) { // options that do not go together
      }
    }
    return {};
  }

  // Most options are ruled out by one case.
  bool is_right_there(const Exercise& asked, std::size_t i) const {
    return gives_all_of(series_of(asked, series_[i].seed).front(), i);
  }

  // Formulas in the place of a step that explain more of the wrong cases than the mistakes do, and no right
  // one's contrary.
  void add_formulas(std::size_t beaten) {
    struct Candidate {
      Instead formula;
      std::vector<std::size_t> fits;
    };
    constexpr std::size_t searched = 3, most = 40, shown = 2;
    std::vector<std::size_t> telling = wrong_;
    std::erase_if(telling, [&](std::size_t i) { return !is_telling(i); });
    // Zeros and ones say little each: then nothing may speak against it.
    const bool faint = telling.empty();
    if (faint) telling = wrong_;
    // The told one first, then those that say most.
    std::ranges::stable_sort(telling, std::greater<>(),
                             [&](std::size_t i) { return std::pair(i == *grading_.told, bits_of(i)); });
    std::vector<Candidate> best;
    std::set<std::string> judged;
    for (std::size_t k = 0; k < std::min(searched, telling.size()); ++k) {
      const CheckedTensor& wrong = wrong_of(telling[k]);
      std::vector<Instead> found = instead_of_steps(series_[telling[k]].run, wrong.name, wrong.yours,
                                                    wrong.tolerance, right_ones(telling[k]), most);
      std::erase_if(found, [&](const Instead& one) { return !judged.insert(key_of(one)).second; });
      for (std::size_t f = 0; f < found.size(); ++f) {
        Candidate one{found[f], {}};
        std::size_t against = 0;
        for (std::size_t i = 0; i < series_.size(); ++i) {
          if (cases_[i].is_empty()) continue;
          const bool is_wrong = std::ranges::count(wrong_, i) > 0;
          const Fit fit = is_wrong ? fit_of(found[f], series_[i].run, wrong_of(i).name, wrong_of(i).yours,
                                            wrong_of(i).tolerance, right_ones(i))
                          : cases_[i].pass()
                              ? fit_of(found[f], series_[i].run, right_ones(i), tolerance_of_case(i))
                              : Fit::unknown;
          if (fit == Fit::gives_it && is_wrong) one.fits.push_back(i);
          against += fit == Fit::gives_another;
        }
        if (faint ? against > 0 || one.fits.size() < wrong_.size() : one.fits.size() <= against) continue;
        if (one.fits.size() <= beaten) continue;
        // Beside a mistake that explains most of them only what explains all is said.
        if (against > 0 && 2 * beaten > wrong_.size()) continue;
        if (!best.empty() && one.fits.size() > best.front().fits.size()) best.clear();
        if (best.empty() || one.fits.size() == best.front().fits.size()) best.push_back(std::move(one));
      }
      if (!best.empty() && 2 * best.front().fits.size() > wrong_.size()) break;
    }
    if (best.empty()) return;
    // A mistake that explains most of the cases has advice: it stays, as a perhaps, beside the formula.
    if (2 * beaten <= wrong_.size()) grading_.diagnosis = {}, grading_.told = best.front().fits.front();
    grading_.observations = seen_[*grading_.told];
    std::vector<Observation> said;
    for (const Candidate& one : best)
      if (said.size() < shown && std::ranges::count(one.fits, *grading_.told))
        said.push_back({"instead",
                        {{"steps", join(one.formula.steps)},
                         {"formula", one.formula.formula},
                         {"lessons", one.formula.lessons}}});
    grading_.observations.insert(grading_.observations.begin(), said.begin(), said.end());
  }

  Tolerance tolerance_of_case(std::size_t i) const { return cases_[i].tensors.front().tolerance; }

  Grading& grading_;
  const std::vector<GradedCase>& cases_;
  const Exercise& exercise_;
  const std::vector<Case>& series_;
  std::vector<std::size_t> wrong_;
  std::map<std::size_t, std::vector<Observation>> seen_; // of each wrong case
};

} // namespace

void explain(Grading& grading, const Exercise& exercise, const std::vector<Case>& series) {
  Inquiry(grading, exercise, series).explain();
}

} // namespace tfx
