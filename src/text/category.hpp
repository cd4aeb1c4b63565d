#pragma once
// What Unicode says a character is: the classes that patterns call \p{L}, \p{N}, \p{P} and \p{S}.

namespace tfx {

/// \p{L}: a letter of any script, a Chinese character too; not a mark that combines with one.
bool is_letter(char32_t character);

/// \p{N}: a digit of any script, a Roman numeral, a fraction.
bool is_number(char32_t character);

/// \p{P} or \p{S}: a punctuation mark, a currency, an arrow, a picture.
bool is_punctuation(char32_t character);

} // namespace tfx
