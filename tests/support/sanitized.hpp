// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Whether AddressSanitizer watches. It takes its time: what is random is tried less often then.

#ifndef TESSERA_TESTS_SUPPORT_SANITIZED_HPP
#define TESSERA_TESTS_SUPPORT_SANITIZED_HPP

namespace test {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace test

#endif  // TESSERA_TESTS_SUPPORT_SANITIZED_HPP
