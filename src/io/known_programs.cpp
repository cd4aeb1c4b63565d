#include "io/known_programs.hpp"

#include <algorithm>
#include <initializer_list>
#include <set>

namespace tfx {

bool ends_as(std::string_view name, std::string_view end) {
  return name.ends_with(end) && (name.size() == end.size() || name[name.size() - end.size() - 1] == '.');
}

namespace {

struct Mark {
  std::string_view program;
  ProgramKind kind;
  std::string_view first, second; ///< ends of names that it has; the second may be empty
};

// The first row that fits says what it is: a model before the layers in it.
constexpr Mark marks[] = {
    {"GPT-2", ProgramKind::model, "h.0.attn.c_attn.weight", "wte.weight"},
    {"GPT-NeoX", ProgramKind::model, "layers.0.attention.query_key_value.weight", ""},
    {"BERT", ProgramKind::model, "layer.0.attention.self.query.weight", "word_embeddings.weight"},
    {"T5", ProgramKind::model, "block.0.layer.0.SelfAttention.q.weight", ""},
    {"Llama", ProgramKind::model, "layers.0.self_attn.q_proj.weight", "layers.0.mlp.gate_proj.weight"},
    {"Llama", ProgramKind::model, "layers.0.attention.wq.weight", "layers.0.feed_forward.w1.weight"},
    {"BART", ProgramKind::model, "encoder.layers.0.self_attn.q_proj.weight",
     "decoder.layers.0.encoder_attn.q_proj.weight"},
    {"OPT", ProgramKind::model, "layers.0.self_attn.q_proj.weight", "layers.0.fc1.weight"},
    {"LLMs-from-scratch's GPTModel", ProgramKind::model, "trf_blocks.0.att.W_query.weight", ""},
    {"hyunwoongko/transformer", ProgramKind::model, "encoder.layers.0.attention.w_concat.weight",
     "decoder.layers.0.enc_dec_attention.w_concat.weight"},
    {"jadore801120/attention-is-all-you-need-pytorch", ProgramKind::model,
     "encoder.layer_stack.0.slf_attn.w_qs.weight", "decoder.layer_stack.0.enc_attn.w_qs.weight"},
    {"torch.nn.Transformer", ProgramKind::stack, "encoder.layers.0.self_attn.in_proj_weight",
     "decoder.layers.0.self_attn.in_proj_weight"},
    {"torch.nn.TransformerDecoder", ProgramKind::stack, "layers.0.multihead_attn.in_proj_weight", ""},
    {"torch.nn.TransformerEncoder", ProgramKind::stack, "layers.0.self_attn.in_proj_weight", ""},
    {"torch.nn.TransformerDecoderLayer", ProgramKind::layer, "multihead_attn.in_proj_weight",
     "linear1.weight"},
    {"torch.nn.TransformerEncoderLayer", ProgramKind::layer, "self_attn.in_proj_weight", "linear1.weight"},
    {"torch.nn.MultiheadAttention", ProgramKind::module_, "in_proj_weight", "out_proj.weight"},
    {"torch.nn.MultiheadAttention", ProgramKind::module_, "q_proj_weight", "out_proj.weight"},
};

/// How many numbers stand where `mark` has its 0.
std::size_t layers_of(const std::vector<TensorFile::Entry>& entries, std::string_view mark) {
  const std::size_t zero = mark.find(".0.");
  if (zero == std::string_view::npos) return 0;
  const std::string_view list = mark.substr(0, zero + 1), rest = mark.substr(zero + 2);
  std::set<std::string_view> layers;
  for (const TensorFile::Entry& entry : entries) {
    std::string_view name = entry.name;
    if (!name.ends_with(rest)) continue;
    name.remove_suffix(rest.size());
    const std::size_t dot = name.rfind('.');
    if (dot != std::string_view::npos && ends_as(name.substr(0, dot + 1), list))
      layers.insert(name.substr(dot + 1));
  }
  return layers.size();
}

/// Whether a table may be shared under this name: an embedding's.
bool is_embedding(std::string_view name) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"emb", "wte", "lut", "shared"},
      [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

/// Before the first step of a training all cells of some tables are one number; that ties nothing.
bool is_constant(const TensorFile& file, std::size_t entry) {
  std::optional<double> first;
  bool constant = true;
  file.each_piece(entry, [&](const std::vector<double>& piece) {
    for (const double cell : piece)
      constant = constant && cell == first.value_or(cell), first = first.value_or(cell);
  });
  return constant;
}

} // namespace

std::string_view without_wrappers(std::string_view name, std::vector<std::string>& taken) {
  constexpr std::string_view wrappers[] = {"module.", "_orig_mod.", "transformer.", "model."};
  const auto before = [&] {
    return std::ranges::find_if(wrappers, [&](std::string_view one) { return name.starts_with(one); });
  };
  for (const auto* wrapper = before(); wrapper != std::end(wrappers); wrapper = before()) {
    name.remove_prefix(wrapper->size());
    if (!std::ranges::count(taken, *wrapper)) taken.emplace_back(*wrapper);
  }
  return name;
}

std::optional<KnownProgram> program_of(const std::vector<TensorFile::Entry>& entries) {
  const auto has = [&](std::string_view end) {
    return std::ranges::any_of(entries, [&](const auto& entry) { return ends_as(entry.name, end); });
  };
  for (const Mark& mark : marks)
    if (has(mark.first) && (mark.second.empty() || has(mark.second)))
      return KnownProgram{std::string(mark.program), mark.kind, layers_of(entries, mark.first)};
  return std::nullopt;
}

std::string described(const KnownProgram& program) {
  return program.layers == 0 ? program.name : program.name + " (N = " + std::to_string(program.layers) + ")";
}

std::vector<TiedTable> tied_tables(const TensorFile& file) {
  const std::vector<TensorFile::Entry>& entries = file.entries();
  constexpr std::size_t max_compared = 64; // a model has a handful of tables; a file may name thousands so
  std::vector<std::size_t> embeddings, tables;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].shape.size() != 2 || !entries[i].is_read() || entries[i].bytes == 0) continue;
    tables.push_back(i);
    if (is_embedding(entries[i].name)) embeddings.push_back(i);
  }
  std::vector<TiedTable> tied;
  std::vector<bool> told(entries.size());
  std::size_t compared = 0;
  for (const std::size_t i : embeddings)
    for (const std::size_t j : tables) {
      if (i == j || told[i] || told[j] || entries[i].shape != entries[j].shape) continue;
      if (++compared > max_compared) return tied;
      if (!file.same_values(i, j) || is_constant(file, i)) continue;
      tied.push_back({i, j}), told[j] = true;
    }
  return tied;
}

} // namespace tfx
