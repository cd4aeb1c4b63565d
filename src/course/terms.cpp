#include "course/terms.hpp"

#include "text/names.hpp"

#include <algorithm>

namespace tfx {

const std::vector<FieldTerm>& terms() {
  // Ids of tutorials, as --tutorial takes them.
  static const std::string fun = "fun-transformer", sdpa = "scaled-dot-product", block = "attention-block",
                           annotated = "annotated", happy = "happy-llm";
  static const std::vector<FieldTerm> all = {
      {"attention", "lookup", {{fun, "注意力机制"}}},
      {"weight",
       "lookup",
       {{fun, "scores (after softmax)"},
        {annotated, "p_attn, score matrix"},
        {happy, "注意力分数, p_attn, scores (after softmax)"},
        {block, "注意力可视化"}}},
      {"argmax", "lookup"},
      {"token", "words", {{fun, "单词"}, {block, "token_ids"}, {happy, "token"}}},
      {"embedding",
       "words",
       {{fun, "词向量, words, 嵌入空间"},
        {block, "EmbeddingLayer, token_emb, 词嵌入层"},
        {annotated, "词向量, Embeddings, lut"}}},
      {"dimension",
       "words",
       {{block, "hidden_size (d_model), head_dim (d_k)"},
        {annotated, "size, features (d_model), d_ff"},
        {happy, "dim, n_embd (d_model), head_dim (d_k)"},
        {sdpa, "d_v"}}},
      {"dot_product", "words", {{annotated, "点乘"}, {happy, "内积"}}},
      {"cosine", "words"},
      {"vector", "words"},
      {"euclidean", "words", {{happy, "欧式距离"}}},
      {"self_attention", "qkv", {{annotated, "self_attn"}, {block, "自注意力块"}}},
      {"query", "qkv", {{annotated, "query"}, {happy, "查询值"}}},
      {"key", "qkv", {{annotated, "key"}, {happy, "键值"}}},
      {"value", "qkv", {{annotated, "value"}, {happy, "真值"}}},
      {"projection",
       "qkv",
       {{fun, "映射, q_linear, k_linear, v_linear, 权重矩阵, 线性变换"},
        {block, "W_q, W_k, W_v, QKV 投影, 输出投影"},
        {annotated, "linears"},
        {happy, "参数矩阵, wq, wk, wv"}}},
      {"score",
       "scores",
       {{fun, "scores, 相似度"},
        {sdpa, "matmul_qk"},
        {block, "注意力分数"},
        {annotated, "score, 关联性"},
        {happy, "相似程度, 注意力分数, 相关性"}}},
      {"transpose", "scores"},
      {"softmax", "softmax"},
      {"saturation", "softmax", {{annotated, "非1即0"}}},
      {"overflow", "softmax", {{sdpa, "数值稳定性"}}},
      {"entropy", "softmax"},
      {"nat", "softmax"},
      {"weighted_average",
       "attention",
       {{fun, "加权和"}, {sdpa, "加权求和"}, {block, "加权求和"}, {happy, "加权求和"}}},
      {"output", "attention", {{fun, "attention, 注意力输出"}, {sdpa, "上下文向量"}, {block, "context"}}},
      {"recurrent_network", "attention", {{happy, "RNN, LSTM, 时序信息"}}},
      {"sequence", "attention", {{fun, "seq_len, 输入序列"}, {block, "seq_len"}, {happy, "seqlen"}}},
      {"sdpa", "sdpa", {{annotated, "attention"}, {happy, "attention, 注意力计算函数"}}},
      {"batch", "sdpa", {{fun, "batch_size"}, {annotated, "nbatches"}, {happy, "bsz"}}},
      {"subword", "bpe"},
      {"byte_pair_encoding", "bpe"},
      {"byte", "bpe"},
      {"merge", "bpe"},
      {"positional_encoding",
       "embed",
       {{block, "位置嵌入, PositionalEmbedding, 可学习的位置编码"},
        {annotated, "Position Embedding, PositionalEncoding, pe"}}},
      {"vocabulary", "embed", {{block, "vocab_size"}, {annotated, "vocab"}}},
      {"mask",
       "masked",
       {{block, "causal_mask"},
        {annotated, "src_mask, tgt_mask"},
        {happy, "遮蔽, MASK, -inf"},
        {fun, "负无穷"}}},
      {"causal_mask",
       "masked",
       {{block, "create_causal_mask"}, {annotated, "tgt_mask"}, {happy, "is_causal, 掩码自注意力, 因果"}}},
      {"padding", "masked", {{block, "PAD"}}},
      {"broadcasting", "masked", {{block, "广播维度, np.newaxis"}, {annotated, "unsqueeze"}}},
      {"masked_fill", "masked"},
      {"nan", "masked"},
      {"multi_head", "multihead", {{annotated, "MultiHeadedAttention"}, {fun, "多头注意力机制"}}},
      {"head",
       "multihead",
       {{fun, "h, heads, 单头, 子空间"},
        {block, "num_heads, 分割为多头, 合并多头"},
        {annotated, "h"},
        {happy, "n_heads, n_local_heads"}}},
      {"view", "multihead", {{block, "split_heads"}, {annotated, "torch.view"}}},
      {"cross_attention", "cross", {{annotated, "src_attn"}}},
      {"encoder", "cross"},
      {"decoder", "cross"},
      {"source", "cross", {{annotated, "src"}}},
      {"memory", "cross", {{annotated, "memory"}, {happy, "编码信息"}}},
      {"residual", "block", {{annotated, "SubLayerConnection"}, {happy, "残差流"}}},
      {"layer_norm", "block", {{annotated, "LN"}}},
      {"feed_forward", "block", {{annotated, "FFN, PositionwiseFeedForward, feed_forward"}}},
      {"non_linearity", "block"},
      {"relu", "block", {{annotated, "F.relu"}}},
      {"pre_norm", "block"},
      {"post_norm", "block"},
      {"dropout", "block", {{fun, "随机丢弃"}, {annotated, "dropout_rate"}, {happy, "attn_dropout, 采样"}}},
      {"parameter", "block", {{block, "参数量"}, {annotated, "nn.Parameter"}}},
      {"buffer", "block", {{annotated, "register_buffer"}}},
      {"standard_deviation", "block"},
      {"bias", "block"},
      {"layer",
       "block",
       {{annotated, "EncoderLayer, DecoderLayer, clones, 深拷贝"}, {block, "Transformer 块"}}},
      {"sublayer", "block", {{annotated, "sublayer"}}},
      {"gate", "block", {{happy, "门机制"}}},
      {"gelu", "block"},
      {"rms_norm", "block"},
      {"gain", "block", {{annotated, "a_2, b_2"}}},
      {"encoder_decoder", "model", {{annotated, "EncoderDecoder, make_model"}}},
      {"activation", "model"},
      {"transformer", "model"},
      {"gpt", "model", {{sdpa, "Generative Pretrained Transformer"}}},
      {"bert", "model", {{sdpa, "Bidirectional Encoder Representations from Transformers"}}},
      {"generator", "model"},
      {"target", "model", {{annotated, "tgt"}}},
      {"ablation", "model"},
      {"logits", "loss", {{sdpa, "scaled_attention_logits (scores)"}, {block, "output (of compute_loss)"}}},
      {"loss", "loss", {{block, "模拟损失"}}},
      {"cross_entropy", "loss", {{block, "交叉熵损失, compute_loss"}}},
      {"label", "loss", {{block, "target"}}},
      {"perplexity", "loss"},
      {"gradient", "loss", {{block, "d_loss"}, {annotated, "requires_grad"}}},
      {"backpropagation", "loss", {{fun, "backward"}, {block, "backward_pass"}}},
      {"chain_rule", "loss"},
      {"central_difference", "loss"},
      {"label_smoothing", "loss"},
      {"training", "train"},
      {"optimizer", "train"},
      {"sgd", "train"},
      {"adam", "train"},
      {"momentum", "train"},
      {"bias_correction", "train"},
      {"weight_decay", "train"},
      {"learning_rate", "train"},
      {"warm_up", "train"},
      {"overfitting", "train"},
      {"kneser_ney", "train"},
      {"bits_per_byte", "train"},
      {"teacher_forcing", "decode"},
      {"decoding", "decode", {{annotated, "预测"}}},
      {"greedy", "decode", {{annotated, "贪心算法"}}},
      {"beam_search", "decode"},
      {"sampling", "decode"},
      {"seed", "decode"},
      {"temperature", "decode"},
      {"language_model", "decode"},
      {"autoregressive", "decode"},
      {"special_token", "decode"},
      {"log_probability", "decode", {{block, "log_probs"}}},
      {"top_k", "decode"},
      {"top_p", "decode"},
      {"prediction", "decode"},
      {"kv_cache", "cache"},
      {"mac", "params", {{annotated, "FLOPs (of thop)"}}},
      {"flop", "params", {{annotated, "浮点数计算次数"}}},
      {"linear_layer", "params", {{fun, "nn.Linear"}, {annotated, "nn.Linear"}, {happy, "nn.Linear"}}},
      {"float", "params"},
      {"thop", "params"},
      {"decoder_only", "gpt"},
      {"rotary_positions", "rope"},
      {"radian", "rope"},
      {"complex_number", "rope"},
      {"position_interpolation", "rope"},
      {"grouped_queries", "modern"},
      {"swiglu", "modern"},
      {"geglu", "modern"},
      {"qk_norm", "modern"},
      {"flash_attention", "modern"},
      {"sliding_window", "modern"},
      {"induction_head", "induction"},
      {"circuit", "induction"},
      {"logit_lens", "lens"},
      {"residual_stream", "lens"},
      {"activation_patching", "lens"},
      {"blas", "bench"},
      {"kernel", "bench"},
      // What no lesson teaches and a tutorial says.
      {"neural_network", "", {{happy, "神经元"}}},
      {"deep_learning", ""},
      {"fully_connected", ""},
      {"convolutional_network", "", {{happy, "卷积层"}}},
      {"nlp", ""},
      {"computer_vision", "", {{fun, "计算机视觉"}, {sdpa, "图像处理"}}},
      {"llm", ""},
      {"n_gram", ""},
      {"pretraining", ""},
      {"statistical_learning", "", {{happy, "统计机器学习"}}},
      {"vector_space", "", {{happy, "文本表示"}}},
      {"vit", ""},
      {"word2vec", ""},
      {"elmo", "", {{happy, "双向 LSTM"}}},
      {"seq2seq", ""},
      {"machine_translation", ""},
      {"corpus", ""},
      {"tensor", ""},
      {"matrix_product", "", {{fun, "matmul"}, {sdpa, "matmul"}, {annotated, "matmul"}, {happy, "matmul"}}},
      {"triangular", "", {{block, "triu"}, {happy, "上三角矩阵, triu, 下三角"}}},
      {"one_hot", ""},
      {"distribution", "", {{fun, "概率化"}}},
      {"normalization", ""},
      {"scaling", "", {{happy, "放缩"}}},
      {"long_range", "", {{happy, "长序列的相关关系, 长期依赖关系"}, {sdpa, "依赖关系"}}},
      {"parallel", "", {{fun, "并行"}, {happy, "模型并行, GPU, 串行, model_parallel_size"}}},
      {"vanishing_gradient", ""},
      {"exploding_gradient", ""},
      {"gradient_flow", ""},
      {"autograd", ""},
      {"regularization", ""},
      {"held_out", ""},
      {"initialization",
       "",
       {{block, "fan_in, fan_out, He 初始化, Xavier 初始化"},
        {annotated, "Glorot, xavier_uniform_, fan_avg"},
        {fun, "随机初始化"}}},
      {"forward_pass", "", {{fun, "forward"}, {annotated, "forward"}}},
      {"hidden", ""},
      {"concat", "", {{fun, "concat"}, {annotated, "concat"}, {happy, "Concat"}}},
      {"einsum", "", {{block, "np.einsum"}}},
      {"contiguous", ""},
      {"module", "", {{annotated, "nn.ModuleList, nn.Sequential, deepcopy"}}},
      {"context", ""},
      {"feature", "", {{annotated, "features"}, {happy, "特征提取"}}},
      {"semantics", ""},
      {"tanh", ""},
      {"batch_norm", ""},
      {"epsilon", "", {{annotated, "eps"}}},
      {"length_penalty", ""},
      {"clipping", ""},
      {"alignment", ""},
      {"tokenization", ""},
      {"stride", ""},
      {"bleu", ""},
      {"tied_weights", ""},
      {"prefix", ""},
      {"prompt", ""},
      {"scalar", ""},
  };
  return all;
}

namespace {

std::vector<std::string> parts_of(std::string_view text, std::string_view between) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(between, start), text.size());
    parts.emplace_back(text.substr(start, end - start));
    start = end + between.size();
  }
  return parts;
}

