#include "core/error.hpp"
#include "model/counts.hpp"
#include "model/text_writer.hpp"
#include "ngram/copied.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "train/corpus.hpp"
#include "train/microgpt.hpp"
#include "train/text_counts.hpp"
#include "train/text_loss.hpp"
#include "train/trainer.hpp"

#include <cmath>
#include <map>
#include <numbers>

using namespace tfx;

namespace {

using Texts = std::vector<std::string>;

TrainingState micro_state(const Task& task, std::size_t context) {
  TrainingConfig config = training_config_for("corpus", "gpt-micro");
  config.model.layers = 2, config.model.d_model = 16, config.model.heads = 2, config.model.d_ff = 32;
  config.model.max_len = context;
  return start_training(config, task.facts());
}

} // namespace

TEST_CASE("a text is cut into documents by line, by blank lines or by file", "[corpus]") {
  const TemporaryFolder folder;
  const std::string text = "\xEF\xBB\xBF"
                           "  one \r\ntwo\r\n\r\n \t\r\n\xE3\x80\x80three\n\n";
  const Texts files{folder.write("a.txt", text), folder.write("b.txt", "four\n\nfive")};
  CHECK(read_corpus(files, Documents::line).documents == Texts{"one", "two", "three", "four", "five"});
  CHECK(read_corpus(files, Documents::blank).documents == Texts{"one \ntwo", "three", "four", "five"});
  CHECK(read_corpus(files, Documents::file).documents ==
        Texts{"one \ntwo\n\n \t\n\xE3\x80\x80three", "four\n\nfive"});
  CHECK_THROWS_AS(read_corpus({folder.write("blank.txt", " \n\t\n")}, Documents::line), Error);
  CHECK_THROWS_AS(read_corpus({folder.write("latin.txt", "caf\xE9\n")}, Documents::line), Error);
}

TEST_CASE("every tenth document is held out, and its own characters are <unk>", "[corpus]") {
  Texts documents(20, "abab");
  documents[9] = "aBéc", documents[19] = "ab";
  const CorpusTask task({documents, {}}, {.context = 4});
  CHECK(task.trained().size() == 18);
  CHECK(task.tgt_vocabulary().tokens == Texts{"<pad>", "<s>", "</s>", "<unk>", "a", "b"});
  const auto held_out = task.held_out(5);
  REQUIRE(held_out.size() == 2);
  CHECK(held_out[0].tgt ==
        TokenIds{start_id, 4, unknown_id, unknown_id, unknown_id, end_id}); // "B" is no "b"
  CHECK(held_out[0].bytes == 5);
  CHECK(held_out[0].unknown_bytes == 4);
}

TEST_CASE("pieces are of documents, and every token is said as often", "[corpus]") {
  const Texts documents{"abcdefghij", "kl", "m"};
  const CorpusTask task({documents, {}}, {.held_out = HeldOut::none, .context = 4});
  std::map<std::string, double> said; // token behind the one before it
  std::size_t all = 0;
  for (std::uint64_t step = 0; step < 2000; ++step) {
    for (const Example& example : task.batch(4, 7, step)) {
      REQUIRE(example.tgt.size() >= 2);
      REQUIRE(example.tgt.size() <= 5);
      for (std::size_t i = 1; i < example.tgt.size(); ++i, ++all)
        ++said[task.tgt_vocabulary().decode({example.tgt[i - 1], example.tgt[i]})];
    }
  }
  CHECK(said.size() == 11 + 3 + 2); // nothing that stands in no document
  for (const auto& [pair, count] : said) {
    INFO(pair);
    CHECK(std::abs(count * 16 / static_cast<double>(all) - 1) < 0.1);
  }
  CHECK(task.batch(4, 7, 3) == task.batch(4, 7, 3));
  CHECK(task.batch(4, 7, 3) != task.batch(4, 8, 3));
}

TEST_CASE("a text's loss is that of every token behind those before it", "[corpus]") {
  const CorpusTask task({{"abcabcabdabcaab"}, {}}, {.held_out = HeldOut::none, .context = 64});
  const Example document = task.trained()[0];
  const TrainingState state = micro_state(task, 64);
  const TextLoss whole = text_losses(state.model, {document, document})[1];
  CHECK(whole.tokens == 16);
  CHECK(whole.bytes == 15);
  const TrainingBatch batch = training_batch({document});
  ModelSaved<float> saved;
  arma::Mat<float> scores = logits(state.model, batch.inputs(), {}, saved);
  const Loss loss = loss_and_gradient(scores, batch.labels, {0, 1000}, 1);
  CHECK(whole.nats == Approx(loss.sum).epsilon(1e-6));
  CHECK(whole.bits_per_byte() == Approx(loss.sum / std::numbers::ln2 / 15).epsilon(1e-6));
  // What no token stands for costs 8 bits a byte.
  CHECK(TextLoss{0, 3, 4, 2}.bits_per_byte() == 4);
}

