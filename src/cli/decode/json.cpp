#include "cli/decode/json.hpp"

#include "io/json_writer.hpp"

#include <cmath>

namespace tfx {

using namespace decoding;

namespace {

class DecodeWriter {
public:
  DecodeWriter(JsonWriter& json, const ModelCard& card) : json_(json), card_(card) {}

  void ids(const char* key, const TokenIds& list) {
    json_.key(key);
    json_.begin_array();
    for (const std::uint32_t id : list) json_.value(std::size_t{id});
    json_.end_array();
  }

  void token(std::uint32_t id, double log_prob) {
    json_.key("id"), json_.value(std::size_t{id});
    json_.key("token"), json_.value(name_of(card_.tgt, id));
    json_.key("log_prob"), json_.value(log_prob);
    json_.key("probability"), json_.value(std::exp(log_prob));
  }

  void written(const std::vector<WrittenToken>& tokens) {
    json_.key("tokens");
    json_.begin_array();
    for (const WrittenToken& one : tokens) {
      json_.begin_object();
      token(one.token, one.log_prob);
      if (one.kept) {
        json_.key("drawn_with"), json_.value(one.drawn.probability);
        json_.key("out_of"), json_.value(one.kept);
      }
      json_.key("runner_up");
      json_.begin_object();
      token(one.runner_up, one.runner_up_log_prob);
      json_.end_object();
      json_.end_object();
    }
    json_.end_array();
  }

  void tree(const BeamTree& tree) {
    json_.key("beam");
    json_.begin_array();
    for (const BeamNode& node : tree.nodes) {
      json_.begin_object();
      json_.key("parent");
      node.parent ? json_.value(*node.parent) : json_.null();
      token(node.token, node.log_prob);
      json_.key("sum"), json_.value(node.sum);
      json_.key("score"), json_.value(node.score);
      json_.key("kept"), json_.value(node.kept);
      json_.key("ended"), json_.value(node.ended);
      json_.end_object();
    }
    json_.end_array();
    json_.key("ranked");
    json_.begin_array();
    for (const std::size_t node : tree.ranked) json_.value(node);
    json_.end_array();
  }

  void tensors(const Trace& trace) {
    json_.key("tensors");
    json_.begin_array();
    for (const Step& step : trace.steps) {
      json_.begin_object();
      json_.key("name"), json_.value(step.name);
      json_.key("shape");
      json_.begin_array();
      for (const std::size_t extent : step.value.shape) json_.value(extent);
      json_.end_array();
      json_.key("dtype"), json_.value(trace.dtype);
      json_.key("formula"), json_.value(step.formula);
      json_.key("data"), json_.tensor(step.value);
      json_.end_object();
    }
    json_.end_array();
  }

  void checks(const Trace& trace) {
    json_.key("checks");
    json_.begin_array();
    for (const Check& check : trace.checks) {
      json_.begin_object();
      json_.key("name"), json_.value(check.id);
      json_.key("pass"), json_.value(check.pass);
      json_.key("value"), json_.value(check.value);
      json_.end_object();
    }
    json_.end_array();
  }

  void cost(const Cost& cost, WithTime with_time) {
    json_.key("cost");
    json_.begin_object();
    json_.key("params"), json_.value(cost.parameters);
    json_.key("macs"), json_.value(cost.macs);
    json_.key("flops"), json_.value(cost.flops);
    if (with_time == WithTime::yes) json_.key("seconds"), json_.value(cost.seconds);
    json_.end_object();
  }

private:
  JsonWriter& json_;
  const ModelCard& card_;
};

} // namespace

std::string decode_json(const Decoded& decoded, const ModelCard& card, const std::string& model,
                        const std::string& text, WithTime with_time) {
  JsonWriter json;
  DecodeWriter writer(json, card);
  json.begin_object();
  json.key("schema_version"), json.value(std::size_t{1});
  json.key("command"), json.value("decode");
  json.key("model"), json.value(model);
  json.key("task");
  card.task.empty() ? json.null() : json.value(card.task);
  json.key("text"), json.value(text);
  writer.ids("src", decoded.src);
  json.key("output"), json.value(card.tgt.decode(decoded.tokens));
  json.key("ended"), json.value(decoded.written.size() > decoded.tokens.size());
  json.key("log_prob"), json.value(decoded.sum);
  json.key("score"), json.value(decoded.score);
  writer.written(decoded.written);
  if (decoded.tree) writer.tree(*decoded.tree);
  writer.tensors(decoded.trace);
  writer.checks(decoded.trace);
  writer.cost(*decoded.trace.measured, with_time);
  json.end_object();
  return json.take();
}

} // namespace tfx
