#include "course/answer_parser.hpp"

#include "text/utf8.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

namespace tfx {

namespace {

using Result = std::optional<double>;

struct Function {
  std::string_view name;
  double (*value)(double);
};

constexpr Function functions[] = {
    {"sqrt", [](double x) { return std::sqrt(x); }}, {"√", [](double x) { return std::sqrt(x); }},
    {"exp", [](double x) { return std::exp(x); }},   {"ln", [](double x) { return std::log(x); }},
    {"log", [](double x) { return std::log(x); }},   {"abs", [](double x) { return std::abs(x); }},
};

// sum = product {± product}, product = power {· power}, power = factor [^ power].
class Calculator {
public:
  explicit Calculator(std::string_view text) : text_(text) {}

  Result value() {
    const Result result = sum();
    return result && text_.empty() && std::isfinite(*result) ? result : std::nullopt;
  }

private:
  bool take(std::string_view front) {
    if (!text_.starts_with(front)) return false;
    text_.remove_prefix(front.size());
    return true;
  }

  Result sum() {
    Result left = product();
    while (left) {
      const bool plus = take("+");
      if (!plus && !take("-")) break;
      const Result right = product();
      if (!right) return {};
      *left += plus ? *right : -*right;
    }
    return left;
  }

  Result product() {
    Result left = power();
    while (left && !text_.starts_with("**")) {
      const bool times = take("*") || take("x") || take("·");
      if (!times && !take("/")) break;
      const Result right = power();
      if (!right) return {};
      *left = times ? *left * *right : *left / *right;
    }
    return left;
  }

  // −2² is −4, 2^−1 a half.
  Result power() {
    if (++depth_ > deepest) return {};
    Result result;
    if (take("-")) {
      result = power();
      if (result) *result = -*result;
    } else {
      take("+");
      result = factor();
      if (result && (take("^") || take("**"))) {
        const Result exponent = power();
        result = exponent ? Result(std::pow(*result, *exponent)) : Result();
      }
    }
    --depth_;
    return result;
  }

  Result factor() {
    for (const Function& function : functions)
      if (take(function.name)) {
        const Result argument = text_.starts_with("(") || function.name == "√" ? factor() : Result();
        return argument ? Result(function.value(*argument)) : argument;
      }
    if (take("(")) {
      if (++depth_ > deepest) return {};
      const Result inside = sum();
      --depth_;
      return take(")") ? inside : std::nullopt;
    }
    if (take("π") || take("pi")) return std::numbers::pi;
    if (take("e")) return std::numbers::e;
    return number();
  }

  Result number() {
    double value = 0;
    const bool digit = !text_.empty() && (text_[0] == '.' || (text_[0] >= '0' && text_[0] <= '9'));
    if (!digit || text_.starts_with("0x")) return {}; // a hexadecimal number is no product
    const auto [stop, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc()) return {};
    text_.remove_prefix(static_cast<std::size_t>(stop - text_.data()));
    return value;
  }

