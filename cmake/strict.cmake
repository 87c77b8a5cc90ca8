# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Sets `strict` to the flags that the headers must take without a word, for the compiler CXX: the
# sets that careful users have, and a few more. Included by scripts.

set(strict -std=c++20 -fno-exceptions -fno-rtti -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    -Wsign-conversion -Wold-style-cast -Wundef -Wcast-qual -Wcast-align -Wextra-semi
    -Wnon-virtual-dtor -Wdouble-promotion -Wformat=2 -Wredundant-decls -Wswitch
    -Wzero-as-null-pointer-constant -Werror)
execute_process(COMMAND "${CXX}" --version OUTPUT_VARIABLE cxx_version ERROR_QUIET)
if(cxx_version MATCHES "clang")
  # Left out: what can't hold for C++20 (compat), what describes and doesn't warn (padded), and what
  # objects to deliberate, tested code.
  list(APPEND strict -Weverything -Wno-c++98-compat -Wno-c++98-compat-pedantic -Wno-c++20-compat
       -Wno-padded -Wno-comma -Wno-float-equal -Wno-documentation-unknown-command -Wno-switch-enum
       -Wno-switch-default -Wno-unknown-warning-option -Wno-unsafe-buffer-usage -Wno-missing-prototypes)
else()
  list(APPEND strict -Wduplicated-cond -Wlogical-op)
  # On 32 bits size_t is uint32_t, and casts between them say what they do elsewhere.
  execute_process(COMMAND "${CXX}" -dumpmachine OUTPUT_VARIABLE cxx_machine ERROR_QUIET)
  if(NOT cxx_machine MATCHES "^i[3-6]86")
    list(APPEND strict -Wuseless-cast)
  endif()
endif()
