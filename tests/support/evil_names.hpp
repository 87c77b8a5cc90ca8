// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Names that want to be more than text where they are shown: markup, scripts, ends of strings,
// controls of terminals and of the direction of text.
//
//   for (const std::string_view name : tests::evil_names) …

#ifndef TESSERA_TESTS_SUPPORT_EVIL_NAMES_HPP
#define TESSERA_TESTS_SUPPORT_EVIL_NAMES_HPP

#include <string_view>

namespace tests {

inline constexpr std::string_view evil_names[] = {
    "</script><script>window.evil=1</script>",
    "<!--<script>",
    "<img src=x onerror=window.evil=1>",
    "\"onload=\"window.evil=1",
    "'); window.evil=1; ('",
    "]]><svg onload=window.evil=1>",
    "\\\"}],\"evil\":[{\"",
    "a\" label=<evil>; evil [shape=box",
    "</title><b>evil</b>",
    "&lt;evil&gt; &amp;",
    "${window.evil=1} `evil`",
    "abc\xE2\x80\xAE"
    "cba",  // U+202E, right to left
    "abc\xE2\x81\xA6"
    "cba",                           // U+2066, isolates
    "\xE2\x80\xA8line\xE2\x80\xA9",  // U+2028 and U+2029 end lines of scripts
    "\x1B[31mred\x1B]0;title\x07",
    "tab\tnew\nline\r\x7F",
    "not\xFFutf8\xC3",
};

}  // namespace tests

#endif  // TESSERA_TESTS_SUPPORT_EVIL_NAMES_HPP
