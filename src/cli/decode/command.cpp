// tfx decode: a trained model writes, token by token.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/decode/options.hpp"
#include "cli/decode/screen.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/options.hpp"
#include "cli/text_lines.hpp"
#include "core/number.hpp"
#include "io/file.hpp"
#include "lessons/run.hpp"
#include "model/shipped.hpp"
#include "parity/proofs.hpp"
#include "text/utf8.hpp"
#include "words/in_words.hpp"
#include "words/refusals.hpp"

#include <algorithm>
#include <memory>

namespace tfx {

using namespace decoding;

namespace {

/// What the words say of the way a target was found.
void state_request(Trace& trace, const TrainedModel& trained, const DecodeOptions& o,
                   const Request& request) {
  const auto number = [](double value) { return format_number(value, 6); };
  if (trained.weights == TrainedModel::WeightSource::drawn) trace.facts["preset"] = trained.name;
  if (request.prefix == Prefix::recomputed) trace.facts["recomputed"] = std::string("--no-cache");
  if (request.method == Method::greedy) trace.facts["greedy"] = trained.name;
  if (request.method == Method::beam) {
    trace.facts["width"] = static_cast<double>(request.beam.width);
    const bool lengths_count = request.beam.length_penalty != 0;
    if (lengths_count) trace.facts["exponent"] = number(request.beam.length_penalty);
    trace.facts[lengths_count ? "beam" : "beam_of_sums"] = trained.name;
  }
  if (request.method == Method::sample) {
    std::string rule = "T = " + number(request.sampling.temperature);
    if (o.top_k) rule += "; k = " + std::to_string(*o.top_k);
    if (o.top_p) rule += "; p = " + number(request.sampling.top_p);
    trace.facts["rule"] = rule;
    trace.facts["seed"] = std::to_string(request.sampling.seed);
    trace.facts["sampled"] = trained.name;
  }
}

/// What the model read and wrote as <unk>.
void state_unknown(Trace& trace, const TrainedModel& trained, const TokenIds& src, const TokenIds& written) {
  const ModelCard& card = trained.card;
  if (card.src.holds_unknown(src)) trace.facts["unknown_read"] = card.src.decode(src);
  if (card.tgt.holds_unknown(written)) trace.facts["unknown_written"] = trained.name;
}

/// What the model learned from, and where the text and the answer leave that ground.
void state_limits(Trace& trace, const TrainedModel& trained, const Decoded& decoded) {
  if (std::ranges::count(shipped_models(), trained.name))
    trace.facts["read_only." + trained.name] = trained.name;
  if (const auto longest = trained.card.max_src_tokens) {
    trace.facts["longest_read"] = static_cast<double>(*longest);
    if (decoded.src.size() > *longest) trace.facts["too_long"] = static_cast<double>(decoded.src.size());
  }
  if (const auto repeated = repeated_tokens(decoded.tokens)) {
    trace.facts["repeated"] = trained.card.tgt.decode(repeated->tokens);
    trace.facts["repeats"] = static_cast<double>(repeated->times);
  }
}

/// A text a line in, a text a line out.
void run_file(const DecodeOptions& o, Request& request, const TrainedModel& trained, Context& context) {
  const std::string text = read_file(*o.file);
  const std::vector<std::string_view> lines = lines_of(text);
  std::vector<TokenIds> src;
  std::size_t longest = 1;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    try {
      src.push_back(trained.card.src.encode(lines[i]));
    } catch (const Error& error) {
      refuse_line(*o.file, i + 1, error);
    }
    longest = std::max(longest, src.back().size());
  }
  if (src.empty()) return;
  request.limits = limits_of(o.trained, trained, longest);
  const std::optional<EncoderDecoder<float>> floats = in_floats(trained, o.weights);
  for (const TokenIds& tokens : floats ? search(*floats, src, request) : search(trained.model, src, request))
    context.out += escape_controls(trained.card.tgt.decode(tokens)) + "\n";
}

void run(const DecodeOptions& o, Context& context) {
  Request request = request_of(o);
  const TrainedModel trained = trained_model(o.trained);
  context.note(trained.notes);
  if (o.file) return run_file(o, request, trained, context);
  const std::string text = o.trained.text.value_or(example_text(trained.card));
  const TokenIds src = trained.card.src.encode(text);
  request.limits = limits_of(o.trained, trained, src.size());
  const std::optional<EncoderDecoder<float>> floats = in_floats(trained, o.weights);
  Decoded decoded = floats ? decode_text(*floats, trained.card, src, request)
                           : decode_text(trained.model, trained.card, src, request);
  if (floats) state_narrowing(decoded, trained.model, *floats, *o.weights, trained.card, request);
  const bool lesson = !o.trained.text;
  if (lesson && !floats) prove(decoded, trained.model, trained.card, request);
  Trace& trace = decoded.trace;
  state_unknown(trace, trained, src, decoded.tokens);
  state_limits(trace, trained, decoded);
  const std::string translator = "en-zh"; // a sentence that no manual holds, on which it fails
  if (lesson && std::ranges::count(shipped_models(), translator)) trace.facts["translator"] = translator;
  trace.facts["text"] = text, trace.facts["src_count"] = static_cast<double>(src.size());
  trace.facts["model"] = trained.name;
  state_request(trace, trained, o, request);
  context.status = status_of(trace);
  DecodeScreen screen;
  screen.frame = frame_of("decode");
  screen.frame.options = typed_again(trained_options(), o.trained);
  screen.frame.with_time = !o.no_time;
  const auto json = [&] { return decode_json(decoded, trained.card, trained.name, text, !o.no_time) + "\n"; };
  if (o.save) save_trace(trace, *o.save, screen.frame, context, json);
  if (o.json) {
    context.out = json();
    return;
  }
  if (o.quiet) {
    context.out = escape_controls(trained.card.tgt.decode(decoded.tokens)) + "\n";
    return;
  }
  screen.layout = lesson ? DecodeScreen::Layout::lesson : DecodeScreen::Layout::answer;
  screen.heads = o.align ? DecodeScreen::Heads::each : DecodeScreen::Heads::mean;
  screen.method = request.method;
  context.out =
      render_decode(decoded, trained.card, screen, words_in(find_lesson("decode").folder), context.style());
}

} // namespace

void add_decode_command(CLI::App& app, Context& context) {
  const auto options = std::make_shared<DecodeOptions>();
  const auto start = [&context, options] { run(*options, context); };
  add_command(app, context, "decode", title_in(find_lesson("decode").folder), start,
              [&context, options](CLI::App& command) {
                add_options(command, trained_options(), options->trained);
                add_options(command, decode_options(), *options);
                add_options(command, picture_options(), context.global);
              });
}

} // namespace tfx
