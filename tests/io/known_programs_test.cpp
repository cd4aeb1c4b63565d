// What the names of a state_dict say, and what a file of tensors holds besides numbers.

#include "io/known_programs.hpp"

#include "core/error.hpp"
#include "io/array_file.hpp"
#include "io/error_of.hpp"
#include "io/npz.hpp"
#include "io/safetensors_files.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

using namespace tfx;

namespace {

std::optional<KnownProgram> program_with(const std::vector<std::string>& names) {
  std::vector<TensorFile::Entry> entries;
  for (const std::string& name : names) entries.push_back({name, DType::f32, {2, 2}, 16});
  return program_of(entries);
}

} // namespace

TEST_CASE("wrappers are taken off a name, however many", "[io]") {
  std::vector<std::string> taken;
  CHECK(without_wrappers("module._orig_mod.wq.weight", taken) == "wq.weight");
  CHECK(without_wrappers("module.model.transformer.x", taken) == "x");
  CHECK(taken == std::vector<std::string>{"module.", "_orig_mod.", "model.", "transformer."});
  CHECK(without_wrappers("modules.0.model.x", taken) == "modules.0.model.x");
}

TEST_CASE("a state_dict is told by its names", "[io]") {
  CHECK(described(*program_with({"transformer.wte.weight", "transformer.h.0.attn.c_attn.weight",
                                 "transformer.h.10.attn.c_attn.weight"})) == "GPT-2 (N = 2)");
  CHECK(program_with({"wte.weight", "h.0.attn.c_attn.weight"})->name == "GPT-2");
  CHECK(
      program_with({"model.layers.0.self_attn.q_proj.weight", "model.layers.0.mlp.gate_proj.weight"})->name ==
      "Llama");
  CHECK(program_with({"layers.0.attention.wq.weight", "layers.0.feed_forward.w1.weight"})->name == "Llama");
  CHECK(program_with({"embeddings.word_embeddings.weight", "encoder.layer.0.attention.self.query.weight"})
            ->name == "BERT");
  CHECK(program_with({"encoder.block.0.layer.0.SelfAttention.q.weight"})->name == "T5");
  CHECK(program_with({"model.decoder.layers.0.self_attn.q_proj.weight", "model.decoder.layers.0.fc1.weight"})
            ->name == "OPT");
  CHECK(program_with({"trf_blocks.0.att.W_query.weight"})->kind == ProgramKind::model);
  CHECK(program_with({"layers.0.self_attn.in_proj_weight"})->name == "torch.nn.TransformerEncoder");
  CHECK(program_with({"layers.0.self_attn.in_proj_weight", "layers.0.multihead_attn.in_proj_weight"})->name ==
        "torch.nn.TransformerDecoder");
  CHECK(program_with({"self_attn.in_proj_weight", "linear1.weight"})->kind == ProgramKind::layer);
  CHECK(program_with({"in_proj_weight", "out_proj.weight"})->kind == ProgramKind::module_);
  CHECK_FALSE(program_with({"W_Q", "W_K"}));
  CHECK_FALSE(program_with({}));
  CHECK_FALSE(program_with({"xh.0.attn.c_attn.weight", "xwte.weight"})); // a part of a name is none
}

TEST_CASE("a table stored twice is one", "[io]") {
  const Tensor table({3, 2}, {1, 2, 3, 4, 5, 6}), other({3, 2}, {1, 2, 3, 4, 5, 7}), zeros({3, 2});
  const std::vector<std::pair<std::string, const Tensor*>> tensors{
      {"wte.weight", &table}, {"wpe_emb.weight", &other}, {"lm_head.weight", &table},
      {"a_emb", &zeros},      {"b_emb", &zeros}, // as some are drawn: that ties nothing
      {"layers.0.w", &other}};
  const TemporaryFolder folder;
  std::vector<NpzEntry> npz;
  std::vector<SafetensorsEntry> safetensors;
  for (const auto& [name, tensor] : tensors)
    npz.push_back({name, tensor}), safetensors.push_back({name, tensor});
  for (const std::string& path : {folder.write("a.npz", write_npz(npz)),
                                  folder.write("a.safetensors", write_safetensors(safetensors))}) {
    const TensorFile file(path);
    const std::vector<TiedTable> tied = tied_tables(file);
    REQUIRE(tied.size() == 2);
    CHECK((file.entries()[tied[0].first].name == "wte.weight" &&
           file.entries()[tied[0].again].name == "lm_head.weight"));
    CHECK(file.entries()[tied[1].again].name == "layers.0.w");
  }
}

