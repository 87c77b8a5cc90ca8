// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// JSON paths, both ways: the path of the value at an offset, and the offset of the value at a path.
//
//   json::path(R"({"a":[1,{"b":2}]})", 14);            // $.a[1].b
//   json::find(R"({"a":[1,{"b":2}]})", "$.a[1].b");    // 14
//
// Lifetime:   texts that are returned own themselves.
// Errors:     none: in broken text, what comes before the place where it breaks.
// Limits:     those of json::reader.
// Allocation: the text, and what json::reader needs.

#ifndef TESSERA_CORE_JSON_PATH_HPP
#define TESSERA_CORE_JSON_PATH_HPP

#include <cstdint>
#include <string_view>

#include "../version.hpp"
#include "limits.hpp"
#include "pool.hpp"
#include "text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace json {

/// Appends the component of a path for a member: `.key`, or `["any key"]` when it isn't plain.
[[gnu::cold]] void append_key(text& out, std::string_view key);

/// The JSON path (`$.model[5][3]`) of the innermost value that starts at `offset` or contains it;
/// in broken text, of the last value before the place where reading stops.
[[nodiscard, gnu::cold]] text path(std::string_view source, std::uint64_t offset,
                                   const limits& limit = {});

inline constexpr std::uint64_t no_offset = 0xffffffffffffffff;  ///< not found

/// The offsets of the values at paths, the inverse of path(): one walk for all of them. Paths start
/// with '$', spelled as path() spells them, and refer to the first value of `source`, whatever
/// follows it; what isn't there gets no_offset.
[[gnu::cold]] void find(std::string_view source, tessera::view<std::string_view> paths,
                        std::uint64_t* offsets, const limits& limit = {});
/// The offset of the value at one path, or no_offset.
[[nodiscard, gnu::cold]] std::uint64_t find(std::string_view source, std::string_view path,
                                            const limits& limit = {});

}  // namespace json
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/json_path.hpp"
#endif

#endif  // TESSERA_CORE_JSON_PATH_HPP
