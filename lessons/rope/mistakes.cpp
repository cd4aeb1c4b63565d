// What learners write instead of turning queries and keys, both, one way, each pair by its own angle.

#include "core/tensor.hpp"
#include "page/layer_formulas.hpp"
#include "trace/mistake.hpp"

#include <cmath>

namespace tfx {

namespace {

/// What comes out where the columns of a pair stand `apart`, each angle is laid out twice as for pairs that
/// stand `angles_apart`, and b·sin has that sign in a's column.
Step turned_instead(const Trace& t, const Step& right, const std::string& formula, std::size_t apart,
                    std::size_t angles_apart, double sign_of_first) {
  const arma::mat angles = matrix(t[right.operation.inputs[1]]);
  arma::mat of_column(angles.n_rows, 2 * angles.n_cols);
  for (arma::uword i = 0; i < angles.n_cols; ++i)
    for (const arma::uword behind : {std::size_t{0}, angles_apart})
      of_column.col(page::first_of_pair(i, angles_apart) + behind) = angles.col(i);
  const arma::mat c = arma::cos(of_column), s = arma::sin(of_column);
  return valued_instead(right, formula,
                        for_each_matrix(t[right.operation.inputs[0]], [&](const arma::mat& A) {
                          arma::mat turned = A % c;
                          for (arma::uword i = 0; i < angles.n_cols; ++i) {
                            const arma::uword a = page::first_of_pair(i, apart), b = a + apart;
                            turned.col(a) += sign_of_first * A.col(b) % s.col(a);
                            turned.col(b) += A.col(a) % s.col(b);
                          }
                          return turned;
                        }));
}

bool is_turned(const Step& right) {
  return right.operation.is(op::rotate) && (right.name == "Q_turned" || right.name == "K_turned");
}

std::size_t apart_of(const Step& right) {
  return static_cast<std::size_t>(std::abs(right.operation.constant));
}

// The other of the two ways; of one pair there is one.
std::size_t other_apart(const Step& right) {
  const std::size_t half = right.value.shape.back() / 2;
  return apart_of(right) == half ? 1 : half;
}

Operation turned_by(const Step& right, double constant) {
  return op::rotate(right.operation.inputs[0], right.operation.inputs[1]).with(constant);
}

std::string pairs_text(const Step& right, std::size_t apart) {
  const std::string& A = right.operation.inputs[0];
  return apart == 1 ? "rotate(" + A + "[2i], " + A + "[2i + 1])" : "rotate(" + A + "[i], " + A + "[i + w/2])";
}

std::optional<Step> other_pairs(const Trace& t, const Step& right) {
  if (!is_turned(right) || right.value.shape.back() < 4) return {};
  const std::size_t apart = other_apart(right);
  return computed_instead(t, right, pairs_text(right, apart), turned_by(right, static_cast<double>(apart)));
}

std::optional<Step> mixed(const Trace& t, const Step& right) {
  if (!is_turned(right) || right.value.shape.back() < 4) return {};
  const std::string by = other_apart(right) == 1 ? "angles[j // 2]" : "angles[j % (w/2)]";
  return turned_instead(t, right, pairs_text(right, apart_of(right)) + ", " + by, apart_of(right),
                        other_apart(right), -1);
}

std::optional<Step> backwards(const Trace& t, const Step& right) {
  if (!is_turned(right)) return {};
  const Operation operation = turned_by(right, -right.operation.constant);
  return computed_instead(t, right, op::rotate.formula(operation), operation);
}

std::optional<Step> key_backwards(const Trace& t, const Step& right) {
  return right.name == "K_turned" ? backwards(t, right) : std::nullopt;
}

std::optional<Step> sign_lost(const Trace& t, const Step& right) {
  if (!is_turned(right)) return {};
  return turned_instead(t, right, "a·cos + b·sin, b·cos + a·sin", apart_of(right), apart_of(right), 1);
}

} // namespace

std::vector<Mistake> rope_mistakes() {
  return in_own_lesson(
      {Mistake{"rope.halves", other_pairs}.as_a_whole(),
       Mistake{"rope.mixed", mixed},
       Mistake{"rope.key_not_turned", {{"K_turned", "K"}}}.mended_by(
           "K = rotate(K, angles)", "K = rotate(K, angles)", "K = rotated(K, angles, apart)"),
       {"rope.query_from_zero", {{"Q_turned", "Q", "rotate(Q, 0)"}}},
       Mistake{"rope.backwards", backwards}.as_a_whole(),
       {"rope.opposite", key_backwards},
       {"rope.sign_lost", sign_lost},
       Mistake{"rope.exponent", {{"angles", "column(positions)/c^(j/width)", "positions/base^(j/w)"}}}
           .mended_by("base ** (-np.arange(0, w, 2) / w)", "base ** (-torch.arange(0, w, 2) / w)",
                      "std::pow(base, -2.0 * i / w)"),
       Mistake{"rope.base", {{"angles", "column(positions)/10000^(2·j/width)", "positions/10000^(2j/w)"}}}
           .seen_by({{"--rotary-base", "500000"}})});
}

} // namespace tfx
