// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The names and messages of ARK's codes, made known to core.

#ifndef TESSERA_ARK_DETAIL_ERRORS_HPP
#define TESSERA_ARK_DETAIL_ERRORS_HPP

#include "../../core/error.hpp"
#include "member_message.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

inline constexpr errc_row error_rows[] = {
#define TESSERA_X(name, value, text) {errc::name, #name, text},
    TESSERA_ARK_ERRORS(TESSERA_X)
#undef TESSERA_X
};

// One store when the program starts: it is what lets a program without this format go without its
// messages. Nothing but names and messages depends on it, hence neither on the order of such stores.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wglobal-constructors"
#endif
[[gnu::used]] inline const errc_table& known_errors = tessera::detail::table_of(2) = {
    error_rows, sizeof error_rows / sizeof error_rows[0], nullptr, append_member_message};
#ifdef __clang__
#pragma clang diagnostic pop
#endif

}  // namespace ark::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_ERRORS_HPP
