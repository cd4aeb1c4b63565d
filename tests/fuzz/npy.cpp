// npy files.
#include "io/npy.hpp"
#include "fuzz.hpp"

namespace tfx::fuzz {

void one_input(std::string_view bytes) {
  (void)read_or_refuse("x.npy", [&] { return npy_header_of(bytes, "x.npy", Others::kept); });
  const auto array = read_or_refuse("x.npy", [&] { return read_npy(bytes, "x.npy"); });
  if (!array) return;
  require(array->values.size() == element_count(array->values.shape), "the values fill their shape");
  const Array again = read_npy(write_npy(array->values), "x.npy");
  require(same(again.values, array->values), "the values come back");
  if (array->dtype == DType::f32)
    require(same(read_npy(write_npy(array->values, DType::f32), "x.npy").values, array->values),
            "and as float32");
}

} // namespace tfx::fuzz
