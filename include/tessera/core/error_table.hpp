// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// All codes of errors with their values and messages, which core/error.hpp makes an enumeration of.
//
//   #define X(name, value, message) …
//   TESSERA_ERRORS(X)
//
// Undefine TESSERA_ERRORS after use.
//
// Lifetime:   none.
// Errors:     these.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_CORE_ERROR_TABLE_HPP
#define TESSERA_CORE_ERROR_TABLE_HPP

#include "error_table_alir.hpp"
#include "error_table_ark.hpp"
#include "error_table_genome.hpp"
#include "error_table_nac.hpp"
#include "error_table_nem.hpp"
#include "error_table_pt2.hpp"

// X(enumerator, value, what was expected, and for NEM's rules also the phase and the severity)
#define TESSERA_CORE_ERRORS(X)                                                                     \
  X(ok, 0, "no error")                                                                             \
  X(input_too_large, 1, "the input is longer than limits::max_bytes")                              \
  X(too_many_items, 2, "a list holds more than limits::max_items entries")                         \
  X(budget_steps, 3, "the program needs more steps than the budget allows")                        \
  X(budget_memory, 4, "the program needs more memory than the budget allows")                      \
                                                                                                   \
  X(json_unexpected_end, 100, "the text ends inside a JSON value")                                 \
  X(json_expected_value, 101, "expected a JSON value")                                             \
  X(json_expected_object, 102, "expected an object")                                               \
  X(json_expected_array, 103, "expected an array")                                                 \
  X(json_expected_string, 104, "expected a string")                                                \
  X(json_expected_integer, 105, "expected an integer without fraction or exponent")                \
  X(json_expected_number, 106, "expected a number")                                                \
  X(json_expected_boolean, 107, "expected true or false")                                          \
  X(json_expected_null, 108, "expected null")                                                      \
  X(json_expected_key, 109, "expected a key in quotes")                                            \
  X(json_expected_colon, 110, "expected ':' after the key")                                        \
  X(json_expected_comma_or_bracket, 111, "expected ',' or ']'")                                    \
  X(json_expected_comma_or_brace, 112, "expected ',' or '}'")                                      \
  X(json_bad_literal, 113, "unknown literal; expected true, false, null or another JSON value")    \
  X(json_leading_zero, 114, "superfluous leading zero; expected a number such as 0, 0.5 or 7")     \
  X(json_expected_digit, 115, "expected a digit")                                                  \
  X(json_number_range, 116, "the number is outside the range of a double")                         \
  X(json_integer_range, 117, "the integer is out of range for this field")                         \
  X(json_bad_escape, 118,                                                                          \
    "unknown escape; expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX")                   \
  X(json_lone_surrogate, 119,                                                                      \
    "unpaired surrogate; expected \\uD800 to \\uDBFF followed by \\uDC00 to \\uDFFF")              \
  X(json_bad_utf8, 120, "the string is not valid UTF-8")                                           \
  X(json_control_character, 121,                                                                   \
    "unescaped control character in a string; expected an escape such as \\u001f")                 \
  X(json_depth, 122, "containers are nested deeper than limits::max_depth")                        \
  X(json_duplicate_key, 123, "duplicate key in this object")                                       \
  X(json_trailing_bytes, 124, "text after the JSON value; expected only white space")              \
  X(json_unexpected_element, 125, "too many elements; expected ']'")                               \
  X(json_missing_element, 126, "too few elements; expected another one before ']'")

// And of all owners.
#define TESSERA_ERRORS(X)                                                                          \
  TESSERA_CORE_ERRORS(X)                                                                           \
  TESSERA_ALIR_ERRORS(X)                                                                           \
  TESSERA_ARK_ERRORS(X)                                                                            \
  TESSERA_NAC_ERRORS(X)                                                                            \
  TESSERA_NEM_RULES(X)                                                                             \
  TESSERA_GENOME_ERRORS(X)                                                                         \
  TESSERA_PT2_ERRORS(X)

#endif  // TESSERA_CORE_ERROR_TABLE_HPP
