// make_corpus FOLDER: the files that fuzzing starts from, FOLDER/TARGET/NAME, most of them written by tfx
// itself.
#include "core/error.hpp"
#include "io/csv.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "io/safetensors.hpp"

#include <filesystem>
#include <fstream>
#include <limits>

using namespace tfx;

namespace {

const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
const Tensor matrix({2, 3}, {0.5, -1, 2, 1e-300, nan, -inf}), small({2, 2}, {1, 2, 3, -4}), scalar({}, {7}),
    stack({1, 2, 2}, {1, 0, 0, 1}), none({0, 3}, {});

class Folder {
public:
  Folder(const std::filesystem::path& root, const std::string& target) : path_(root / target) {
    std::filesystem::create_directories(path_);
  }

  void add(const std::string& bytes) {
    std::ofstream file(path_ / std::to_string(count_++), std::ios::binary);
    file << bytes;
    if (!file.flush()) throw Error(ErrorKind::io, Message::given("cannot write in " + path_.string()));
  }

private:
  std::filesystem::path path_;
  int count_ = 0;
};

std::string with(std::string text, const std::string& old, const std::string& fresh) {
  return text.replace(text.find(old), old.size(), fresh);
}

void add_npy(Folder folder) {
  for (const Tensor* tensor : {&matrix, &small, &scalar, &stack, &none}) folder.add(write_npy(*tensor));
  folder.add(write_npy(small, DType::f32));
  const std::string whole = write_npy(Tensor({3}, {1, 2, 3}));
  for (const char* type : {"'>f8'", "'<i8'", "'<u8'", "'=f8'"}) folder.add(with(whole, "'<f8'", type));
  for (const char* type : {"'|i1'", "'|b1'", "'|u1'"})
    folder.add(with(whole, "'<f8'", type).substr(0, whole.size() - 21));
  folder.add(with(write_npy(small), "False", "True "));
}

void add_npz(Folder folder) {
  folder.add(write_npz({{"Q", &small}, {"K", &matrix}}));
  folder.add(write_npz({{"x", &scalar, DType::f32}}));
  folder.add(write_npz({{"stack", &stack}, {"none", &none}}));
  folder.add(write_npz({}));
  folder.add(write_npz({{"Q", &small}}) + write_npz({{"Q", &matrix}})); // joined: the last is read
}

void add_safetensors(Folder folder) {
  folder.add(write_safetensors({{"W_Q", &small}, {"b_Q", &scalar, DType::f64}}));
  folder.add(write_safetensors({{"a", &none}, {"b", &stack}}, {{"heads", "2"}, {"norm", "annotated"}}));
  folder.add(write_safetensors({}));
  std::string with_checksum = write_safetensors({{"W", &small}}, checksum_metadata());
  write_checksum(with_checksum);
  folder.add(with_checksum);
  folder.add(
      write_safetensors({{"W", &small, DType::f16}}, {{"src_tokenizer", "bpe"}, {"src_merges", "a b\n"}}));
  const std::string text = R"({"a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]},)"
                           R"("é\u00e9":{"dtype":"I32","shape":[],"data_offsets":[4,8]}})";
  folder.add(std::string(1, static_cast<char>(text.size())) + std::string(7, '\0') + text + "abcdefgh");
}

void add_tables(Folder folder) {
  folder.add(write_csv(matrix));
  folder.add(write_csv(small));
  for (const char* text : {"word,size,legs\ncat,0.1,4\n\"a \"\"b\"\", c\",1e5,-2\n", "1 2 3\n4 5 6\n",
                           "# saved\n1;2\r\n3;4\r\n", "1\t2\n\n", ",a,b\n0,1,2\n1,3,4\n", ",0,1\nx,1,2\n",
                           "\xEF\xBB\xBF"
                           "1,2\n",
                           "the 0.1 -0.2\ncat +3e4 inf\n", "\"1\n2\",3\n", "nan,-inf\r1,2"})
    folder.add(text);
}

void add_pairs(Folder folder) {
  for (const char* text :
       {"eins\tone\nzwei\ttwo\n", "\xEF\xBB\xBF我 爱\tI love\r\n你\tyou\r\n\r\n", "a \"b\"\tc, #d\n", "x\ty"})
    folder.add(text);
}

/// The first byte chooses where a document ends.
void add_documents(Folder folder) {
  for (const char* text : {"\1one\ntwo\n\n \t\nthree\r\n", "\3\xEF\xBB\xBF床前\n明月\n",
                           "\2the cat sat\n\nthe cat", "\1\xE3\x80\x80 a\n\n\nb", "\3ababab\nbababa\n"})
    folder.add(text);
}

