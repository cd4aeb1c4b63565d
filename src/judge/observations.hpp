#pragma once
// What can be said of a learner's array that differs, without guessing: relations to the lesson's tensors
// that hold in every cell, and places that stand out.

#include "judge/comparison.hpp"
#include "trace/trace.hpp"

#include <map>
#include <string>
#include <vector>

namespace tfx {

/// The words are "seen.ID" of the command line's; {name} is facts["name"].
struct Observation {
  std::string id;
  std::map<std::string, Fact> facts;
};

/// In the order in which they help:
///   blocked_rows       NaN in the rows that may see nothing, and else equal: all there is to say
///   not_finite         NaN or an infinity where the lesson has a number, and no more {count} {cell} {kind}
///   {how} is_tensor          equal to another tensor of the run                       {name} transposed the
///   lesson's tensor transposed transposed_tensor  another tensor of the run transposed {name} shape another
///   shape                                            {yours} {lessons} shape_of           the shape of other
///   tensors of the run                    {names} input              a tensor that the lesson does not
///   compute: another input {name} single             equal within 1e-5: computed in float32 {largest}
///   rounded            equal after rounding                                     {decimals}
///   factor, offset     the lesson's times, or plus, one number                  {value} {meaning}
///   rows_reordered     the lesson's rows in another order                       {order}
///   columns_sum        the columns sum to 1, the rows do not                    {row} {sum}
///   rows_sum           rows that should sum to 1 do not                         {row} {sum}
///   only_rows, only_columns, only_slices   nothing else differs                 {places}
///   zeros              nothing but 0
/// `right[tensor]` and `yours` differ within `tolerance`.
std::vector<Observation> observations(const Trace& right, const std::string& tensor, const Tensor& yours,
                                      const Tolerance& tolerance);

} // namespace tfx
