// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Bytes of files: borrowed views, and the same memory viewed as text.
//
//   tessera::bytes in = tessera::as_bytes(source);
//   auto n = tessera::load_le<std::uint32_t>(in.data() + 8);        // core/load_store.hpp
//
// Nothing in Tessera lays a struct over a file: values are copied out with memcpy, so alignment
// and the byte order of the host don't matter.
//
// Lifetime:   `bytes` borrows.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_CORE_BYTES_HPP
#define TESSERA_CORE_BYTES_HPP

#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>

#include "../version.hpp"
#include "load_store.hpp"

namespace tessera::inline TESSERA_ABI {

/// Borrowed bytes.
using bytes = std::span<const std::byte>;

/// A temporary owner of bytes: a view of it would dangle.
template <class Owner>
concept temporary_bytes =
    !std::is_lvalue_reference_v<Owner> && std::is_convertible_v<const Owner&, bytes> &&
    !std::is_same_v<std::remove_cvref_t<Owner>, bytes> &&
    !std::ranges::enable_borrowed_range<std::remove_cvref_t<Owner>>;

/// The same for text: a temporary std::string, but not a view or a literal.
template <class Owner>
concept temporary_text =
    !std::is_lvalue_reference_v<Owner> && std::is_convertible_v<const Owner&, std::string_view> &&
    !std::is_same_v<std::remove_cvref_t<Owner>, std::string_view> &&
    !std::is_pointer_v<std::remove_cvref_t<Owner>>;

/// The same memory viewed as bytes or as text.
[[nodiscard]] inline bytes as_bytes(std::string_view text) noexcept {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
/// The same bytes as characters. Borrows.
[[nodiscard]] inline std::string_view as_text(bytes b) noexcept {
  return {reinterpret_cast<const char*>(b.data()), b.size()};
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_BYTES_HPP