Glossary::Entry entry_in(const Words& words, const std::string& id) {
  const std::string* text = words.find(id);
  if (!text) throw defect("there are no words for the term " + id);
  const std::size_t line = std::min(text->find('\n'), text->size());
  return {parts_of(text->substr(0, line), " / "), text->substr(std::min(line + 1, text->size()))};
}

/// In small letters; a hyphen, a blank or a _ is a blank.
std::string folded(std::string_view name) {
  std::string text;
  for (const char c : name)
    text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == '-' || c == '_' ? ' ' : c;
  return text;
}

/// "BOS" of "<BOS>", "pad" of "[pad]"; else the name.
std::string without_brackets(const std::string& name) {
  const bool has_both = name.size() > 3 && ((name.front() == '<' && name.back() == '>') ||
                                            (name.front() == '[' && name.back() == ']'));
  return has_both ? name.substr(1, name.size() - 2) : name;
}

/// "scores" of "scores (after softmax)".
std::string without_remark(const std::string& name) {
  return name.substr(0, name.find(" ("));
}

bool has_word_beginning(const std::string& name, const std::string& beginning) {
  for (std::size_t at = name.find(beginning); at != std::string::npos; at = name.find(beginning, at + 1))
    if (at == 0 || name[at - 1] == ' ' || static_cast<unsigned char>(name[at]) >= 0x80) return true;
  return false;
}

} // namespace

