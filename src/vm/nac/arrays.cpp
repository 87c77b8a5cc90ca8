// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "arrays.hpp"

#include <cstring>
#include <string>

#include "call.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

value value_of(memory& arena, const array_view& x) {
  const shape dims(x.shape);
  const std::uint64_t wanted = static_cast<std::uint64_t>(dims.elements()) * model::size_of(x.type);
  if (x.bytes.size() != wanted)
    fail(errc::nac_run_shape, x.bytes.size(), " bytes for ", dims, " of ", x.type, "; expected ",
         wanted);
  tensor t = make_tensor(arena, x.type, dims);
  if (wanted != 0) std::memcpy(t.data, x.bytes.data(), x.bytes.size());
  if (x.type == data_type::boolean)  // any byte but 0 is true
    for (std::byte& b : std::span(t.data, t.size())) b = b != std::byte{0} ? std::byte{1} : b;
  return t;
}

array_view array_of(const value& v) noexcept {
  const value& one = decayed(v);
  if (!one.is_tensor()) return {};
  const tensor& t = one.as_tensor();
  return {t.type, t.dims.dims(), {t.data, t.bytes()}};
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
