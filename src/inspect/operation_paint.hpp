// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The colours of operations in pictures, by words in their names: there are any number of operations.
//
//   operation_paint p = paint_of("aten.conv2d.default");
//   node.fill = p.fill, node.border = p.line;
//
// Lifetime:   literals.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_INSPECT_OPERATION_PAINT_HPP
#define TESSERA_INSPECT_OPERATION_PAINT_HPP

#include <string_view>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

struct operation_paint {
  std::string_view fill, line;
};
inline constexpr operation_paint command_paint{"#e9dcf3", "#7a4fa3"};

[[nodiscard]] constexpr operation_paint paint_of(std::string_view name) noexcept {
  const auto has = [name](std::string_view word) { return name.find(word) != name.npos; };
  if (has("matmul") || has("linear") || has("conv") || has("addmm") || has("attention") ||
      has(".mm") || has(".bmm"))
    return {"#c9ddf2", "#2f6ba8"};
  if (has("norm") || has("softmax") || has("mean") || has("sum")) return {"#d5ecd0", "#4b8b3b"};
  if (has("view") || has("reshape") || has("transpose") || has("permute") || has("squeeze") ||
      has("expand") || has("slice") || has("clone") || has("pass"))
    return {"#f4f4f4", "#8a8a8a"};
  return {"#fdf1cb", "#b08a1e"};
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_OPERATION_PAINT_HPP