Glossary::Glossary() {
  const Words english = words_alone("src/course/terms", Language::en),
              chinese = words_alone("src/course/terms", Language::zh);
  for (const FieldTerm& term : terms()) {
    Book book{&term, entry_in(english, term.id), entry_in(chinese, term.id), {}};
    for (const auto* names : {&book.english.names, &book.chinese.names})
      for (const std::string& name : *names) book.called.push_back(folded(name));
    for (const TutorialWords& tutorial : term.elsewhere)
      for (const std::string& name : parts_of(tutorial.words, ", "))
        book.called.push_back(folded(without_remark(name)));
    books_.push_back(std::move(book));
  }
}

const Glossary::Entry& Glossary::entry(const FieldTerm& term, Language language) const {
  const Book& book = *std::ranges::find(books_, &term, &Book::term);
  return language == Language::en ? book.english : book.chinese;
}

std::vector<const FieldTerm*> Glossary::find(std::string_view name) const {
  const std::string wanted = without_brackets(folded(name));
  std::vector<const FieldTerm*> found;
  if (wanted.empty()) return found;
  const auto collect = [&](auto&& fits) {
    if (!found.empty()) return;
    for (const Book& book : books_)
      if (std::ranges::any_of(book.called, fits)) found.push_back(book.term);
  };
  collect([&](const std::string& called) {
    return called == wanted || called == wanted + 's' || called + 's' == wanted;
  });
  collect([&](const std::string& called) { return called.starts_with(wanted); });
  collect([&](const std::string& called) { return has_word_beginning(called, wanted); });
  return found;
}

std::optional<std::string> Glossary::near(const std::string& name) const {
  std::vector<std::string> names;
  for (const Book& book : books_)
    for (const auto* own : {&book.english.names, &book.chinese.names})
      names.insert(names.end(), own->begin(), own->end());
  return nearest(name, names);
}

} // namespace tfx