  static constexpr int deepest = 100;
  std::string_view text_;
  int depth_ = 0;
};

} // namespace

std::optional<double> calculated(std::string_view text) {
  return Calculator(text).value();
}

namespace {

// The spellings of an input method and of this program's own screens.
constexpr std::pair<char32_t, char> spellings[] = {
    {0x3002, '.'}, // 。
    {0x3001, ','}, // 、
    {0x00D7, 'x'}, // ×
    {0x2715, 'x'}, // ✕
    {0x2212, '-'}, // −
    {0x2013, '-'}, // –
    {0x2014, '-'}, // —
    {0x2044, '/'}, // ⁄
    {0x00F7, '/'}, // ÷
    {0x2248, '='}, // ≈
    {0x3010, '['}, // 【
    {0x3011, ']'}, // 】
};

std::optional<char> ascii_of(char32_t character) {
  if (character >= 0xFF01 && character <= 0xFF5E) return static_cast<char>(character - 0xFF01 + '!');
  for (const auto& [from, to] : spellings)
    if (from == character) return to;
  if (is_white_space(character)) return ' ';
  return std::nullopt;
}

std::string without(std::string text, char character) {
  std::erase(text, character);
  return text;
}

bool strip_front(std::string& text, std::string_view front) {
  if (!text.starts_with(front)) return false;
  text.erase(0, front.size());
  return true;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// "1,234,567": groups of three behind a first one of one to three.
bool separates_thousands(const std::string& text) {
  const std::size_t end = std::min(text.find('.'), text.size()), first = text.find(',');
  if (first == 0 || first > 3 || text.front() == '0') return false;
  for (std::size_t i = first; i < end; i += 4) {
    if (text[i] != ',' || i + 4 > end ||
        !std::all_of(text.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                     text.begin() + static_cast<std::ptrdiff_t>(i) + 4, is_digit))
      return false;
  }
  return text.find(',', end) == std::string::npos;
}

// Digits without a sign.
std::optional<TypedNumber> read_digits(std::string text) {
  if (text == "inf" || text == "infinity" || text == "∞" || text == "无穷")
    return TypedNumber{std::numeric_limits<double>::infinity(), 0};
  if (text.find(',') != std::string::npos) {
    if (separates_thousands(text))
      text = without(std::move(text), ',');
    else if (text.find('.') == std::string::npos && text.find(',') == text.rfind(','))
      text[text.find(',')] = '.';
  }
  if (text.empty() || (!is_digit(text[0]) && text[0] != '.')) return std::nullopt;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  int decimals = 0, exponent = 0;
  bool behind_point = false;
  for (const char& c : text) {
    if (c == 'e') {
      const char* const digits = &c + 1;
      std::from_chars(digits + (*digits == '+'), end, exponent);
      break;
    }
    decimals += behind_point;
    behind_point = behind_point || c == '.';
  }
  return TypedNumber{value, std::pow(10.0, exponent - decimals)};
}

std::optional<TypedNumber> read_signed(std::string text) {
  const bool negative = strip_front(text, "-") || strip_front(text, "负");
  if (!negative) strip_front(text, "+");
  std::optional<TypedNumber> number = read_digits(std::move(text));
  if (number && negative) number->value = -number->value;
  return number;
}

} // namespace

std::string narrow_text(std::string_view typed) {
  std::string text;
  for (std::size_t at = 0; at < typed.size();) {
    const CodePoint point = decode(typed, at);
    const auto ascii = point.valid ? ascii_of(point.value) : std::nullopt;
    text += ascii ? std::string(1, *ascii) : std::string(typed.substr(at, point.length));
    at += point.length;
  }
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::string plain_text(std::string_view typed) {
  return lower_case(narrow_text(typed));
}

namespace {

// Without a percent sign: a number, or a fraction.
std::optional<TypedNumber> read_fraction(std::string text) {
  if (text.size() > 2 && text.front() == '(' && text.back() == ')') text = text.substr(1, text.size() - 2);
  const std::size_t slash = text.find('/');
  std::optional<TypedNumber> number = read_signed(text.substr(0, slash));
  if (number && slash != std::string::npos) {
    const std::optional<TypedNumber> divisor = read_signed(text.substr(slash + 1));
    if (!divisor || divisor->value == 0 || std::isinf(divisor->value) || std::isinf(number->value))
      return std::nullopt;
    number = TypedNumber{number->value / divisor->value, 0};
  }
  return number;
}

} // namespace

std::optional<TypedNumber> read_number(std::string_view typed) {
  std::string text = without(plain_text(typed), ' ');
  strip_front(text, "=") || strip_front(text, "~");
  const bool percent = text.ends_with('%');
  if (percent) text.pop_back();
  std::optional<TypedNumber> number = read_fraction(text);
  if (const auto value = number ? std::nullopt : calculated(text)) number = TypedNumber{*value, 0};
  if (number && percent) number->value /= 100, number->unit /= 100, number->percent = true;
  return number;
}

std::optional<Shape> read_shape(std::string_view typed) {
  std::string text = plain_text(typed);
  strip_front(text, "=");
  strip_front(text, "torch.size");
  if (text == "scalar" || text == "()" || text == "[]" || text == "(())" || text == "([])") return Shape{};
  std::size_t axes_open = 0;
  Shape shape;
  bool needs_axis = false; // behind an x
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (is_digit(c)) {
      std::size_t extent = 0;
      const auto [stop, error] = std::from_chars(text.data() + at, text.data() + text.size(), extent);
      if (error != std::errc()) return std::nullopt;
      shape.push_back(extent);
      needs_axis = false;
      at = static_cast<std::size_t>(stop - text.data());
      continue;
    }
    if (c == '(' || c == '[') {
      if (!shape.empty()) return std::nullopt;
      ++axes_open;
    } else if (c == ')' || c == ']') {
      if (axes_open-- == 0) return std::nullopt;
    } else if (c == 'x' || c == '*') {
      if (shape.empty() || needs_axis) return std::nullopt;
      needs_axis = true;
    } else if (c != ' ' && c != ',') {
      return std::nullopt;
    }
    ++at;
  }
  if (shape.empty() || needs_axis || axes_open != 0) return std::nullopt;
  return shape;
}

} // namespace tfx
