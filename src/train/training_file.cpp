#include "train/training_file.hpp"

#include "core/error.hpp"
#include "io/file.hpp"
#include "io/message.hpp"
#include "io/safetensors.hpp"
#include "model/checkpoint.hpp"
#include "model/checkpoint_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <filesystem>

#include <fcntl.h>

namespace tfx {

namespace {

constexpr const char *step_key = "train.step", *losses_name = "training.losses",
                     *accuracies_name = "training.accuracies",
                     *held_out_losses_name = "training.held_out_losses",
                     *held_out_scores_name = "training.held_out_scores",
                     *held_out_bits_name = "training.held_out_bits", *m_prefix = "adam.m.",
                     *v_prefix = "adam.v.";

void add(Metadata& metadata, const Metadata& more) {
  metadata.insert(more.begin(), more.end());
}

Metadata metadata_of_model(const TrainingState& state, const TaskFacts& facts) {
  Metadata metadata = metadata_of(state.model.spec);
  add(metadata, metadata_of(card_of(facts)));
  add(metadata, checksum_metadata());
  return metadata;
}

/// What is of the training is written as f64, all else as `dtype`.
void write_tensors(const std::vector<CheckpointTensor>& tensors, DType dtype, const Metadata& metadata,
                   const std::string& path, Previous previous) {
  std::vector<SafetensorsEntry> entries;
  for (const CheckpointTensor& tensor : tensors)
    entries.push_back(
        {tensor.name, &tensor.tensor, tensor.name.starts_with("training.") ? DType::f64 : dtype});
  std::string bytes = write_safetensors(entries, metadata);
  write_checksum(bytes);
  write_file_atomically(path, bytes, previous);
}

[[noreturn]] void refuse_content(const TensorFile& file, const Message& what) {
  refuse_file(file.path(), what, said("take the file as the training wrote it"));
}

[[noreturn]] void refuse_infinite(const TensorFile& file, const std::string& name) {
  refuse_content(file, said("tensor {name} is not finite", {{"name", name}}));
}

/// The cells of a tensor with so many columns (0: one axis).
std::vector<double> read_table(const TensorFile& file, const char* name, std::size_t columns) {
  for (std::size_t i = 0; i < file.entries().size(); ++i) {
    const auto& entry = file.entries()[i];
    if (entry.name != name) continue;
    const bool fits =
        columns ? entry.shape.size() == 2 && entry.shape[1] == columns : entry.shape.size() == 1;
    if (!fits)
      refuse_content(file, said("tensor {name} is {shape}",
                                {{"name", in_quotes(name)}, {"shape", to_string(entry.shape)}}));
    return file.read(i);
  }
  refuse_file(
      file.path(),
      said("tensor {name} is missing: this is no checkpoint of a training", {{"name", std::string(name)}}),
      said("resume from the file that --out named"));
}

/// step, right and of, as whole numbers that can be so.
std::vector<Accuracy> read_accuracies(const TensorFile& file, std::uint64_t steps) {
  const std::vector<double> cells = read_table(file, accuracies_name, 3);
  std::vector<Accuracy> accuracies;
  for (std::size_t i = 0; i < cells.size(); i += 3) {
    const double step = cells[i], right = cells[i + 1], of = cells[i + 2];
    const auto counts = [](double number, double max) {
      return number >= 0 && number <= max && number == std::floor(number);
    };
    constexpr double many = 1e12; // well inside what a double counts exactly
    const double before = i > 0 ? cells[i - 3] : -1;
    if (!counts(step, static_cast<double>(steps)) || !(step > before) || !counts(of, many) ||
        !counts(right, of))
      refuse_content(file, said("row {row} of {name} is {cells}: no step with so many right of so many",
                                {{"row", i / 3},
                                 {"name", in_quotes(accuracies_name)},
                                 {"cells", fmt::format("{}, {}, {}", step, right, of)}}));
    accuracies.push_back(
        {static_cast<std::uint64_t>(step), static_cast<std::size_t>(right), static_cast<std::size_t>(of)});
  }
  return accuracies;
}

/// So many cells (0: one) a row of the accuracies; none where the file has no such tensor.
std::vector<double> read_beside_accuracies(const TensorFile& file, const char* name, std::size_t columns,
                                           const std::vector<Accuracy>& accuracies) {
  const auto has_name = [&](const auto& entry) { return entry.name == name; };
  if (std::ranges::none_of(file.entries(), has_name)) return {};
  std::vector<double> cells = read_table(file, name, columns);
  if (cells.size() != accuracies.size() * std::max<std::size_t>(columns, 1))
    refuse_content(file, said("tensor {name} has {cells} cells, {other} has {rows} rows",
                              {{"name", in_quotes(name)},
                               {"cells", cells.size()},
                               {"other", in_quotes(accuracies_name)},
                               {"rows", accuracies.size()}}));
  return cells;
}

/// Beside the accuracies, where they were measured: an older file has none, and BLEU and chrF are of own
/// pairs.
void read_held_out_measures(const TensorFile& file, std::vector<Accuracy>& accuracies) {
  const std::vector<double> losses = read_beside_accuracies(file, held_out_losses_name, 0, accuracies),
                            scores = read_beside_accuracies(file, held_out_scores_name, 2, accuracies);
  const std::vector<double> bits = read_beside_accuracies(file, held_out_bits_name, 0, accuracies);
  for (std::size_t i = 0; i < losses.size(); ++i)
    if (std::isfinite(losses[i])) accuracies[i].loss = losses[i];
  for (std::size_t i = 0; i < bits.size(); ++i)
    if (std::isfinite(bits[i])) accuracies[i].bits_per_byte = bits[i];
  const auto score = [&](double value) -> std::optional<double> {
    constexpr double most = 100 + 1e-9; // a hundred, rounded
    if (std::isnan(value)) return std::nullopt;
    if (value < 0 || value > most)
      refuse_content(file,
                     said("tensor {name} holds {value}: BLEU and chrF lie from 0 to 100",
                          {{"name", in_quotes(held_out_scores_name)}, {"value", fmt::format("{}", value)}}));
    return value;
  };
  for (std::size_t i = 0; 2 * i < scores.size(); ++i)
    accuracies[i].bleu = score(scores[2 * i]), accuracies[i].chrf = score(scores[2 * i + 1]);
}

/// Numbers that no step could have left would spoil every step that follows.
void require_usable(const TrainingState& state, const TensorFile& file) {
  each_parameter(
      [&](const std::string& name, const auto& weight, const auto& m, const auto& v) {
        if (!weight.is_finite()) refuse_infinite(file, in_quotes(name));
        if (!m.is_finite()) refuse_infinite(file, m_prefix + name);
        if (!v.is_finite() || (!v.is_empty() && v.min() < 0))
          refuse_content(file,
                         said("tensor {name} has cells that are negative or not finite: they are means of "
                              "squares",
                              {{"name", v_prefix + name}}));
      },
      "", state.model, state.moments.m, state.moments.v);
  for (const double loss : state.losses)
    if (!std::isfinite(loss)) refuse_infinite(file, in_quotes(losses_name));
}

std::uint64_t step_in(const TensorFile& file, std::size_t losses) {
  const auto step = file.metadata().find(step_key);
  if (step == file.metadata().end())
    refuse_content(file, said("the metadata name no step, the file has the losses of {steps} steps",
                              {{"steps", losses}}));
  if (step->second != std::to_string(losses))
    refuse_content(file, said("the metadata say step {step}, the file has the losses of {steps} steps",
                              {{"step", in_quotes(step->second)}, {"steps", losses}}));
  return losses;
}

} // namespace

ModelCard card_of(const TaskFacts& facts) {
  ModelCard card{facts.name, facts.src_vocabulary, facts.tgt_vocabulary, facts.start,
                 facts.end,  facts.max_tokens};
  if (facts.max_src_tokens > 0) card.max_src_tokens = facts.max_src_tokens;
  card.sha256 = facts.sha256;
  return card;
}

void save_training(const TrainingState& state, const TaskFacts& facts, const std::string& path) {
  std::vector<CheckpointTensor> tensors = named_parameters(state.model);
  for (const auto& [prefix, moment] : {std::pair(m_prefix, &state.moments.m), {v_prefix, &state.moments.v}})
    for (CheckpointTensor& tensor : named_parameters(*moment, prefix)) tensors.push_back(std::move(tensor));
  tensors.push_back({losses_name, Tensor({state.losses.size()}, state.losses)});
  Tensor accuracies(Shape{state.accuracies.size(), 3}), losses(Shape{state.accuracies.size()}),
      scores(Shape{state.accuracies.size(), 2}), bits(Shape{state.accuracies.size()});
  for (std::size_t i = 0; i < state.accuracies.size(); ++i) {
    const Accuracy& one = state.accuracies[i];
    accuracies.at({i, 0}) = static_cast<double>(one.step);
    accuracies.at({i, 1}) = static_cast<double>(one.right);
    accuracies.at({i, 2}) = static_cast<double>(one.of);
    losses.data[i] = one.loss.value_or(std::nan(""));
    bits.data[i] = one.bits_per_byte.value_or(std::nan(""));
    scores.at({i, 0}) = one.bleu.value_or(std::nan("")), scores.at({i, 1}) = one.chrf.value_or(std::nan(""));
  }
  tensors.push_back({accuracies_name, std::move(accuracies)});
  tensors.push_back({held_out_losses_name, std::move(losses)});
  if (facts.name == "corpus") tensors.push_back({held_out_bits_name, std::move(bits)});
  if (facts.name == "pairs") tensors.push_back({held_out_scores_name, std::move(scores)});

  Metadata metadata = metadata_of_model(state, facts);
  add(metadata, metadata_of(state.config));
  metadata[step_key] = std::to_string(state.step);
  write_tensors(tensors, DType::f32, metadata, path, Previous::kept);
}

void save_weights(const TrainingState& state, const TaskFacts& facts, const std::string& path, DType dtype) {
  Metadata metadata = metadata_of_model(state, facts);
  const Metadata training = metadata_of(state.config);
  for (const char* key : {documents_key, held_out_key}) // by which a score finds what was held out
    if (training.contains(key)) metadata[key] = training.at(key);
  write_tensors(named_parameters(state.model), dtype, metadata, path, Previous::dropped);
}

LoadedTraining load_training(const std::string& path) {
  const TensorFile file(path);
  if (const auto task = file.metadata().find("task");
      task == file.metadata().end() || task->second != "corpus")
    require_encoder_decoder(file);
  LoadedTraining loaded;
  TrainingState& state = loaded.state;
  state.model = load_model<float>(file);
  const ModelSpec& spec = state.model.spec;
  const auto card = card_of(file.metadata(), spec, path);
  if (!card)
    refuse_file(path, said("the metadata name no task: this is no checkpoint of a training"),
                said("resume from the file that --out named"));
  loaded.card = *card;
  state.config = training_config_of(file.metadata(), spec, path);
  require_training_memory(state.config);
  state.moments = {load_parameters<float>(file, m_prefix, spec),
                   load_parameters<float>(file, v_prefix, spec)};
  state.losses = read_table(file, losses_name, 0);
  state.step = step_in(file, state.losses.size());
  state.accuracies = read_accuracies(file, state.step);
  read_held_out_measures(file, state.accuracies);
  require_usable(state, file);
  return loaded;
}

namespace {

/// A log's first line; older logs lack the last columns.
constexpr std::array headings{
    std::string_view(
        "step,loss,learning_rate,gradient_norm,tokens,right,of,held_out_loss,bleu,chrf,bits_per_byte\n"),
    std::string_view("step,loss,learning_rate,gradient_norm,tokens,right,of,held_out_loss,bleu,chrf\n"),
    std::string_view("step,loss,learning_rate,gradient_norm,tokens,right,of,held_out_loss\n")};

/// The heading and the rows of the steps 1 … made.
std::string kept_rows(const std::string& path, std::uint64_t made) {
  std::string kept(headings[0]);
  std::error_code error;
  if (made == 0 || !std::filesystem::is_regular_file(path, error)) return kept;
  const std::string text = read_file(path);
  const auto* heading =
      std::ranges::find_if(headings, [&](std::string_view one) { return text.starts_with(one); });
  if (heading == headings.end()) {
    if (headings[0].starts_with(text)) return kept; // half of it was written
    refuse_file(path, said("its first line is not that of a training's log"),
                said("give --log another name"));
  }
  const auto commas_of = [](std::string_view line) { return std::ranges::count(line, ','); };
  const std::string missing(commas_of(headings[0]) - commas_of(*heading), ',');
  for (std::size_t at = heading->size(); at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos) break; // half a row: its step was not saved
    const std::string row = text.substr(at, end - at);
    std::uint64_t step = 0;
    const auto [stop, failed] = std::from_chars(row.data(), row.data() + row.size(), step);
    if (failed == std::errc{} && stop != row.data() + row.size() && *stop == ',' &&
        commas_of(row) == commas_of(*heading) && step >= 1 && step <= made)
      kept += row + missing + "\n";
    at = end + 1;
  }
  return kept;
}

Message not_written(const std::string& path, int error) {
  return said("cannot write {file}: {why}", {{"file", printable(path)}, {"why", why_not(error)}});
}

} // namespace

TrainingLog::TrainingLog(std::string path, std::uint64_t made) : path_(std::move(path)) {
  write_file_atomically(path_, kept_rows(path_, made));
  file_ = open_file(path_, O_WRONLY | O_APPEND);
  if (!file_.is_open()) throw Error(ErrorKind::cannot_write, not_written(path_, errno));
}

void TrainingLog::add(std::uint64_t step, const StepReport& report, const std::optional<Accuracy>& accuracy) {
  const auto cell = [](const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; };
  const std::string row =
      fmt::format("{},{},{},{},{},", step, report.loss, report.learning_rate, report.gradient_norm,
                  report.tokens) +
      (accuracy ? fmt::format("{},{},{},{},{},{}\n", accuracy->right, accuracy->of, cell(accuracy->loss),
                              cell(accuracy->bleu), cell(accuracy->chrf), cell(accuracy->bits_per_byte))
                : std::string(",,,,,\n"));
  if (const int error = file_.write(row)) throw Error(ErrorKind::io, not_written(path_, error));
}

} // namespace tfx
