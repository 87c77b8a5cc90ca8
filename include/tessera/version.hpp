// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The version of Tessera, once (CMake reads it from here), and the two modes.
//
//   header-only  the default: every definition is inline
//   compiled     TESSERA_COMPILED is defined for every file of the program: headers declare, and
//                definitions are compiled once. Link the CMake target tessera::compiled, or define
//                TESSERA_IMPLEMENTATION too in one source file that includes what the others use.
//
// Everything lives in `tessera::inline TESSERA_ABI`, which differs by version and mode: two of them
// linked into one program keep apart. In one translation unit they cannot, so that is an error; the
// checks are outside the guard because a guard would skip them exactly when they matter.

#if defined(TESSERA_VERSION) && TESSERA_VERSION != 900
#error "two versions of Tessera are included in one translation unit"
#endif
#if defined(TESSERA_VERSION_HPP) && defined(TESSERA_COMPILED) != TESSERA_IS_COMPILED
#error "TESSERA_COMPILED must be defined before the first header of Tessera"
#endif
#if defined(TESSERA_IMPLEMENTATION) && !defined(TESSERA_COMPILED)
#error "TESSERA_IMPLEMENTATION without TESSERA_COMPILED: define the latter for the whole program"
#endif

#ifndef TESSERA_VERSION_HPP
#define TESSERA_VERSION_HPP

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#error "Tessera needs C++20 (-std=c++20)"
#elif !defined(__GNUC__)
#error "Tessera needs GCC 12, Clang 14, or a compiler that has their builtins"
#elif defined(__clang__) && __clang_major__ < 14
#error "Tessera needs Clang 14 or later"
#elif !defined(__clang__) && __GNUC__ < 12
#error "Tessera needs GCC 12 or later"
#endif

#define TESSERA_VERSION 900  // major * 10000 + minor * 100 + patch
#define TESSERA_VERSION_STRING "0.9.0"

// TESSERA_ABI: the namespace of every entity. TESSERA_INLINE: before a definition that an interface
// declares.
#ifdef TESSERA_COMPILED
#define TESSERA_IS_COMPILED 1
#define TESSERA_ABI v0_9_0_compiled
#define TESSERA_INLINE
#else
#define TESSERA_IS_COMPILED 0
#define TESSERA_ABI v0_9_0
#define TESSERA_INLINE inline
#endif

#endif  // TESSERA_VERSION_HPP