TEST_CASE("a text longer than the context is said in windows, each token once", "[corpus]") {
  const CorpusTask task({{"abcabcabdabcaab"}, {}}, {.held_out = HeldOut::none, .context = 4});
  const Example document = task.trained()[0];
  const TrainingState state = micro_state(task, 4);
  // By hand: the first window says 4 tokens, each further one the last 2 of its 4.
  double nats = 0;
  for (std::size_t begin = 0; begin + 4 <= 16; begin += 2) {
    Example window{.tgt = {document.tgt.begin() + static_cast<std::ptrdiff_t>(begin),
                           document.tgt.begin() + static_cast<std::ptrdiff_t>(begin + 5)}};
    const TrainingBatch batch = training_batch({window});
    const arma::Mat<float> log_probs = forward(state.model, batch.inputs(), {});
    for (std::size_t i = begin == 0 ? 0 : 2; i < 4; ++i)
      nats -= static_cast<double>(log_probs(batch.labels[i], i));
  }
  CHECK(text_losses(state.model, {document})[0].nats == Approx(nats).epsilon(1e-5));
}

TEST_CASE("microgpt's first losses are the blog's, without its text", "[corpus][microgpt]") {
  const MicrogptNames task;
  TrainingState state = start_training(training_config_for("corpus", "microgpt"), task.facts());
  CHECK(count_parameters(state.model) == 4192);
  Transformer<float> gradient = zeros_like(state.model);
  const auto& losses = microgpt_facts().losses;
  REQUIRE(losses.size() == 13);
  for (const double loss : losses) CHECK(std::abs(train_step(state, gradient, task).loss - loss) < 0.5e-4);
}

TEST_CASE("the longest run that was copied", "[corpus]") {
  const std::vector<TokenIds> documents{{1, 2, 3, 4}, {4, 5, 6}};
  CHECK(longest_copied({9, 2, 3, 4, 5, 6, 9}, documents).length == 3);
  CHECK(longest_copied({9, 2, 3, 4, 5, 6, 9}, documents).begin == 1);
  CHECK(longest_copied({9, 8}, documents).length == 0);
}

TEST_CASE("a text that is gone on with is read as it is written", "[corpus]") {
  const Vocabulary words =
      Vocabulary::of_texts(Tokenizer::characters, Texts{"ab c"}, Vocabulary::Unknown::has_a_token);
  const auto id = [&](const char* token) { return *words.id_of(token); };
  CHECK(words.encode_as_written("ab ") == TokenIds{id("a"), id("b"), id(" ")});
  CHECK(words.encode_as_written("A") == TokenIds{unknown_id}); // no small one in its place
  CHECK(words.shown(id(" ")) == "␣");
  CHECK_THROWS_AS(words.encode_as_written(""), Error);
  CHECK_THROWS_AS(words.encode_as_written("\xFF"), Error);
  const Vocabulary known =
      Vocabulary::of_texts(Tokenizer::characters, Texts{"ab"}, Vocabulary::Unknown::refused);
  CHECK_THROWS_AS(known.encode_as_written("c"), Error);
}

TEST_CASE("counting says the tokens that a model says, among as many", "[corpus]") {
  const CorpusTask task({{"abab", "abba", "b"}, {}}, {.held_out = HeldOut::none, .context = 8});
  const std::vector<Example>& documents = task.trained();
  const auto losses = counted_losses(counted_model(task.facts(), documents), documents);
  const TrainingState state = micro_state(task, 8);
  const TextLoss learned = total(text_losses(state.model, documents));
  std::vector<std::vector<std::uint32_t>> ids;
  for (const Example& one : documents) ids.emplace_back(one.tgt.begin() + 1, one.tgt.end() - 1);
  const KneserNey counted(ids, task.tgt_vocabulary().size() - 2, *task.end()); // no padding, no start
  for (std::size_t n = 0; n < losses.size(); ++n) {
    const TextLoss all = total(losses[n]);
    CHECK(all.tokens == learned.tokens);
    CHECK(all.bytes == learned.bytes);
    double bits = 0;
    for (const auto& document : ids) {
      const Tensor log_probs = counted.log_probs(document);
      for (std::size_t i = 0; i <= document.size(); ++i) bits -= log_probs.at({n, i});
    }
    CHECK(all.nats == Approx(bits * std::numbers::ln2));
  }
}

TEST_CASE("past its context a writer has read the last half of it, and no more", "[corpus]") {
  const CorpusTask task({{"abcabcabdabcaab"}, {}}, {.held_out = HeldOut::none, .context = 4});
  const TrainingState state = micro_state(task, 4);
  const TokenIds text = task.trained()[0].tgt;
  TextWriter<float> writer(state.model, {text[0]});
  std::size_t begin = 0;
  for (std::size_t written = 1; written < text.size(); ++written) {
    INFO(written);
    TextWriter<float> afresh(state.model, TokenIds(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                                   text.begin() + static_cast<std::ptrdiff_t>(written)));
    for (std::size_t id = 0; id < writer.next().size(); ++id)
      CHECK(writer.next()[id] == Approx(afresh.next()[id]).margin(1e-5));
    CHECK(writer.has_slid() == (begin > 0));
    writer.write(text[written]);
    if (written + 1 - begin > 4) begin = written + 1 - 2; // by hand: a context of 4, its half 2
  }
}
