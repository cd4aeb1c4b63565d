#include "cli/decode/options.hpp"

#include "cli/add_option.hpp"
#include "cli/options.hpp"

namespace tfx {

void add_decode_options(CLI::App& command, DecodeOptions& o, Context& context) {
  add_trained_options(command, o.trained);
  add_text(command, "--file", o.file, "FILE");
  add_count(command, "--beam", o.beam, 1, 1000);
  add_text(command, "--length-penalty", o.length_penalty, "A");
  add_text(command, "--temperature", o.temperature, "T");
  add_count(command, "--top-k", o.top_k);
  add_text(command, "--top-p", o.top_p, "P");
  add_seed(command, o.seed);
  add_flag(command, "--no-cache", o.no_cache);
  add_flag(command, "--align", o.align);
  add_flag(command, "--quiet", o.quiet);
  add_flag(command, "--json", o.json);
  add_flag(command, "--no-time", o.no_time);
  add_text(command, "--save", o.save, "FILE");
  add_picture(command, context);
}

namespace {

struct ExclusiveOption {
  const char* name;
  bool given;
};

/// Throws where one of `some` and one of `others` are given: CLI11's excludes would fill the help with both.
void refuse_together(const std::vector<ExclusiveOption>& some, const std::vector<ExclusiveOption>& others) {
  for (const ExclusiveOption& one : some)
    for (const ExclusiveOption& other : others)
      if (one.given && other.given)
        throw usage_error("excluded", {{"name", one.name}, {"other", other.name}});
}

void require_sense(const DecodeOptions& o) {
  const bool draws = o.temperature || o.top_k || o.top_p;
  refuse_together({{"--beam", o.beam.has_value()}, {"--length-penalty", o.length_penalty.has_value()}},
                  {{"--temperature", o.temperature.has_value()},
                   {"--top-k", o.top_k.has_value()},
                   {"--top-p", o.top_p.has_value()},
                   {"--seed", o.seed.has_value()}});
  refuse_together({{"--file", o.file.has_value()}}, {{"--text", o.trained.text.has_value()},
                                                     {"--align", o.align},
                                                     {"--json", o.json},
                                                     {"--save", o.save.has_value()}});
  if (o.seed && !draws)
    throw usage_error("needs", {{"name", "--seed"}, {"others", "--temperature, --top-k, --top-p"}});
  if (o.length_penalty && !o.beam)
    throw usage_error("needs", {{"name", "--length-penalty"}, {"others", "--beam"}});
}

} // namespace

decoding::Request request_of(const DecodeOptions& o) {
  require_sense(o);
  const auto number = [&](const char* name, const std::optional<std::string>& given, double min, double max,
                          double usual) { return given ? parse_number(name, *given, min, max) : usual; };
  decoding::Request request;
  request.beam = {o.beam.value_or(1), number("--length-penalty", o.length_penalty, 0, 10, 0)};
  request.sampling = {number("--temperature", o.temperature, 0.001, 1000, 1), o.top_k,
                      number("--top-p", o.top_p, 0.001, 1, 1), o.seed.value_or(42)};
  request.prefix = o.no_cache ? Prefix::recomputed : Prefix::cached;
  if (o.temperature || o.top_k || o.top_p) request.method = decoding::Method::sample;
  if (o.beam) request.method = decoding::Method::beam;
  return request;
}

} // namespace tfx
