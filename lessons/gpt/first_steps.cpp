#include "lessons/gpt/gpt.hpp"

#include "core/number.hpp"
#include "core/tensor.hpp"
#include "lessons/model/page.hpp"
#include "model/microgpt.hpp"
#include "page/optimizers.hpp"
#include "trace/gradients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

class FirstSteps {
public:
  explicit FirstSteps(const LessonInput& input)
      : spec_(*input.decoder), words_(input.given.step_named(table_).labels[0]) {
    for (const Step& step : input.given.steps)
      if (step.role == Role::parameter) {
        parameters_.emplace(step.name, step.value);
        const Tensor zeros(step.value.shape);
        moments_.emplace(step.name, page::AdamMoments{matrix(zeros), matrix(zeros)});
      }
  }

  /// What a step did to the cell that is watched.
  struct Watched {
    double gradient = 0, m = 0, v = 0, rate = 0, cell = 0;
  };

  struct Done {
    double loss = 0;
    Watched watched;
  };

  Done learn(const std::string& document, std::size_t step) {
    const std::vector<double> ids = ids_of(document);
    const std::size_t n = std::min(ids.size() - 1, spec_.max_len);
    ModelPage page;
    page.spec = spec_, page.parameters = parameters_, page.pad = static_cast<double>(spec_.tgt_vocab);
    page.tgt = Tensor({n}, {ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(n)});
    page.labels = Tensor({n}, {ids.begin() + 1, ids.begin() + 1 + static_cast<std::ptrdiff_t>(n)});
    page.backward = true;
    const Trace run = run_model_page(std::move(page));
    const MicrogptTraining its;
    const auto made = static_cast<double>(step);
    const double rate = its.rate * (1 - made / static_cast<double>(its.steps));
    const page::AdamStep adam{rate, made + 1, its.beta_1, its.beta_2, its.epsilon};
    Done done{run["loss"].data[0], {}};
    for (auto& [name, value] : parameters_) {
      const arma::mat g = matrix(run["d." + name]);
      const page::Adam after = page::adam(matrix(value), g, moments_.at(name), adam);
      value = to_tensor(after.W), moments_.at(name) = after;
      if (name == table_)
        done.watched = {g(watched_, 0), after.m(watched_, 0), after.v(watched_, 0), adam.learning_rate,
                        after.W(watched_, 0)};
    }
    return done;
  }

  /// The mark that starts and ends a document is the last token.
  std::vector<double> ids_of(const std::string& document) const {
    const auto mark = static_cast<double>(words_.size() - 1);
    std::vector<double> ids{mark};
    for (const char letter : document)
      ids.push_back(static_cast<double>(std::ranges::find(words_, std::string(1, letter)) - words_.begin()));
    ids.push_back(mark);
    return ids;
  }

  const std::string& watched_token() const { return words_[watched_]; }

private:
  static constexpr const char* table_ = "tgt_embed.0.lut.weight";
  static constexpr std::size_t watched_ = 0; ///< the first letter's row, the first column

  const ModelSpec& spec_;
  const std::vector<std::string>& words_;
  std::map<std::string, Tensor> parameters_;
  std::map<std::string, page::AdamMoments> moments_;
};

Experiment matrices_of(const LessonInput& input) {
  Experiment all{"matrices", {"rows", "columns", "numbers"}, {}, {}};
  std::vector<double> cells;
  double total = 0;
  for (const Step& step : input.given.steps) {
    if (step.role != Role::parameter) continue;
    const auto rows = static_cast<double>(step.value.shape[0]),
               columns = static_cast<double>(step.value.shape[1]);
    all.rows.push_back(step.name);
    cells.insert(cells.end(), {rows, columns, rows * columns});
    total += rows * columns;
  }
  all.rows.emplace_back("Σ");
  cells.insert(cells.end(), {std::nan(""), std::nan(""), total});
  all.values = Tensor({all.rows.size(), 3}, std::move(cells));
  all.texts.resize(all.rows.size()); // no text: a missing number is a dash
  return all;
}

} // namespace

void add_first_steps(Trace& t, const LessonInput& input) {
  const MicrogptFacts& facts = microgpt_facts();
  const std::size_t count = facts.names.size();
  FirstSteps model(input);
  Experiment documents{"documents", {"pieces", "letters", "asked"}, facts.names, Tensor({count, 2})},
      losses{"first_steps", {"loss", "printed", "apart"}, {}, Tensor({count, 3})},
      adam{"adam", {"gradient", "m", "v", "rate", "cell"}, {}, Tensor({count, 5})};
  double furthest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& document = facts.names[i];
    std::string pieces;
    for (const double id : model.ids_of(document))
      pieces += (pieces.empty() ? "" : " ") + fmt::format("{}", id);
    documents.texts.push_back({pieces});
    documents.values.at({i, 0}) = static_cast<double>(document.size());
    documents.values.at({i, 1}) = static_cast<double>(document.size() + 1);
    const auto [loss, watched] = model.learn(document, i);
    const double printed = facts.losses[i], apart = std::abs(loss - printed);
    furthest = std::max(furthest, apart);
    const std::string row = fmt::format("{} {}", i + 1, document);
    losses.rows.push_back(row), adam.rows.push_back(row);
    for (const auto& [j, x] : {std::pair<std::size_t, double>{0, loss}, {1, printed}, {2, apart}})
      losses.values.at({i, j}) = x;
    const double cells[] = {watched.gradient, watched.m, watched.v, watched.rate, watched.cell};
    for (std::size_t j = 0; j < 5; ++j) adam.values.at({i, j}) = cells[j];
  }
  t.facts["documents"] = with_separators(facts.documents);
  t.facts["first_documents"] = static_cast<double>(count);
  t.facts["watched"] = model.watched_token();
  Experiment matrices = matrices_of(input);
  for (Experiment* one : {&documents, &matrices, &losses, &adam}) t.experiments.push_back(std::move(*one));
  constexpr double digits = 5e-5;                                // four are printed
  t.check_at_most("published_losses", furthest, digits * 1.001); // the last may be rounded
}

} // namespace tfx
