#include "cli/decode/screen.hpp"

#include "render/json.hpp"

#include <cmath>

namespace tfx {

using namespace decoding;

namespace {

class DecodeWriter {
public:
  DecodeWriter(JsonWriter& json, const ModelCard& card) : json_(json), card_(card) {}

  void token(std::uint32_t id, double log_prob) {
    json_.key("id"), json_.value(id);
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

  void narrowing(const Narrowing& measured, const TokenIds& exact_tokens) {
    json_.key("narrowing"), json_.begin_object();
    write_narrowing(json_, measured);
    json_.key("output_in_double"), json_.value(card_.tgt.decode(exact_tokens));
    json_.end_object();
  }

  void tree(const BeamTree& tree) {
    json_.key("beam");
    json_.begin_array();
    for (const BeamNode& node : tree.nodes) {
      json_.begin_object();
      json_.key("parent"), json_.value(node.parent);
      token(node.token, node.log_prob);
      json_.key("sum"), json_.value(node.sum);
      json_.key("score"), json_.value(node.score);
      json_.key("kept"), json_.value(node.kept);
      json_.key("ended"), json_.value(node.ended);
      json_.end_object();
    }
    json_.end_array();
    json_.key("ranked"), json_.value(tree.ranked);
  }

  void tensors(const Trace& trace) {
    json_.key("tensors");
    json_.begin_array();
    for (const Step& step : trace.steps) {
      json_.begin_object();
      json_.key("name"), json_.value(step.name);
      json_.key("shape"), json_.value(step.value.shape);
      json_.key("dtype"), json_.value(trace.dtype);
      json_.key("formula"), json_.value(step.formula);
      json_.key("data"), json_.tensor(step.value);
      json_.end_object();
    }
    json_.end_array();
  }

private:
  JsonWriter& json_;
  const ModelCard& card_;
};

} // namespace

void write_narrowing(JsonWriter& json, const Narrowing& measured) {
  json.key("dtype"), json.value(word_of(weight_types(), measured.type));
  json.key("bytes_per_token"), json.value(measured.bytes);
  json.key("float_bytes_per_token"), json.value(measured.float_bytes);
  json.key("largest_difference"), json.value(measured.difference);
}

std::string decode_json(const Decoded& decoded, const ModelCard& card, const std::string& model,
                        const std::string& text, bool with_time) {
  JsonWriter json;
  DecodeWriter writer(json, card);
  begin_command(json, "decode");
  json.key("model"), json.value(model);
  json.key("task"), json.text_or_null(card.task);
  json.key("text"), json.value(text);
  json.key("src"), json.value(decoded.src);
  json.key("output"), json.value(card.tgt.decode(decoded.tokens));
  json.key("ended"), json.value(decoded.written.size() > decoded.tokens.size());
  json.key("log_prob"), json.value(decoded.sum);
  json.key("score"), json.value(decoded.score);
  writer.written(decoded.written);
  if (decoded.narrowing) writer.narrowing(*decoded.narrowing, decoded.exact_tokens);
  if (decoded.tree) writer.tree(*decoded.tree);
  writer.tensors(decoded.trace);
  write_checks(json, decoded.trace);
  json.key("cost"), json.begin_object();
  write_cost(json, *decoded.trace.measured, with_time);
  json.end_object();
  json.end_object();
  return json.take();
}

} // namespace tfx
