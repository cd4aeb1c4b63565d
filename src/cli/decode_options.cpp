#include "cli/decode_options.hpp"

#include "cli/add_option.hpp"

namespace tfx {

void add_decode_options(CLI::App& command, DecodeOptions& o, const Context& context) {
  add_trained_options(command, o.trained, context);
  const auto contradict = [](CLI::Option* one, std::initializer_list<CLI::Option*> others) {
    for (CLI::Option* other : others) one->excludes(other);
  };
  CLI::Option* const text = command.get_option("--text");
  CLI::Option* const file = add_text(command, "--file", o.file, context, "FILE");
  CLI::Option* const beam = add_count(command, "--beam", o.beam, context, 1, 1000);
  CLI::Option* const penalty = add_text(command, "--length-penalty", o.length_penalty, context, "A");
  CLI::Option* const temperature = add_text(command, "--temperature", o.temperature, context, "T");
  CLI::Option* const top_k = add_count(command, "--top-k", o.top_k, context);
  CLI::Option* const top_p = add_text(command, "--top-p", o.top_p, context, "P");
  CLI::Option* const seed = add_seed(command, o.seed, context)->description(context.text("decode--seed"));
  command.add_flag("--no-cache", o.no_cache, context.text("option--no-cache"));
  CLI::Option* const align = command.add_flag("--align", o.align, context.text("option--align"));
  command.add_flag("--quiet", o.quiet, context.text("decode--quiet"));
  CLI::Option* const json = command.add_flag("--json", o.json, context.text("option--json"));
  command.add_flag("--no-time", o.no_time, context.text("option--no-time"));
  CLI::Option* const save = add_text(command, "--save", o.save, context, "FILE");
  contradict(beam, {temperature, top_k, top_p, seed});
  contradict(penalty, {temperature, top_k, top_p, seed});
  contradict(file, {text, align, json, save});
}

decoding::Request request_of(const DecodeOptions& o, const Context& context) {
  const auto number = [&](const char* name, const std::optional<std::string>& given, double least,
                          double most, double usual) {
    return given ? parse_number(context, name, *given, least, most) : usual;
  };
  decoding::Request request;
  request.beam = {o.beam.value_or(1), number("--length-penalty", o.length_penalty, 0, 10, 0)};
  request.sampling = {number("--temperature", o.temperature, 0.001, 1000, 1), o.top_k,
                      number("--top-p", o.top_p, 0.001, 1, 1), o.seed.value_or(42)};
  request.prefix = o.no_cache ? Prefix::recomputed : Prefix::cached;
  const bool draws = o.temperature || o.top_k || o.top_p;
  if (o.seed && !draws)
    throw context.usage_error("needs", {{"name", "--seed"}, {"others", "--temperature, --top-k, --top-p"}});
  if (o.length_penalty && !o.beam)
    throw context.usage_error("needs", {{"name", "--length-penalty"}, {"others", "--beam"}});
  if (draws) request.method = decoding::Method::sample;
  if (o.beam) request.method = decoding::Method::beam;
  return request;
}

} // namespace tfx