void add_texts(Folder folder) {
  for (const char* text :
       {"the cat sat on the mat", "我爱NLP，你呢？",
        "e\xCC\x81 \xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7",
        "one hundred and twenty-one", "1, 2 3", "\x1b[2J \xE2\x80\xAE abc \xC2\x9B",
        "I'll  don't 's\n\n GPT2 3.14", "⇧ press ⇪ ok + ⇧ a", "OK, LibreOffice \"Ctrl+A\"。",
        "한국어 にほんご\xE3\x80\x80全角", "<pad> <s> </s> <unk>", "\xFF\xFE a"})
    folder.add(text);
}

void add_byte_pairs(Folder merges, Folder vocabulary) {
  for (const char* text :
       {"#version: 0.2\nl o\nĠ lo\næ Ī\n", "a b\r\nab c\r\n\r\n", "a a\naa aa\naaaa a", "# v\n",
        "a b\nb c\nab c\na bc\n", "ab ab\na b\n", "\xEF\xBB\xBF#version: 0.2\na b\n", "a b\n\na b\n"})
    merges.add(text);
  for (const char* text : {R"({"ab":256})", R"({ "ab": 256, "<|endoftext|>": 257 })",
                           R"({"\u0120a":257,"ab":256})", R"({"ab":256,"ab":257})", R"(["ab"])",
                           R"({"ab":256,"a\u0062":257})", R"({"ab":18446744073709551616})", R"({"ab":1e400})",
                           R"({"ab":{"ab":[[]]}})", R"({"ab":256,"\ud83d":257})"})
    vocabulary.add(text);
}

// The rows of the two embeddings, then the metadata as fuzz/card.cpp reads them.
void add_cards(Folder folder) {
  const std::string target = "\xFFtgt_tokenizer\xFFsentences\xFFtgt_tokens\xFF<pad>\n<s>\n</s>\n<unk>\n我"
                             "\xFFstart\xFF"
                             "1\xFF"
                             "end\xFF"
                             "2\xFFmax_tokens\xFF"
                             "9";
  folder.add("\4\4task\xFFpairs\xFFsrc_tokenizer\xFFwords\xFFsrc_tokens\xFF<pad>\n<s>\n</s>\n<unk>\na" +
             target);
  folder.add("\x81\4task\xFFpairs\xFFsrc_tokenizer\xFF"
             "bpe\xFFsrc_merges\xFF#version: 0.2\na b\n" +
             target);
  folder.add("\7\4task\xFFpairs\xFFsrc_tokenizer\xFFids" + target);
  folder.add("\1\1author\xFFnobody");
}

void add_progress(Folder folder) {
  const std::string heading = "tfx progress 1\n";
  for (const char* lines :
       {"", "# kept by tfx\nscores done\nsoftmax seen\n", "\r\n a-1\tdone\r\na-1 seen", "scores none\n"})
    folder.add(heading + lines);
}

void add_numbers(Folder folder) {
  for (const char* text : {"1", "1000000000", "0", "010", "0.1", "0.999", "1e-3", "1e99", "nan", "-5", "3x",
                           "1,2,3;4,5", " 7 , 8 ;9", ";", "4294967296", "\0\0\0\0\0\0\xF0\x3F", "abcdefgh"})
    folder.add(text);
}

void add_configurations(Folder folder) {
  const std::string sizes = R"("hidden_size":8,"num_hidden_layers":2,"num_attention_heads":4,"vocab_size":9,)"
                            R"("intermediate_size":16,"ffn_dim":16,"max_position_embeddings":9})";
  for (const char* type :
       {"opt", "gpt_neox", "llama", "mistral", "qwen2", "qwen3", "gemma", "phi", "bert", "roberta"})
    folder.add(R"({"model_type":")" + std::string(type) + "\"," + sizes);
  folder.add(
      R"({"model_type":"gpt2","n_layer":2,"n_embd":8,"n_head":2,"vocab_size":9,"n_positions":5,"n_inner":null})");
  folder.add(R"({"model_type":"t5","num_layers":2,"d_model":8,"d_ff":9,"num_heads":2,"vocab_size":9,)"
             R"("feed_forward_proj":"gated-gelu","tie_word_embeddings":false})");
  folder.add(R"({"model_type":"qwen3","rope_parameters":{"rope_type":"default","rope_theta":1e6},)"
             R"("use_sliding_window":true,"max_window_layers":0,"layer_types":["sliding_attention"]})");
  folder.add(
      R"({"metadata":{"total_size":1e3},"weight_map":{"model.layers.0.w":"a","model.layers.10.w":"b"}})");
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path root = argv[1];
  add_npy({root, "npy"});
  add_npz({root, "npz"});
  add_safetensors({root, "safetensors"});
  add_tables({root, "csv"});
  add_pairs({root, "pairs"});
  add_documents({root, "documents"});
  add_texts({root, "tokens"});
  add_texts({root, "bpe_text"});
  add_byte_pairs({root, "merges"}, {root, "bpe_vocabulary"});
  add_cards({root, "card"});
  add_progress({root, "progress"});
  add_numbers({root, "numbers"});
  add_configurations({root, "config"});
}
