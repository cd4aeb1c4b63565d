// What learners write instead of turning queries and keys, both, one way, each pair by its own angle.

#include "trace/mistake.hpp"

#include <cmath>

namespace tfx {

namespace {

/// A turn as it could be written: which columns are a pair, and which angle a column is turned by.
struct WrongTurn {
  std::size_t apart;        ///< of the pair's columns
  std::size_t angles_apart; ///< as if the pair's columns stood so far apart; the same where nothing is mixed
  double sign_of_first;     ///< of b·sin in a's column
};

std::size_t angle_of(std::size_t column, std::size_t apart) {
  return column / (2 * apart) * apart + column % apart;
}

Step turned_instead(const Trace& t, const Step& right, const std::string& formula, const WrongTurn& turn) {
  const Tensor &A = t[right.operation.inputs[0]], &angles = t[right.operation.inputs[1]];
  const std::size_t w = A.shape.back(), n = A.shape[A.rank() - 2];
  return cells_instead(right, formula, [&, w, n](std::size_t cell) {
    const std::size_t column = cell % w, row = cell / w % n;
    const bool is_first = column / turn.apart % 2 == 0;
    const std::size_t other = is_first ? cell + turn.apart : cell - turn.apart;
    const double angle = angles.data[row * (w / 2) + angle_of(column, turn.angles_apart)];
    return A.data[cell] * std::cos(angle) +
           (is_first ? turn.sign_of_first : 1) * A.data[other] * std::sin(angle);
  });
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
  return turned_instead(t, right, pairs_text(right, apart_of(right)) + ", " + by,
                        {apart_of(right), other_apart(right), -1});
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
  return turned_instead(t, right, "a·cos + b·sin, b·cos + a·sin", {apart_of(right), apart_of(right), 1});
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
