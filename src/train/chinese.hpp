#pragma once
// Numbers in Chinese numerals: 305 → 三百零五. One spelling a number, so that an answer is right or wrong:
//
//   groups   four digits each: 亿 counts 100,000,000, 万 counts 10,000
//   零       once for a gap: zeros between two digits of a group (一千零五), at the beginning of a group
//            (一万零一十), a missing group (一亿零五千); never at the end of a group (一百万五千)
//   十       without 一 only at the very beginning: 十五, 十万, but 一百一十五, 十万零一十
//   两       before 千, and before 万 and 亿 where it is all that they count: 两千, 两万, 三万两千
//   二       elsewhere: 二十, 二百, 十二万
//
// Where usage knows another spelling (两百, 三万二千) docs/training.md says so.

#include <cstdint>
#include <string>

namespace tfx {

/// Throws Error(usage) above max_spelled (train/english.hpp).
std::string spell_chinese(std::uint32_t n);

/// Every character of it once.
std::string chinese_number_characters();

} // namespace tfx
