// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How large text and the nodes around it are in SVG, where no font is at hand: about what Helvetica
// and Arial need, and rather more than less.
//
//   const tessera::inspect::extent size = tessera::inspect::measure(node);
//
// Lifetime:   values.
// Errors:     none.
// Limits:     letters of scripts without a table count as the widest.
// Allocation: none.

#ifndef TESSERA_INSPECT_MEASURE_HPP
#define TESSERA_INSPECT_MEASURE_HPP

#include <cstddef>
#include <string_view>

#include "tessera/inspect/picture.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

struct extent {
  double width, height;  ///< in points
};

[[nodiscard]] double width_of(std::string_view s, unsigned size, bool is_bold) noexcept;
/// The size of a node's letters in the line.
[[nodiscard]] unsigned font_of(const picture::node& n, std::size_t line) noexcept;
/// From one line's base to the next.
[[nodiscard]] double line_height(unsigned size) noexcept;
[[nodiscard]] extent measure(const picture::node& n) noexcept;

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_MEASURE_HPP
