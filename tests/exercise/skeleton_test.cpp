// The programs that learners start from, and which exercise a program says it is.

#include "exercise/skeleton.hpp"
#include "support/catch.hpp"
#include "words/in_words.hpp"

using namespace tfx;

TEST_CASE("a program says which exercise it is", "[exercise]") {
  for (const Exercise& exercise : exercises())
    for (const auto language : {ProgramLanguage::numpy, ProgramLanguage::torch, ProgramLanguage::cpp}) {
      const std::vector<ProgramFile> files = skeleton(exercise, language);
      CHECK(exercise_of_program(files[0].text) == exercise.name);
      CHECK(files.size() == (language == ProgramLanguage::cpp ? 2 : 1));
      CHECK(files[0].name == exercise.name + (language == ProgramLanguage::cpp ? ".cpp" : ".py"));
    }
  CHECK(exercise_of_program("#!/usr/bin/env python3\n# tfx exercise scores (mine)\n") == "scores");
  CHECK(exercise_of_program("# tfx exercise") == std::nullopt);
  CHECK(exercise_of_program(std::string(1000, ' ') + "# tfx exercise scores") == std::nullopt);
  CHECK(exercise_of_program("") == std::nullopt);
}

TEST_CASE("a program has its function, its arrays with their shapes, and a hole", "[exercise]") {
  const Exercise& exercise = *exercise_named("multihead");
  const std::string numpy = skeleton(exercise, ProgramLanguage::numpy)[0].text;
  for (const char* part :
       {"def multihead(X, W_Q, W_K, W_V, W_O, heads, mask):", "        X      (…, n, d_model)\n",
        "        heads  a number\n", "        mask   (n, n)  True: may be seen\n",
        "raise NotImplementedError(\"multihead\")", "return dict(output=...)"}) {
    INFO(part);
    CHECK(numpy.find(part) != std::string::npos);
  }
  const std::string cpp = skeleton(exercise, ProgramLanguage::cpp)[0].text;
  for (const char* part : {"tfx::Returned multihead(const mat& X, ", "int heads, const mat& mask) {",
                           "//   weights  (heads, n, n)\n", "given.matrix(\"W_O\"), given.whole(\"heads\")",
                           "#include \"tfx_exercise.hpp\""}) {
    INFO(part);
    CHECK(cpp.find(part) != std::string::npos);
  }
  CHECK(skeleton(*exercise_named("train"), ProgramLanguage::numpy)[0].text.find(
            "return dict(m_W_Q=..., v_W_Q=..., W_Q_after=...)") != std::string::npos);
  CHECK(skeleton(*exercise_named("loss"), ProgramLanguage::cpp)[0].text.find(
            "return {{\"log_probs\", mat()}, {\"loss\", 0.0}, {\"dlogits\", mat()}};") != std::string::npos);
  const std::string embed = skeleton(*exercise_named("embed"), ProgramLanguage::cpp)[0].text;
  CHECK(embed.find("const rowvec& token_ids") != std::string::npos);
}

TEST_CASE("the whole model's program names its parameters, all of them, and earlier functions",
          "[exercise]") {
  const Exercise& exercise = *exercise_named("model");
  for (const auto language : {ProgramLanguage::numpy, ProgramLanguage::torch, ProgramLanguage::cpp}) {
    const std::string text = skeleton(exercise, language)[0].text;
    for (const char* part : {"src_embed.0.lut.weight", "encoder.layers.I.self_attn.linears.J.weight, .bias",
                             "decoder.layers.I.sublayer.J.norm.a_2, .b_2", "generator.proj.weight", "softmax",
                             "multihead", "encode", "decode"}) {
      INFO(part);
      CHECK(text.find(part) != std::string::npos);
    }
  }
}

TEST_CASE("a signature is what goes in and has to come out", "[exercise]") {
  CHECK(signature_of(*exercise_named("softmax")) == "softmax(scores, d_k) → weights");
}

TEST_CASE("every case has a name that can be said to the learner", "[exercise]") {
  for (const Exercise& exercise : exercises())
    for (const CaseRule& rule : exercise.series) {
      INFO(exercise.name << ": " << rule.id);
      for (const Language language : {Language::en, Language::zh})
        CHECK(words_alone("src/cli/grade", language).find("case." + rule.id));
    }
}