TEST_CASE("integers and truths of safetensors are read", "[io]") {
  const std::string header = "{" + member("mask", "BOOL", "[2]", 0, 2) + "," +
                             member("a", "I8", "[2]", 2, 4) + "," + member("b", "I16", "[1]", 4, 6) + "," +
                             member("c", "U16", "[1]", 6, 8) + "}";
  const Safetensors file = parsed(file_of(header, std::string("\1\0\xff\2\xfe\xff\xfe\xff", 8)));
  CHECK(file.tensors[0].array.dtype == DType::boolean);
  CHECK(file.tensors[0].array.values.data == std::vector<double>{1, 0});
  CHECK(file.tensors[1].array.values.data == std::vector<double>{-1, 2});
  CHECK(file.tensors[2].array.values.data == std::vector<double>{-2});
  CHECK(file.tensors[3].array.values.data == std::vector<double>{65534});
  CHECK(error_of([] { parsed(file_of("{" + member("m", "BOOL", "[1]", 0, 1) + "}", "\2")); }).kind() ==
        ErrorKind::bad_data);
}

TEST_CASE("what is not read stands among what is", "[io]") {
  const std::string header =
      "{" + member("x", "F32", "[1]", 0, 4) + "," + member("f8", "F8_E4M3", "[2,2]", 4, 8) + "}";
  const TemporaryFolder folder;
  const TensorFile file(folder.write("a.safetensors", file_of(header, std::string(8, '\0'))));
  REQUIRE(file.entries().size() == 2);
  CHECK(file.entries()[0].is_read());
  CHECK_FALSE(file.entries()[1].is_read());
  CHECK(file.entries()[1].type() == "F8_E4M3");
  CHECK(file.entries()[1].shape == Shape{2, 2});
  CHECK(file.read(0) == std::vector<double>{0});
  CHECK(error_of([&] { file.read(1); }).kind() == ErrorKind::bad_data);

  const ArrayFile text(folder.write("a.txt", "Dear reader,\nthese are no numbers.\n"));
  REQUIRE(text.entries().size() == 1);
  CHECK(text.entries()[0].other == "text");
  CHECK(error_of([&] { text.read(0); }).kind() == ErrorKind::bad_data);
}

TEST_CASE("an npy header of no numbers is read whatever byte of it is another, or refused", "[io]") {
  for (const std::string descr : {"'<U5'", "'|O'", "[('a', '<f8'), ('b(', '<i4', (2,))]", "('<f8', (2,))"}) {
    std::string header = "{'descr': " + descr + ", 'fortran_order': False, 'shape': (2,), }";
    header.resize(117, ' '), header += '\n';
    const std::string bytes = std::string("\x93NUMPY\1\0\x76\0", 10) + header + std::string(40, 'x');
    CHECK(parse_npy_header(bytes, "x", Others::kept).other == descr);
    CHECK(error_of([&] { parse_npy_header(bytes, "x"); }).kind() == ErrorKind::bad_data);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      for (const char other : {'[', ')', '\'', '\0', ' '}) {
        std::string changed = bytes;
        changed[i] = other;
        const Error error = error_of([&] { parse_npy_header(changed, "x", Others::kept), ++kept; });
        REQUIRE((error.kind() == ErrorKind::bad_data || std::string(error.what()) == "nothing was thrown"));
      }
    CHECK(kept > 0);
  }
}

TEST_CASE("a dtype that nobody knows claims no more cells than it has bits", "[io]") {
  const auto file = [](const std::string& shape) {
    return file_of("{" + member("f", "F7", shape, 0, 2) + "}", "ab");
  };
  CHECK(parse_safetensors_header(file("[16]"), "x").entries[0].other == "F7");
  for (const std::string shape : {"[17]", "[4294967296,4294967296]", "[18446744073709551615,2]"})
    CHECK(error_of([&] { parse_safetensors_header(file(shape), "x"); }).kind() == ErrorKind::bad_data);
}
