#include "train/microgpt.hpp"

#include "model/counts.hpp"
#include "model/text_writer.hpp"
#include "random/python_random.hpp"

#include <cmath>

namespace tfx {

namespace {

CorpusRule rule_of_names() {
  const TrainingConfig config = training_config_for("corpus", "microgpt");
  CorpusRule rule = config.corpus;
  rule.context = config.model.max_len, rule.seed = config.seed;
  return rule;
}

} // namespace

MicrogptNames::MicrogptNames()
    : CorpusTask(rule_of_names(), microgpt_facts().names, microgpt_facts().documents) {}

std::vector<std::string> microgpt_samples(const Transformer<float>& model, const TaskFacts& facts,
                                          std::uint64_t seed, std::size_t count) {
  constexpr double temperature = 0.5;
  PythonRandom random(seed);
  std::vector<std::size_t> documents(facts.documents);
  random.shuffle(documents);
  for (std::size_t i = 0; i < count_parameters(model); ++i) random.gauss(0, 1);
  std::vector<std::string> samples;
  while (samples.size() < count) {
    TextWriter<float> writer(model, {facts.start});
    TokenIds name;
    for (std::size_t i = 0; i < model.spec.max_len; ++i) {
      std::vector<double> weights;
      for (const double log_prob : writer.next()) weights.push_back(std::exp(log_prob / temperature));
      const auto token = static_cast<std::uint32_t>(random.choose(weights));
      if (token == facts.end) break;
      name.push_back(token);
      if (name.size() < model.spec.max_len) writer.write(token);
    }
    samples.push_back(facts.tgt_vocabulary.decode(name));
  }
  return samples;
}

} // namespace tfx
