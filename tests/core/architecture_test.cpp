#include "core/architecture.hpp"

#include "core/choices.hpp"
#include "core/error.hpp"
#include "support/catch.hpp"

using namespace tfx;

TEST_CASE("given sizes replace an architecture's own, and another width brings its feed-forward width along",
          "[architecture]") {
  const Architecture own{2, 8, 24, 2};
  CHECK(resized(own, {}) == own);
  CHECK(resized(own, {.layers = 3, .d_model = {}, .d_ff = {}, .heads = 4}) == Architecture{3, 8, 24, 4});
  CHECK(resized(own, {{}, 12, {}, {}}) == Architecture{2, 12, 48, 2});
  CHECK(resized(own, {{}, 8, {}, {}}) == own); // the same width is no other width
  CHECK(resized(own, {{}, 12, 5, {}}) == Architecture{2, 12, 5, 2});
  CHECK(resized(own, {{}, 12, {}, {}}, [](std::size_t d_model) { return d_model + 1; }).d_ff == 13);
  CHECK_THROWS_AS(usual_d_ff(std::size_t{1} << 62), Error);
}

TEST_CASE("a word and its value belong together", "[architecture]") {
  CHECK(word_of(norm_words(), Norm::layer) == "standard");
  CHECK(word_of(norm_words(), Norm::annotated) == "annotated");
  CHECK(word_of(placement_words(), NormPlacement::pre_norm) == "first");
  CHECK(word_of(placement_words(), NormPlacement::post_norm) == "last");
}
