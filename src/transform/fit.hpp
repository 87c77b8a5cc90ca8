// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Tensors as others of another shape or type.
//
// Lifetime:   nothing is kept.
// Errors:     none.
// Limits:     none.
// Allocation: the result; of interpolation and conversion, eight bytes for each element.

#ifndef TESSERA_TRANSFORM_FIT_HPP
#define TESSERA_TRANSFORM_FIT_HPP

#include "tessera/core/pool.hpp"
#include "tessera/nac/model.hpp"
#include "tessera/transform/transplant.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

/// The elements of `from`, with the type and shape of `to`; neither is quantized. Without options for
/// that, other_type or other_shape.
[[nodiscard]] graft_kind fit(const nac::tensor& from, const nac::tensor& to,
                             const transplant_options& options, pool<std::byte>& out);

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_FIT_HPP
